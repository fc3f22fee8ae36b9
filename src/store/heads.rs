//! Converts trajectories without their text to and from the table `trajectories`.

use polars::prelude::{DataFrame, PolarsResult};

use super::StoreError;
use super::columns::{self as col, Cursor, Frame, Lists};
use crate::model::{Basis, Cell, Head, Origin, Outcome, RewardParts};

/// A trajectory without its text, and where to find the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its number in the store, which is the key of the large tables.
    pub id: u32,
    /// Everything but text and tokens.
    pub head: Head,
    /// The rows of its text and tokens.
    pub rows: FirstRows,
}

/// The first row of a trajectory in each of the large tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FirstRows {
    /// In `messages`, which has [`Head::messages`] rows of it.
    pub message: u64,
    /// In `turns`, which has [`Head::turns`] rows of it.
    pub turn: u64,
    /// In `tokens`.
    pub token: u64,
    /// The number of its rows in `tokens`.
    pub tokens: u32,
    /// In `checks`.
    pub check: u64,
    /// The number of its rows in `checks`.
    pub checks: u32,
    /// In `user_tokens`.
    pub user_token: u64,
    /// The number of its rows in `user_tokens`.
    pub user_tokens: u32,
}

pub(super) fn frame(entries: &[Entry]) -> PolarsResult<DataFrame> {
    let heads = || entries.iter().map(|entry| &entry.head);
    let rows = || entries.iter().map(|entry| &entry.rows);
    let part =
        |part: fn(&RewardParts) -> Option<f64>| heads().map(move |head| part(&head.outcome.parts));
    DataFrame::new(
        entries.len(),
        vec![
            col::small("trajectory", entries.iter().map(|entry| entry.id)),
            col::text("dataset", heads().map(|head| head.cell.dataset.as_str())),
            col::text("model", heads().map(|head| head.cell.model.as_str())),
            col::text("condition", heads().map(|head| head.cell.condition.as_str())),
            col::text("task", heads().map(|head| head.task.as_str())),
            col::small("draw", heads().map(|head| head.draw)),
            col::flag_opt("success", heads().map(|head| head.outcome.success)),
            col::real("reward", heads().map(|head| head.outcome.reward)),
            col::flag_opt("db_match", heads().map(|head| head.outcome.db_match)),
            col::flag_opt("db_graded", heads().map(|head| head.outcome.db_graded)),
            col::text_opt("reward_basis", heads().map(|head| basis(&head.outcome))),
            col::real("reward_database", part(|parts| parts.database)),
            col::real("reward_assertions", part(|parts| parts.assertions)),
            col::real("reward_actions", part(|parts| parts.actions)),
            col::real("reward_communicated", part(|parts| parts.communicated)),
            col::real("reward_language", part(|parts| parts.language)),
            col::text_opt("termination", heads().map(|head| head.termination.as_deref())),
            col::small("turns", heads().map(|head| head.turns)),
            col::small("tools", heads().map(|head| head.tools)),
            col::small("turns_with_logprobs", heads().map(|head| head.turns_with_logprobs)),
            col::small("messages", heads().map(|head| head.messages)),
            col::texts(
                "action_types",
                heads().map(|head| head.action_types.iter().map(String::as_str)),
            ),
            col::text_opt("final_message", heads().map(|head| head.final_message.as_deref())),
            col::real("temperature", heads().map(|head| head.temperature)),
            col::real("cost", heads().map(|head| head.cost)),
            col::real("user_cost", heads().map(|head| head.user_cost)),
            col::real("duration", heads().map(|head| head.duration)),
            col::large_opt("prompt_tokens", heads().map(|head| head.prompt_tokens)),
            col::large_opt("completion_tokens", heads().map(|head| head.completion_tokens)),
            col::text("source", heads().map(|head| head.origin.source.as_str())),
            col::text_opt("run_id", heads().map(|head| head.origin.run_id.as_deref())),
            col::signed_opt("trial", heads().map(|head| head.origin.trial)),
            col::small("repeat", heads().map(|head| head.origin.repeat)),
            col::large_opt("fingerprint", heads().map(|head| head.fingerprint)),
            col::large_opt("context", heads().map(|head| head.context)),
            col::large("message_row", rows().map(|rows| rows.message)),
            col::large("turn_row", rows().map(|rows| rows.turn)),
            col::large("token_row", rows().map(|rows| rows.token)),
            col::small("token_rows", rows().map(|rows| rows.tokens)),
            col::large("check_row", rows().map(|rows| rows.check)),
            col::small("check_rows", rows().map(|rows| rows.checks)),
            col::large("user_token_row", rows().map(|rows| rows.user_token)),
            col::small("user_token_rows", rows().map(|rows| rows.user_tokens)),
        ],
    )
}

fn basis(outcome: &Outcome) -> Option<&str> {
    outcome.basis.as_ref().map(Basis::as_str)
}

pub(super) fn entries(frame: &Frame) -> Result<Vec<Entry>, StoreError> {
    let mut columns = Columns::open(frame)?;
    (0..frame.height()).map(|row| columns.entry(row)).collect()
}

/// The columns that say which cell and task a row is about.
pub(super) struct CellColumns<'f> {
    dataset: Cursor<'f, &'f str>,
    model: Cursor<'f, &'f str>,
    condition: Cursor<'f, &'f str>,
    task: Cursor<'f, &'f str>,
}

impl<'f> CellColumns<'f> {
    pub(super) fn open(frame: &'f Frame) -> Result<Self, StoreError> {
        Ok(Self {
            dataset: frame.text("dataset")?,
            model: frame.text("model")?,
            condition: frame.text("condition")?,
            task: frame.text("task")?,
        })
    }

    pub(super) fn next(&mut self) -> Result<(Cell, String), StoreError> {
        let cell = Cell {
            dataset: self.dataset.need_owned()?,
            model: self.model.need_owned()?,
            condition: self.condition.need_owned()?,
        };
        Ok((cell, self.task.need_owned()?))
    }
}

struct OutcomeColumns<'f> {
    success: Cursor<'f, bool>,
    reward: Cursor<'f, f64>,
    db_match: Cursor<'f, bool>,
    /// Earlier versions did not write it.
    db_graded: Option<Cursor<'f, bool>>,
    basis: Option<Cursor<'f, &'f str>>,
    database: Cursor<'f, f64>,
    assertions: Cursor<'f, f64>,
    actions: Cursor<'f, f64>,
    communicated: Cursor<'f, f64>,
    language: Cursor<'f, f64>,
}

impl<'f> OutcomeColumns<'f> {
    fn open(frame: &'f Frame) -> Result<Self, StoreError> {
        Ok(Self {
            success: frame.flag("success")?,
            reward: frame.real("reward")?,
            db_match: frame.flag("db_match")?,
            db_graded: frame.has("db_graded").then(|| frame.flag("db_graded")).transpose()?,
            basis: frame.has("reward_basis").then(|| frame.text("reward_basis")).transpose()?,
            database: frame.real("reward_database")?,
            assertions: frame.real("reward_assertions")?,
            actions: frame.real("reward_actions")?,
            communicated: frame.real("reward_communicated")?,
            language: frame.real("reward_language")?,
        })
    }

    fn next(&mut self) -> Outcome {
        Outcome {
            success: self.success.next(),
            reward: self.reward.next(),
            db_match: self.db_match.next(),
            db_graded: self.db_graded.as_mut().and_then(Cursor::next),
            basis: self.basis.as_mut().and_then(Cursor::next).map(|ids| Basis::new([ids])),
            parts: RewardParts {
                database: self.database.next(),
                assertions: self.assertions.next(),
                actions: self.actions.next(),
                communicated: self.communicated.next(),
                language: self.language.next(),
            },
        }
    }
}

struct OriginColumns<'f> {
    source: Cursor<'f, &'f str>,
    run_id: Cursor<'f, &'f str>,
    trial: Cursor<'f, i64>,
    repeat: Cursor<'f, u32>,
}

impl<'f> OriginColumns<'f> {
    fn open(frame: &'f Frame) -> Result<Self, StoreError> {
        Ok(Self {
            source: frame.text("source")?,
            run_id: frame.text("run_id")?,
            trial: frame.signed("trial")?,
            repeat: frame.small("repeat")?,
        })
    }

    fn next(&mut self) -> Result<Origin, StoreError> {
        Ok(Origin {
            source: self.source.need_owned()?,
            run_id: self.run_id.next_owned(),
            trial: self.trial.next(),
            repeat: self.repeat.need()?,
        })
    }
}

struct RowColumns<'f> {
    message: Cursor<'f, u64>,
    turn: Cursor<'f, u64>,
    token: Cursor<'f, u64>,
    tokens: Cursor<'f, u32>,
    /// Earlier versions had no checks.
    checks: OptionalRows<'f>,
    /// Earlier versions had no tokens of the user.
    user_tokens: OptionalRows<'f>,
}

/// The first row in a table that earlier versions did not write, and the number of rows there.
struct OptionalRows<'f>(Option<(Cursor<'f, u64>, Cursor<'f, u32>)>);

impl<'f> OptionalRows<'f> {
    fn open(frame: &'f Frame, row: &'static str, rows: &'static str) -> Result<Self, StoreError> {
        let open = || Ok((frame.large(row)?, frame.small(rows)?));
        Ok(Self(frame.has(row).then(open).transpose()?))
    }

    fn next(&mut self) -> Result<(u64, u32), StoreError> {
        let rows = self.0.as_mut().map(|(row, rows)| Ok((row.need()?, rows.need()?)));
        Ok(rows.transpose()?.unwrap_or_default())
    }
}

impl<'f> RowColumns<'f> {
    fn open(frame: &'f Frame) -> Result<Self, StoreError> {
        Ok(Self {
            message: frame.large("message_row")?,
            turn: frame.large("turn_row")?,
            token: frame.large("token_row")?,
            tokens: frame.small("token_rows")?,
            checks: OptionalRows::open(frame, "check_row", "check_rows")?,
            user_tokens: OptionalRows::open(frame, "user_token_row", "user_token_rows")?,
        })
    }

    fn next(&mut self) -> Result<FirstRows, StoreError> {
        let (check, checks) = self.checks.next()?;
        let (user_token, user_tokens) = self.user_tokens.next()?;
        Ok(FirstRows {
            message: self.message.need()?,
            turn: self.turn.need()?,
            token: self.token.need()?,
            tokens: self.tokens.need()?,
            check,
            checks,
            user_token,
            user_tokens,
        })
    }
}

struct Columns<'f> {
    id: Cursor<'f, u32>,
    cell: CellColumns<'f>,
    draw: Cursor<'f, u32>,
    outcome: OutcomeColumns<'f>,
    origin: OriginColumns<'f>,
    fingerprint: Option<Cursor<'f, u64>>,
    /// Earlier versions had no contexts.
    context: Option<Cursor<'f, u64>>,
    rows: RowColumns<'f>,
    termination: Cursor<'f, &'f str>,
    turns: Cursor<'f, u32>,
    tools: Cursor<'f, u32>,
    turns_with_logprobs: Cursor<'f, u32>,
    messages: Cursor<'f, u32>,
    action_types: Lists<'f>,
    final_message: Cursor<'f, &'f str>,
    temperature: Cursor<'f, f64>,
    cost: Cursor<'f, f64>,
    user_cost: Cursor<'f, f64>,
    duration: Cursor<'f, f64>,
    prompt_tokens: Cursor<'f, u64>,
    completion_tokens: Cursor<'f, u64>,
}

impl<'f> Columns<'f> {
    fn open(frame: &'f Frame) -> Result<Self, StoreError> {
        Ok(Self {
            id: frame.small("trajectory")?,
            cell: CellColumns::open(frame)?,
            draw: frame.small("draw")?,
            outcome: OutcomeColumns::open(frame)?,
            origin: OriginColumns::open(frame)?,
            // Older versions wrote none.
            fingerprint: frame
                .has("fingerprint")
                .then(|| frame.large("fingerprint"))
                .transpose()?,
            context: frame.has("context").then(|| frame.large("context")).transpose()?,
            rows: RowColumns::open(frame)?,
            termination: frame.text("termination")?,
            turns: frame.small("turns")?,
            tools: frame.small("tools")?,
            turns_with_logprobs: frame.small("turns_with_logprobs")?,
            messages: frame.small("messages")?,
            action_types: frame.lists("action_types")?,
            final_message: frame.text("final_message")?,
            temperature: frame.real("temperature")?,
            cost: frame.real("cost")?,
            user_cost: frame.real("user_cost")?,
            duration: frame.real("duration")?,
            prompt_tokens: frame.large("prompt_tokens")?,
            completion_tokens: frame.large("completion_tokens")?,
        })
    }

    fn entry(&mut self, row: usize) -> Result<Entry, StoreError> {
        let (cell, task) = self.cell.next()?;
        let head = Head {
            cell,
            task,
            draw: self.draw.need()?,
            origin: self.origin.next()?,
            fingerprint: self.fingerprint.as_mut().and_then(Cursor::next),
            context: self.context.as_mut().and_then(Cursor::next),
            temperature: self.temperature.next(),
            outcome: self.outcome.next(),
            termination: self.termination.next_owned(),
            cost: self.cost.next(),
            user_cost: self.user_cost.next(),
            duration: self.duration.next(),
            prompt_tokens: self.prompt_tokens.next(),
            completion_tokens: self.completion_tokens.next(),
            action_types: self.action_types.texts(row)?,
            turns: self.turns.need()?,
            tools: self.tools.need()?,
            turns_with_logprobs: self.turns_with_logprobs.need()?,
            messages: self.messages.need()?,
            final_message: self.final_message.next_owned(),
        };
        Ok(Entry { id: self.id.need()?, head, rows: self.rows.next()? })
    }
}
