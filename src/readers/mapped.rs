//! Files that a user's mapping explains, and tables of rollouts, whose columns do.

use super::mapping::{Ends, Runs};
use super::rollouts::Rollouts;
use super::rows::{self, Kind, Wanted};
use super::{
    Candidate, Claim, Emit, FormatInfo, Gives, InputNotes, Mapping, ReadError, ReadOptions, Reader,
};

/// The reader of tables with a column of conversations.
#[derive(Debug)]
pub(super) struct Table;

static TABLE: FormatInfo = FormatInfo {
    id: "table",
    name: "tables of rollouts",
    looks: "Parquet or CSV with one run per row: a column `messages`, `conversation` or `trajectory`, or columns `prompt` and `completion`",
    gives: &[
        Gives::Labels,
        Gives::Draws,
        Gives::Logprobs,
        Gives::TopK,
        Gives::Costs,
        Gives::SystemPrompt,
        Gives::Tools,
    ],
    example: "rollouts.parquet",
};

impl Reader for Table {
    fn info(&self) -> &'static FormatInfo {
        &TABLE
    }

    fn claim(&self, candidate: &Candidate) -> Option<Claim> {
        if candidate.entries().is_some() || Kind::of(candidate.start()) == Kind::Json {
            return None;
        }
        let columns = rows::columns(candidate.content())?;
        let mapping = Mapping::of_columns(&columns)?;
        let fields = mapping.fields();
        let needed = Wanted { fields: fields.as_deref(), ..Wanted::default() };
        let mut holds_talk = true;
        // A column of that name may also hold numbers, beside scores.
        let looked = rows::each(candidate.content(), needed, &mut |row, _| {
            holds_talk = mapping.holds_talk(&row);
            Ok(false)
        });
        (looked.is_err() || holds_talk).then(|| self.force(candidate))
    }

    fn read(
        &self,
        claim: &Claim,
        options: &ReadOptions,
        emit: Emit<'_>,
    ) -> Result<InputNotes, ReadError> {
        let columns = rows::columns(claim.content()).unwrap_or_default();
        let mapping = Mapping::of_columns(&columns).ok_or_else(|| {
            ReadError::new(
                claim.path(),
                "has no column with conversations",
                "describe it with a mapping (--map)",
            )
        })?;
        read(&mapping, claim, options, "table", emit)
    }
}

/// The reader of files that a mapping explains.
#[derive(Debug)]
pub(super) struct Mapped;

static MAPPED: FormatInfo = FormatInfo {
    id: "map",
    name: "anything with a mapping",
    looks: "JSON, CSV or Parquet that a mapping describes (`--map mapping.toml`)",
    gives: &[
        Gives::Labels,
        Gives::Draws,
        Gives::Logprobs,
        Gives::TopK,
        Gives::Costs,
        Gives::SystemPrompt,
        Gives::Tools,
    ],
    example: "session.jsonl --map mapping.toml",
};

impl Reader for Mapped {
    fn info(&self) -> &'static FormatInfo {
        &MAPPED
    }

    fn claim(&self, _: &Candidate) -> Option<Claim> {
        None
    }

    fn read(
        &self,
        claim: &Claim,
        options: &ReadOptions,
        emit: Emit<'_>,
    ) -> Result<InputNotes, ReadError> {
        let Some(mapping) = &options.mapping else {
            let problem = "needs a mapping, and none is named";
            return Err(ReadError::new(claim.path(), problem, "name one with --map"));
        };
        read(mapping, claim, options, "mapped", emit)
    }
}

/// Hands out the runs of a file under a mapping.
fn read(
    mapping: &Mapping,
    claim: &Claim,
    options: &ReadOptions,
    dataset: &'static str,
    emit: Emit<'_>,
) -> Result<InputNotes, ReadError> {
    let mut rollouts = Rollouts::new(claim, options, dataset, emit);
    let mut runs = Runs::new(mapping, ends(mapping, claim));
    let mut found = 0;
    let mut wanted = true;
    let fields = mapping.fields();
    let needed = Wanted { at: mapping.at(), fields: fields.as_deref() };
    rows::each(claim.content(), needed, &mut |record, position| {
        found += 1;
        let run = runs.take(&record).map_err(|problem| {
            let remedy = "correct the mapping or the record";
            ReadError::new(claim.path(), problem, remedy).at(position)
        })?;
        wanted = wanted && run.is_none_or(|run| rollouts.take(run));
        Ok(wanted)
    })?;
    for run in runs.finish() {
        wanted = wanted && rollouts.take(run);
    }
    if found == 0 {
        let problem = "has no record where the mapping looks for them";
        return Err(ReadError::new(claim.path(), problem, "correct `at` in [records]"));
    }
    rollouts.finish("runs that the mapping finds")
}

/// Where the runs of a file end, so that each is handed out with its last record and only those that are
/// open at the same time are in memory. What is wrong with the file shows on the second way through it.
fn ends(mapping: &Mapping, claim: &Claim) -> Ends {
    let mut ends = Ends::default();
    if mapping.gathers_by_key() {
        let fields = mapping.key_fields();
        let needed = Wanted { at: mapping.at(), fields: fields.as_deref() };
        let _ = rows::each(claim.content(), needed, &mut |record, _| {
            ends.note(mapping, &record);
            Ok(true)
        });
    }
    ends
}
