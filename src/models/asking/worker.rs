//! A worker: takes the next question without an answer, asks it, and keeps the answer.

use std::collections::HashMap;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use super::{AskOptions, Outcome, Stopped};
use crate::models::answer::{NoTruth, said};
use crate::models::pace::{Pace, backoff};
use crate::models::plan::{Call, Item, Plan};
use crate::models::{CallError, Client, ModelError, Prices, Question, Reply};
use crate::store::AnswerLog;

/// Questions in a row that no attempt brought an answer to; then the server is taken for broken.
const MOST_FAILURES: usize = 10;

/// Reads a choice; none when the endpoint sends no log-probabilities where they are needed.
fn outcome(question: Question, choice: &Value) -> Option<Outcome> {
    match said(question, choice) {
        Ok(said) => Some(Outcome::Parsed(said)),
        Err(NoTruth::Unparsed(why)) => Some(Outcome::Unparsed(why)),
        Err(NoTruth::NoLogProbabilities) => None,
    }
}

/// News from a worker.
pub(super) enum News {
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
pub(super) struct Shared {
    work: Mutex<Work>,
    client: Client,
    options: AskOptions,
    paces: HashMap<String, Pace>,
}

/// The questions that are left, and the log of answers.
pub(super) struct Work {
    pub(super) plan: Plan,
    log: AnswerLog,
    next: usize,
    /// New questions so far.
    new: usize,
    /// What was spent, and what the questions under way may cost.
    spent: f64,
    /// The most tokens a byte that a question had so far; the first may have a token for every byte.
    tokens_per_byte: Option<f64>,
    /// Failures in a row.
    failures: usize,
    is_over: bool,
}

impl Shared {
    pub(super) fn new(plan: Plan, log: AnswerLog, options: &AskOptions) -> Self {
        let selves = plan.settings.selves.named.values().chain(&plan.settings.selves.only);
        let models = plan.settings.judge.iter().chain(selves);
        let pace = |host: &str| (host.to_owned(), Pace::new(options.per_minute));
        let paces = models.map(|model| pace(model.endpoint.host())).collect();
        let (next, new, failures) = (0, 0, 0);
        let (spent, tokens_per_byte, is_over) = (0.0, None, false);
        let work = Work { plan, log, next, new, spent, tokens_per_byte, failures, is_over };
        let client = Client::new(options.timeout);
        Self { work: Mutex::new(work), client, options: options.clone(), paces }
    }

    pub(super) fn options(&self) -> &AskOptions {
        &self.options
    }

    pub(super) fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is left once nobody works any more.
    pub(super) fn into_parts(self) -> (Plan, AnswerLog) {
        let work = self.work.into_inner().unwrap_or_else(PoisonError::into_inner);
        (work.plan, work.log)
    }

    /// Lets nobody ask anything more.
    pub(super) fn end(&self) {
        self.work().is_over = true;
        self.paces.values().for_each(Pace::end);
    }

    /// Lets nobody ask anything more, and says why.
    fn end_with(&self, why: String, sender: &Sender<News>) {
        self.end();
        let _ = sender.send(News::Stopped(Stopped::Error(why)));
    }

    /// What a worker does until nothing is left.
    pub(super) fn work_off(&self, sender: &Sender<News>) {
        loop {
            match take(self, sender) {
                Ok(Some(job)) => self.ask(&job, sender),
                Ok(None) => return,
                Err(error) => return self.end_with(error.to_string(), sender),
            }
        }
    }

    /// Asks one question, and reports what became of it.
    fn ask(&self, job: &Job, sender: &Sender<News>) {
        let result = self.call(&job.call);
        let mut work = self.work();
        work.spent -= job.estimate;
        match result {
            Ok(reply) => {
                work.failures = 0;
                let kept = keep(&mut work, job, &reply, &self.options.prices);
                drop(work);
                match kept {
                    Ok(outcome) => {
                        let model: Arc<str> = job.call.model.name.as_str().into();
                        let _ = sender.send(News::Asked(job.index, outcome, reply.tokens, model));
                    }
                    Err(error) => self.end_with(error.to_string(), sender),
                }
            }
            Err(_) if work.is_over => {}
            Err(CallError::Hopeless(why)) => {
                drop(work);
                self.end_with(why, sender);
            }
            Err(error) => {
                work.failures += usize::from(matches!(error, CallError::Passing { .. }));
                let is_broken = work.failures >= MOST_FAILURES;
                drop(work);
                let why = error.to_string();
                let _ = sender.send(News::Failed(job.index, why.clone()));
                if is_broken {
                    let endpoint = &job.call.model.endpoint;
                    let why = format!(
                        "{endpoint}: {MOST_FAILURES} questions in a row got no answer (the last: {why}); \
                         run the same command again when it works"
                    );
                    self.end_with(why, sender);
                }
            }
        }
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

/// A question to ask.
struct Job {
    /// The index of its item.
    index: usize,
    item: Item,
    call: Call,
    /// What it may cost.
    estimate: f64,
}

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
            let sent = call.bytes() as f64 * work.tokens_per_byte.unwrap_or(1.0);
            let tokens = [sent.ceil() as u64, u64::from(work.plan.settings.max_tokens)];
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
        return Ok(Some(Job { index, item, call, estimate }));
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
fn keep(work: &mut Work, job: &Job, reply: &Reply, prices: &Prices) -> Result<Outcome, ModelError> {
    let Job { item, call, .. } = job;
    let tokens = reply.tokens.unwrap_or_default();
    if reply.tokens.is_some() {
        let ratio = tokens[0] as f64 / call.bytes().max(1) as f64;
        work.tokens_per_byte = Some(work.tokens_per_byte.map_or(ratio, |most| most.max(ratio)));
    }
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
