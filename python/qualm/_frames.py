"""Tables as frames of whichever library is installed."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any, Union

from ._program import QualmError

if TYPE_CHECKING:
    import pandas
    import polars

    Frame = Union["polars.DataFrame", "pandas.DataFrame"]
else:
    Frame = Any


def _library() -> str:
    """The library that is installed; polars is asked first."""
    for name in ("polars", "pandas"):
        if importlib.util.find_spec(name):
            return name
    raise QualmError("tables need polars or pandas; install one of them", 1)


def read_parquet(path: str) -> Frame:
    """A Parquet file as a frame."""
    if _library() == "polars":
        import polars

        # Read now: the file is gone when this returns.
        return polars.read_parquet(path, memory_map=False)
    import pandas

    return pandas.read_parquet(path)


def from_rows(rows: list[dict[str, Any]]) -> Frame:
    """Rows as a frame."""
    if _library() == "polars":
        import polars

        return polars.DataFrame(rows, infer_schema_length=None)
    import pandas

    return pandas.DataFrame(rows)


def records(frame: Any) -> list[dict[str, Any]]:
    """The rows of a frame; a missing value is ``None``."""
    if hasattr(frame, "to_dicts"):
        dicts: list[dict[str, Any]] = frame.to_dicts()
        return dicts
    rows = frame.to_dict(orient="records")
    return [{name: None if value != value else value for name, value in row.items()} for row in rows]
