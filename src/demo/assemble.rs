//! Puts the data of one cell together.

use std::sync::Arc;

use super::answers::{AnswerWriter, TaskValues};
use super::outcomes::{Ending, Grade, Grades, grade, outcome};
use super::plan::{PlannedTask, SAMPLES, Targets, draw_task, solved, tasks};
use super::prefix::Agreement;
use super::propagated::Propagated;
use super::reflexive::{Reflexive, mean, normalised};
use super::script::Domain;
use super::stuck::{regroup, stuck_judge};
use super::talk::{Mistake, Scene};
use super::tokens::Decoding;
use super::verdicts::{Answers, JUDGES, first_judge, second_judge, stated};
use super::{
    CellData, DATASETS, Order, SOURCE, confidence, domain, given, prefix, propagated, tokens,
};
use crate::model::{
    Cell, Context, Drift, Head, Judgment, Message, Origin, PairValue, Role, Score, TaskText,
    TokenSeq, Trajectory, Turn,
};
use crate::published::Figure;
use crate::rng::Rng;
use crate::scorers::propagation::DriftWeights;
use crate::store::AnswerLines;

/// Temperature of the samples.
const TEMPERATURE: f64 = 0.7;
/// The price of every model in dollars per million tokens, read and written, and its tokens per second.
const PRICES: [(f64, f64, f64); 5] = [
    (0.15, 0.60, 70.0),
    (0.05, 0.20, 110.0),
    (0.04, 0.10, 95.0),
    (0.06, 0.20, 80.0),
    (0.30, 1.20, 60.0),
];

/// Makes one cell, from its own stream of random numbers.
pub fn cell(order: Order, figures: &[Figure]) -> CellData {
    let (dataset, full) = (DATASETS[order.dataset].0, order.full());
    let cell = order.cell();
    let domain = domain(dataset);
    let targets = Targets::new(figures, dataset, &cell.model);
    let mut rng = Rng::new(order.seed(0), order.stream());
    let rng = &mut rng;

    let tasks = tasks(domain, order, &targets, rng);
    let solved = solved(&tasks, targets.successes(order.tasks, full), &targets, rng);
    let mut grades = grade(&tasks, &solved, dataset, &targets, rng);
    let stuck = order.is_full().then(|| targets.stuck()).flatten();
    let first = match &stuck {
        Some(stuck) => {
            regroup(&tasks, &mut grades, stuck, rng);
            stuck_judge(&grades, stuck, targets.auroc("ter", None), rng)
        }
        None => first_judge(&tasks, &mut grades, targets.auroc("ter", None), rng),
    };
    let second = second_judge(&first, &grades, rng);
    let reflexive = Reflexive::draw(&solved, &targets, rng);
    let context = Arc::new(given::context(domain, &draw_task(domain, order.dataset, 0).1));
    let writer = |index: usize| {
        let (task, grades) = (&tasks[index], &grades[index]);
        Writer { order, cell: &cell, domain, index, task, grades, context: &context }
    };
    let references: Vec<Text> = (0..tasks.len()).map(|index| writer(index).text(0)).collect();
    let lengths: Vec<Vec<usize>> = references.iter().map(Text::lengths).collect();
    let confidence = confidence::turns(&lengths, &solved, &targets, rng);

    // What came to the demo later has its own random numbers, so that the rest stays as it was.
    let mut later = Rng::new(order.seed(0x1A7E), order.stream());
    let calls: Vec<Vec<bool>> = references.iter().map(Text::calls).collect();
    let modelled = Modelled {
        normalised: reflexive.ptrue.iter().map(|value| normalised(*value, &mut later)).collect(),
        propagated: propagated::drifts(&confidence, &solved, &targets, &mut later),
        prefix: prefix::turns(&calls, &solved, &targets, &mut later),
        reflexive,
    };
    let scores = modelled.scores(order);
    let pairs = modelled.pairs(order);
    let judgments = judgments(order, &grades, &[first, second], rng);
    let mut trajectories = Vec::with_capacity(tasks.len() * (SAMPLES + 1));
    for (index, reference) in references.into_iter().enumerate() {
        let writer = writer(index);
        let confidence = &confidence[index];
        trajectories.push(writer.write(reference, confidence));
        let samples = (1..=SAMPLES).map(|draw| {
            let mut text = writer.text(draw);
            let turns = text.turns().count();
            let confidence = confidence::of_sample(confidence, turns, &mut text.rng);
            writer.write(text, &confidence)
        });
        trajectories.extend(samples);
    }
    let drift = modelled.drift(&trajectories);
    let answers = modelled.answers(order, &trajectories, &judgments);
    let tasks = (0..order.tasks).map(|task| task_text(domain, order, task)).collect();
    CellData { cell, trajectories, scores, pairs, judgments, tasks, drift, answers }
}

fn task_text(domain: &'static Domain, order: Order, task: usize) -> TaskText {
    let task = order.first + task;
    let (kind, facts) = draw_task(domain, order.dataset, task);
    let wants = kind.wants[task % kind.wants.len()];
    TaskText {
        dataset: DATASETS[order.dataset].0.to_owned(),
        task: task.to_string(),
        instruction: format!("Synthetic: {}", facts.fill(wants, &[])),
    }
}

/// Values that need a model to compute, by task.
struct Modelled {
    reflexive: Reflexive,
    normalised: Vec<f64>,
    propagated: Vec<Propagated>,
    /// The agreement of next actions at every turn.
    prefix: Vec<Vec<Agreement>>,
}

impl Modelled {
    /// The values of a task with their scorers.
    fn of_task(&self, task: usize) -> impl Iterator<Item = (&'static str, Option<f64>)> {
        let reflexive = [
            ("ncp", mean(&self.reflexive.ncp[task])),
            ("ptrue", self.reflexive.ptrue[task]),
            ("ptrue-normalised", self.normalised[task]),
            ("vc", self.reflexive.vc[task]),
        ];
        let ids = propagated::WEIGHTS.map(DriftWeights::id);
        let propagated = ids.into_iter().zip(self.propagated[task].values);
        let always = reflexive.into_iter().chain(propagated);
        let prefix = prefix::SCORERS.into_iter().zip(prefix::values(&self.prefix[task]));
        always.map(|(scorer, value)| (scorer, Some(value))).chain(prefix)
    }

    fn scores(&self, order: Order) -> Vec<Score> {
        let (cell, mut scores) = (order.cell(), Vec::new());
        for task in 0..self.normalised.len() {
            scores.extend(self.of_task(task).map(|(scorer, value)| Score {
                cell: cell.clone(),
                task: order.task(task),
                draw: 0,
                scorer: scorer.to_owned(),
                aggregator: None,
                value,
                log: None,
                fold: None,
            }));
        }
        scores
    }

    fn pairs(&self, order: Order) -> Vec<PairValue> {
        let (cell, mut pairs) = (order.cell(), Vec::new());
        for (task, values) in self.reflexive.ncp.iter().enumerate() {
            pairs.extend((1..).zip(values).map(|(draw_b, value)| PairValue {
                cell: cell.clone(),
                task: order.task(task),
                draw_a: 0,
                draw_b,
                scorer: "ncp".to_owned(),
                value: Some(*value),
            }));
        }
        pairs
    }

    /// The drift of the references. Where nothing follows a turn, all of it is that of the turn.
    fn drift(&self, runs: &[Trajectory]) -> Vec<Vec<Drift>> {
        let of_task = |(run, propagated): (&Trajectory, &Propagated)| {
            let of_turn = |(turn, drift): (&Turn, &Drift)| {
                let observation = if is_observed(run, turn) { drift.observation } else { 0.0 };
                let action = drift.action + drift.observation - observation;
                Drift { action, observation, ..*drift }
            };
            run.turns.iter().zip(&propagated.drifts).map(of_turn).collect()
        };
        runs.iter().step_by(SAMPLES + 1).zip(&self.propagated).map(of_task).collect()
    }

    /// The answers that give the values.
    fn answers(&self, order: Order, runs: &[Trajectory], judgments: &[Judgment]) -> AnswerLines {
        let mut writer = AnswerWriter {
            order,
            runs,
            tools: &given::tools(domain(DATASETS[order.dataset].0)),
            rng: Rng::new(order.seed(0xA5C3D), order.stream()),
            lines: AnswerLines::default(),
        };
        let of_task = judgments.iter().enumerate();
        for (index, judgment) in of_task {
            writer.judgment(index / SAMPLES % order.tasks, judgment);
        }
        for task in 0..order.tasks {
            let values = TaskValues {
                ptrue: self.reflexive.ptrue[task],
                normalised: self.normalised[task],
                vc: self.reflexive.vc[task],
                turns: &self.prefix[task],
            };
            writer.task(task, &values);
        }
        writer.lines
    }
}

/// Whether a result or a reply follows a turn before the next one.
fn is_observed(run: &Trajectory, turn: &Turn) -> bool {
    let after = &run.messages[turn.message as usize + 1..];
    let mut after = after.iter().take_while(|message| !message.is_turn());
    after.any(|message| message.role == Role::User || !message.for_user)
}

fn judgments(
    order: Order,
    grades: &[Grades],
    answers: &[Answers; 2],
    rng: &mut Rng,
) -> Vec<Judgment> {
    let cell = order.cell();
    let mut judgments = Vec::with_capacity(grades.len() * SAMPLES * JUDGES.len());
    for (judge, answers) in JUDGES.iter().zip(answers) {
        for (task, answers) in answers.iter().enumerate() {
            for (sample, &equivalent) in answers.iter().enumerate() {
                judgments.push(Judgment {
                    cell: cell.clone(),
                    task: order.task(task),
                    draw_a: 0,
                    draw_b: sample as u32 + 1,
                    judge: (*judge).to_owned(),
                    equivalent,
                    confidence: stated(equivalent, grades[task].truth(sample), rng),
                });
            }
        }
    }
    judgments
}

/// Writes the trajectories of one task.
struct Writer<'a> {
    order: Order,
    cell: &'a Cell,
    domain: &'static Domain,
    index: usize,
    task: &'a PlannedTask,
    grades: &'a Grades,
    /// What the agent was given.
    context: &'a Arc<Context>,
}

/// What is said in one draw, before the agent's confidence is known.
struct Text {
    draw: usize,
    grade: Grade,
    ending: Ending,
    messages: Vec<Message>,
    rng: Rng,
}

impl Text {
    fn turns(&self) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(|message| message.is_turn())
    }

    /// Tokens of every turn.
    fn lengths(&self) -> Vec<usize> {
        self.turns().map(|message| tokens::count(&tokens::turn_text(message))).collect()
    }

    /// Whether every turn is a tool call.
    fn calls(&self) -> Vec<bool> {
        self.turns().map(|message| !message.tool_calls.is_empty()).collect()
    }
}

impl Writer<'_> {
    /// What is said in one draw.
    fn text(&self, draw: usize) -> Text {
        // Every text has its own random numbers, so that a change to one changes no other.
        let text = (self.index * 8 + draw) as u64;
        let stream = self.order.stream() * 8000 + text;
        let mut rng = Rng::new(self.order.seed(0x5EED), stream);
        let route = if draw == 0 { &self.task.reference } else { &self.task.samples[draw - 1] };
        let grade = self.grades.draws().nth(draw).unwrap_or(self.grades.reference);
        let ending = Ending::draw(grade.success, self.domain.greeting.is_some(), &mut rng);
        let wrong = !grade.database;
        let steps = route.steps(self.task.kind);
        let messages = Scene {
            domain: self.domain,
            kind: self.task.kind,
            facts: &self.task.facts,
            steps: &steps,
            mistake: wrong.then(|| Mistake::draw(self.task.kind, route.complete, &mut rng)),
            ending,
        }
        .play(&mut rng);
        Text { draw, grade, ending, messages, rng }
    }

    /// One draw with the tokens of its turns, which are as sure as given.
    fn write(&self, text: Text, confidence: &[f64]) -> Trajectory {
        let Text { draw, grade, ending, messages, mut rng } = text;
        let rng = &mut rng;
        let mut head = Head::new(self.cell.clone(), self.order.task(self.index));
        head.draw = draw as u32;
        head.origin = Origin {
            source: SOURCE.to_owned(),
            trial: i64::try_from(draw).ok(),
            ..Origin::default()
        };
        head.temperature = Some(if draw == 0 { 0.0 } else { TEMPERATURE });
        head.outcome = outcome(grade, &self.cell.dataset);
        head.termination = Some(ending.word().to_owned());
        let decoding = if draw == 0 { Decoding::Greedy } else { Decoding::Sampled };
        let turns = messages.iter().filter(|message| message.is_turn()).zip(confidence);
        let tokens: Vec<TokenSeq> = turns
            .map(|(message, sure)| tokens::draw(&tokens::turn_text(message), *sure, decoding, rng))
            .collect();
        self.meter(&mut head, &messages, &tokens, rng);
        let mut tokens = tokens.into_iter();
        let run = Trajectory::new(head, messages, |_| tokens.next());
        Trajectory { context: Some(self.context.clone()), ..run }
    }

    /// Counts tokens, money and time.
    fn meter(&self, head: &mut Head, messages: &[Message], tokens: &[TokenSeq], rng: &mut Rng) {
        let (read, written, speed) = PRICES[self.order.model];
        // Instructions and tool descriptions, read anew in every turn.
        let mut context = 1800;
        let (mut prompt, mut completion, mut turns) = (0, 0, 0);
        for message in messages {
            let text = tokens::turn_text(message).len();
            if message.is_turn() {
                prompt += context;
                completion += tokens.get(turns).map_or(0, TokenSeq::len);
                turns += 1;
            }
            context += text / 4;
        }
        head.prompt_tokens = Some(prompt as u64);
        head.completion_tokens = Some(completion as u64);
        head.cost = Some((prompt as f64 * read + completion as f64 * written) / 1e6);
        if self.domain.greeting.is_some() {
            head.user_cost = Some(prompt as f64 * 0.05 / 1e6);
        }
        head.duration = Some(completion as f64 / speed + turns as f64 * rng.range(0.6, 1.9));
    }
}
