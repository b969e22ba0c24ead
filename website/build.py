"""Build the site: pages of the repository, the gallery and the references, as HTML that needs no network.

    python website/build.py [--mercer target/debug/mercer] [--rustdoc target/doc] [--output target/site]

Needs the results of ``gallery.py`` and the output of ``cargo doc``.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import command_line
import gallery_pages
import python_reference
from links import of_the_site
from pages import for_the_site, relative, with_links

ROOT = Path(__file__).resolve().parents[1]
HERE = ROOT / "website"
# Files of the repository that are pages of the site under another name.
RENAMED = {
    "docs/README.md": "modules.md",
    "bench/README.md": "bench.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "examples/data/PROVENANCE.md": "data.md",
}


def main() -> None:
    """Gather the pages, build them, add the Rust reference, and check every link."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mercer", type=Path, default=ROOT / "target" / "debug" / "mercer")
    parser.add_argument("--rustdoc", type=Path, default=ROOT / "target" / "doc")
    parser.add_argument("--gallery", type=Path, default=ROOT / "target" / "gallery")
    parser.add_argument("--output", type=Path, default=ROOT / "target" / "site")
    words = parser.parse_args()
    work = ROOT / "target" / "site-pages"
    shutil.rmtree(work, ignore_errors=True)
    folder = work / "pages"
    folder.mkdir(parents=True)
    gather(folder)
    navigation = {
        "@gallery": gallery_pages.write(folder, words.gallery.resolve()),
        "@python": python_reference.write(folder),
        "@commands": command_line.write(folder, words.mercer.resolve()),
    }
    configuration = work / "mkdocs.yml"
    # JSON is YAML.
    settings = {
        "INHERIT": str(HERE / "mkdocs.yml"),
        "docs_dir": str(folder),
        "site_dir": str(words.output.resolve()),
        "nav": complete(filled(json.loads((HERE / "navigation.json").read_text(encoding="utf-8")), navigation), folder),
    }
    configuration.write_text(json.dumps(settings, indent=1), encoding="utf-8")
    quiet = {**os.environ, "DISABLE_MKDOCS_2_WARNING": "true", "NO_MKDOCS_2_WARNING": "true"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(configuration)]
    # Not with --quiet, which hides warnings from --strict.
    done = subprocess.run(command, env=quiet, cwd=work, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    shutil.copytree(words.rustdoc, words.output / "rust", ignore=shutil.ignore_patterns(".lock"))
    problems = of_the_site(words.output.resolve())
    if problems:
        sys.exit("\n".join(problems))
    size = sum(f.stat().st_size for f in words.output.rglob("*") if f.is_file()) / 1e6
    print(f"{words.output}/index.html: {len(list(folder.rglob('*.md')))} pages, {size:.0f} MB with the Rust reference")


def gather(folder: Path) -> None:
    """Copy the pages and pictures of the repository, with links between them that hold in the site."""
    staged = {ROOT / name: Path(new) for name, new in RENAMED.items() if (ROOT / name).exists()}
    for path in sorted((ROOT / "docs").rglob("*")):
        if path.is_file() and path not in staged:
            staged[path] = path.relative_to(ROOT / "docs")
    for path, page in staged.items():
        (folder / page).parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            text = path.read_text(encoding="utf-8")
            (folder / page).write_text(for_the_site(moved(text, path, page, staged)), encoding="utf-8")
        else:
            shutil.copyfile(path, folder / page)
    shutil.copyfile(HERE / "site.css", folder / "site.css")


def moved(text: str, path: Path, page: Path, staged: dict[Path, Path]) -> str:
    """The text with links that hold where the page is; a link to a file that is no page becomes its words."""

    def change(link: str) -> str | None:
        parts = urlsplit(link)
        if parts.scheme or not parts.path:
            return link
        target = (path.parent / parts.path).resolve()
        fragment = f"#{parts.fragment}" if parts.fragment else ""
        if target in staged:
            return relative(staged[target], page) + fragment
        # Pages that the build writes are named as if they were in docs/.
        generated = target.is_relative_to(ROOT / "docs") and not target.exists()
        return relative(target.relative_to(ROOT / "docs"), page) + fragment if generated else None

    return with_links(text, change)


def filled(entry: object, lists: dict[str, list[object]]) -> object:
    """The navigation with its generated parts put in."""
    if isinstance(entry, str) and entry in lists:
        return lists[entry]
    if isinstance(entry, list):
        return [filled(e, lists) for e in entry if e != "security.md" or (ROOT / "SECURITY.md").exists()]
    if isinstance(entry, dict):
        return {key: filled(value, lists) for key, value in entry.items()}
    return entry


def complete(navigation: object, folder: Path) -> object:
    """The navigation with the pages that it does not name at its end, so that none is left out."""
    named: set[str] = set()

    def collect(entry: object) -> None:
        if isinstance(entry, str):
            named.add(entry)
        for inner in entry.values() if isinstance(entry, dict) else entry if isinstance(entry, list) else []:
            collect(inner)

    collect(navigation)
    rest = sorted({page.relative_to(folder).as_posix() for page in folder.rglob("*.md")} - named)
    return [*navigation, {"More": rest}] if rest else navigation


if __name__ == "__main__":
    main()
