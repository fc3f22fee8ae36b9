//! Asks the questions of a plan: several at a time, at a bounded rate, again after a passing failure,
//! and never one that has an answer.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use super::answer::{NoTruth, Said, said};
use super::pace::{Pace, backoff};
use super::plan::{Call, Item, Plan};
use super::{CallError, Client, ModelError, Prices, Question, Reply};
use crate::store::AnswerLog;

/// How long the caller waits for news before it looks whether it should stop.
const LOOK: Duration = Duration::from_millis(100);

/// The time between two writings of values into the store.
const WRITE_EVERY: Duration = Duration::from_secs(30);

/// Questions in a row that no attempt brought an answer to; then the server is taken for broken.
const MOST_FAILURES: usize = 10;

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

/// Reads a choice; none when the endpoint sends no log-probabilities where they are needed.
fn outcome(question: Question, choice: &Value) -> Option<Outcome> {
    match said(question, choice) {
        Ok(said) => Some(Outcome::Parsed(said)),
        Err(NoTruth::Unparsed(why)) => Some(Outcome::Unparsed(why)),
        Err(NoTruth::NoLogProbabilities) => None,
    }
}

/// News from a worker.
enum News {
    /// A question had an answer before.
    Known(usize, Outcome),
    /// A question was answered.
    Asked(usize, Outcome, Option<[u64; 2]>, Arc<str>),
    /// A question was not answered.
    Failed(usize, String),
    /// A question was passed over.
    Passed(usize),
    /// Nothing more is to be asked, and why.
    Stopped(Stopped),
}

/// What the workers share.
struct Shared {
    work: Mutex<Work>,
    client: Client,
    options: AskOptions,
    paces: HashMap<String, Pace>,
}

/// The questions that are left, and the log of answers.
struct Work {
    plan: Plan,
    log: AnswerLog,
    next: usize,
    /// New questions so far.
    new: usize,
    /// What was spent, and what the questions under way may cost.
    spent: f64,
    /// Failures in a row.
    failures: usize,
    is_over: bool,
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
    let total = plan.items.len();
    let mut progress = AskProgress { total, cost: Some(0.0), ..AskProgress::default() };
    let mut outcomes: Vec<Option<Outcome>> = vec![None; total];
    let selves = plan.settings.selves.named.values().chain(&plan.settings.selves.only);
    let models = plan.settings.judge.iter().chain(selves);
    let paces =
        models.map(|model| (model.endpoint.host().to_owned(), Pace::new(options.per_minute)));
    let shared = Arc::new(Shared {
        paces: paces.collect(),
        client: Client::new(options.timeout),
        options: options.clone(),
        work: Mutex::new(Work {
            plan,
            log,
            next: 0,
            new: 0,
            spent: 0.0,
            failures: 0,
            is_over: false,
        }),
    });
    let (sender, receiver) = channel();
    let start = |_| {
        let (shared, sender) = (shared.clone(), sender.clone());
        thread::Builder::new().spawn(move || work(&shared, &sender)).ok()
    };
    // Fewer threads than wanted do as well.
    let threads: Vec<JoinHandle<()>> = (0..options.concurrency.max(1)).map_while(start).collect();
    if threads.is_empty() {
        return Err(ModelError::Failed("the system gives no thread; free some memory".to_owned()));
    }
    drop(sender);
    let mut stopped = None;
    let mut written = Instant::now();
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok(News::Stopped(why)) => stopped = stopped.or(Some(why)),
            Ok(news) => note(news, &options.prices, &mut progress, &mut outcomes),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        tell(&progress);
        if stop.load(Ordering::Relaxed) && stopped.is_none() {
            stopped = Some(Stopped::Interrupted);
            shared.end();
        }
        if written.elapsed() > WRITE_EVERY && progress.asked > 0 {
            written = Instant::now();
            // Another program may be writing; what is known is written at the end, too.
            let _ = write(&mut shared.work().plan, &outcomes);
        }
    }
    let failed = threads.into_iter().filter_map(|thread| thread.join().err()).count();
    let (0, Ok(shared)) = (failed, Arc::try_unwrap(shared)) else {
        let why = "a thread failed; the answers are kept, so run the same command again";
        return Err(ModelError::Failed(why.to_owned()));
    };
    let Work { plan, log, .. } = shared.work.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Asked { plan, log, outcomes, progress, stopped })
}

/// Takes in what a worker says.
fn note(news: News, prices: &Prices, progress: &mut AskProgress, outcomes: &mut [Option<Outcome>]) {
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
        News::Stopped(_) => return,
    };
    if matches!(outcome, Outcome::Unparsed(_)) {
        progress.unparsed += 1;
    }
    outcomes[item] = Some(outcome);
}

impl Shared {
    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets nobody ask anything more.
    fn end(&self) {
        self.work().is_over = true;
        self.paces.values().for_each(Pace::end);
    }

    /// Asks a question until it is answered, or no attempt is left.
    fn call(&self, call: &Call) -> Result<Reply, CallError> {
        let endpoint = &call.model.endpoint;
        let pace = &self.paces[endpoint.host()];
        let ended = || CallError::Refused("the run was ended".to_owned());
        let mut attempt = 0;
        loop {
            if !pace.wait() {
                return Err(ended());
            }
            let (why, after) = match self.client.call(endpoint, &call.body) {
                Err(CallError::Passing { why, after }) => (why, after),
                other => return other,
            };
            attempt += 1;
            if attempt > self.options.retries {
                return Err(CallError::Passing { why, after });
            }
            let spread = xxh3_64(format!("{} {attempt}", call.key).as_bytes()) as f64;
            let pause = backoff(attempt, spread / u64::MAX as f64);
            match after {
                // The others would be turned away as well.
                Some(after) => pace.hold(after),
                None if !pace.pause(pause) => return Err(ended()),
                None => {}
            }
        }
    }
}

/// What a worker does until nothing is left.
fn work(shared: &Shared, sender: &Sender<News>) {
    loop {
        let (index, item, call, estimate) = match take(shared, sender) {
            Ok(Some(job)) => job,
            Ok(None) => return,
            Err(error) => {
                shared.end();
                let _ = sender.send(News::Stopped(Stopped::Error(error.to_string())));
                return;
            }
        };
        let result = shared.call(&call);
        let mut work = shared.work();
        work.spent -= estimate;
        match result {
            Ok(reply) => {
                work.failures = 0;
                match keep(&mut work, &item, &call, &reply, &shared.options.prices) {
                    Ok(outcome) => {
                        let model: Arc<str> = call.model.name.as_str().into();
                        let _ = sender.send(News::Asked(index, outcome, reply.tokens, model));
                    }
                    Err(error) => {
                        drop(work);
                        shared.end();
                        let _ = sender.send(News::Stopped(Stopped::Error(error.to_string())));
                    }
                }
            }
            Err(_) if work.is_over => {}
            Err(CallError::Hopeless(why)) => {
                drop(work);
                shared.end();
                let _ = sender.send(News::Stopped(Stopped::Error(why)));
            }
            Err(error) => {
                let why = error.to_string();
                work.failures += usize::from(matches!(error, CallError::Passing { .. }));
                let is_broken = work.failures >= MOST_FAILURES;
                drop(work);
                let _ = sender.send(News::Failed(index, why.clone()));
                if is_broken {
                    shared.end();
                    let why = format!(
                        "{}: {MOST_FAILURES} questions in a row got no answer (the last: {why}); run the \
                         same command again when it works",
                        call.model.endpoint
                    );
                    let _ = sender.send(News::Stopped(Stopped::Error(why)));
                }
            }
        }
    }
}

/// A question to ask: the index of its item, the item, the call, and what it may cost.
type Job = (usize, Item, Call, f64);

/// Takes the next question without an answer; none when nothing is left.
fn take(shared: &Shared, sender: &Sender<News>) -> Result<Option<Job>, ModelError> {
    let options = &shared.options;
    loop {
        // Others report their answers between two questions.
        let mut work = shared.work();
        let index = work.next;
        if work.is_over || index >= work.plan.items.len() {
            return Ok(None);
        }
        work.next += 1;
        let item = work.plan.items[index];
        let call = work.plan.call(&item)?;
        if let Some(found) = work.log.reader().find(&call.key)?
            && let Some(outcome) = outcome(item.question, &found.answer)
        {
            let _ = sender.send(News::Known(index, outcome));
            continue;
        }
        if options.from_answers {
            let _ = sender.send(News::Passed(index));
            continue;
        }
        let estimate = options.budget.map_or(Ok(0.0), |_| {
            let tokens = [call.tokens(), u64::from(work.plan.settings.max_tokens)];
            let cost = options.prices.cost(&call.model.name, tokens);
            cost.ok_or_else(|| ModelError::NoPrice(call.model.name.clone()))
        })?;
        let stop = if options.limit.is_some_and(|limit| work.new >= limit) {
            Some(Stopped::Limit)
        } else if options.budget.is_some_and(|budget| work.spent + estimate > budget) {
            Some(Stopped::Budget)
        } else {
            None
        };
        if let Some(stop) = stop {
            // Answers that are there still count; nothing new is asked.
            let _ = sender.send(News::Passed(index));
            let _ = sender.send(News::Stopped(stop));
            pass_rest(&mut work, sender)?;
            return Ok(None);
        }
        work.new += 1;
        work.spent += estimate;
        return Ok(Some((index, item, call, estimate)));
    }
}

/// Goes through the questions that are left, of which only those with an answer count.
fn pass_rest(work: &mut Work, sender: &Sender<News>) -> Result<(), ModelError> {
    while work.next < work.plan.items.len() && !work.is_over {
        let index = work.next;
        work.next += 1;
        let item = work.plan.items[index];
        let key = work.plan.call(&item)?.key;
        let found = work.log.reader().find(&key)?;
        let outcome = found.and_then(|found| outcome(item.question, &found.answer));
        let _ = sender.send(match outcome {
            Some(outcome) => News::Known(index, outcome),
            None => News::Passed(index),
        });
    }
    Ok(())
}

/// Keeps an answer on the disk and reads it.
fn keep(
    work: &mut Work,
    item: &Item,
    call: &Call,
    reply: &Reply,
    prices: &Prices,
) -> Result<Outcome, ModelError> {
    let tokens = reply.tokens.unwrap_or_default();
    work.spent += prices.cost(&call.model.name, tokens).unwrap_or_default();
    // An answer without what was asked for is no answer: the next run asks again.
    let outcome = outcome(item.question, &reply.choice)
        .ok_or_else(|| ModelError::NoLogProbabilities(call.model.endpoint.to_string()))?;
    let mut answer = work.plan.answer(item, call, reply.choice.clone());
    answer.tokens = reply.tokens;
    let hash = answer.prompt.clone();
    let text = work.plan.settings.instrument(item.question);
    work.log.keep_prompt(&hash, &text)?;
    work.log.add(&answer)?;
    Ok(outcome)
}
