"""A store, or result files, as Python sees them."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any, Iterable, Optional, Sequence, Union

from ._frames import Frame, from_rows, read_parquet, records
from ._heatmap import heatmap
from ._program import PathLike, Value, flags, run


class Store:
    """A store, or result files that the program imports into its cache.

    Options of methods are the flags of the commands behind them: ``where="turns > 5"`` is
    ``--where 'turns > 5'``; ``qualm help scoring`` explains them.
    """

    def __init__(self, paths: Union[PathLike, Sequence[PathLike]]) -> None:
        listed = [paths] if isinstance(paths, (str, os.PathLike)) else paths
        #: The store, or the result files.
        self.paths: list[str] = [os.fspath(path) for path in listed]

    def __repr__(self) -> str:
        return f"qualm.open({', '.join(map(repr, self.paths))})"

    def report(self, table: str, **options: Value) -> Frame:
        """Any table of ``qualm report``."""
        with tempfile.TemporaryDirectory() as folder:
            out = str(Path(folder) / "table.parquet")
            run(["report", *self.paths, "--table", table, "--format", "parquet", "-o", out,
                 *flags(options)])
            return read_parquet(out)

    def grid(self, metric: str = "auroc", **options: Value) -> "Grid":
        """The metric of every scorer in every cell, with intervals."""
        return Grid(self.report("grid", metric=metric, **options), metric)

    def cells(self) -> Frame:
        """What the store contains, cell by cell."""
        return self.report("cells")

    def tasks(self, filter: Optional[str] = None, **options: Value) -> Frame:
        """Every task with its outcomes, counts and costs; `filter` is an expression over them."""
        with tempfile.TemporaryDirectory() as folder:
            out = str(Path(folder) / "tasks.parquet")
            run(["export", *self.paths, "--what", "tasks", "--format", "parquet", "-o", out,
                 *flags({"select": filter, **options})])
            return read_parquet(out)

    def scores(self, **options: Value) -> Frame:
        """The value of every task under every scorer."""
        return self.report("tasks", **options)

    def score(self, **options: Value) -> str:
        """Computes scorers and keeps their values in the store; returns the summary."""
        return run(["score", *self.paths, *flags(options)])

    def trajectory(self, task: str, draw: int = 0, **options: Value) -> "Trajectory":
        """A run: its outcome, and its actions with their confidences, texts and results."""
        text = run(["show", *self.paths, "--task", str(task), "--draws", str(draw),
                    "--format", "json", *flags(options)])
        return Trajectory(json.loads(text))


class Trajectory(dict[str, Any]):
    """A run, as ``qualm show --format json`` prints it; :attr:`turns` is a frame of its actions."""

    @property
    def turns(self) -> Frame:
        """One row for every action: its turn and confidence, what was said and called, what came back."""
        cells = [row["cells"][0] for row in self["rows"] if row["kind"] == "action"]
        names = ("turn", "action", "confidence", "rank", "weight", "tokens", "weakest", "error",
                 "words", "arguments")
        return from_rows([{name: cell[name] for name in names} for cell in cells])


class Grid:
    """Scorers × cells. Jupyter shows it as a heatmap; :attr:`frame` is the table behind it."""

    def __init__(self, frame: Frame, metric: str) -> None:
        #: One row for every scorer and cell, with interval and counts.
        self.frame = frame
        #: The metric.
        self.metric = metric

    def __repr__(self) -> str:
        return repr(self.frame)

    def __getattr__(self, name: str) -> Any:
        # Whatever the frame can do: filter, select, to_pandas …
        if name == "frame":
            raise AttributeError(name)
        return getattr(self.frame, name)

    def __getitem__(self, key: Any) -> Any:
        return self.frame[key]

    def __len__(self) -> int:
        return len(self.frame)

    def _repr_html_(self) -> str:
        return heatmap(records(self.frame), self.metric)


def open(paths: Union[PathLike, Sequence[PathLike]]) -> Store:
    """Opens a store, or result files of any format that ``qualm formats`` lists.

    A path that does not exist is an error here and not later.
    """
    store = Store(paths)
    for path in store.paths:
        if not Path(path).exists():
            raise FileNotFoundError(f"{path}: there is no such store or result file")
    return store


def import_results(
    paths: Union[PathLike, Sequence[PathLike]], output: Optional[PathLike] = None, **options: Value
) -> Store:
    """Reads result files into a store, and opens it.

    Without `output`, the program imports the files into its cache, and anew when they change. Options of
    the import, such as ``reference="any"``, need an `output`.
    """
    listed: Iterable[PathLike] = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    if output is None:
        if options:
            raise TypeError(f"{', '.join(options)}: options of an import need an output")
        store = open(paths)
        # Imported now, so that what cannot be read is an error here.
        run(["report", *store.paths, "--table", "cells", "--format", "json"])
        return store
    run(["import", *listed, "-o", output, *flags(options)])
    return Store(output)
