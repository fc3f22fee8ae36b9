//! The rows of a sidecar as turns, joined to the turns of runs.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use super::super::facts::{number, whole};
use super::super::names::{CellNames, model_name};
use super::super::rows::{self, Wanted};
use super::super::{Content, ReadError, span, special};
use crate::model::{Message, MessageTokens, Role, Span, TokenSeq, Trajectory};

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

/// The turns of both roles in the sidecars of some results.
#[derive(Default)]
pub(in crate::readers) struct Sidecars {
    runs: HashMap<RunKey, Vec<Turns>>,
    /// Tokens of the simulated user that were joined.
    user_tokens: u64,
    /// Tokens of the simulated user that fit no message of their run.
    other_user_tokens: u64,
    /// Turns of the agent that fit no turn of their run.
    unmatched: u64,
    /// Runs that were found.
    matched: u64,
    /// Whether anything was read.
    is_read: bool,
}

/// The turns of one role in one run, in one domain and of one model.
#[derive(Default)]
struct Turns {
    is_user: bool,
    domain: Option<String>,
    model: Option<String>,
    /// The numbers of the files with its rows. Of the user it is one: rows do not say to which agent the
    /// user talks.
    files: BTreeSet<usize>,
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
        let wanted = Wanted { at: None, fields: Some(&columns) };
        for (number, file) in files.iter().enumerate() {
            rows::each(file, wanted, &mut |row, position| {
                let added = sidecars.add(&row, number).map_err(|problem| {
                    ReadError::new(
                        file.path(),
                        problem,
                        "write the file of log-probabilities again",
                    )
                    .at(position)
                });
                added.map(|()| true)
            })?;
        }
        Ok(sidecars)
    }

    fn add(&mut self, row: &Value, file: usize) -> Result<(), String> {
        let text = |name: &str| plain(row.get(name)?);
        // Rows of another scorer rate what the agent saw, not what it wrote.
        if text("scorer").is_some_and(|scorer| scorer != "self") {
            return Ok(());
        }
        let is_user = match text("role").as_deref().and_then(Role::parse) {
            Some(Role::Assistant) => false,
            Some(Role::User) => true,
            _ => return Err("a token has no role, or an unknown one".to_owned()),
        };
        let task = text("task_id").ok_or("a token has no `task_id`")?;
        let trial = text("trial").as_deref().and_then(whole);
        let (domain, model) = (text("domain"), text("model").as_deref().map(model_name));
        let runs = self.runs.entry((task, trial)).or_default();
        let known = runs.iter().position(|run| {
            (run.is_user, &run.domain, &run.model) == (is_user, &domain, &model)
                && (!is_user || run.files.contains(&file))
        });
        let known = known.unwrap_or_else(|| {
            runs.push(Turns { is_user, domain, model, ..Turns::default() });
            runs.len() - 1
        });
        runs[known].files.insert(file);
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

    /// Gives the turns of a run their tokens, where the results have none, and the user's messages theirs.
    pub(in crate::readers) fn attach(&mut self, run: &mut Trajectory, names: &CellNames) {
        let (task, trial) = (&run.head.task, run.head.origin.trial);
        let exact = self.runs.get(&(task.clone(), trial));
        let Some(runs) = exact.or_else(|| self.runs.get(&(task.clone(), None))) else { return };
        let agent = runs.iter().find(|turns| !turns.is_user && turns.is_of(names));
        let user = user_beside(runs, agent, names);
        self.matched += u64::from(agent.is_some() || user.is_some());
        if let Some(agent) = agent {
            self.unmatched += attach_agent(run, &agent.sequences());
        }
        if let Some(user) = user {
            let joined = attach_user(run, &user.sequences());
            self.user_tokens += joined;
            self.other_user_tokens += user.tokens() - joined;
        }
    }

    /// What is to be said about the join.
    pub(in crate::readers) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.is_read && self.matched == 0 {
            notes.push(
                "has no run that matches the log-probabilities beside it (by domain, task, trial and model)"
                    .to_owned(),
            );
        }
        if self.unmatched > 0 {
            let turns = crate::text::counted(self.unmatched, "turn");
            notes.push(format!("lacks {turns} that the log-probabilities beside it have"));
        }
        let counted = |count| crate::text::counted(count, "token");
        if self.user_tokens > 0 {
            let tokens = counted(self.user_tokens);
            notes.push(format!("has {tokens} of the simulated user beside it: stored, not scored"));
        }
        if self.other_user_tokens > 0 {
            let tokens = counted(self.other_user_tokens);
            notes.push(format!("lacks the user's messages that {tokens} beside it belong to"));
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

    /// Whether these are turns of results with these names; what either does not say fits. The names are
    /// those of the agent, so the model of the user is another one.
    fn is_of(&self, names: &CellNames) -> bool {
        let fits = |a: &Option<String>, b: &Option<String>| a.is_none() || b.is_none() || a == b;
        fits(&self.domain, &names.dataset) && (self.is_user || fits(&self.model, &names.model))
    }

    /// Whether a file has rows of both.
    fn shares_file(&self, other: &Self) -> bool {
        !self.files.is_disjoint(&other.files)
    }

    /// The number of tokens in all turns.
    fn tokens(&self) -> u64 {
        self.turns.values().map(|rows| rows.len() as u64).sum()
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

/// The user that the agent of a run talks to: the one in the agent's file, or one in a file that has no
/// agent of this run.
fn user_beside<'t>(
    runs: &'t [Turns],
    agent: Option<&Turns>,
    names: &CellNames,
) -> Option<&'t Turns> {
    let users = || runs.iter().filter(|turns| turns.is_user && turns.is_of(names));
    let talks_to = |user: &Turns, agent: &Turns| {
        !agent.is_user && agent.domain == user.domain && agent.shares_file(user)
    };
    let is_with_agent = |user: &&Turns| agent.is_some_and(|agent| talks_to(user, agent));
    let is_alone = |user: &&Turns| !runs.iter().any(|turns| talks_to(user, turns));
    users().find(is_with_agent).or_else(|| users().find(is_alone))
}

/// Gives the turns of the agent their tokens, and returns the number of sequences that fit none.
fn attach_agent(run: &mut Trajectory, sequences: &[Option<TokenSeq>]) -> u64 {
    let messages: Vec<u32> = run.turns.iter().map(|turn| turn.message).collect();
    let matches = aligned(run, &messages, sequences);
    let unmatched = sequences.len() - matches.len();
    for (turn, sequence) in matches {
        if run.turns[turn].tokens.is_none() {
            let message = &run.messages[messages[turn] as usize];
            run.turns[turn].tokens = marked(sequences[sequence].as_ref(), message);
        }
    }
    let with_tokens = run.turns.iter().filter(|turn| turn.tokens.is_some()).count();
    run.head.turns_with_logprobs = with_tokens as u32;
    unmatched as u64
}

/// Gives the messages of the user their tokens where the words are the same, and returns the number of
/// tokens.
fn attach_user(run: &mut Trajectory, sequences: &[Option<TokenSeq>]) -> u64 {
    let is_of_user = |index: &u32| run.messages[*index as usize].role == Role::User;
    let messages: Vec<u32> = (0..run.messages.len() as u32).filter(is_of_user).collect();
    let said = aligned(run, &messages, sequences).into_iter().filter_map(|(index, sequence)| {
        let message = &run.messages[messages[index] as usize];
        let tokens = marked(sequences[sequence].as_ref(), message)?;
        let fits = is_text_of(tokens.text(), message);
        fits.then_some(MessageTokens { message: messages[index], tokens })
    });
    run.user_tokens = said.collect();
    run.user_tokens.iter().map(|said| said.tokens.len() as u64).sum()
}

/// The tokens of a message with their spans.
fn marked(tokens: Option<&TokenSeq>, message: &Message) -> Option<TokenSeq> {
    let mut tokens = tokens?.clone();
    span::mark(&mut tokens, message);
    Some(tokens)
}

/// Pairs of an index into these messages of the run and a turn of the sidecar: the n-th and the n-th where
/// there are equally many, and else in order those of which the words are the same.
fn aligned(
    run: &Trajectory,
    messages: &[u32],
    sequences: &[Option<TokenSeq>],
) -> Vec<(usize, usize)> {
    if messages.len() == sequences.len() {
        return (0..sequences.len()).map(|turn| (turn, turn)).collect();
    }
    let mut pairs = Vec::new();
    let mut next = 0;
    for (index, tokens) in sequences.iter().enumerate() {
        let Some(tokens) = tokens else { continue };
        let fits =
            |turn: &usize| is_text_of(tokens.text(), &run.messages[messages[*turn] as usize]);
        if let Some(turn) = (next..messages.len()).find(fits) {
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
