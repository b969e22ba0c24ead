"""Check the links of the Markdown files of the repository, or of the built site.

python website/links.py                 README.md and all pages: files and anchors exist
python website/links.py target/site     the built pages: nothing is missing, and nothing is loaded from elsewhere
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pages import anchors, links

ROOT = Path(__file__).resolve().parents[1]
PAGES = ["*.md", "docs/**/*.md", "bench/*.md", "examples/**/*.md", "crates/*/*.md"]
# Written by the build of the site into its folder.
GENERATED = ("docs/gallery/", "docs/python/", "docs/commands/")


def of_the_repository() -> list[str]:
    """Links of Markdown files to files or headings that do not exist."""
    problems = []
    for page in sorted({page for pattern in PAGES for page in ROOT.glob(pattern)}):
        for link in links(page.read_text(encoding="utf-8")):
            where = problem(page, link)
            if where:
                problems.append(f"{page.relative_to(ROOT)}: {link}: {where}")
    return problems


def problem(page: Path, link: str) -> str | None:
    """What is wrong with a link of a page, if anything."""
    parts = urlsplit(link)
    if parts.scheme:
        return None if parts.scheme in ("https", "mailto") else "neither https nor a file"
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not target.is_relative_to(ROOT):
        return "outside of the repository"
    if target.relative_to(ROOT).as_posix().startswith(GENERATED):
        return None
    if not target.exists():
        return "no such file"
    if parts.fragment and target.suffix == ".md" and parts.fragment not in anchors(target.read_text(encoding="utf-8")):
        return "no such heading"
    return None


class Page(HTMLParser):
    """The ids of a page, its links, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect what the tag refers to."""
        values = {name: value for name, value in attrs if value}
        self.ids.update(values[name] for name in ("id", "name") if name in values)
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        loads = values.get("src") or (
            values.get("href") if tag == "link" and values.get("rel") != "canonical" else None
        )
        if loads:
            self.loaded.append(loads)


def of_the_site(folder: Path) -> list[str]:
    """Links of built pages that lead nowhere, and files that are loaded from another host."""
    pages = {
        path: Page(path.read_text(encoding="utf-8"))
        for path in sorted(folder.rglob("*.html"))
        if "rust" not in path.relative_to(folder).parts[:1]
    }
    problems = []
    for path, page in pages.items():
        for link in page.links + page.loaded:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loaded and parts.scheme != "data":
                    problems.append(f"{path.relative_to(folder)}: loads {link}")
                continue
            base = folder if parts.path.startswith("/") else path.parent
            target = (base / unquote(parts.path).lstrip("/")).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.exists():
                problems.append(f"{path.relative_to(folder)}: {link}: no such file")
            # The theme makes anchors with two underscores at view time.
            elif target in pages and unquote(parts.fragment) not in pages[target].ids | {""} and "__" not in link:
                problems.append(f"{path.relative_to(folder)}: {link}: no such anchor")
    if not pages:
        problems.append(f"{folder} has no pages")
    return problems


def main() -> None:
    """Print the problems, and fail if there are any."""
    problems = of_the_site(Path(sys.argv[1]).resolve()) if len(sys.argv) > 1 else of_the_repository()
    print("\n".join(problems) or "all links are good")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
