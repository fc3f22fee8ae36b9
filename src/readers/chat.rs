//! Calls of chat APIs as people log them: conversations with their outcome, requests with their
//! responses, and results of batches; of `OpenAI`'s chat completions and responses, and of servers like
//! them.

mod call;
mod chain;
mod responses;

use super::facts::Facts;
use super::records::{self, FileRecord};
use super::rollouts::{Rollout, Rollouts};
use super::{
    Candidate, Claim, Emit, FormatInfo, Gives, InputNotes, ReadError, ReadOptions, Reader,
};
use call::Call;
use chain::Chain;

/// The reader of logged chats.
#[derive(Debug)]
pub(super) struct Chat;

static INFO: FormatInfo = FormatInfo {
    id: "chat",
    name: "chat logs",
    looks: "JSON lines or a list: conversations `{messages, …}`, logged calls `{request, response}`, batch results `{custom_id, response}` or responses `{input, output}`",
    gives: &[
        Gives::Labels,
        Gives::Draws,
        Gives::Logprobs,
        Gives::TopK,
        Gives::Costs,
        Gives::SystemPrompt,
        Gives::Tools,
    ],
    example: "conversations.jsonl",
};

/// How much of a file is looked at for its messages.
const GLANCE: usize = 1 << 16;

/// Keys that files of other tools have beside a list of messages.
const OF_OTHERS: [&str; 7] = [
    "trajectory_format",
    "termination_reason",
    "simulations",
    "schema_version",
    "history",
    "eval",
    "nodes",
];

impl Reader for Chat {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn claim(&self, candidate: &Candidate) -> Option<Claim> {
        let json = candidate.json();
        let has = |name| json.has(name);
        let is_conversation = has("messages");
        let is_logged = has("response") && (has("request") || has("custom_id"));
        let is_response = has("output") && (has("input") || has("object") || has("instructions"));
        let fits = is_conversation || is_logged || is_response;
        if !fits || OF_OTHERS.iter().any(|name| has(name)) {
            return None;
        }
        let start = candidate.content().start(GLANCE).ok()?;
        let holds = |word: &[u8]| memchr::memmem::find(&start, word).is_some();
        let is_chat = holds(b"\"role\"") || (is_response && holds(b"\"function_call\""));
        is_chat.then(|| self.force(candidate))
    }

    fn read(
        &self,
        claim: &Claim,
        options: &ReadOptions,
        emit: Emit<'_>,
    ) -> Result<InputNotes, ReadError> {
        let mut chain = Chain::new(Rollouts::new(claim, options, "chat", emit));
        let note = records::each(claim.content(), &mut |record| take(record, &mut chain))?;
        let mut rollouts = chain.finish();
        note.into_iter().for_each(|note| rollouts.note(note));
        rollouts.finish("conversations")
    }
}

/// Hands out the runs of one record; false when no more are wanted.
fn take(record: &FileRecord<'_>, chain: &mut Chain<'_>) -> Result<bool, ReadError> {
    let Call { facts, asked, mut answers, prompt_tokens, completion_tokens, error, system, tools } =
        Call::of(record)?;
    let tools = tools.and_then(|tools| chain.tools(tools.get()));
    if answers.is_empty() {
        let mut rollout = Rollout::new(&facts, asked);
        (rollout.error, rollout.system, rollout.tools) = (error, system, tools);
        return Ok(chain.hand_out(rollout));
    }
    // Several choices are several draws of the same request.
    let (last, is_lone) = (answers.pop(), answers.is_empty());
    let mut earlier: Vec<_> = answers.into_iter().map(|answer| (asked.clone(), answer)).collect();
    earlier.extend(last.map(|answer| (asked, answer)));
    for (index, (mut lines, answer)) in earlier.into_iter().enumerate() {
        let asked = lines.len();
        lines.extend(answer);
        let mut rollout = Rollout::new(&facts, lines);
        rollout.run_id = if is_lone { rollout.run_id } else { run_id(&facts, index) };
        rollout.prompt_tokens = prompt_tokens.filter(|_| is_lone);
        rollout.completion_tokens = completion_tokens.filter(|_| is_lone);
        rollout.error.clone_from(&error);
        rollout.system.clone_from(&system);
        rollout.tools.clone_from(&tools);
        if !chain.take(rollout, asked) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The id of one of several choices.
fn run_id(facts: &Facts, index: usize) -> Option<String> {
    facts.run_id().map(|id| format!("{id} {index}"))
}
