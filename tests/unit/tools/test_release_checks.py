"""What ``make release`` accepts, and what it refuses."""

from pathlib import Path

import pytest

from sim.board.harness import NO_FAILING_DISK
from tools import release_checks
from tools.release_checks import (
    ENTRY_POINT,
    ReleaseError,
    check_changelog,
    check_played,
    check_refused,
    check_sdist,
    check_wheel,
    needing_a_failing_disk,
    source_files,
)

ROOT = Path(__file__).parents[3]
PRODUCT = (
    "firmware/cli.py",
    "firmware/bank/editions/1-a.toml",
    "hal/display/fonts/6x10.png",
    "sim/learn/tasks/01-a.box",
    "sim/panel/page/index.html",
)
ENTRY_POINTS = f"[console_scripts]\n{ENTRY_POINT}\n"

# The changelog


@pytest.mark.parametrize("heading", ["## 1.2.0", "## [1.2.0] - 2026-11-18", "## 1.2.0 - today"])
def test_a_section_of_the_version_is_enough(heading: str) -> None:
    check_changelog("1.2.0", f"# Changelog\n\n{heading}\n\n### Added\n\n- This.\n\n## 1.1.0\n")


@pytest.mark.parametrize(
    "text", ["", "## Unreleased\n\n- This.", "## 1.2.01\n\n- This.", "## 1x2.0\n\n- This."]
)
def test_without_its_section_a_version_is_refused(text: str) -> None:
    with pytest.raises(ReleaseError, match=r"^CHANGELOG\.md has no section '## 1\.2\.0'; "):
        check_changelog("1.2.0", text)


@pytest.mark.parametrize("text", ["## 1.2.0\n", "## 1.2.0\n\n### Added\n\n## 1.1.0\n\n- Old.\n"])
def test_an_empty_section_is_refused(text: str) -> None:
    with pytest.raises(ReleaseError, match="is empty"):
        check_changelog("1.2.0", text)


# The content


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in (*PRODUCT, "firmware/__pycache__/cli.pyc", "tests/test_a.py", "README.md"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return tmp_path


def wheel(*names: str) -> list[str]:
    return [*names, "tellerbox-1.2.0.dist-info/METADATA", "tellerbox-1.2.0.dist-info/RECORD"]


def test_the_sources_are_the_product_without_what_python_compiles(checkout: Path) -> None:
    assert source_files(checkout) == set(PRODUCT)


def test_a_wheel_of_the_whole_product_is_good(checkout: Path) -> None:
    check_wheel("1.2.0", wheel(*PRODUCT), ENTRY_POINTS, checkout)


@pytest.mark.parametrize("name", ["tests/test_a.py", "tests/campaign/disk.py", "hal/gone.py"])
def test_a_wheel_with_other_files_is_refused(checkout: Path, name: str) -> None:
    with pytest.raises(ReleaseError, match=f"do not belong there: {name}$"):
        check_wheel("1.2.0", wheel(*PRODUCT, name), ENTRY_POINTS, checkout)


@pytest.mark.parametrize("name", PRODUCT)
def test_a_wheel_that_lacks_a_file_is_refused(checkout: Path, name: str) -> None:
    rest = [other for other in PRODUCT if other != name]
    with pytest.raises(ReleaseError, match=f"lacks files of the checkout: {name}$"):
        check_wheel("1.2.0", wheel(*rest), ENTRY_POINTS, checkout)


@pytest.mark.parametrize("name", PRODUCT[1:])
def test_data_that_the_checkout_lacks_too_is_noticed(checkout: Path, name: str) -> None:
    (checkout / name).unlink()
    rest = [other for other in PRODUCT if other != name]
    with pytest.raises(ReleaseError, match="the wheel contains no "):
        check_wheel("1.2.0", wheel(*rest), ENTRY_POINTS, checkout)


def test_a_wheel_without_the_command_is_refused(checkout: Path) -> None:
    with pytest.raises(ReleaseError, match="does not install the command"):
        check_wheel("1.2.0", wheel(*PRODUCT), "[console_scripts]\n", checkout)


def test_the_files_of_another_version_are_no_metadata(checkout: Path) -> None:
    names = wheel(*PRODUCT, "tellerbox-1.1.0.dist-info/METADATA")
    with pytest.raises(ReleaseError, match=r"tellerbox-1\.1\.0\.dist-info/METADATA"):
        check_wheel("1.2.0", names, ENTRY_POINTS, checkout)


def test_an_sdist_has_what_a_wheel_is_built_from_and_no_tests(checkout: Path) -> None:
    names = {f"tellerbox-1.2.0/{name}" for name in (*PRODUCT, "pyproject.toml", "README.md")}
    with pytest.raises(ReleaseError, match=r"lacks files of the checkout: LICENSE$"):
        check_sdist("1.2.0", names, checkout)
    names.add("tellerbox-1.2.0/LICENSE")
    check_sdist("1.2.0", names, checkout)
    with pytest.raises(ReleaseError, match=r"do not belong there: tests/test_a\.py$"):
        check_sdist("1.2.0", {*names, "tellerbox-1.2.0/tests/test_a.py"}, checkout)


def test_a_message_names_ten_files_at_most(checkout: Path) -> None:
    many = [f"tests/test_{number:02}.py" for number in range(13)]
    with pytest.raises(ReleaseError, match=r"tests/test_09\.py and 3 more$"):
        check_wheel("1.2.0", wheel(*PRODUCT, *many), ENTRY_POINTS, checkout)


# The scenarios


def test_the_scenarios_that_need_a_failing_disk() -> None:
    """By their text alone; `tellerbox play` decides by what it has parsed."""
    found = needing_a_failing_disk((ROOT / "tests" / "scenarios").glob("*.box"))
    assert "d3-a-full-disk.box" in found
    assert "p3-cut-in-a-commit.box" in found
    assert "d6-in-the-final-count.box" not in found


def refusal(name: str) -> str:
    return f"{name}:4: {NO_FAILING_DISK}\n"


def test_scenarios_are_refused_with_one_sentence_each() -> None:
    check_refused({"a.box", "b.box"}, 2, "", refusal("b.box") + refusal("a.box"))


@pytest.mark.parametrize(
    ("status", "output", "errors", "sentence"),
    [
        (0, "ok a.box\n1 passed, 0 failed\n", "", "not exactly the scenarios .*: a.box, b.box"),
        (2, "", refusal("a.box"), "not exactly the scenarios .*: b.box"),
        (2, "", "".join(map(refusal, ("a.box", "b.box", "c.box"))), "not exactly .*: c.box"),
        (2, "", refusal("a.box") + "Traceback\n", "the installed tellerbox says: Traceback"),
        (0, "", refusal("a.box") + refusal("b.box"), "not refused before anything is played"),
        (2, "ok c.box\n", refusal("a.box") + refusal("b.box"), "not refused before anything"),
    ],
)
def test_scenarios_that_are_not_refused_as_they_should_be(
    status: int, output: str, errors: str, sentence: str
) -> None:
    with pytest.raises(ReleaseError, match=sentence):
        check_refused({"a.box", "b.box"}, status, output, errors)


def test_every_scenario_has_to_be_reported_as_passed() -> None:
    check_played({"b.box", "a.box"}, 0, "ok a.box\nok b.box\n2 passed, 0 failed\n", "")


@pytest.mark.parametrize(
    ("status", "output", "errors", "sentence"),
    [
        (1, "1 passed, 1 failed\n", "a.box:3: expected screen 1, got 2\n", "fails on .*: a.box:3:"),
        (1, "", "", "exit status 1"),
        (0, "", "", "does not report every scenario"),
        (0, "ok a.box\n1 passed, 0 failed\n", "", "does not report every scenario"),
        (0, "ok a.box\nok b.box\n1 passed, 1 failed\n", "", "counts wrongly: 1 passed"),
    ],
)
def test_scenarios_that_did_not_pass(status: int, output: str, errors: str, sentence: str) -> None:
    with pytest.raises(ReleaseError, match=sentence):
        check_played({"a.box", "b.box"}, status, output, errors)


# The command


def test_the_changelog_of_this_checkout_has_its_version(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert release_checks.main(["version"]) == 0
    version = capsys.readouterr().out.strip()
    assert release_checks.main(["changelog", version]) == 0
    assert release_checks.main(["changelog", "99.0"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("tellerbox: CHANGELOG.md has no section '## 99.0'")
    assert said.count("\n") == 1


def test_files_that_are_no_archives_are_reported(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    nothing = tmp_path / "a.whl"
    nothing.write_text("no archive")
    assert release_checks.main(["content", "1.0", str(nothing), str(nothing)]) == 1
    assert release_checks.main(["content", "1.0", str(tmp_path / "b.whl"), "c"]) == 1
    assert capsys.readouterr().err.count("\n") == 2
