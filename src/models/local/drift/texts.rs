//! The texts of a run that its drift is measured between.

use crate::model::{Drift, Message, Role, Trajectory};
use crate::models::local::{Answers, Question};

/// The texts of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RunTexts {
    /// The first message of the user: what the task is about.
    question: Option<String>,
    /// What was said and done, in order; instructions to the agent are left out.
    messages: Vec<String>,
    turns: Vec<TurnTexts>,
}

/// The texts of one turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct TurnTexts {
    /// How many messages there are up to the end of this turn.
    so_far: usize,
    /// What the turn commits to: its calls, or its message.
    action: Option<String>,
    /// What the tools returned or, without any, what the user replied.
    observation: Option<String>,
}

impl RunTexts {
    pub(super) fn of(run: &Trajectory) -> Self {
        let said = run
            .messages
            .iter()
            .find(|message| message.role == Role::User && message.words().is_some());
        let mut texts =
            Self { question: said.and_then(Message::words).map(str::to_owned), ..Self::default() };
        for (index, message) in run.messages.iter().enumerate() {
            if message.role != Role::System {
                texts.messages.extend(whole(message));
            }
            if message.is_turn() {
                texts.turns.push(TurnTexts {
                    so_far: texts.messages.len(),
                    action: action(message),
                    observation: observation(&run.messages[index + 1..]),
                });
            }
        }
        texts
    }

    /// All texts that are embedded.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        let turns = self.turns.iter().flat_map(|turn| turn.action.iter().chain(&turn.observation));
        self.question.iter().chain(&self.messages).chain(turns).map(String::as_str)
    }

    /// The drift of every turn; none without a message of the user.
    pub(super) fn drifts(&self, answers: &Answers) -> Option<Vec<Drift>> {
        let embedding = |text: &String| answers.get(&Question::Text(text));
        let question: Vec<f64> = wide(embedding(self.question.as_ref()?)?);
        let mut sum = vec![0.0; question.len()];
        let mut summed = 0;
        let drift = |turn: &TurnTexts| {
            // The mean has the direction of the sum.
            while summed < turn.so_far {
                let message = embedding(&self.messages[summed])?;
                sum.iter_mut().zip(message).for_each(|(sum, value)| *sum += f64::from(*value));
                summed += 1;
            }
            let observation = match (&turn.action, &turn.observation) {
                (Some(action), Some(seen)) => {
                    distance(&wide(embedding(action)?), &wide(embedding(seen)?))
                }
                _ => 0.0,
            };
            Some(Drift { action: distance(&sum, &question), observation, severity: None })
        };
        self.turns.iter().map(drift).collect()
    }
}

fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|value| f64::from(*value)).collect()
}

/// 1 − the cosine of two vectors; 0 where one has no direction.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let lengths = (product(a, a) * product(b, b)).sqrt();
    if lengths > 0.0 { 1.0 - (product(a, b) / lengths).clamp(-1.0, 1.0) } else { 0.0 }
}

/// The calls of a message, one per line.
fn calls(message: &Message) -> Option<String> {
    let lines = message.tool_calls.iter().map(|call| format!("{} {}", call.name, call.arguments));
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// What a turn commits to: its calls, or its message.
fn action(message: &Message) -> Option<String> {
    calls(message).or_else(|| message.words().map(str::to_owned))
}

/// All of a message: words, then calls.
fn whole(message: &Message) -> Option<String> {
    let parts: Vec<String> =
        message.words().map(str::to_owned).into_iter().chain(calls(message)).collect();
    (!parts.is_empty()).then(|| parts.join("\n"))
}

/// What follows a turn before the next one: the results of its calls or, without any, the user's words.
fn observation(after: &[Message]) -> Option<String> {
    let next = after.iter().position(Message::is_turn).unwrap_or(after.len());
    let words = |is_meant: fn(&Message) -> bool| {
        let lines = after[..next].iter().filter(|message| is_meant(message));
        let lines: Vec<&str> = lines.filter_map(Message::words).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    };
    words(|message| message.role == Role::Tool && !message.for_user)
        .or_else(|| words(|message| message.role == Role::User))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Cell, Head, ToolCall};

    fn call(name: &str) -> Message {
        let arguments = "{\"id\": 1}".to_owned();
        let call = ToolCall { id: String::new(), name: name.to_owned(), arguments };
        Message { content: None, tool_calls: vec![call], ..Message::text(Role::Assistant, "") }
    }

    #[test]
    fn texts_of_a_run_are_those_that_its_drift_is_between() {
        let mut greeting = Message::text(Role::Assistant, "Hi!");
        greeting.scripted = true;
        let mut of_user = Message::text(Role::Tool, "toggled");
        of_user.for_user = true;
        let messages = vec![
            Message::text(Role::System, "the policy"),
            greeting,
            Message::text(Role::User, "cancel it"),
            call("get"),
            Message::text(Role::Tool, "found"),
            Message::text(Role::Assistant, "sure?"),
            of_user,
            Message::text(Role::User, "yes"),
            Message::text(Role::Assistant, "done"),
        ];
        let run = Trajectory::new(Head::new(Cell::new("d", "m"), "1"), messages, |_| None);
        let texts = RunTexts::of(&run);
        assert_eq!(texts.question.as_deref(), Some("cancel it"));
        let expected =
            ["Hi!", "cancel it", "get {\"id\": 1}", "found", "sure?", "toggled", "yes", "done"];
        assert_eq!(texts.messages, expected);
        let so_far: Vec<usize> = texts.turns.iter().map(|turn| turn.so_far).collect();
        assert_eq!(so_far, [3, 5, 8]);
        let seen: Vec<Option<&str>> =
            texts.turns.iter().map(|turn| turn.observation.as_deref()).collect();
        assert_eq!(seen, [Some("found"), Some("yes"), None]);
        assert_eq!(texts.turns[0].action.as_deref(), Some("get {\"id\": 1}"));
    }

    #[test]
    fn distances_by_hand() {
        assert!((distance(&[1.0, 0.0], &[0.0, 2.0]) - 1.0).abs() < 1e-12);
        assert!((distance(&[3.0, 4.0], &[4.0, 3.0]) - 0.04).abs() < 1e-12);
        assert!((distance(&[1.0, 1.0], &[-2.0, -2.0]) - 2.0).abs() < 1e-12);
        assert!(distance(&[0.0, 0.0], &[1.0, 0.0]).abs() < 1e-12);
    }
}
