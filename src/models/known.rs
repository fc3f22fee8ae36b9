//! What models answered about runs, as people read it: by run and turn, with the name of who was asked.

use super::{NextAction, Question, ReadAnswer, Said, read_answer};
use crate::model::{Cell, Trajectory};
use crate::store::{Answer, Store, StoreError};

/// An answer about a run, a pair or a turn.
#[derive(Clone, Debug)]
pub struct KnownAnswer {
    /// What was asked.
    pub question: Question,
    /// Which of several samples it is, from 0.
    pub repeat: u32,
    /// The model that was asked.
    pub asked: String,
    /// The hash of the prompt and its settings.
    pub prompt: String,
    /// What it wrote, and what that says.
    pub read: ReadAnswer,
    cell: Cell,
    task: String,
    turn: Option<u32>,
    /// The fingerprints of the runs, in hexadecimal digits and in order.
    runs: Vec<String>,
}

impl KnownAnswer {
    /// None of a question that this version does not know.
    fn new(answer: Answer) -> Option<Self> {
        let question = Question::of_id(&answer.question)?;
        let read = read_answer(question, &answer.answer);
        let Answer { cell, task, turn, repeat, mut runs, asked, prompt, .. } = answer;
        runs.sort();
        Some(Self { question, repeat, asked, prompt, read, cell, task, turn, runs })
    }
}

/// The answers about some tasks, the oldest first.
#[derive(Clone, Debug, Default)]
pub struct KnownAnswers(Vec<KnownAnswer>);

/// What a model under one prompt answered.
#[derive(Clone, Debug)]
pub struct AnswersOf<'a> {
    /// The model's name, with the beginning of the prompt's hash where the model had several prompts.
    pub name: String,
    /// Its answers, the oldest first; there is at least one.
    pub answers: Vec<&'a KnownAnswer>,
}

impl<'a> AnswersOf<'a> {
    /// The newest answer.
    pub fn newest(&self) -> Option<&'a KnownAnswer> {
        self.answers.last().copied()
    }
}

impl KnownAnswers {
    /// Reads the answers about tasks.
    pub fn about(store: &Store, tasks: &[(Cell, String)]) -> Result<Self, StoreError> {
        let mut known = Vec::new();
        for (cell, task) in tasks {
            let answers = store.answers_about(cell, task)?;
            known.extend(answers.into_iter().filter_map(KnownAnswer::new));
        }
        Ok(Self(known))
    }

    /// Whether no model was asked.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The answers to a question about a run or a pair, by who was asked, in the order of the first
    /// answers. Draws may have other numbers since they were asked about, so runs are known by their
    /// words.
    pub fn on(&self, question: Question, runs: &[&Trajectory]) -> Vec<AnswersOf<'_>> {
        by_asker(self.all_on(question, runs))
    }

    /// The next actions that were sampled at a turn of a run.
    pub fn next_actions(&self, run: &Trajectory, turn: usize) -> Vec<AnswersOf<'_>> {
        let mut sampled = self.all_on(Question::Prefix, &[run]);
        sampled.retain(|answer| answer.turn == Some(turn as u32));
        by_asker(sampled)
    }

    fn all_on(&self, question: Question, runs: &[&Trajectory]) -> Vec<&KnownAnswer> {
        let print = |run: &&Trajectory| run.head.fingerprint.map(|print| format!("{print:016x}"));
        let Some(mut prints) = runs.iter().map(print).collect::<Option<Vec<String>>>() else {
            return Vec::new();
        };
        prints.sort();
        let is_meant = |answer: &&KnownAnswer| {
            let is_of_cell =
                |run: &&Trajectory| run.head.cell == answer.cell && run.head.task == answer.task;
            answer.question == question && answer.runs == prints && runs.iter().all(is_of_cell)
        };
        self.0.iter().filter(is_meant).collect()
    }
}

fn by_asker(answers: Vec<&KnownAnswer>) -> Vec<AnswersOf<'_>> {
    let mut askers: Vec<AnswersOf<'_>> = Vec::new();
    for answer in answers {
        let is_of = |asker: &&mut AnswersOf<'_>| {
            let first = asker.answers[0];
            (&first.asked, &first.prompt) == (&answer.asked, &answer.prompt)
        };
        match askers.iter_mut().find(is_of) {
            Some(asker) => asker.answers.push(answer),
            None => askers.push(AnswersOf { name: answer.asked.clone(), answers: vec![answer] }),
        }
    }
    let models: Vec<String> = askers.iter().map(|asker| asker.name.clone()).collect();
    for asker in &mut askers {
        if models.iter().filter(|model| **model == asker.name).count() > 1 {
            let hash: String = asker.answers[0].prompt.chars().take(8).collect();
            asker.name = format!("{}#{hash}", asker.name);
        }
    }
    askers
}

/// How sampled next actions compare with the action that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionCounts {
    /// How often each action was sampled, the most frequent first.
    pub actions: Vec<(String, usize)>,
    /// Samples that parse.
    pub parsed: usize,
    /// Those with the name of the action that was taken.
    pub same_name: usize,
    /// Those that are messages or calls as that action.
    pub same_type: usize,
    /// Why the others do not parse.
    pub unparsed: Vec<String>,
}

impl ActionCounts {
    /// Counts samples.
    pub fn of(samples: &[&KnownAnswer], taken: &NextAction) -> Self {
        let (actions, unparsed) = (Vec::new(), Vec::new());
        let mut counts = Self { actions, parsed: 0, same_name: 0, same_type: 0, unparsed };
        for sample in samples {
            match &sample.read.said {
                Ok(Said::Action(action)) => counts.add(action, taken),
                Ok(_) => {}
                Err(why) => counts.unparsed.push(why.clone()),
            }
        }
        counts.actions.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        counts
    }

    fn add(&mut self, action: &NextAction, taken: &NextAction) {
        self.parsed += 1;
        self.same_name += usize::from(action == taken);
        self.same_type += usize::from(action.has_type_of(taken));
        let name = action.name();
        match self.actions.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => self.actions.push((name, 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::model::{Head, Message, Role, ToolCall};

    fn run(cell: &Cell, print: u64) -> Trajectory {
        let call = ToolCall { id: String::new(), name: "get".to_owned(), arguments: String::new() };
        let turn = Message { tool_calls: vec![call], ..Message::text(Role::Assistant, "") };
        let mut run = Trajectory::new(Head::new(cell.clone(), "7"), vec![turn], |_| None);
        run.head.fingerprint = Some(print);
        run
    }

    fn answer(
        question: &str,
        cell: &Cell,
        runs: &[u64],
        prompt: &str,
        answer: &Value,
    ) -> KnownAnswer {
        let kept = json!({
            "time": 1, "key": "k", "question": question, "dataset": cell.dataset, "model": cell.model,
            "condition": cell.condition, "task": "7", "draw": 0, "turn": 0, "asked": "owl",
            "runs": runs.iter().map(|print| format!("{print:016x}")).collect::<Vec<_>>(),
            "prompt": prompt, "answer": answer,
        });
        KnownAnswer::new(serde_json::from_value(kept).expect("an answer")).expect("a question")
    }

    fn said(words: &str) -> Value {
        json!({ "message": { "content": words } })
    }

    #[test]
    fn an_answer_is_about_its_runs_in_their_cell() {
        let (here, there) = (Cell::new("d", "m"), Cell::new("d", "n"));
        let known = KnownAnswers(vec![
            answer("ter", &here, &[2, 1], "p", &said("old")),
            answer("ter", &here, &[2, 1], "p", &said("new")),
            answer("vc", &here, &[1], "p", &said("sure")),
        ]);
        let (a, b) = (run(&here, 1), run(&here, 2));
        let pair = known.on(Question::Ter, &[&a, &b]);
        assert_eq!(pair.len(), 1);
        assert_eq!((pair[0].name.as_str(), pair[0].answers.len()), ("owl", 2));
        assert_eq!(pair[0].newest().map(|answer| answer.read.raw.as_str()), Some("new"));
        assert!(known.on(Question::Ter, &[&a]).is_empty());
        assert_eq!(known.on(Question::Vc, &[&a]).len(), 1);
        // The same words in another cell are another run.
        assert!(known.on(Question::Vc, &[&run(&there, 1)]).is_empty());
    }

    #[test]
    fn a_model_with_two_prompts_has_two_names() {
        let cell = Cell::new("d", "m");
        let known = KnownAnswers(vec![
            answer("vc", &cell, &[1], "0123456789", &said("a")),
            answer("vc", &cell, &[1], "9876543210", &said("b")),
        ]);
        let run = run(&cell, 1);
        let names: Vec<String> =
            known.on(Question::Vc, &[&run]).into_iter().map(|asker| asker.name).collect();
        assert_eq!(names, ["owl#01234567", "owl#98765432"]);
    }

    #[test]
    fn sampled_actions_are_counted_against_the_one_that_was_taken() {
        let cell = Cell::new("d", "m");
        let call =
            |name: &str| json!({ "message": { "tool_calls": [{ "function": { "name": name } }] } });
        let answers = [call("put"), call("get"), said("Hm?"), call("get"), said("")];
        let of = |choice: Value| answer("prefix", &cell, &[1], "p", &choice);
        let known = KnownAnswers(answers.into_iter().map(of).collect());
        let run = run(&cell, 1);
        assert!(known.next_actions(&run, 1).is_empty());
        let sampled = known.next_actions(&run, 0);
        let counts = ActionCounts::of(&sampled[0].answers, &NextAction::of_turn(&run.messages[0]));
        let actions = [("get", 2), ("put", 1), ("message", 1)];
        assert_eq!(counts.actions, actions.map(|(name, count)| (name.to_owned(), count)));
        assert_eq!((counts.parsed, counts.same_name, counts.same_type), (4, 2, 3));
        assert_eq!(counts.unparsed.len(), 1);
    }
}
