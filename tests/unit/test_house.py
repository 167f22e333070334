"""Rules for the layout of the sources and of their unit tests."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UNIT = ROOT / "tests" / "unit"
PRODUCT = ("firmware", "hal", "sim")
MIRRORED = ("firmware", "hal")
MOST_FILES = 15
"""Sources of one folder, besides ``__init__.py``."""
TESTED_ELSEWHERE = re.compile(r"(?:^Tests:|,) (tests/[^\s,]+?)(?=,|\.$)", re.MULTILINE)
LAZY_IMPORT = ("sim/board/harness.py", "tests.campaign.disk.card_ledger")
"""The failing disk is not shipped; scripts that need it load it by its name."""

NOT_OF_ONE_MODULE = {
    "firmware/commands/test_ledger_names.py": "names in commands/ledger.py (N6)",
    "firmware/commands/test_ledger_report.py": "one command of commands/ledger.py, with its files",
    "firmware/notify_socket.py": "helper: systemd's notification socket",
    "firmware/reports/played_games.py": "helper: games to report on",
    "firmware/reports/test_names.py": "names in the report, as text and as a page (N6)",
    "firmware/storage/ledgers_on_disk.py": "helper: ledger files and their contents",
    "firmware/storage/test_ledger_survives.py": "killed processes, full and read-only disks",
    "firmware/storage/test_old_ledger.py": "the migration, across opening, schema and check",
    "firmware/storage/test_overtaken_writer.py": "two writers, from the store to the rows",
    "firmware/table/test_bankruptcy.py": "BANKRUPT, from the held key to the winner (F5, F25)",
    "firmware/table/test_beside_a_box.py": "another program changes the ledger of a box (D30)",
    "firmware/table/test_doubt.py": "uncertain writes, from the key to the disk (D27)",
    "firmware/table/test_final_count.py": "the count, from the amounts to the ranking (F15 to F17)",
    "firmware/table/test_half_done.py": "interruptions and waking (N1 to N3, P2)",
    "firmware/table/test_taking_back.py": "C, from the newest thing to what shows (C2, S10)",
    "firmware/table/test_time_up.py": "the end of a timed game, from the clock to the count (F22)",
}
"""Files of tests/unit that belong to no module of the same name, with the reason."""


def sources(*packages: str) -> Iterator[Path]:
    for package in packages:
        yield from sorted((ROOT / package).rglob("*.py"))


def modules(*packages: str) -> list[Path]:
    return [file for file in sources(*packages) if file.name != "__init__.py"]


def name_of(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("module", modules(*MIRRORED), ids=name_of)
def test_every_module_has_its_test_file_or_names_it(module: Path) -> None:
    mirrored = UNIT / module.relative_to(ROOT).with_name(f"test_{module.name}")
    named = TESTED_ELSEWHERE.findall(ast.get_docstring(ast.parse(module.read_text("utf-8"))) or "")
    assert mirrored.exists() or named, (
        f"add {name_of(mirrored)}, or 'Tests: FILE.' to the docstring of {name_of(module)}"
    )
    for place in named:
        assert any(ROOT.glob(place)), f"{name_of(module)} names {place}, which does not exist"
        assert not (ROOT / place).is_dir(), f"{name_of(module)} names a whole folder, {place}"


def test_every_unit_test_belongs_to_a_module_or_says_why_not() -> None:
    found = {
        file.relative_to(UNIT).as_posix(): ROOT / file.relative_to(UNIT).parent / file.name[5:]
        for package in MIRRORED
        for file in (UNIT / package).rglob("*.py")
        if file.name not in ("__init__.py", "conftest.py")
    }
    without_module = {
        name
        for name, module in found.items()
        if not Path(name).name.startswith("test_") or not module.exists()
    }
    assert without_module == set(NOT_OF_ONE_MODULE)


def test_no_two_classes_have_the_same_name() -> None:
    places = defaultdict(list)
    for file in sources(*PRODUCT):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{name_of(file)}:{node.lineno}")
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_no_folder_is_crowded() -> None:
    folders = defaultdict(list)
    for module in modules(*PRODUCT):
        folders[name_of(module.parent)].append(module.name)
    crowded = {folder: len(files) for folder, files in folders.items() if len(files) > MOST_FILES}
    assert crowded == {}


def test_the_product_does_not_import_the_tests() -> None:
    """An import statement, or a string that names a module of theirs."""
    found = [
        (name_of(file), module)
        for file in sources(*PRODUCT)
        for module in imported(ast.parse(file.read_text("utf-8")))
        if module == "tests" or module.startswith("tests.")
    ]
    assert found == [LAZY_IMPORT]


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module)):
                yield module
            case ast.Constant(value=str(text)) if re.fullmatch(r"tests(\.\w+)+", text):
                yield text
