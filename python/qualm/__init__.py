"""Reads and scores results of LLM agents with the program ``qualm``.

The module runs the program and reads the tables that it writes, so its numbers are those of the
explorer and of ``qualm report``.

>>> import qualm
>>> store = qualm.open("mine.qualm")           # a store, or result files
>>> store.grid(metric="auroc")                 # a frame that shows as a heatmap in Jupyter
>>> store.tasks("not success and quartile = 1")
>>> store.trajectory("17", draw=0).turns

Tables are polars frames if polars is installed, otherwise pandas frames.
"""

from ._program import QualmError, program, version
from ._store import Grid, Store, Trajectory, import_results, open

__all__ = ["Grid", "QualmError", "Store", "Trajectory", "import_results", "open", "program", "version"]
