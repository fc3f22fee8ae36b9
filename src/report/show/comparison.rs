//! A comparison as plain data.

use serde::Serialize;

use crate::model::{Cell, RewardParts, ToolCall};

/// Runs of one task, aligned by their actions to the first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The task's id.
    pub task: String,
    /// Its dataset.
    pub dataset: String,
    /// The scorer of the panes' scores.
    pub scorer: String,
    /// Its aggregator, where it has one.
    pub aggregator: Option<String>,
    /// The base score of the turns' confidences.
    pub turn_scorer: String,
    /// The aggregator of the turns' weights.
    pub turn_aggregator: String,
    /// The runs.
    pub panes: Vec<Pane>,
    /// The place of the first row in which the runs do not do the same.
    pub first_divergence: Option<usize>,
    /// Their actions beside each other.
    pub rows: Vec<Row>,
    /// What the task asks: hidden from the agent, like all that follows.
    pub instruction: Option<String>,
    /// What judges say of the pairs that are shown.
    pub judgments: Vec<Verdict>,
    /// How far the actions of the first pane and of each other agree.
    pub pairs: Vec<Agreement>,
    /// What people wrote about the task, its runs and their turns.
    pub notes: Vec<Remark>,
}

/// A run, without its text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pane {
    /// A short name that no other pane has: the draw, with `@` and the cell where that differs.
    pub label: String,
    /// The cell.
    #[serde(flatten)]
    pub cell: Cell,
    /// 0 is the reference.
    pub draw: u32,
    /// Whether the task was solved; none when the run was not graded.
    pub success: Option<bool>,
    /// The reward as the harness gave it.
    pub reward: Option<f64>,
    /// What the reward is made of.
    pub reward_parts: Parts,
    /// Whether the final database equals the gold one.
    pub db_match: Option<bool>,
    /// Why it ended.
    pub termination: Option<String>,
    /// Whether it was cut off.
    pub cut_off: bool,
    /// What the agent's calls cost.
    pub cost: Option<f64>,
    /// What the simulated user's calls cost.
    pub user_cost: Option<f64>,
    /// Wall time in seconds.
    pub duration: Option<f64>,
    /// The sampling temperature.
    pub temperature: Option<f64>,
    /// Prompt tokens of all turns.
    pub prompt_tokens: Option<u64>,
    /// Generated tokens of all turns.
    pub completion_tokens: Option<u64>,
    /// Turns of the agent.
    pub turns: u32,
    /// Its tool calls.
    pub tools: u32,
    /// Turns with log-probabilities.
    pub turns_with_logprobs: u32,
    /// The confidence under the scorer.
    pub score: Option<f64>,
}

/// The checks that a reward multiplies.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Parts {
    /// Final database state.
    pub database: Option<f64>,
    /// Assertions about the environment.
    pub assertions: Option<f64>,
    /// Required actions.
    pub actions: Option<f64>,
    /// Information that had to be told.
    pub communicated: Option<f64>,
    /// Assertions in natural language.
    pub language: Option<f64>,
}

impl From<&RewardParts> for Parts {
    fn from(own: &RewardParts) -> Self {
        Self {
            database: own.database,
            assertions: own.assertions,
            actions: own.actions,
            communicated: own.communicated,
            language: own.language,
        }
    }
}

/// What stands in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// What was said before the agent's first turn.
    Before,
    /// An action in some of the panes.
    Action,
    /// How the runs ended.
    End,
}

/// How the panes stand at one place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// What stands in it.
    pub kind: Kind,
    /// The runs do not do the same here.
    pub parts: bool,
    /// A call of it failed or, in the last row, a run was cut off.
    pub error: bool,
    /// For every pane what stands there; none faces a gap.
    pub cells: Vec<Option<Part>>,
}

/// How an action stands to the first pane's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Beside {
    /// The same action; of a call also the same arguments.
    Same,
    /// The same call with other arguments.
    Arguments,
    /// Another action.
    Other,
    /// The first pane has no action here.
    OnlyHere,
}

/// An action of a run with what came back, or what was said before the first one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Part {
    /// The turn, from 1.
    pub turn: Option<usize>,
    /// Which of the turn's calls, from 1; none for a message.
    pub call: Option<usize>,
    /// The action's type: the tool's name, or `message`.
    pub action: Option<String>,
    /// The turn's confidence.
    pub confidence: Option<f64>,
    /// Its place among the run's turns, 1 the surest.
    pub rank: Option<usize>,
    /// Its share of the run's confidence.
    pub weight: Option<f64>,
    /// Tokens of the turn, where they were recorded.
    pub tokens: Option<usize>,
    /// It is the weakest turn of the run.
    pub weakest: bool,
    /// How it stands to the first pane's; none in the first pane.
    pub contrast: Option<Beside>,
    /// The keys at which the arguments differ; an empty one when no key tells.
    pub keys: Vec<String>,
    /// What the model thought aloud, with the turn's first action.
    pub reasoning: Option<String>,
    /// What was said, with the turn's first action.
    pub words: Option<String>,
    /// The call's arguments.
    pub arguments: Option<String>,
    /// What the call returned.
    pub results: Vec<Returned>,
    /// What others said after it, or, in the first row, before it.
    pub messages: Vec<Said>,
    /// The call failed or, in the last row, the run was cut off.
    pub error: bool,
}

/// What a call returned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Returned {
    /// The words.
    pub text: String,
    /// The call failed.
    pub error: bool,
}

/// A message of somebody else, or one that no model generated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Said {
    /// Who said it.
    pub role: &'static str,
    /// What was said.
    pub text: Option<String>,
    /// What was thought aloud.
    pub reasoning: Option<String>,
    /// The user's own calls.
    pub calls: Vec<ToolCall>,
    /// For a tool's answer: the call failed.
    pub error: bool,
    /// For a tool's answer: it answers the user's own call.
    pub for_user: bool,
    /// No model generated it.
    pub scripted: bool,
}

/// What a judge says of two runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// The cell of both.
    #[serde(flatten)]
    pub cell: Cell,
    /// The draw of the one.
    pub draw_a: u32,
    /// The draw of the other.
    pub draw_b: u32,
    /// The judge.
    pub judge: String,
    /// Whether both reach the same outcome; none when the answer did not parse.
    pub equivalent: Option<bool>,
    /// The judge's confidence.
    pub confidence: Option<f64>,
}

/// How far the actions of two panes agree.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Agreement {
    /// The first pane's label.
    pub a: String,
    /// The other's.
    pub b: String,
    /// Edits that lead from the one's actions to the other's.
    pub edits: usize,
    /// 1 − edits / actions of the longer run.
    pub aec: f64,
    /// Overlap of the sets of actions.
    pub asc: f64,
    /// Agreement of their distributions.
    pub adc: f64,
    /// Whether both begin with the same action.
    pub fac: f64,
}

/// A note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// When, in seconds since 1970.
    pub time: u64,
    /// By whom.
    pub author: String,
    /// On which cell.
    #[serde(flatten)]
    pub cell: Cell,
    /// On which draw; none when it is on the whole task.
    pub draw: Option<u32>,
    /// On which turn, from 1; none when it is on the whole run.
    pub turn: Option<u64>,
    /// The words.
    pub note: String,
}

/// Texts of a call, for those who hold it against another.
#[derive(Clone, Copy, Debug)]
pub struct Held<'c> {
    /// Its own arguments.
    pub own: &'c str,
    /// Those it is held against, if it differs from them.
    pub other: Option<&'c str>,
}

impl Row {
    /// The arguments of a pane's call: the first pane's are held against those of the first other
    /// that differ, the others' against the first's.
    pub fn arguments(&self, pane: usize) -> Option<Held<'_>> {
        let own = self.cells.get(pane)?.as_ref()?;
        let differs = |own: &&Part| own.contrast == Some(Beside::Arguments);
        let against = match pane {
            0 => self.cells.iter().flatten().find(differs),
            _ => self.cells[0].as_ref().filter(|_| differs(&own)),
        };
        let other = against.and_then(|other| other.arguments.as_deref());
        Some(Held { own: own.arguments.as_deref()?, other })
    }
}
