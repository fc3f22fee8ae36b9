//! Trajectories, their turns, and records that are not trajectories.

use std::sync::Arc;

use super::{Cell, Check, Context, Drift, Fingerprint, Message, Outcome, TokenSeq, Unscored};

/// The action type of a message to the user.
pub const MESSAGE_ACTION: &str = "message";

/// What a token takes in memory, with its alternatives.
const BYTES_OF_A_TOKEN: usize = 120;

/// One generation of the agent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    /// Index of its message in [`Trajectory::messages`].
    pub message: u32,
    /// Its tokens, where log-probabilities were recorded.
    pub tokens: Option<TokenSeq>,
    /// Its white-box scores, where they were computed and there was something to score.
    pub scores: Option<TurnScores>,
    /// Why it has no tokens, where the results say more than that they are missing.
    pub unscored: Option<Unscored>,
    /// How far it has drifted from the task, where that was computed.
    pub drift: Option<Drift>,
}

/// White-box scores of one turn, from the tokens of one span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TurnScores {
    /// Log of the sequence probability: a long turn's probability underflows, its log still ranks.
    pub sp_log: f64,
    /// Length-normalised sequence probability.
    pub lnsp: f64,
    /// Average token negentropy over the recorded top-K; absent when no token has two alternatives.
    pub atn: Option<f64>,
    /// Mean margin between the two most likely recorded tokens; absent likewise.
    pub pm: Option<f64>,
    /// Number of tokens scored.
    pub tokens: u32,
}

/// Where a trajectory came from: together with cell and task, its identity across imports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The file it was read from.
    pub source: String,
    /// The identifier of the run, when the harness gives one.
    pub run_id: Option<String>,
    /// The trial number that the harness recorded.
    pub trial: Option<i64>,
    /// How many records of the same task and trial stand before it in its file.
    pub repeat: u32,
}

impl Origin {
    /// The shortest identifier that is taken for unique, as a UUID is.
    const UNIQUE_ID: usize = 16;

    /// The run's identifier, if it is long enough that no other run has it.
    pub fn unique_id(&self) -> Option<&str> {
        self.run_id.as_deref().filter(|id| id.len() >= Self::UNIQUE_ID)
    }

    /// Whether an identifier is drawn at random, as a UUID is. One that a harness composes from names may
    /// come again in another run.
    pub fn is_random(id: &str) -> bool {
        let digits = id.chars().filter(char::is_ascii_hexdigit).count();
        digits >= Self::UNIQUE_ID && id.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
    }
}

/// Everything about a trajectory but its text and tokens: one row.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// The cell it belongs to.
    pub cell: Cell,
    /// The task it attempts.
    pub task: String,
    /// 0 is the reference, 1.. are samples. Readers leave it 0; the import numbers the draws.
    pub draw: u32,
    /// Where it came from.
    pub origin: Origin,
    /// The fingerprint of its messages; none in stores of older versions.
    pub fingerprint: Option<u64>,
    /// The key of what the agent was given; none where that is not known.
    pub context: Option<u64>,
    /// The sampling temperature, when recorded.
    pub temperature: Option<f64>,
    /// How it was graded.
    pub outcome: Outcome,
    /// Why it ended, as the harness says it.
    pub termination: Option<String>,
    /// The cost of the agent's calls, in the harness's currency.
    pub cost: Option<f64>,
    /// The cost of the simulated user's calls.
    pub user_cost: Option<f64>,
    /// Wall time in seconds.
    pub duration: Option<f64>,
    /// Prompt tokens of all turns.
    pub prompt_tokens: Option<u64>,
    /// Generated tokens of all turns.
    pub completion_tokens: Option<u64>,
    /// The type of every action, in order: a tool's name, or [`MESSAGE_ACTION`].
    pub action_types: Vec<String>,
    /// Number of agent turns.
    pub turns: u32,
    /// Number of the agent's tool calls.
    pub tools: u32,
    /// Number of turns with log-probabilities.
    pub turns_with_logprobs: u32,
    /// Number of messages of all roles.
    pub messages: u32,
    /// The agent's last message to the user.
    pub final_message: Option<String>,
}

impl Head {
    /// A head with only a cell and a task.
    pub fn new(cell: Cell, task: impl Into<String>) -> Self {
        Self {
            cell,
            task: task.into(),
            draw: 0,
            origin: Origin::default(),
            fingerprint: None,
            context: None,
            temperature: None,
            outcome: Outcome::default(),
            termination: None,
            cost: None,
            user_cost: None,
            duration: None,
            prompt_tokens: None,
            completion_tokens: None,
            action_types: Vec::new(),
            turns: 0,
            tools: 0,
            turns_with_logprobs: 0,
            messages: 0,
            final_message: None,
        }
    }

    /// Tells runs with the same identifier apart: 0 where the identifier is drawn at random, else a
    /// fingerprint of what was recorded, which is the same in a copy.
    pub fn distinction(&self) -> u64 {
        if self.origin.run_id.as_deref().is_some_and(Origin::is_random) {
            return 0;
        }
        let mut print = Fingerprint::default();
        print.add(&self.fingerprint.unwrap_or_default().to_le_bytes());
        print.add_text(self.termination.as_deref().unwrap_or_default());
        for number in [self.temperature, self.duration, self.cost] {
            print.add(&number.unwrap_or(f64::NAN).to_bits().to_le_bytes());
        }
        print.value()
    }
}

/// One attempt of an agent at a task.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// The facts in one row.
    pub head: Head,
    /// The conversation.
    pub messages: Vec<Message>,
    /// The agent's generations, in order.
    pub turns: Vec<Turn>,
    /// What the harness checked, in its order.
    pub checks: Vec<Check>,
    /// The tokens of the simulated user's messages, where they were recorded, by ascending message. They say
    /// nothing about the agent: no scorer and no count looks at them.
    pub user_tokens: Vec<MessageTokens>,
    /// What the agent was given, where it was recorded. A run that is read from a store has only its key
    /// in the head, since many runs share one.
    pub context: Option<Arc<Context>>,
}

/// The tokens of a message that is no turn of the agent.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageTokens {
    /// Index of the message in [`Trajectory::messages`].
    pub message: u32,
    /// Its tokens.
    pub tokens: TokenSeq,
}

impl Trajectory {
    /// Builds a trajectory from its conversation: every agent message that is not scripted becomes
    /// a turn, and the counts of the head are taken. `tokens` are by message index. A fingerprint that the
    /// head has is that of these messages.
    pub fn new(
        mut head: Head,
        messages: Vec<Message>,
        mut tokens: impl FnMut(usize) -> Option<TokenSeq>,
    ) -> Self {
        let mut turns = Vec::new();
        head.action_types.clear();
        head.tools = 0;
        head.final_message = None;
        for (index, message) in messages.iter().enumerate().filter(|(_, message)| message.is_turn())
        {
            turns.push(Turn {
                message: index as u32,
                tokens: tokens(index).filter(|tokens| !tokens.is_empty()),
                scores: None,
                unscored: None,
                drift: None,
            });
            head.tools += message.tool_calls.len() as u32;
            if message.tool_calls.is_empty() {
                head.action_types.push(MESSAGE_ACTION.to_owned());
                if let Some(words) = message.words() {
                    head.final_message = Some(words.to_owned());
                }
            } else {
                head.action_types.extend(message.tool_calls.iter().map(|call| call.name.clone()));
            }
        }
        head.turns = turns.len() as u32;
        head.turns_with_logprobs = turns.iter().filter(|turn| turn.tokens.is_some()).count() as u32;
        head.messages = messages.len() as u32;
        let print = || Fingerprint::of_messages(&messages).value();
        head.fingerprint = Some(head.fingerprint.unwrap_or_else(print));
        Self { head, messages, turns, checks: Vec::new(), user_tokens: Vec::new(), context: None }
    }
}

impl Trajectory {
    /// Keeps why turns have no tokens, by message index.
    #[must_use]
    pub fn explained(mut self, why: impl Fn(usize) -> Option<Unscored>) -> Self {
        for turn in self.turns.iter_mut().filter(|turn| turn.tokens.is_none()) {
            turn.unscored = why(turn.message as usize);
        }
        self
    }

    /// Why a turn has no tokens; none of one that has. Where the results do not say, a tool call among turns
    /// with tokens is one for which the provider sends none.
    pub fn without_tokens(&self, turn: usize) -> Option<Unscored> {
        let turn = self.turns.get(turn).filter(|turn| turn.tokens.is_none())?;
        turn.unscored.or_else(|| {
            let calls = &self.messages[turn.message as usize].tool_calls;
            let is_call = !calls.is_empty() && self.head.turns_with_logprobs > 0;
            Some(if is_call { Unscored::ToolCall } else { Unscored::NotSent })
        })
    }

    /// The tokens of a message of the user, where they were recorded.
    pub fn tokens_of_user(&self, message: usize) -> Option<&TokenSeq> {
        let found = self.user_tokens.iter().find(|said| said.message as usize == message);
        found.map(|said| &said.tokens)
    }

    /// Estimates the bytes of its text and tokens in memory.
    pub fn bytes(&self) -> usize {
        let text = |text: &Option<String>| text.as_deref().map_or(0, str::len);
        let said = self.messages.iter().map(|message| {
            let calls =
                message.tool_calls.iter().map(|call| call.arguments.len() + call.name.len());
            text(&message.content) + text(&message.reasoning) + calls.sum::<usize>()
        });
        let of_agent = self.turns.iter().filter_map(|turn| turn.tokens.as_ref());
        let of_user = self.user_tokens.iter().map(|said| &said.tokens);
        let tokens = of_agent.chain(of_user).map(|tokens| tokens.len() * BYTES_OF_A_TOKEN);
        let checks = self
            .checks
            .iter()
            .map(|check| check.expected.len() + text(&check.arguments) + text(&check.detail));
        said.sum::<usize>() + tokens.sum::<usize>() + checks.sum::<usize>()
    }

    /// The action of a turn: the tools it called, or [`MESSAGE_ACTION`].
    pub fn action(&self, turn: usize) -> String {
        let message = &self.messages[self.turns[turn].message as usize];
        let names: Vec<&str> = message.tool_calls.iter().map(|call| call.name.as_str()).collect();
        if names.is_empty() { MESSAGE_ACTION.to_owned() } else { names.join(", ") }
    }
}

/// A record that is no trajectory: it crashed before the agent acted, or holds no transcript.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Skip {
    /// The cell it would belong to.
    #[serde(flatten)]
    pub cell: Cell,
    /// The task it attempted.
    pub task: String,
    /// The trial number that the harness recorded.
    pub trial: Option<i64>,
    /// The file that holds it.
    pub source: String,
    /// Why it was left out.
    pub reason: String,
    /// How many records of the same task and trial stand before it in its file.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeat: u32,
    /// The sampling temperature, when recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Whether it is a run that another file holds too, not one that failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub copy: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// What a task asks: hidden from the agent, shown to the person who looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskText {
    /// The dataset of the task.
    pub dataset: String,
    /// Its id.
    pub task: String,
    /// The instruction that the (simulated) user works from.
    pub instruction: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Role, ToolCall};

    fn call(name: &str) -> ToolCall {
        ToolCall { id: String::new(), name: name.to_owned(), arguments: "{}".to_owned() }
    }

    #[test]
    fn a_known_fingerprint_is_kept() {
        let messages = vec![Message::text(Role::User, "Go.")];
        let print = Fingerprint::of_messages(&messages).value();
        let mut head = Head::new(Cell::new("d", "m"), "1");
        let run = |head: &Head| Trajectory::new(head.clone(), messages.clone(), |_| None);
        assert_eq!(run(&head).head.fingerprint, Some(print));
        head.fingerprint = Some(7);
        assert_eq!(run(&head).head.fingerprint, Some(7));
    }

    #[test]
    fn greetings_are_no_turns_and_user_calls_are_no_actions() {
        let mut greeting = Message::text(Role::Assistant, "Hi!");
        greeting.scripted = true;
        let mut user_call = Message::text(Role::User, "");
        user_call.tool_calls.push(call("toggle_roaming"));
        let mut both = Message::text(Role::Assistant, "One moment.");
        both.tool_calls = vec![call("get_user"), call("get_order")];
        let empty = Message { content: None, ..Message::text(Role::Assistant, "") };
        let last = Message::text(Role::Assistant, "Done.");
        let messages = vec![greeting, user_call, both, last, empty];

        let run = Trajectory::new(Head::new(Cell::new("d", "m"), "1"), messages, |_| None);

        assert_eq!(run.head.action_types, ["get_user", "get_order", "message", "message"]);
        assert_eq!((run.head.turns, run.head.tools, run.head.messages), (3, 2, 5));
        assert_eq!(run.head.final_message.as_deref(), Some("Done."));
        assert_eq!(run.turns.iter().map(|turn| turn.message).collect::<Vec<_>>(), [2, 3, 4]);
    }
}
