"""Dependencies point one way, every module has one name, and none grows too long."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LONGEST = 400

PACKAGES = ("pipelines", "query")
MODULES = sorted(path.relative_to(ROOT) for name in PACKAGES for path in (ROOT / name).rglob("*.py"))
TESTS = sorted(path.relative_to(ROOT) for path in (ROOT / "tests").rglob("*.py"))

every_module = pytest.mark.parametrize("module", MODULES, ids=str)


def imports(module: Path) -> Iterator[tuple[int, str]]:
    """Yield (level, name) of each import: level 0 is absolute, 1 the module's own folder."""
    for node in ast.walk(ast.parse((ROOT / module).read_text())):
        if isinstance(node, ast.ImportFrom):
            yield node.level, node.module or ""
        elif isinstance(node, ast.Import):
            yield from ((0, name.name) for name in node.names)


def target(module: Path, level: int, name: str) -> str:
    """Return the top folder that an import reaches into; empty for other packages."""
    if level == 0:
        parts = name.split(".")
        return parts[1] if parts[0] == "uncompact" and len(parts) > 1 else ""
    here = module.parent
    for _ in range(level - 1):
        here = here.parent
    return (here / name.replace(".", "/")).parts[0]


@pytest.mark.parametrize("module", [path for path in MODULES if path.parts[0] == "pipelines"], ids=str)
def test_pipelines_never_import_query(module: Path) -> None:
    assert "query" not in {target(module, level, name) for level, name in imports(module)}


@pytest.mark.parametrize("module", [path for path in MODULES if path.parts[:2] != ("query", "api")], ids=str)
def test_modules_import_each_other_by_relative_names(module: Path) -> None:
    absolute = {name.split(".")[0] for level, name in imports(module) if level == 0}

    assert not absolute & {"uncompact", *PACKAGES}


@pytest.mark.parametrize("module", [path for path in MODULES if path.parts[:2] == ("query", "api")], ids=str)
def test_the_public_package_imports_by_absolute_names(module: Path) -> None:
    assert {level for level, _ in imports(module)} == {0}


@pytest.mark.parametrize("module", [*MODULES, *TESTS], ids=str)
def test_no_module_is_too_long(module: Path) -> None:
    assert len((ROOT / module).read_text().splitlines()) <= LONGEST


@every_module
def test_no_module_is_named_for_nothing_in_particular(module: Path) -> None:
    assert module.stem not in {"utils", "util", "helpers", "common", "misc", "base", "manager"}


@every_module
def test_every_module_says_what_it_is_for(module: Path) -> None:
    assert ast.get_docstring(ast.parse((ROOT / module).read_text()))


@every_module
def test_names_listed_as_public_exist(module: Path) -> None:
    tree = ast.parse((ROOT / module).read_text())
    bound = {name for node in tree.body for name in names_bound(node)}
    listed = next((names_listed(node) for node in tree.body if "__all__" in names_bound(node)), set[str]())

    assert listed <= bound or module.name == "__init__.py"


def names_bound(node: ast.stmt) -> list[str]:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [one.id for one in node.targets if isinstance(one, ast.Name)]
    return [node.target.id] if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) else []


def names_listed(node: ast.stmt) -> set[str]:
    assert isinstance(node, ast.Assign)
    return set(ast.literal_eval(node.value))


def test_no_folder_is_imported_as_a_second_package() -> None:
    names = [".".join(("uncompact", *path.with_suffix("").parts)) for path in MODULES]
    plain = [name for name in names if not name.endswith("__init__") and ".api" not in name]
    program = (
        "import importlib, sys\n"
        f"for name in {plain!r}: importlib.import_module(name)\n"
        "print(sorted({'pipelines', 'query'} & set(sys.modules)))"
    )

    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert done.stdout == "[]\n"
    assert not {"pipelines", "query"} & set(sys.modules)
