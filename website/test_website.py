"""The tools of the site: links, anchors, code of pages, pages of examples and references."""

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import command_line
import images
import links
import pages
import python_reference
from gallery import examples


def test_links_are_found_outside_of_code_and_over_lines():
    text = "[a](x.md) `[b](y.md)` ![c](z.png)\n```\n[d](w.md)\n```\n[two\nlines](v.md#part)\n"
    assert pages.links(text) == ["x.md", "z.png", "v.md#part"]


def test_anchors_follow_the_rule_of_headings():
    text = "# A page: of `code`\n## Twice\n## Twice\n```\n# no heading\n```\n"
    assert pages.anchors(text) == {"a-page-of-code", "twice", "twice-1"}


@pytest.mark.parametrize(
    ("link", "problem"),
    [
        ("docs/README.md", None),
        ("docs/missing.md", "no such file"),
        ("docs/kernel.md#missing", "no such heading"),
        ("../elsewhere.md", "outside of the repository"),
        ("http://example.org", "neither https nor a file"),
    ],
)
def test_wrong_links_are_named(link, problem):
    assert links.problem(links.ROOT / "README.md", link) == problem


def test_the_site_is_checked(tmp_path):
    (tmp_path / "index.html").write_text(
        '<a href="b.html#x"></a><a href="c.html"></a><img src="https://example.org/a.png">'
    )
    (tmp_path / "b.html").write_text('<p id="y"></p>')
    found = links.of_the_site(tmp_path)
    assert [problem.partition(": ")[2] for problem in found] == [
        "b.html#x: no such anchor",
        "c.html: no such file",
        "loads https://example.org/a.png",
    ]


def test_hidden_lines_and_blank_ends_are_left_out():
    text = "```rust\nlet x = 1;\n# Ok(())\n```\n```python\n>>> 1\n1\n\n```\n"
    assert pages.for_the_site(text) == "```rust\nlet x = 1;\n```\n```pycon\n>>> 1\n1\n```\n"


def test_links_are_moved_or_become_words():
    text = "[a](x.md) and [b](y.md)\n"
    assert pages.with_links(text, {"x.md": "z.md"}.get) == "[a](z.md) and b\n"


def test_every_example_has_a_title_and_a_description():
    found = examples()
    assert len(found) >= 25
    for example in found:
        title, description, code = example.parts()
        assert all([title, description, code]), example.name
        assert f"{example.path.stem}.png" in code, example.name


def test_every_public_name_is_on_a_page():
    named = [name for _, names in python_reference.groups().values() for name in names]
    assert len(named) == len(set(named))
    assert set(python_reference.mercer.__all__) - set(named) == {"__version__"}


def test_docstrings_become_markdown():
    def f(a, b=2):
        """Do *it* with a_b.

        Parameters
        ----------
        a : int
            The <first>.
        b
            The second.

        Examples
        --------
        >>> 1 + 1
        2
        """

    text = python_reference.body(f)
    assert "Do *it* with a\\_b." in text
    assert "`a` : int\n:   The \\<first>." in text
    assert "```pycon\n>>> 1 + 1\n2\n```" in text


def test_help_becomes_markdown():
    text = """Do it.

Usage: tool [OPTIONS]

Options:
  -k, --kind <K>
          The kind

          Possible values:
          - one: The first
          - two: The second

  -h, --help
          Print help
"""
    parts = command_line.sections(text)
    assert parts["Usage"].strip() == "tool [OPTIONS]"
    assert command_line.flags(parts["Options"]) == (
        "`-k, --kind <K>`\n:   The kind\n\n    Possible values:\n\n    - `one`: The first\n    - `two`: The second\n"
    )


def test_every_picture_of_the_documentation_is_made_by_a_rule():
    script = (links.ROOT / "crates" / "mercer-python" / "pictures.py").read_text(encoding="utf-8")
    names = re.search(r"PICTURES = \((.*?)\)", script, flags=re.DOTALL)[1].replace(",", " ").split()
    made = {*images.COMMANDS, *images.PAGES, *images.DEMO, *(f"display_{name}.png" for name in names)}
    folder = links.ROOT / "docs" / "images"
    # Those of the lab are screenshots.
    found = {path.name for path in folder.iterdir() if not path.name.startswith("lab-")}
    assert found == made
    pages = [*(links.ROOT / "docs").rglob("*.md"), links.ROOT / "README.md"]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    assert [name for name in sorted(found) if f"images/{name}" not in text] == []


def test_pictures_are_taken_from_a_page():
    page = "<figure><svg><text>one</text></svg></figure><figure><svg><text>two</text></svg></figure>"
    assert images.picture(page, "two") == "<svg><text>two</text></svg>\n"
    with pytest.raises(ValueError, match="no picture of the page has the title 'three'"):
        images.picture(page, "three")
