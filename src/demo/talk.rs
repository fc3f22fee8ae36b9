//! Writes the conversation of one trajectory from its turns and the facts of its task.

use super::outcomes::Ending;
use super::script::{AgentStep, Device, Domain, Facts, Slip, Talk, TaskKind, Tool};
use crate::model::{Message, Role, ToolCall};
use crate::rng::Rng;

/// How a failing trajectory goes wrong.
#[derive(Clone, Copy)]
pub enum Mistake {
    /// One fact is taken for another when something is changed.
    Slip(Slip),
    /// A step is missing, and the agent says it can't be done.
    Refused,
    /// A step is missing, and the agent says it was done.
    Claimed,
}

impl Mistake {
    /// Draws a mistake that fits what the agent did.
    pub fn draw(kind: &TaskKind, complete: bool, rng: &mut Rng) -> Self {
        match complete {
            true => Self::Slip(*rng.pick(kind.slips)),
            false if rng.chance(0.6) => Self::Refused,
            false => Self::Claimed,
        }
    }
}

/// Everything a conversation is made from.
pub struct Scene<'a> {
    pub domain: &'a Domain,
    pub kind: &'a TaskKind,
    pub facts: &'a Facts,
    pub steps: &'a [AgentStep],
    pub mistake: Option<Mistake>,
    pub ending: Ending,
}

impl Scene<'_> {
    /// The messages from the greeting to the last word.
    pub fn play(&self, rng: &mut Rng) -> Vec<Message> {
        let mut stage = Stage::new(self);
        if let Some(greeting) = self.domain.greeting {
            let greeting = Message::text(Role::Assistant, greeting);
            stage.messages.push(Message { scripted: true, ..greeting });
        }
        let opening = self.facts.fill(rng.pick::<&str>(self.kind.opens), &[]);
        stage.messages.push(Message::text(Role::User, opening));
        for index in 0..self.steps.len() {
            match self.steps[index] {
                AgentStep::Read(tool) => stage.call(index, tool, rng),
                AgentStep::Write(tool) => {
                    stage.changed = true;
                    stage.call(index, tool, rng);
                }
                AgentStep::Say(talk) => stage.say(index, talk, rng),
            }
        }
        stage.messages
    }
}

const OK: &[&str] = &["Thank you.", "Of course.", "Certainly.", "Got it.", "Understood.", "Sure."];
const LEADS: &[&str] = &[
    "Before I go on, I want to be sure that I have understood you correctly.",
    "I have everything in front of me now, and it looks fine so far.",
    "Thank you for waiting, this took me a little longer than expected.",
    "There is just one thing I have to ask you first.",
    "I understand, and I would like to get this right for you.",
    "So that nothing goes wrong, I'll take this one step at a time.",
    "That is possible, as far as I can see.",
];
const STALLED: &[&str] = &[
    "Let me check that once more before I go on.",
    "One moment, I'm looking at another option.",
    "I'll try this again.",
];
const BROKEN: &[&str] = &[
    "The system keeps rejecting the request. I'm sorry, I can't get any further.",
    "Something is wrong on our side; my calls fail one after another.",
];
const APOLOGIES: &[&str] =
    &["I'm sorry I couldn't do more for you.", "Thank you for your understanding. Goodbye."];
const DISAPPOINTED: &[&str] =
    &["That's disappointing.", "Okay, then I'll have to ask somewhere else.", "I see. Too bad."];

struct Stage<'a> {
    scene: &'a Scene<'a>,
    messages: Vec<Message>,
    calls: usize,
    /// Names of the calls that went through.
    answered: Vec<&'static str>,
    /// Sentences that were added to what a step says.
    added: Vec<&'static str>,
    /// Something was changed, or should have been.
    changed: bool,
}

impl<'a> Stage<'a> {
    fn new(scene: &'a Scene<'a>) -> Self {
        Self {
            scene,
            messages: Vec::new(),
            calls: 0,
            answered: Vec::new(),
            added: Vec::new(),
            changed: false,
        }
    }

    fn call(&mut self, index: usize, tool: &Tool, rng: &mut Rng) {
        let Scene { facts, steps, mistake, .. } = self.scene;
        let earlier = self.answered.iter().filter(|name| **name == tool.name).count();
        let repeated = steps.get(index + 1).is_some_and(|next| next.action() == tool.name);
        let change = steps[index].is_write();
        let broken = change && self.scene.ending == Ending::TooManyErrors;
        // What gives the same answer again is repeated only when it failed.
        let same = change || tool.varies.is_none();
        let fails = broken || (repeated && (same || rng.chance(0.4)));
        let mut instead = Vec::new();
        let other;
        if let Some(key) = tool.varies.filter(|_| earlier % 2 == 1 && !change) {
            other = format!("other_{key}");
            instead.extend(facts.get(&other).map(|value| (key, value)));
        }
        if let Some(Mistake::Slip((key, taken))) = mistake.filter(|_| change) {
            instead.extend(facts.get(taken).map(|value| (key, value)));
        }
        self.calls += 1;
        let id = format!("call_{}", self.calls);
        let arguments = facts.fill(tool.arguments, &instead);
        let call = ToolCall { id: id.clone(), name: tool.name.to_owned(), arguments };
        self.messages.push(calling(Role::Assistant, call));
        if !fails {
            self.answered.push(tool.name);
        }
        let result = if fails {
            format!(r#"{{"error": "{}"}}"#, tool.failure)
        } else {
            facts.fill(tool.result, &instead)
        };
        let result = Message::text(Role::Tool, result);
        self.messages.push(Message { tool_call_id: Some(id), error: fails, ..result });
    }

    fn say(&mut self, index: usize, talk: &Talk, rng: &mut Rng) {
        let scene = self.scene;
        let last = index + 1 == scene.steps.len();
        let refused = talk.report && matches!(scene.mistake, Some(Mistake::Refused));
        let broken = talk.report && scene.ending == Ending::TooManyErrors;
        let agent = match scene.ending {
            Ending::MaxSteps if last => STALLED,
            Ending::TooManyErrors if last || broken => BROKEN,
            _ if refused => scene.kind.refusals,
            _ if last && matches!(scene.mistake, Some(Mistake::Refused)) => APOLOGIES,
            _ => talk.agent,
        };
        let text = self.fill(rng.pick::<&str>(agent), rng.pick::<&str>(OK));
        let text = if last { text } else { self.elaborate(text, rng) };
        self.messages.push(Message::text(Role::Assistant, text));
        let user = if last {
            if scene.ending != Ending::UserStop {
                return;
            }
            scene.domain.farewells
        } else {
            if let Some(device) = &talk.device {
                self.act(device);
            }
            // In a run of several requests the user goes on with the next one.
            let let_down = (refused || broken) && scene.domain.greeting.is_some();
            if let_down { DISAPPOINTED } else { talk.user }
        };
        if !user.is_empty() {
            let text = scene.facts.fill(rng.pick::<&str>(user), &[]);
            self.messages.push(Message::text(Role::User, text));
        }
    }

    /// Adds a sentence after a statement or before a question, each at most once, and never before
    /// the agent knows the account.
    fn elaborate(&mut self, text: String, rng: &mut Rng) -> String {
        let asks = text.ends_with('?');
        let more = if asks { LEADS } else { self.scene.domain.tails };
        let more = *rng.pick(more);
        if self.calls == 0 || self.added.contains(&more) || rng.chance(0.15) {
            return text;
        }
        self.added.push(more);
        let more = self.fill(more, "");
        if asks { format!("{more} {text}") } else { format!("{text} {more}") }
    }

    /// The user calls a tool of their device.
    fn act(&mut self, device: &Device) {
        self.calls += 1;
        let id = format!("call_{}", self.calls);
        let (name, arguments) = (device.tool.to_owned(), device.arguments.to_owned());
        self.messages.push(calling(Role::User, ToolCall { id: id.clone(), name, arguments }));
        let result = Message::text(Role::Tool, self.scene.facts.fill(device.result, &[]));
        self.messages.push(Message { tool_call_id: Some(id), for_user: true, ..result });
    }

    /// Once something was changed, the agent speaks of what it changed, right or wrong.
    fn fill(&self, template: &str, ok: &str) -> String {
        let facts = self.scene.facts;
        let mut instead = vec![("ok", ok)];
        if let Some(Mistake::Slip((key, taken))) = self.scene.mistake.filter(|_| self.changed) {
            instead.extend(facts.get(taken).map(|value| (key, value)));
        }
        facts.fill(template, &instead)
    }
}

fn calling(role: Role, call: ToolCall) -> Message {
    Message { content: None, tool_calls: vec![call], ..Message::text(role, "") }
}
