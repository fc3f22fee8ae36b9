//! Asks the questions of a plan: several at a time, at a bounded rate, again after a passing failure,
//! and never one that has an answer.

mod worker;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::answer::Said;
use super::plan::Plan;
use super::{ModelError, Prices};
use crate::store::AnswerLog;
use worker::{News, Shared};

/// How long the caller waits for news before it looks whether it should stop.
const LOOK: Duration = Duration::from_millis(100);

/// The time between two writings of values into the store.
const WRITE_EVERY: Duration = Duration::from_secs(30);

/// How questions are asked. None of this changes an answer.
#[derive(Clone, Debug)]
pub struct AskOptions {
    /// Questions at a time.
    pub concurrency: usize,
    /// Questions a minute to one host, at most.
    pub per_minute: Option<f64>,
    /// The time that an answer may take.
    pub timeout: Duration,
    /// Further attempts after a passing failure.
    pub retries: u32,
    /// New questions, at most.
    pub limit: Option<usize>,
    /// What may be spent, in the currency of the prices.
    pub budget: Option<f64>,
    /// What models cost.
    pub prices: Prices,
    /// Whether only the answers that are there count, and nothing is asked.
    pub from_answers: bool,
}

impl Default for AskOptions {
    fn default() -> Self {
        Self {
            concurrency: 8,
            per_minute: None,
            timeout: Duration::from_mins(3),
            retries: 6,
            limit: None,
            budget: None,
            prices: Prices::default(),
            from_answers: false,
        }
    }
}

/// How far the asking has come.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AskProgress {
    /// All questions.
    pub total: usize,
    /// Questions that had an answer before.
    pub known: usize,
    /// Questions that were answered now.
    pub asked: usize,
    /// Answers that do not parse.
    pub unparsed: usize,
    /// Questions that got no answer.
    pub failed: usize,
    /// Questions that were passed over, because nothing new is asked.
    pub passed: usize,
    /// Tokens of the questions and of the answers, as the servers counted them.
    pub tokens: [u64; 2],
    /// What the answers cost; none where a price is unknown.
    pub cost: Option<f64>,
    /// Why the last question got no answer.
    pub last_failure: Option<String>,
}

impl AskProgress {
    /// Questions that are done with.
    pub fn done(&self) -> usize {
        self.known + self.asked + self.failed + self.passed
    }
}

/// Why the asking ended before all questions were asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The user ended it.
    Interrupted,
    /// Enough was asked.
    Limit,
    /// The next question might cost more than was allowed.
    Budget,
    /// Something must be changed first.
    Error(String),
}

/// What became of a question.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    Parsed(Said),
    /// It was answered, but the answer does not parse.
    Unparsed(String),
    /// It was not answered.
    Failed(String),
    /// It was passed over.
    Passed,
}

/// What the asking left: the plan with an outcome for every item that has one.
pub(super) struct Asked {
    pub(super) plan: Plan,
    pub(super) log: AnswerLog,
    pub(super) outcomes: Vec<Option<Outcome>>,
    pub(super) progress: AskProgress,
    pub(super) stopped: Option<Stopped>,
}

/// Writes what is known so far into the store.
type Write<'w> = dyn FnMut(&mut Plan, &[Option<Outcome>]) -> Result<(), ModelError> + 'w;

/// Asks everything. `tell` gets the progress, and `write` from time to time what is known so far; the
/// asking ends early once `stop` is set.
pub(super) fn ask(
    plan: Plan,
    log: AnswerLog,
    options: &AskOptions,
    stop: &AtomicBool,
    tell: &mut dyn FnMut(&AskProgress),
    write: &mut Write<'_>,
) -> Result<Asked, ModelError> {
    let mut course = Course::new(plan.items.len());
    let shared = Arc::new(Shared::new(plan, log, options));
    let (sender, receiver) = channel();
    let threads = start(&shared, sender)?;
    course.follow(&receiver, &shared, stop, tell, write);
    let failed = threads.into_iter().filter_map(|thread| thread.join().err()).count();
    let (0, Some((plan, log))) = (failed, Arc::into_inner(shared).map(Shared::into_parts)) else {
        let why = "a thread failed; the answers are kept, so run the same command again";
        return Err(ModelError::Failed(why.to_owned()));
    };
    let Course { progress, outcomes, stopped } = course;
    Ok(Asked { plan, log, outcomes, progress, stopped })
}

/// Starts the workers; fewer than wanted do as well.
fn start(shared: &Arc<Shared>, sender: Sender<News>) -> Result<Vec<JoinHandle<()>>, ModelError> {
    let start = |_| {
        let (shared, sender) = (shared.clone(), sender.clone());
        thread::Builder::new().spawn(move || shared.work_off(&sender)).ok()
    };
    let wanted = shared.options().concurrency.max(1);
    let threads: Vec<JoinHandle<()>> = (0..wanted).map_while(start).collect();
    // The news end with the last worker.
    drop(sender);
    if threads.is_empty() {
        return Err(ModelError::Failed("the system gives no thread; free some memory".to_owned()));
    }
    Ok(threads)
}

/// How the asking goes, as its workers report it.
struct Course {
    progress: AskProgress,
    outcomes: Vec<Option<Outcome>>,
    stopped: Option<Stopped>,
}

impl Course {
    fn new(total: usize) -> Self {
        let progress = AskProgress { total, cost: Some(0.0), ..AskProgress::default() };
        Self { progress, outcomes: vec![None; total], stopped: None }
    }

    /// Takes in all news until the last worker is done.
    fn follow(
        &mut self,
        news: &Receiver<News>,
        shared: &Shared,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(&AskProgress),
        write: &mut Write<'_>,
    ) {
        let mut written = Instant::now();
        loop {
            match news.recv_timeout(LOOK) {
                Ok(news) => self.note(news, &shared.options().prices),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            tell(&self.progress);
            if stop.load(Ordering::Relaxed) && self.stopped.is_none() {
                self.stopped = Some(Stopped::Interrupted);
                shared.end();
            }
            if written.elapsed() > WRITE_EVERY && self.progress.asked > 0 {
                written = Instant::now();
                // Another program may be writing; what is known is written at the end, too.
                let _ = write(&mut shared.work().plan, &self.outcomes);
            }
        }
    }

    /// Takes in what a worker says.
    fn note(&mut self, news: News, prices: &Prices) {
        let progress = &mut self.progress;
        let (item, outcome) = match news {
            News::Known(item, outcome) => {
                progress.known += 1;
                (item, outcome)
            }
            News::Asked(item, outcome, tokens, model) => {
                progress.asked += 1;
                let tokens = tokens.unwrap_or_default();
                progress.tokens = [0, 1].map(|side| progress.tokens[side] + tokens[side]);
                let cost = prices.cost(&model, tokens);
                progress.cost = progress.cost.zip(cost).map(|(sum, cost)| sum + cost);
                (item, outcome)
            }
            News::Failed(item, why) => {
                progress.failed += 1;
                progress.last_failure = Some(why.clone());
                (item, Outcome::Failed(why))
            }
            News::Passed(item) => {
                progress.passed += 1;
                (item, Outcome::Passed)
            }
            News::Stopped(why) => {
                self.stopped.get_or_insert(why);
                return;
            }
        };
        progress.unparsed += usize::from(matches!(outcome, Outcome::Unparsed(_)));
        self.outcomes[item] = Some(outcome);
    }
}
