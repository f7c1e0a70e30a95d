"""What is installed is what is in the checkout: every source file, no other."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
NEEDED_SETUPTOOLS = 77

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
SETUPTOOLS: dict[str, Any] = PROJECT["tool"]["setuptools"]


def tracked_files(*folders: str) -> list[Path]:
    """Return the files that git holds, or would hold, below folders of the checkout."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *folders]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [Path(name) for name in listed.split("\0") if name and (ROOT / name).is_file()]


def installed_name(path: Path) -> str:
    """Return where a source file stands in the wheel."""
    if path.parts[:2] == ("query", "api"):
        return f"uncompact/{path.name}"
    return f"uncompact/{path.as_posix()}"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.Path:
    """The wheel built from a copy of the checkout, so that nothing is left in it."""
    checkout = tmp_path_factory.mktemp("checkout")
    for path in tracked_files("."):
        target = checkout / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, target)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", "dist", "."]
    if (
        importlib.util.find_spec("setuptools")
        and int(version("setuptools").split(".")[0]) >= NEEDED_SETUPTOOLS
    ):
        command.insert(-1, "--no-build-isolation")

    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)
    if done.returncode and "No matching distribution found for setuptools" in done.stderr:
        pytest.skip("neither a current setuptools nor a package index")

    assert done.returncode == 0, done.stderr
    (built,) = (checkout / "dist").glob("*.whl")
    return zipfile.Path(built)


def names_in(wheel: zipfile.Path) -> set[str]:
    return set(wheel.root.namelist())


def test_every_folder_with_modules_is_packaged() -> None:
    folders = {path.parent.as_posix() for path in tracked_files("pipelines", "query") if path.suffix == ".py"}

    mapped: dict[str, str] = SETUPTOOLS["package-dir"]
    assert folders <= set(mapped.values())
    assert set(mapped) == set(SETUPTOOLS["packages"])


def test_the_wheel_holds_exactly_the_sources(wheel: zipfile.Path) -> None:
    sources = {
        installed_name(path)
        for path in tracked_files("pipelines", "query")
        if path.suffix in {".py", ".sql"} or path.name == "py.typed"
    }

    packed = {
        name
        for name in names_in(wheel)
        if name.endswith((".py", ".sql", "py.typed")) and not name.startswith("uncompact/data_fixtures/")
    }
    assert packed == sources


def test_the_wheel_is_typed_and_brings_its_sql(wheel: zipfile.Path) -> None:
    assert {
        "uncompact/py.typed",
        "uncompact/pipelines/py.typed",
        "uncompact/query/py.typed",
        "uncompact/pipelines/sql/create_companion.sql",
        "uncompact/query/sql/rank_hits.sql",
    } <= names_in(wheel)


def test_the_wheel_has_one_top_folder_and_no_tests(wheel: zipfile.Path) -> None:
    tops = {name.split("/")[0] for name in names_in(wheel)}

    assert tops == {"uncompact", f"uncompact-{PROJECT['project']['version']}.dist-info"}


def test_the_wheel_installs_the_command(wheel: zipfile.Path) -> None:
    entry_points = wheel / f"uncompact-{PROJECT['project']['version']}.dist-info" / "entry_points.txt"

    assert "uncompact = uncompact.query.cli:main" in entry_points.read_text()
