"""Finds and runs the program."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Iterable, Mapping, Union

PathLike = Union[str, "os.PathLike[str]"]
Value = Union[str, int, float, bool, None, PathLike, Iterable[Union[str, int, float]]]


class QualmError(RuntimeError):
    """The program failed; the message is its own sentence."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        #: The exit code: 1 failed, 2 wrong usage.
        self.code = code


def program() -> str:
    """The path of the program: ``$QUALM``, the one of this environment, or the one on the path."""
    named = os.environ.get("QUALM")
    if named:
        return named
    name = "qualm.exe" if os.name == "nt" else "qualm"
    beside = Path(sysconfig.get_path("scripts")) / name
    if beside.is_file():
        return str(beside)
    found = shutil.which("qualm")
    if found is None:
        raise QualmError(
            "the program qualm was not found; install the wheel, or set QUALM to its path", 1
        )
    return found


def version() -> str:
    """The version of the program."""
    return run(["--version"]).split()[-1]


def flags(options: Mapping[str, Value]) -> list[str]:
    """Keyword arguments as flags: ``all_scorers=True`` is ``--all-scorers``.

    A list repeats its flag, and ``None`` and ``False`` leave it out.
    """
    words: list[str] = []
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(flag)
            continue
        values = [value] if isinstance(value, (str, int, float, os.PathLike)) else value
        for one in values:
            # Joined by `=`, since a value may begin with a dash.
            words.append(f"{flag}={os.fspath(one) if isinstance(one, os.PathLike) else one}")
    return words


def run(words: Iterable[PathLike]) -> str:
    """Runs the program and returns what it prints; what it says on stderr becomes the error."""
    command = [program(), *(os.fspath(word) for word in words)]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode != 0:
        said = done.stderr.strip() or f"qualm ended with exit code {done.returncode}"
        raise QualmError(said.removeprefix("qualm: "), done.returncode)
    return done.stdout
