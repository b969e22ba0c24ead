"""The pages of the gallery, from the examples and what their last run printed and drew."""

from __future__ import annotations

import shutil
from pathlib import Path

from gallery import SECTIONS, Example, examples, picture

RUN = {
    "python": "python examples/gallery/{path}",
    "sh": "sh examples/gallery/{path}",
}


def write(folder: Path, results: Path) -> list[object]:
    """Write all pages to ``folder/gallery`` and return their navigation."""
    found = examples()
    for example in found:
        write_page(example, folder, results)
    (folder / "gallery").mkdir(exist_ok=True)
    (folder / "gallery" / "index.md").write_text(index(found), encoding="utf-8")
    navigation: list[object] = ["gallery/index.md"]
    for section, title in SECTIONS.items():
        navigation.append({title: [f"gallery/{e.name}.md" for e in found if e.section == section]})
    return navigation


def write_page(example: Example, folder: Path, results: Path) -> None:
    """Write the page of one example, and copy its picture."""
    title, description, code = example.parts()
    page = folder / "gallery" / f"{example.name}.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(picture(example, results), page.with_suffix(".png"))
    output = (results / example.name / "output.txt").read_text(encoding="utf-8").rstrip()
    path = example.path.relative_to(example.path.parents[1]).as_posix()
    page.write_text(
        f"# {title}\n\n{description}\n\n"
        f"![{title}]({example.path.stem}.png){{ .picture }}\n\n"
        f"```{example.language}\n{code}```\n\n"
        f"It prints:\n\n```text\n{output}\n```\n\n"
        f"Run it in a copy of the repository: `{RUN[example.language].format(path=path)}`. "
        f"The picture and the output above are those of the build of this page.\n",
        encoding="utf-8",
    )


def index(found: list[Example]) -> str:
    """The page with a picture of every example."""
    parts = [
        "# Gallery\n\nEvery example is one short script in `examples/gallery/`, on bundled or simulated data. "
        "All of them run when this site is built, so code, output and picture belong together.\n"
    ]
    for section, title in SECTIONS.items():
        cards = [card(e) for e in found if e.section == section]
        parts.append(f'## {title}\n\n<div class="gallery">\n{"".join(cards)}</div>\n')
    return "\n".join(parts)


def card(example: Example) -> str:
    """A picture with its title, as HTML: one link around both."""
    title, _, _ = example.parts()
    return (
        f'<a href="{example.name}.html"><img src="{example.name}.png" alt="" loading="lazy"><span>{title}</span></a>\n'
    )
