"""Checks who imports whom, by the sentence in each package's ``__init__.py``.

A package of ``firmware``, ``hal`` or ``sim`` says in its docstring what it may import beyond the
standard library and itself:

    It may import: hal.events, firmware.bank, PIL.

A name allows that module, or that package with all below it; a package that is named with a star
(``hal.*``) allows itself and the modules directly in it. Modules that are imported by a string
count as well. A name that no import needs is an offence, too.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOTS = ("firmware", "hal", "sim", "tests/campaign/storm/model")
OUR_OWN = ("firmware", "hal", "sim", "tests", "tools")
SENTENCE = re.compile(r"It may import: ([^;]*?)\.(?:\s|$)", re.DOTALL)
NOTHING = "nothing"
MODULE_NAME = re.compile(rf"(?:{'|'.join(OUR_OWN)})(?:\.\w+)+")


def offences(root: Path) -> Iterator[str]:
    for top in ROOTS:
        for init in sorted((root / top).rglob("__init__.py")):
            yield from _offences_of(root, init.parent)


def _offences_of(root: Path, folder: Path) -> Iterator[str]:
    package = ".".join(folder.relative_to(root).parts)
    name = folder.relative_to(root).as_posix()
    docstring = ast.get_docstring(ast.parse((folder / "__init__.py").read_text("utf-8"))) or ""
    sentence = SENTENCE.search(docstring)
    files = sorted(folder.glob("*.py"))
    if sentence is None:
        if len(files) > 1:
            yield f"{name}/__init__.py: does not say 'It may import: ...'"
        return
    allowed = [word.strip() for word in sentence[1].split(",") if word.strip() != NOTHING]
    imported = set()
    for file in files:
        for line, module in imports(root, file):
            imported.add(module)
            if not _is_allowed(root, module, package, allowed):
                yield f"{name}/{file.name}:{line}: {package} may not import {module}"
    for word in allowed:
        others = [other for other in allowed if other != word]
        if all(
            _is_allowed(root, module, package, others)
            for module in imported
            if _is_allowed(root, module, package, allowed)
        ):
            yield f"{name}/__init__.py: {package} need not import {word}"


def _is_allowed(root: Path, module: str, package: str, allowed: list[str]) -> bool:
    if module.partition(".")[0] in sys.stdlib_module_names or module == package:
        return True
    if f"{module}.*" in allowed:
        return True
    if not root.joinpath(*module.split(".")).is_dir():
        direct = f"{module.rpartition('.')[0]}.*"
        if direct == f"{package}.*" or direct in allowed:
            return True
    return any(within(module, name) for name in allowed)


def within(module: str, name: str) -> bool:
    return module == name or module.startswith(name + ".")


def imports(root: Path, file: Path) -> Iterator[tuple[int, str]]:
    """Every module that a file imports, with the line."""
    tree = ast.parse(file.read_text(encoding="utf-8"), str(file))
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=module, level=level):
                start = "." * level + (module or "")
                for alias in node.names:
                    whole = f"{start}.{alias.name}"
                    yield node.lineno, whole if _exists(root, whole) else start
            case ast.Constant(value=str(text)) if MODULE_NAME.fullmatch(text):
                if _exists(root, text):
                    yield node.lineno, text


def _exists(root: Path, module: str) -> bool:
    path = root.joinpath(*module.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def main() -> int:
    found = list(offences(Path(__file__).parent.parent))
    for offence in found:
        print(offence, file=sys.stderr)
    print(f"imports: {len(found)} offences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
