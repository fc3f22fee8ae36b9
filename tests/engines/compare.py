"""Compares the answers of an engine with qualm's own numbers.

Usage: compare.py QUALM ENGINE STORE... [--master URL] [--only PART,PART]
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

    def same(self, label, expected, found, key, columns):
        """Both lists of rows have the same keys and the same numbers."""
        of = lambda rows: {tuple(row.get(name) for name in key): row for row in rows}
        expected, found = of(expected), of(found)
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


RUN = CELL + ["task", "draw", "scorer", "aggregator"]


def tasks(compared, *scorers):
    """The values of the runs that count; the column `draw` is there only where every draw counts."""
    chosen = [part for name in scorers for part in ("--scorer", name)]
    rows = [row for row in compared.native("--table", "tasks", *chosen) if row["value"] is not None]
    for row in rows:
        row.setdefault("draw", 0)
    return rows


def scores(compared, engine):
    compared.same("scores", tasks(compared), compared.engine(engine, "scores"), RUN, ["value"])


def some_scores(compared, engine):
    names = ["sp.mean", "lnsp.window-5", "aec", "ter"]
    found = compared.engine(engine, "scores", "--scorer", ",".join(names))
    compared.same("some scores", tasks(compared, *names), found, RUN, ["value"])


def aggregates(compared, engine):
    rules = [f"{base}.{rule}" for base in "sp lnsp atn pm".split() for rule in RULES]
    found = compared.engine(engine, "aggregates")
    compared.same("aggregates", tasks(compared, *rules), found, RUN, ["value"])


def consistency(compared, engine):
    means = {}
    for row in compared.engine(engine, "consistency"):
        key = (*(row[name] for name in CELL), row["task"], row["draw_a"], row["scorer"], None)
        means.setdefault(key, []).append(row["value"])
    means = [dict(zip(RUN, key), value=sum(values) / len(values)) for key, values in means.items()]
    expected = tasks(compared, "fac", "asc", "adc", "aec")
    compared.same("consistency", expected, means, RUN, ["value"])


def cells(compared, engine):
    expected = compared.native("--table", "cells")
    for row in expected:
        row["success_rate"] = row["references_solved"]
    counts = ["tasks", "trajectories", "labelled", "successes", "success_rate"]
    compared.same("cells", expected, compared.engine(engine, "cells"), CELL, counts)


def grid(compared, engine):
    every = [(), *(("--where", scope) for scope in SCOPES)]
    for scope in every:
        grid_of(compared, engine, scope)


def stuck(compared, engine):
    stuck_of(compared, engine, ())
    stuck_of(compared, engine, ("--where", SCOPES[0]))


def judges(compared, engine):
    judges_of(compared, engine, ())
    judges_of(compared, engine, ("--where", SCOPES[0]))


def grid_of(compared, engine, scope):
    found = compared.engine(engine, "grid", *scope)
    for metric in ("auroc", "auprc", "prr", "ece", "aurc", "brier"):
        expected = compared.native("--table", "grid", "--metric", metric, *scope)
        of_metric = [row for row in found if row["metric"] == metric]
        label = f"grid {metric} {' '.join(scope)}"
        compared.same(label, expected, of_metric, CELL + ["scorer", "aggregator"], ["value", "n", "successes", "minority"])


def stuck_of(compared, engine, scope):
    found = compared.engine(engine, "stuck", *scope)
    for table, group in (("stuck-pairs", "outcome"), ("stuck-tasks", "group")):
        expected = compared.native("--table", table, *scope)
        rows = [{**row, group: row["outcome"]} for row in found if row["report"] == table]
        compared.same(f"{table} {' '.join(scope)}", expected, rows, ["scope", "scorer", group], ["mean", "n"])


def judges_of(compared, engine, scope):
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


PARTS = [cells, scores, some_scores, aggregates, consistency, grid, stuck, judges, turns]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("qualm")
    parser.add_argument("engine")
    parser.add_argument("stores", nargs="+")
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--only", default=",".join(part.__name__ for part in PARTS))
    arguments = parser.parse_args()
    if not engines.is_here(arguments.engine):
        print(f"engines: {arguments.engine} skipped, since Python has no {engines.MODULES[arguments.engine]}")
        return 0
    run = engines.connect(arguments.engine, arguments.master)
    failed = False
    for store in arguments.stores:
        compared = Compared(arguments.qualm, store, run)
        wanted = arguments.only.split(",")
        for part in PARTS:
            if part.__name__ in wanted:
                part(compared, arguments.engine)
        name = store.rstrip("/").rsplit("/", 1)[-1]
        print(f"engines: {arguments.engine} on {name}: {compared.values} values, {len(compared.wrong)} differ")
        for line in compared.wrong[:20]:
            print(f"  {line}")
        failed |= bool(compared.wrong)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
