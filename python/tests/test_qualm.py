"""Tests of the module: `QUALM=path/to/qualm python -m unittest discover python/tests`."""

import importlib.util
import os
import pathlib
import shutil
import sys
import tempfile
import unittest
import unittest.mock

HERE = pathlib.Path(__file__).resolve()
# An installed module is tested where the tests lie away from the repository.
if (HERE.parents[1] / "qualm").is_dir():
    sys.path.insert(0, str(HERE.parents[1]))

import qualm  # noqa: E402
from qualm._frames import records  # noqa: E402
from qualm._heatmap import _colour, _contrast, heatmap  # noqa: E402
from qualm._program import flags  # noqa: E402

DATA = pathlib.Path(os.environ.get("QUALM_TEST_FILES") or HERE.parents[2] / "tests" / "data")
HAS_FRAMES = any(importlib.util.find_spec(name) for name in ("polars", "pandas"))


class Words(unittest.TestCase):
    def test_options_become_flags(self):
        options = {"where": "turns > 5", "all_scorers": True, "seed": 3, "judge": None, "dataset": ["a", "-b"]}
        expected = ["--where=turns > 5", "--all-scorers", "--seed=3", "--dataset=a", "--dataset=-b"]
        self.assertEqual(flags(options), expected)

    def test_a_heatmap_is_escaped(self):
        row = {"dataset": "<script>", "model": "m", "condition": "default", "scorer": "fac", "aggregator": None,
               "value": 0.9, "lo": 0.8, "hi": 0.95, "n": 50, "flagged": True}
        shown = heatmap([row, {**row, "model": "n", "value": None}], "auroc")
        self.assertNotIn("<script>", shown)
        self.assertIn("0.90†", shown)
        self.assertIn('title="[0.800, 0.950], n 50"', shown)
        self.assertIn("–</td>", shown)


class Colours(unittest.TestCase):
    def test_every_value_can_be_read(self):
        for metric in ("auroc", "prr", "ece"):
            for step in range(101):
                background, text = _colour(step / 100, metric)
                parts = tuple(int(part) for part in background[4:-1].split(","))
                luminance = {"#fff": 1.0, "#000": 0.0}[text]
                self.assertGreater(_contrast(luminance, parts), 4.5, (metric, step))
        # Black on white has 21, as WCAG says.
        self.assertAlmostEqual(_contrast(0.0, (255, 255, 255)), 21.0)


class Notebook(unittest.TestCase):
    @unittest.skipUnless(HAS_FRAMES, "neither polars nor pandas is installed")
    def test_the_code_of_the_page_runs(self):
        page = (DATA.parents[1] / "docs" / "notebooks.md").read_text(encoding="utf-8")
        blocks = page.split("```python\n")[1:]
        self.assertGreater(len(blocks), 1)
        code = "\n".join(block.split("```")[0] for block in blocks)
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as home:
            (pathlib.Path(home) / "results").mkdir()
            shutil.copy(DATA / "shop" / "shop.json.gz", pathlib.Path(home) / "results")
            names = {}
            try:
                os.chdir(home)
                exec(compile(code, "notebooks.md", "exec"), names)
            finally:
                os.chdir(before)
        self.assertEqual(len(names["store"].paths), 1)
        self.assertFalse(names["run"]["panes"][0]["success"])


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory()
        for name in ("CACHE", "DATA", "CONFIG", "STATE"):
            os.environ[f"XDG_{name}_HOME"] = cls.home.name
        path = pathlib.Path(cls.home.name) / "mine.qualm"
        cls.store = qualm.import_results(DATA / "tau2.json", path)

    @classmethod
    def tearDownClass(cls):
        cls.home.cleanup()

    def test_the_program_has_a_version(self):
        self.assertRegex(qualm.version(), r"^\d+\.\d+\.\d+")

    @unittest.skipUnless(HAS_FRAMES, "neither polars nor pandas is installed")
    def test_tables_are_frames(self):
        cells = self.store.cells()
        self.assertIn("tasks", list(cells.columns))
        grid = self.store.grid(metric="prr", resamples=10)
        self.assertIn("value", list(grid.columns))
        self.assertGreater(len(grid), 0)
        self.assertIn("<table>", grid._repr_html_())
        every, some = self.store.tasks(), self.store.tasks(f"task = '{DATA_TASK}'")
        self.assertLess(len(some), len(every))

    def test_both_kinds_of_frames_hold_the_same(self):
        libraries = [name for name in ("polars", "pandas") if importlib.util.find_spec(name)]
        if len(libraries) < 2 or not importlib.util.find_spec("pyarrow"):
            self.skipTest("polars, pandas and pyarrow are not all installed")
        tables = []
        for library in libraries:
            with unittest.mock.patch("qualm._frames._library", return_value=library):
                grid = self.store.grid(resamples=0)
                self.assertIn(library, type(grid.frame).__module__)
                self.assertIn("<table>", grid._repr_html_())
                tables.append([records(frame) for frame in
                               (grid.frame, self.store.tasks(), self.store.trajectory(DATA_TASK).turns)])
        self.assertEqual(tables[0], tables[1])

    @unittest.skipUnless(HAS_FRAMES, "neither polars nor pandas is installed")
    def test_a_pinned_scorer_adds_differences(self):
        rows = records(self.store.grid(pin="turns", scorer="tools", resamples=0).frame)
        self.assertEqual({row["pinned"] for row in rows}, {"turns"})
        self.assertIn("difference", rows[0])

    def test_results_are_imported_into_the_cache_without_an_output(self):
        store = qualm.import_results(DATA / "tau2.json")
        self.assertEqual(store.paths, [str(DATA / "tau2.json")])
        self.assertIn(DATA_TASK, str(store.trajectory(DATA_TASK)))
        with self.assertRaises(TypeError):
            qualm.import_results(DATA / "tau2.json", reference="any")
        with self.assertRaises(qualm.QualmError):
            qualm.import_results(DATA / "README.md" if (DATA / "README.md").exists() else __file__)

    def test_a_run_is_a_dictionary(self):
        task = DATA_TASK
        run = self.store.trajectory(task)
        self.assertIsInstance(run, dict)
        self.assertIn(task, str(run))

    @unittest.skipUnless(HAS_FRAMES, "neither polars nor pandas is installed")
    def test_turns_of_a_run_are_a_frame(self):
        turns = self.store.trajectory(DATA_TASK).turns
        self.assertGreater(len(turns), 0)
        self.assertEqual(list(turns.columns)[:3], ["turn", "action", "confidence"])

    def test_scoring_returns_its_summary(self):
        self.assertTrue(self.store.score())

    def test_errors_are_the_sentences_of_the_program(self):
        with self.assertRaises(qualm.QualmError) as caught:
            self.store.report("grid", dataset="attic", output="x")
        self.assertEqual(caught.exception.code, 2)
        with self.assertRaises(qualm.QualmError) as caught:
            self.store.trajectory("no such task")
        self.assertEqual(caught.exception.code, 1)
        self.assertIn("no such task", str(caught.exception))
        with self.assertRaises(FileNotFoundError):
            qualm.open("attic.qualm")


DATA_TASK = "1"

if __name__ == "__main__":
    unittest.main()
