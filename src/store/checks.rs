//! Converts the checks of runs to and from the table `checks`.

use polars::prelude::{DataFrame, PolarsResult};

use super::columns::{self as col, Frame, Names};
use super::parts::Parted;
use super::table::{Piece, TableName};
use super::{Entry, Store, StoreError, span};
use crate::model::{Check, CheckKind, CheckSummary};

/// The rows of the checks of runs, each with its id.
pub(super) fn frame<'a>(runs: impl Iterator<Item = (u32, &'a [Check])>) -> PolarsResult<DataFrame> {
    struct Row<'a> {
        id: u32,
        index: u32,
        check: &'a Check,
        compared: Option<String>,
    }
    let rows: Vec<Row> = runs
        .flat_map(|(id, checks)| {
            (0..).zip(checks).map(move |(index, check)| {
                let names = check.compared.as_ref();
                let compared = names.map(|names| serde_json::to_string(names).unwrap_or_default());
                Row { id, index, check, compared }
            })
        })
        .collect();
    let checks = || rows.iter().map(|row| row.check);
    DataFrame::new(
        rows.len(),
        vec![
            col::small("trajectory", rows.iter().map(|row| row.id)),
            col::small("check", rows.iter().map(|row| row.index)),
            col::text("kind", checks().map(|check| check.kind.id())),
            col::text("expected", checks().map(|check| check.expected.as_str())),
            col::text_opt("arguments", checks().map(|check| check.arguments.as_deref())),
            col::text_opt("compared", rows.iter().map(|row| row.compared.as_deref())),
            col::flag_opt("met", checks().map(|check| check.met)),
            col::text_opt("detail", checks().map(|check| check.detail.as_deref())),
        ],
    )
}

/// The checks of one run, from a frame that begins at `first_row` of the table.
fn checks(frame: Option<&Frame>, entry: &Entry, first_row: u64) -> Result<Vec<Check>, StoreError> {
    let Some(frame) = frame.filter(|_| entry.rows.checks > 0) else { return Ok(Vec::new()) };
    let frame = frame.slice(entry.rows.check - first_row, entry.rows.checks);
    if frame.height() != entry.rows.checks as usize {
        return Err(frame.wrong("check"));
    }
    let mut id = frame.small("trajectory")?;
    let mut kind = frame.text("kind")?;
    let mut expected = frame.text("expected")?;
    let mut arguments = frame.text("arguments")?;
    let mut compared = frame.text("compared")?;
    let mut met = frame.flag("met")?;
    let mut detail = frame.text("detail")?;
    (0..frame.height())
        .map(|_| {
            if id.need()? != entry.id {
                return Err(frame.wrong("trajectory"));
            }
            let compared = compared.next().map(serde_json::from_str).transpose();
            Ok(Check {
                kind: CheckKind::parse(kind.need()?).ok_or_else(|| frame.wrong("kind"))?,
                expected: expected.need_owned()?,
                arguments: arguments.next_owned(),
                compared: compared.map_err(|_| frame.wrong("compared"))?,
                met: met.next(),
                detail: detail.next_owned(),
            })
        })
        .collect()
}

/// The checks of some trajectories in a table that may not be there.
pub(super) fn of_runs(
    table: Option<&Parted>,
    entries: &[Entry],
) -> Result<Vec<Vec<Check>>, StoreError> {
    let rows = span(entries, |entry| (entry.rows.check, entry.rows.checks));
    let frame = match table.filter(|_| !rows.is_empty()) {
        Some(table) => Some(table.read_rows(&rows)?),
        None => None,
    };
    entries.iter().map(|entry| checks(frame.as_ref(), entry, rows.start)).collect()
}

/// What the checks of trajectories come to, by their ids.
type Part = Vec<(u32, CheckSummary)>;

fn part(frame: &Frame) -> Result<Part, StoreError> {
    let mut names = Names::default();
    let (ids, codes) = (frame.smalls("trajectory")?, frame.codes("kind", &mut names)?);
    let met = frame.flags("met")?;
    let kinds: Vec<Option<CheckKind>> =
        names.into_list().iter().map(|name| CheckKind::parse(name)).collect();
    let kind = |code: u32| kinds.get(code as usize).copied().flatten();
    let mut part: Part = Vec::new();
    for (row, &id) in ids.iter().enumerate() {
        let kind = kind(codes[row]).ok_or_else(|| frame.wrong("kind"))?;
        // The rows of a trajectory follow one another.
        if part.last().is_none_or(|(last, _)| *last != id) {
            part.push((id, CheckSummary::default()));
        }
        if let Some((_, summary)) = part.last_mut() {
            summary.add(kind, met[row]);
        }
    }
    Ok(part)
}

impl Store {
    /// Whether the store has checks.
    pub fn has_checks(&self) -> bool {
        self.table(TableName::Checks).is_some()
    }

    /// The checks of some trajectories, read at once from the first of their rows to the last.
    pub fn checks(&self, entries: &[Entry]) -> Result<Vec<Vec<Check>>, StoreError> {
        of_runs(self.table(TableName::Checks), entries)
    }

    /// Adds all checks to the summaries of their trajectories. `ids` are those of the trajectories, in
    /// the order of the summaries.
    pub(super) fn sum_checks(
        &self,
        ids: &[u32],
        summaries: &mut [CheckSummary],
    ) -> Result<(), StoreError> {
        let Some(table) = self.table(TableName::Checks) else { return Ok(()) };
        let mut rows: Vec<(u32, u32)> = (0..).zip(ids).map(|(row, id)| (*id, row)).collect();
        rows.sort_unstable();
        let row_of = |id: u32| {
            let found = rows.binary_search_by_key(&id, |(id, _)| *id).ok()?;
            Some(rows[found].1 as usize)
        };
        let columns = ["trajectory", "kind", "met"];
        table.pieces(
            &columns,
            |piece: &Piece<'_>| part(&piece.frame),
            |part| {
                for (id, some) in part {
                    // `qualm check` reports rows of no trajectory.
                    if let Some(summary) = row_of(id).and_then(|row| summaries.get_mut(row)) {
                        summary.merge(&some);
                    }
                }
            },
        )
    }
}
