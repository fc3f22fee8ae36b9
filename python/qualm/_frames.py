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


def read_parquet(path: str) -> Frame:
    """A Parquet file as a polars frame or, without polars, as a pandas frame."""
    if importlib.util.find_spec("polars"):
        import polars

        # Read now: the file is gone when this returns.
        return polars.read_parquet(path, memory_map=False)
    if importlib.util.find_spec("pandas"):
        import pandas

        return pandas.read_parquet(path)
    raise QualmError("tables need polars or pandas; install one of them", 1)


def records(frame: Frame) -> list[dict[str, Any]]:
    """The rows of a frame; a missing value is ``None``."""
    if hasattr(frame, "to_dicts"):
        return frame.to_dicts()
    rows = frame.to_dict(orient="records")
    return [{name: None if value != value else value for name, value in row.items()} for row in rows]
