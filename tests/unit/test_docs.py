"""The documentation names files, headings and make targets that exist."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "wiring.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
README_LINES = 120

LINK = re.compile(r"\]\(([^)\s]+)\)")
QUOTED = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"(?<![\w./~-])\w[\w.-]*(?:/[\w.-]+)+\.(?:py|js|toml|md|png|html|conf)")
FOLDER = re.compile(r"(?:firmware|hal|sim|systemd|tests|tools)(?:/[\w-]+)*/?")
PLACEHOLDER = re.compile("NAME|mine")
"""In a path: a reader's own file."""
MAKE = re.compile(r"\bmake ([a-z][a-z-]*)")
FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)


@cache
def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@cache
def headings(page: Path) -> set[str]:
    """The anchors that code hosting sites generate for the headings."""
    found = re.findall(r"^#+ (.*)$", FENCE.sub("", text_of(page)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-") for title in found}


@cache
def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z][a-z-]*):", text_of(ROOT / "Makefile"), re.MULTILINE))


def page_name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def in_code(page: Path) -> list[str]:
    """Everything in backticks, and the code blocks."""
    return [*QUOTED.findall(FENCE.sub("", text_of(page))), *FENCE.findall(text_of(page))]


every_page = pytest.mark.parametrize("page", PAGES, ids=page_name)


@every_page
def test_every_relative_link_has_a_target(page: Path) -> None:
    for link in LINK.findall(FENCE.sub("", text_of(page))):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path) if path else page
        assert target.exists(), f"{link}: the file does not exist"
        if anchor:
            assert anchor in headings(target), f"{link}: there is no such heading"


@every_page
def test_every_file_in_backticks_exists(page: Path) -> None:
    for code in QUOTED.findall(FENCE.sub("", text_of(page))):
        for path in PATH.findall(code):
            assert PLACEHOLDER.search(path) or (ROOT / path).exists(), f"{path} does not exist"


@every_page
def test_every_folder_in_backticks_exists(page: Path) -> None:
    for code in QUOTED.findall(FENCE.sub("", text_of(page))):
        if FOLDER.fullmatch(code) and not PLACEHOLDER.search(code):
            assert (ROOT / code).exists(), f"{code} does not exist"


@every_page
def test_every_module_that_is_run_exists(page: Path) -> None:
    for code in in_code(page):
        for module in re.findall(r"python -m ((?:tests|tools)(?:\.\w+)+)", code):
            path = ROOT.joinpath(*module.split("."))
            runnable = path.with_suffix(".py").exists() or (path / "__main__.py").exists()
            assert runnable, f"{module} does not exist"


@every_page
def test_every_make_target_exists(page: Path) -> None:
    for code in in_code(page):
        for target in MAKE.findall(code):
            assert target in make_targets(), f"make {target} does not exist"


def test_the_readme_is_short() -> None:
    assert text_of(ROOT / "README.md").count("\n") <= README_LINES


def test_the_readme_links_to_every_page() -> None:
    linked = {link.partition("#")[0] for link in LINK.findall(text_of(ROOT / "README.md"))}
    assert {page_name(page) for page in PAGES} - linked == {"README.md"}
