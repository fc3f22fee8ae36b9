//! The rows of a sidecar as turns, joined to the turns of runs.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::super::facts::{number, whole};
use super::super::names::{CellNames, model_name};
use super::super::rows::{self, Wanted};
use super::super::{Content, ReadError, span, special};
use crate::model::{Message, Role, Span, TokenSeq, Trajectory};

/// The columns that are looked at.
const COLUMNS: [&str; 12] = [
    "domain",
    "task_id",
    "trial",
    "role",
    "turn_idx",
    "message_timestamp",
    "token_idx",
    "token",
    "chosen_logprob",
    "topk_tokens",
    "topk_logprobs",
    "scorer",
];

/// A run, as rows name it: task and trial.
type RunKey = (String, Option<i64>);

/// Where a turn stands among those of its run: by its number, else by its time, else by its rows.
type TurnKey = (i64, String, u32);

/// One token of a row.
struct TokenRow {
    index: i64,
    text: String,
    logprob: Option<f64>,
    top: Vec<(String, f64)>,
}

/// The agent's turns in the sidecars of some results.
#[derive(Default)]
pub(in crate::readers) struct Sidecars {
    runs: HashMap<RunKey, Vec<Turns>>,
    /// Tokens of the simulated user.
    user_tokens: u64,
    /// Turns that fit no turn of their run.
    unmatched: u64,
    /// Runs that were found.
    matched: u64,
    /// Whether anything was read.
    is_read: bool,
}

/// The turns of the agent in one run, in one domain and of one model.
#[derive(Default)]
struct Turns {
    domain: Option<String>,
    model: Option<String>,
    turns: BTreeMap<TurnKey, Vec<TokenRow>>,
    /// Turns that were begun by rows that number none.
    begun: u32,
    last: i64,
}

impl Sidecars {
    /// Reads sidecars.
    pub(in crate::readers) fn read(files: &[Content]) -> Result<Self, ReadError> {
        let mut sidecars = Self { is_read: !files.is_empty(), ..Self::default() };
        let columns: Vec<String> =
            COLUMNS.iter().chain(&["model"]).map(ToString::to_string).collect();
        let wanted = Wanted { whole: false, fields: Some(&columns) };
        for file in files {
            rows::each(file, wanted, &mut |row, position| {
                let added = sidecars.add(&row).map_err(|problem| {
                    ReadError::new(file.path(), problem, "write the sidecar again").at(position)
                });
                added.map(|()| true)
            })?;
        }
        Ok(sidecars)
    }

    fn add(&mut self, row: &Value) -> Result<(), String> {
        let text = |name: &str| plain(row.get(name)?);
        // Rows of another scorer rate what the agent saw, not what it wrote.
        if text("scorer").is_some_and(|scorer| scorer != "self") {
            return Ok(());
        }
        match text("role").as_deref().map(Role::parse) {
            Some(Some(Role::Assistant)) => {}
            Some(Some(Role::User)) => {
                self.user_tokens += 1;
                return Ok(());
            }
            _ => return Err("a token has no role, or an unknown one".to_owned()),
        }
        let task = text("task_id").ok_or("a token has no `task_id`")?;
        let trial = text("trial").as_deref().and_then(whole);
        let (domain, model) = (text("domain"), text("model").as_deref().map(model_name));
        let runs = self.runs.entry((task, trial)).or_default();
        let known = runs.iter().position(|run| run.domain == domain && run.model == model);
        let known = known.unwrap_or_else(|| {
            runs.push(Turns { domain, model, ..Turns::default() });
            runs.len() - 1
        });
        let index =
            text("token_idx").as_deref().and_then(whole).ok_or("a token has no `token_idx`")?;
        let texts = list(row.get("topk_tokens")).into_iter();
        let logprobs = list(row.get("topk_logprobs")).into_iter();
        let top = texts
            .zip(logprobs)
            .filter_map(|(text, logprob)| Some((plain(&text)?, number(&plain(&logprob)?)?)));
        let token = TokenRow {
            index,
            text: row.get("token").and_then(plain).unwrap_or_default(),
            logprob: text("chosen_logprob").as_deref().and_then(number),
            top: top.collect(),
        };
        let turn = text("turn_idx").as_deref().and_then(whole);
        runs[known].push(turn, text("message_timestamp"), token);
        Ok(())
    }

    /// Gives the turns of a run their tokens, where the results have none.
    pub(in crate::readers) fn attach(&mut self, run: &mut Trajectory, names: &CellNames) {
        if !self.is_read {
            return;
        }
        let (task, trial) = (&run.head.task, run.head.origin.trial);
        let exact = self.runs.get(&(task.clone(), trial));
        let turns = exact.or_else(|| self.runs.get(&(task.clone(), None)));
        let fits = |turns: &&Turns| turns.is_of(names);
        let Some(turns) = turns.and_then(|runs| runs.iter().find(fits)) else { return };
        let sequences = turns.sequences();
        self.matched += 1;
        let matches = aligned(run, &sequences);
        self.unmatched += (sequences.len() - matches.len()) as u64;
        for (turn, sequence) in matches {
            let message = &run.messages[run.turns[turn].message as usize];
            let tokens = sequences[sequence].clone().map(|mut tokens| {
                span::mark(&mut tokens, message);
                tokens
            });
            if run.turns[turn].tokens.is_none() {
                run.turns[turn].tokens = tokens;
            }
        }
        let with_tokens = run.turns.iter().filter(|turn| turn.tokens.is_some()).count();
        run.head.turns_with_logprobs = with_tokens as u32;
    }

    /// What is to be said about the join.
    pub(in crate::readers) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.is_read && self.matched == 0 {
            notes.push(
                "has no run that fits the log-probabilities beside it (by domain, task, trial and model)"
                    .to_owned(),
            );
        }
        if self.unmatched > 0 {
            let turns = crate::text::counted(self.unmatched, "turn");
            notes.push(format!("does not have {turns} of the log-probabilities beside it"));
        }
        if self.user_tokens > 0 {
            let tokens = crate::text::counted(self.user_tokens, "token");
            notes.push(format!("has {tokens} of the user beside it: only the agent's are taken"));
        }
        notes
    }
}

impl Turns {
    fn push(&mut self, turn: Option<i64>, time: Option<String>, token: TokenRow) {
        // Rows that say neither number nor time begin a turn where the tokens begin anew.
        if turn.is_none() && time.is_none() && token.index <= self.last && !self.turns.is_empty() {
            self.begun += 1;
        }
        self.last = token.index;
        let begun = if turn.is_none() && time.is_none() { self.begun } else { 0 };
        // A time only orders turns that have no number.
        let time = time.filter(|_| turn.is_none()).unwrap_or_default();
        let key = (turn.unwrap_or(i64::MAX), time, begun);
        self.turns.entry(key).or_default().push(token);
    }

    /// Whether these are turns of results with these names; what either does not say fits.
    fn is_of(&self, names: &CellNames) -> bool {
        let fits = |a: &Option<String>, b: &Option<String>| a.is_none() || b.is_none() || a == b;
        fits(&self.domain, &names.dataset) && fits(&self.model, &names.model)
    }

    /// The tokens of every turn, in order; none of a turn with a token that has no number.
    fn sequences(&self) -> Vec<Option<TokenSeq>> {
        self.turns.values().map(|rows| sequence(rows)).collect()
    }
}

fn sequence(rows: &[TokenRow]) -> Option<TokenSeq> {
    let mut rows: Vec<&TokenRow> = rows.iter().collect();
    rows.sort_by_key(|row| row.index);
    let mut tokens = TokenSeq::default();
    for row in &rows {
        tokens.push(&row.text, row.logprob?.min(0.0), Span::Action);
        for (text, logprob) in &row.top {
            tokens.push_alternative(text, logprob.min(0.0));
        }
    }
    special::mark(&mut tokens, |index| rows[index].text.is_empty());
    Some(tokens)
}

/// Pairs of a turn of the run and a turn of the sidecar: the n-th and the n-th where there are equally
/// many, and else in order those of which the words are the same.
fn aligned(run: &Trajectory, sequences: &[Option<TokenSeq>]) -> Vec<(usize, usize)> {
    if run.turns.len() == sequences.len() {
        return (0..sequences.len()).map(|turn| (turn, turn)).collect();
    }
    let mut pairs = Vec::new();
    let mut next = 0;
    for (index, tokens) in sequences.iter().enumerate() {
        let Some(tokens) = tokens else { continue };
        let fits = |turn: &usize| {
            let message = &run.messages[run.turns[*turn].message as usize];
            is_text_of(tokens.text(), message)
        };
        if let Some(turn) = (next..run.turns.len()).find(fits) {
            pairs.push((turn, index));
            next = turn + 1;
        }
    }
    pairs
}

/// Whether a generated text is that of a message: it holds its words, or the names of its calls.
fn is_text_of(text: &str, message: &Message) -> bool {
    let words = message.words().map(str::trim);
    let calls = !message.tool_calls.is_empty()
        && message.tool_calls.iter().all(|call| text.contains(&call.name));
    words.is_some_and(|words| text.contains(words)) || calls
}

/// A plain value as text.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// A list, or the JSON text of one, as CSV has it.
fn list(value: Option<&Value>) -> Vec<Value> {
    match value {
        Some(Value::Array(list)) => list.clone(),
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
        _ => Vec::new(),
    }
}
