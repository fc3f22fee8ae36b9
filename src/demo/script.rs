//! The types that describe a domain: its tools, what is said, and its kinds of tasks.
//!
//! All texts are templates: `<key>` stands for a fact of the task, so that one reservation id is
//! the same in the request, the calls, the answers and the report.

use crate::model::MESSAGE_ACTION;
use crate::rng::Rng;

/// A tool with its arguments and its answer.
pub struct Tool {
    pub name: &'static str,
    pub arguments: &'static str,
    pub result: &'static str,
    /// The fact that changes when the agent calls the tool again.
    pub varies: Option<&'static str>,
    /// What the tool answers when it refuses the call.
    pub failure: &'static str,
}

impl Tool {
    pub const fn new(name: &'static str, arguments: &'static str, result: &'static str) -> Self {
        let failure = "temporarily unavailable, please try again";
        Self { name, arguments, result, varies: None, failure }
    }

    /// A second call asks for `<other_key>` instead of `<key>`.
    pub const fn again(mut self, key: &'static str) -> Self {
        self.varies = Some(key);
        self
    }

    pub const fn fails(mut self, failure: &'static str) -> Self {
        self.failure = failure;
        self
    }
}

/// A tool call that the user makes on their device.
pub struct Device {
    pub tool: &'static str,
    pub arguments: &'static str,
    pub result: &'static str,
}

/// A message of the agent and the user's reply, each in several wordings.
pub struct Talk {
    pub agent: &'static [&'static str],
    pub user: &'static [&'static str],
    pub device: Option<Device>,
    /// It reports that the work is done, which is untrue when the agent gave up before.
    pub report: bool,
}

impl Talk {
    pub const fn new(agent: &'static [&'static str], user: &'static [&'static str]) -> Self {
        Self { agent, user, device: None, report: false }
    }

    pub const fn report(mut self) -> Self {
        self.report = true;
        self
    }

    /// Before replying, the user does something on their device.
    pub const fn on_device(mut self, tool: &'static str, result: &'static str) -> Self {
        self.device = Some(Device { tool, arguments: "{}", result });
        self
    }
}

/// One turn of the agent.
#[derive(Clone, Copy)]
pub enum AgentStep {
    /// Looks something up; may be left out, repeated or moved.
    Read(&'static Tool),
    /// Changes something; a task is not solved without all of its changes.
    Write(&'static Tool),
    /// Says something to the user.
    Say(&'static Talk),
}

impl AgentStep {
    /// The action type of the turn.
    pub fn action(self) -> &'static str {
        match self {
            Self::Read(tool) | Self::Write(tool) => tool.name,
            Self::Say(_) => MESSAGE_ACTION,
        }
    }

    pub fn is_write(self) -> bool {
        matches!(self, Self::Write(_))
    }
}

/// A fact that a failing agent mixes up: the key, and the key of what it takes instead.
pub type Slip = (&'static str, &'static str);

/// A kind of task.
pub struct TaskKind {
    /// What the hidden user wants.
    pub wants: &'static [&'static str],
    /// The user's first message.
    pub opens: &'static [&'static str],
    /// Ways in which agents begin.
    pub openings: &'static [&'static [AgentStep]],
    /// What a capable agent does then; it ends with a message.
    pub body: &'static [AgentStep],
    /// Lookups that some agents add.
    pub detours: &'static [AgentStep],
    pub slips: &'static [Slip],
    /// The report of an agent that gave up.
    pub refusals: &'static [&'static str],
}

/// A domain: its kinds of tasks and what they share.
pub struct Domain {
    /// What the agent must keep to.
    pub rules: &'static str,
    /// The scripted greeting, where the harness has one.
    pub greeting: Option<&'static str>,
    pub kinds: &'static [TaskKind],
    /// Things said that change nothing.
    pub asides: &'static [Talk],
    /// What the agent adds to a statement that is not its last.
    pub tails: &'static [&'static str],
    /// Hands the user over to a person.
    pub transfer: Option<&'static Tool>,
    /// The user's last words, where there is a simulated user.
    pub farewells: &'static [&'static str],
    /// Fewest and most turns of an agent.
    pub turns: (usize, usize),
    /// Draws the facts of one task.
    pub facts: fn(&mut Rng) -> Facts,
}

/// The facts of one task by key.
#[derive(Clone, Default)]
pub struct Facts(Vec<(&'static str, String)>);

impl Facts {
    pub fn set(&mut self, key: &'static str, value: impl Into<String>) {
        self.0.push((key, value.into()));
    }

    /// Sets `key` and `other` to two different items.
    pub fn set_two(
        &mut self,
        key: &'static str,
        other: &'static str,
        items: &[&str],
        rng: &mut Rng,
    ) {
        let first = rng.below(items.len());
        let second = (first + 1 + rng.below(items.len() - 1)) % items.len();
        self.set(key, items[first]);
        self.set(other, items[second]);
    }

    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| *known == key).map(|(_, value)| value.as_str())
    }

    /// Fills a template; a fact of `instead` replaces that of the task.
    pub fn fill(&self, template: &str, instead: &[(&str, &str)]) -> String {
        let mut text = String::with_capacity(template.len() + 32);
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('<') {
            let (key, tail) = after.split_once('>').unwrap_or((after, ""));
            let swapped =
                instead.iter().find(|(replaced, _)| *replaced == key).map(|(_, value)| *value);
            text.push_str(before);
            text.push_str(swapped.or_else(|| self.get(key)).unwrap_or(key));
            rest = tail;
        }
        text.push_str(rest);
        text
    }
}

/// A code of letters and digits, such as a booking reference.
pub fn code(letters: usize, rng: &mut Rng) -> String {
    const SIGNS: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
    (0..letters).map(|_| char::from(*rng.pick(SIGNS))).collect()
}

/// A number of that many digits.
pub fn number(digits: u32, rng: &mut Rng) -> String {
    let low = 10usize.pow(digits - 1);
    (low + rng.below(9 * low)).to_string()
}

/// Who the user is and how they talk: `first`, `last`, `user`, `email`, `zip`, `hi`, `mood`.
pub fn person(rng: &mut Rng) -> Facts {
    const FIRST: &[&str] = &[
        "Mara", "Tobias", "Ingrid", "Kofi", "Leila", "Dmitri", "Yuna", "Pablo", "Nadia", "Owen",
        "Freya", "Hassan", "Celia", "Jonas", "Amara", "Ravi", "Elise", "Marek", "Sunita", "Bruno",
    ];
    const LAST: &[&str] = &[
        "Ostrow",
        "Lindqvist",
        "Mensah",
        "Haddad",
        "Petrenko",
        "Sato",
        "Ibarra",
        "Quinn",
        "Vance",
        "Okafor",
        "Brandt",
        "Moreau",
        "Costa",
        "Nowak",
        "Iyer",
        "Falk",
        "Delgado",
        "Whitlock",
    ];
    const HI: &[&str] = &["Hi,", "Hello,", "Good evening,", "Hey,", "Hi there,", "Good morning,"];
    const MOOD: &[&str] = &[
        "I hope you can help.",
        "I'm in a bit of a hurry.",
        "Sorry for the trouble.",
        "This is the second time I'm asking.",
        "I'd rather not explain it twice.",
        "Take your time.",
        "My train of thought is a mess today, so bear with me.",
    ];
    let (first, last) = (*rng.pick(FIRST), *rng.pick(LAST));
    let (low_first, low_last) = (first.to_lowercase(), last.to_lowercase());
    let mut facts = Facts::default();
    facts.set("first", first);
    facts.set("last", last);
    facts.set("user", format!("{low_first}_{low_last}_{}", number(4, rng)));
    facts.set("email", format!("{low_first}.{low_last}{}@example.com", number(2, rng)));
    facts.set("zip", number(5, rng));
    facts.set("hi", *rng.pick(HI));
    facts.set("mood", *rng.pick(MOOD));
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_take_facts_and_what_is_put_in_their_place() {
        let mut facts = Facts::default();
        facts.set("order", "W12");
        assert_eq!(facts.fill(r#"{"id": "<order>"}"#, &[]), r#"{"id": "W12"}"#);
        assert_eq!(facts.fill("<order>!", &[("order", "W99")]), "W99!");
    }

    #[test]
    fn two_items_differ() {
        let mut rng = Rng::new(1, 1);
        for _ in 0..50 {
            let mut facts = Facts::default();
            facts.set_two("a", "b", &["x", "y", "z"], &mut rng);
            assert_ne!(facts.get("a"), facts.get("b"));
        }
    }
}
