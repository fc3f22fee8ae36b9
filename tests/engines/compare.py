"""Compares the answers of an engine with qualm's own numbers.

Usage: compare.py QUALM ENGINE STORE... [--master URL]
"""

import argparse
import json
import math
import subprocess
import sys

import engines

NEAR = 1e-9
CELL = ["dataset", "model", "condition"]
RULES = "first early mean min late last product q10 softmin-10 window-3".split()
SCOPES = [
    "turns > 4 and not (draws = 1)",
    "solved between 1 and draws - 1 or lnsp_min >= 0.5",
    "(agreement > 0.3 or success is null) and aec is not null and turns / tools > 1",
    "contains(task, '1') or task like '%2%' and abs(round(sp_mean, 1)) < 0.9",
]


class Compared:
    """Counts what agrees, and collects what does not."""

    def __init__(self, qualm, store, run):
        self.qualm, self.store, self.run = qualm, store, run
        self.values, self.wrong = 0, []

    def native(self, *arguments):
        command = [self.qualm, "report", self.store, "--format", "json", "--resamples", "0", *arguments]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    def engine(self, name, what, *arguments):
        command = [self.qualm, "sql", self.store, "--engine", name, "--what", what, *arguments]
        query = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return self.run(query)

    def same(self, label, expected, found, key, columns, empty_is_absent=False):
        """Both lists of rows have the same keys and the same numbers."""
        of = lambda rows: {tuple(row.get(name) for name in key): row for row in rows}
        expected, found = of(expected), of(found)
        if empty_is_absent:
            found = {k: v for k, v in found.items() if k in expected or v[columns[0]] is not None}
        for name in set(expected) ^ set(found):
            self.wrong.append(f"{label}: only {'qualm' if name in expected else 'the engine'} has {name}")
        for name in set(expected) & set(found):
            for column in columns:
                a, b = expected[name].get(column), found[name].get(column)
                self.values += 1
                if not near(a, b):
                    self.wrong.append(f"{label} {name} {column}: qualm {a}, engine {b}")


def near(a, b):
    if isinstance(a, str) or a is None or b is None:
        return a == b or (isinstance(a, str) and b is None)  # a string says why there is no value
    a, b = float(a), float(b)
    return a == b or math.isclose(a, b, rel_tol=NEAR, abs_tol=NEAR)


def compare(compared, engine):
    scorer = CELL + ["scorer", "aggregator"]
    run = CELL + ["task", "draw"] + ["scorer", "aggregator"]
    tasks = compared.native("--table", "tasks")
    counted = {(*(row[name] for name in CELL), row["task"]): 0 for row in tasks}
    for row in tasks:
        row.setdefault("draw", 0)
    tasks = [row for row in tasks if row["value"] is not None]
    compared.same("scores", tasks, compared.engine(engine, "scores"), run, ["value"])
    rules = [f"{base}.{rule}" for base in "sp lnsp atn pm".split() for rule in RULES]
    every = [part for name in rules for part in ("--scorer", name)]
    wide = [row for row in compared.native("--table", "tasks", *every) if row["value"] is not None]
    for row in wide:
        row.setdefault("draw", 0)
    found = compared.engine(engine, "aggregates")
    compared.same("aggregates", wide, found, run, ["value"])
    pairs = compared.engine(engine, "consistency")
    means = {}
    for row in pairs:
        key = (*(row[name] for name in CELL), row["task"], row["draw_a"], row["scorer"], None)
        means.setdefault(key, []).append(row["value"])
    means = [dict(zip(run, key), value=sum(values) / len(values)) for key, values in means.items()]
    measured = [row for row in tasks if row["scorer"] in ("fac", "asc", "adc", "aec")]
    compared.same("consistency", measured, means, run, ["value"])
    grid(compared, engine, scorer, ())
    for scope in SCOPES:
        grid(compared, engine, scorer, ("--where", scope))
    cells = compared.native("--table", "cells")
    for row in cells:
        row["success_rate"] = row["references_solved"]
    counts = ["tasks", "trajectories", "labelled", "successes", "success_rate"]
    compared.same("cells", cells, compared.engine(engine, "cells"), CELL, counts)
    stuck(compared, engine, ())
    stuck(compared, engine, ("--where", SCOPES[0]))
    judges(compared, engine, ())
    judges(compared, engine, ("--where", SCOPES[0]))
    turns(compared, engine)


def grid(compared, engine, scorer, scope):
    found = compared.engine(engine, "grid", *scope)
    for metric in ("auroc", "auprc", "prr", "ece", "aurc", "brier"):
        expected = compared.native("--table", "grid", "--metric", metric, *scope)
        of_metric = [row for row in found if row["metric"] == metric]
        label = f"grid {metric} {' '.join(scope)}"
        compared.same(label, expected, of_metric, scorer, ["value", "n", "successes", "minority"])


def stuck(compared, engine, scope):
    found = compared.engine(engine, "stuck", *scope)
    for table, group in (("stuck-pairs", "outcome"), ("stuck-tasks", "group")):
        expected = compared.native("--table", table, *scope)
        rows = [{**row, group: row["outcome"]} for row in found if row["report"] == table]
        compared.same(f"{table} {' '.join(scope)}", expected, rows, ["scope", "scorer", group], ["mean", "n"])


def judges(compared, engine, scope):
    expected = compared.native("--table", "judges", *scope)
    found = [{**row, "precision": row["precision_"]} for row in compared.engine(engine, "judges", *scope)]
    counts = "both_equivalent only_judge only_against both_different n unparsed minority".split()
    left_out = "not_graded neither not_recorded assumed".split()
    columns = "agreement kappa precision recall f1".split() + counts + left_out
    compared.same(f"judges {' '.join(scope)}", expected, found, ["judge", "against"], columns)


def turns(compared, engine):
    """Token log-probabilities give the scores that the store's own table has."""
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(f"{compared.store}/turns.parquet").to_pylist()
    scored = [row for row in table if row["sp_log"] is not None]
    columns = ["sp_log", "lnsp", "atn", "pm", "scored_tokens"]
    compared.same("turns", scored, compared.engine(engine, "turns"), ["trajectory", "turn"], columns)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("qualm")
    parser.add_argument("engine")
    parser.add_argument("stores", nargs="+")
    parser.add_argument("--master", default="local[2]")
    arguments = parser.parse_args()
    if not engines.is_here(arguments.engine):
        print(f"engines: {arguments.engine} skipped, since Python has no {engines.MODULES[arguments.engine]}")
        return 0
    run = engines.connect(arguments.engine, arguments.master)
    failed = False
    for store in arguments.stores:
        compared = Compared(arguments.qualm, store, run)
        compare(compared, arguments.engine)
        name = store.rstrip("/").rsplit("/", 1)[-1]
        print(f"engines: {arguments.engine} on {name}: {compared.values} values, {len(compared.wrong)} differ")
        for line in compared.wrong[:20]:
            print(f"  {line}")
        failed |= bool(compared.wrong)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
