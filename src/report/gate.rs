//! The decision of a gate, for people and for programs that run tests.

use super::table::{Datum, Table, count, real, text};
use crate::engine::{CellVersus, Compared, Decision, Gauge, in_points};
use crate::model::Cell;
use crate::text::{counted, visible};

/// A cell that was decided on.
#[derive(Clone, Debug)]
pub struct GateRow {
    /// The baseline and the candidate.
    pub cells: [Cell; 2],
    /// The number in both.
    pub compared: Compared,
    /// What is decided.
    pub decision: Decision,
}

/// What a gate decides, cell by cell.
#[derive(Clone, Debug)]
pub struct GateReport {
    /// The number that it looks at.
    pub gauge: Gauge,
    /// How much worse a candidate may be.
    pub margin: f64,
    /// The confidence of the intervals.
    pub confidence: f64,
    /// The cells.
    pub rows: Vec<GateRow>,
    /// What a reader of the numbers must know, one sentence each.
    pub notes: Vec<String>,
}

/// The formats of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateFormat {
    /// Two lines and a table.
    Table,
    /// An array of flat objects.
    Json,
    /// An XML document of test cases, as `JUnit` writes them.
    Junit,
    /// Annotations of a GitHub workflow, then lines and table.
    Github,
}

impl GateFormat {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Table, Self::Json, Self::Junit, Self::Github];

    /// The id that `--format` takes.
    pub fn id(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Json => "json",
            Self::Junit => "junit",
            Self::Github => "github",
        }
    }
}

impl GateReport {
    /// Decides on cells that were compared.
    pub fn new(gauge: Gauge, margin: f64, confidence: f64, compared: &[CellVersus]) -> Self {
        let row = |one: &CellVersus| {
            let compared = gauge.of(one);
            let decision = Decision::of(&compared, margin, gauge.higher_is_better());
            GateRow { cells: one.cells.clone(), compared, decision }
        };
        let rows = compared.iter().map(row).collect();
        let notes = CellVersus::notes(compared);
        Self { gauge, margin, confidence, rows, notes }
    }

    /// The decision on all cells together.
    pub fn decision(&self) -> Decision {
        let all = self.rows.iter().map(|row| row.decision);
        Decision::together(all).unwrap_or(Decision::Inconclusive)
    }

    /// The report in a format.
    pub fn render(&self, format: GateFormat) -> String {
        match format {
            GateFormat::Table => self.for_people(),
            GateFormat::Json => self.table().render(super::OutputFormat::Json),
            GateFormat::Junit => self.junit(),
            GateFormat::Github => self.github() + &self.for_people(),
        }
    }

    fn for_people(&self) -> String {
        let shown = ["dataset", "model", "condition", "baseline_value", "candidate_value"];
        let shown = [&shown[..], &["difference", "lo", "hi", "tasks", "decision"]].concat();
        let table = self.table().with_columns(&shown);
        format!("{}\n{}\n{table}", visible(&self.summary()), self.rule())
    }

    /// The decision in one line.
    pub fn summary(&self) -> String {
        let word = self.decision().word();
        if let [row] = &self.rows[..] {
            return format!("{word}: {}", self.row_words(row));
        }
        let count = |decision: Decision| {
            self.rows.iter().filter(|row| row.decision == decision).count() as u64
        };
        let cells = counted(self.rows.len() as u64, "cell");
        let parts = [Decision::Worse, Decision::Inconclusive, Decision::NotWorse]
            .map(|decision| format!("{} {}", count(decision), decision.word()));
        format!("{word}: {} in {cells}: {}", self.gauge, parts.join(", "))
    }

    /// What is decided how, in one line.
    pub fn rule(&self) -> String {
        let direction = if self.gauge.higher_is_better() { "above −" } else { "below +" };
        let worst = match self.rows.len() {
            0 | 1 => "",
            _ => "; one cell that is worse decides, else one that is inconclusive",
        };
        format!(
            "a cell is not worse if the {:.3}% interval of its difference stays {direction}{}, over \
             shared tasks, which are resampled{worst}",
            self.confidence * 100.0,
            self.size(self.margin)
        )
        .replacen(".000%", "%", 1)
    }

    /// A cell in words: the difference, its interval and the number of tasks.
    fn row_words(&self, row: &GateRow) -> String {
        let [baseline, candidate] = &row.cells;
        let compared = &row.compared;
        let difference = match compared.difference {
            Some(difference) => self.difference(difference),
            None => "has no value".to_owned(),
        };
        let interval = compared.interval.map_or(String::new(), |interval| {
            format!(
                ", interval {} to {}",
                self.difference(interval.lo),
                self.difference(interval.hi)
            )
        });
        let unit =
            if self.gauge.is_share() && compared.difference.is_some() { " points" } else { "" };
        let tasks = counted(compared.tasks as u64, "task");
        let against = if baseline == candidate {
            candidate.to_string()
        } else {
            format!("{candidate} against {baseline}")
        };
        format!("{} {difference}{unit}{interval}, {tasks}, {against}", self.gauge)
    }

    fn difference(&self, difference: f64) -> String {
        if self.gauge.is_share() {
            return in_points(difference);
        }
        let sign = if difference < 0.0 { "−" } else { "+" };
        format!("{sign}{:.3}", difference.abs())
    }

    fn size(&self, size: f64) -> String {
        if self.gauge.is_share() {
            let points = format!("{:.2}", size * 100.0);
            let points = points.trim_end_matches('0').trim_end_matches('.');
            return format!("{points} points");
        }
        size.to_string()
    }

    fn table(&self) -> Table {
        let columns = [
            text("dataset"),
            text("model"),
            text("condition"),
            text("baseline"),
            text("measure"),
            real("baseline_value"),
            real("candidate_value"),
            real("difference"),
            real("lo"),
            real("hi"),
            real("margin"),
            real("confidence"),
            count("tasks"),
            text("decision"),
        ];
        let mut table = Table::new("whether a candidate is worse than its baseline", &columns);
        for GateRow { cells: [baseline, candidate], compared, decision } in &self.rows {
            let [before, after] = compared.values;
            let row: Vec<Datum> = vec![
                candidate.dataset.as_str().into(),
                candidate.model.as_str().into(),
                candidate.condition.as_str().into(),
                baseline.to_string().into(),
                self.gauge.to_string().into(),
                before.into(),
                after.into(),
                compared.difference.into(),
                compared.interval.map(|interval| interval.lo).into(),
                compared.interval.map(|interval| interval.hi).into(),
                self.margin.into(),
                self.confidence.into(),
                compared.tasks.into(),
                decision.word().into(),
            ];
            table.push(row);
        }
        table
    }

    /// A test case for every cell; one that is not decided fails with another type.
    fn junit(&self) -> String {
        let failures = self.rows.iter().filter(|row| row.decision != Decision::NotWorse).count();
        let tests = self.rows.len();
        let suite = format!("name=\"qualm gate\" tests=\"{tests}\" failures=\"{failures}\"");
        let mut lines = vec![
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>".to_owned(),
            format!("<testsuites {suite}>"),
            format!("  <testsuite {suite}>"),
        ];
        for row in &self.rows {
            let gauge = xml(&self.gauge.to_string());
            let (name, words) = (xml(&row.cells[1].to_string()), xml(&self.row_words(row)));
            let case = format!("    <testcase classname=\"{gauge}\" name=\"{name}\"");
            match row.decision {
                Decision::NotWorse => {
                    lines.push(format!("{case}>"));
                    lines.push(format!("      <system-out>{words}</system-out>"));
                }
                decision => {
                    let kind = decision.word();
                    lines.push(format!("{case}>"));
                    lines.push(format!("      <failure type=\"{kind}\" message=\"{words}\"/>"));
                }
            }
            lines.push("    </testcase>".to_owned());
        }
        lines.extend(["  </testsuite>".to_owned(), "</testsuites>\n".to_owned()]);
        lines.join("\n")
    }

    /// An annotation for every cell.
    fn github(&self) -> String {
        let line = |row: &GateRow| {
            let level = match row.decision {
                Decision::NotWorse => "notice",
                Decision::Inconclusive => "warning",
                Decision::Worse => "error",
            };
            let title = format!("qualm gate, {}", row.decision.word());
            format!("::{level} title={}::{}\n", property(&title), data(&self.row_words(row)))
        };
        self.rows.iter().map(line).collect()
    }
}

/// Text as XML has it.
fn xml(text: &str) -> String {
    let mut safe = String::new();
    for letter in visible(text).chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            other => safe.push(other),
        }
    }
    safe
}

/// Text as the message of a workflow command has it.
fn data(text: &str) -> String {
    visible(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Text as a property of a workflow command has it.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::bootstrap::Interval;

    fn report(rows: &[(&str, f64, f64, f64)]) -> GateReport {
        let row = |&(model, difference, lo, hi): &(&str, f64, f64, f64)| {
            let compared = Compared {
                values: [Some(0.5), Some(0.5 + difference)],
                difference: Some(difference),
                interval: Some(Interval { lo, hi, skipped: 0 }),
                tasks: 114,
                ..Compared::default()
            };
            let decision = Decision::of(&compared, 0.02, true);
            let cell = Cell::new("air", model);
            GateRow { cells: [cell.clone(), cell], compared, decision }
        };
        GateReport {
            gauge: Gauge::Success,
            margin: 0.02,
            confidence: 0.95,
            rows: rows.iter().map(row).collect(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn two_lines_and_a_table() {
        let one = report(&[("m", -0.081, -0.14, -0.021)]);
        assert_eq!(
            one.render(GateFormat::Table),
            "worse: success −8.1 points, interval −14.0 to −2.1, 114 tasks, air/m\n\
             a cell is not worse if the 95% interval of its difference stays above −2 points, over \
             shared tasks, which are resampled\n\
             dataset  model  condition  baseline_value  candidate_value  difference      lo      hi  \
             tasks  decision\n\
             air      m      default             0.500            0.419      -0.081  -0.140  -0.021    \
             114  worse\n"
        );
        let several =
            report(&[("a", 0.1, 0.05, 0.2), ("b", 0.0, -0.1, 0.1), ("c", 0.0, -0.01, 0.0)]);
        assert_eq!(
            several.summary(),
            "inconclusive: success in 3 cells: 0 worse, 1 inconclusive, 2 not worse"
        );
        assert!(
            several
                .rule()
                .ends_with("; one cell that is worse decides, else one that is inconclusive")
        );
    }

    #[test]
    fn names_cannot_break_out_of_a_format() {
        let one = report(&[("<m>&\"\u{1b}::x", -0.081, -0.14, -0.021)]);
        let junit = one.render(GateFormat::Junit);
        assert!(junit.contains("name=\"air/&lt;m&gt;&amp;&quot;␛::x\""), "{junit}");
        assert!(junit.contains("tests=\"1\" failures=\"1\""), "{junit}");
        let github = report(&[("50%\nx", -0.081, -0.14, -0.021)]).render(GateFormat::Github);
        let first = github.lines().next().expect("a line");
        assert!(
            first.starts_with("::error title=qualm gate%2C worse::success −8.1 points"),
            "{first}"
        );
        assert!(first.ends_with("air/50%25␊x"), "{first}");
    }
}
