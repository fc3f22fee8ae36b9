//! Background questions. A question is a value: equal questions have the same answer, so each is
//! asked once. Answers arrive through a channel that the asker owns. Asking another question drops
//! the channel, and a late answer is discarded.

mod lane;
mod worker;

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};

pub use lane::Lane;
pub use worker::Worker;

use super::effects::Effects;

/// A question that takes longer to answer than a frame may.
pub trait Query: Clone + PartialEq + Send + 'static {
    /// What comes back; perhaps several times, in parts.
    type Answer: Send + 'static;

    /// In a lane only the newest question counts.
    const LANE: Lane;

    /// Answers it. `send` returns false when nobody waits any more.
    fn run(self, worker: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool);
}

/// A question on its way to a thread.
pub struct Job {
    lane: Lane,
    run: Box<Run>,
}

/// Answers into the asker's channel. The callback runs after every answer and says whether more are
/// wanted.
type Run = dyn FnOnce(&Worker, &mut dyn FnMut() -> bool) + Send;

impl Job {
    fn new<Q: Query>(question: Q, parts: Sender<Part<Q::Answer>>) -> Self {
        let run = move |worker: &Worker, answered: &mut dyn FnMut() -> bool| {
            let mut wanted = true;
            question.run(worker, &mut |answer| {
                wanted = parts.send(Part::Answer(answer)).is_ok() && answered();
                wanted
            });
            if wanted {
                // It fails where nobody waits any more.
                let _ = parts.send(Part::End);
            }
        };
        Self { lane: Q::LANE, run: Box::new(run) }
    }

    /// The lane it runs in.
    pub fn lane(&self) -> Lane {
        self.lane
    }

    /// Does the work. `answered` is called after every answer and says whether more are wanted.
    pub fn perform(self, worker: &Worker, answered: &mut dyn FnMut() -> bool) {
        (self.run)(worker, answered);
    }
}

/// What comes through the asker's channel. A channel that closes before the end was interrupted.
enum Part<A> {
    Answer(A),
    End,
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job").field("lane", &self.lane).finish_non_exhaustive()
    }
}

/// The question that was asked last, and what comes back.
pub struct Asked<Q: Query> {
    question: Option<Q>,
    parts: Option<Receiver<Part<Q::Answer>>>,
    answered: bool,
    ended: bool,
}

impl<Q: Query> Default for Asked<Q> {
    fn default() -> Self {
        Self { question: None, parts: None, answered: false, ended: false }
    }
}

impl<Q: Query> Asked<Q> {
    /// Asks, unless it is what was asked last; says whether it asked.
    pub fn want(&mut self, question: Q, effects: &mut Effects) -> bool {
        if self.question.as_ref() == Some(&question) && !self.is_interrupted() {
            return false;
        }
        let (sender, parts) = channel();
        effects.ask(Job::new(question.clone(), sender));
        *self = Self { question: Some(question), parts: Some(parts), ..Self::default() };
        true
    }

    /// The question that was asked last.
    pub fn question(&self) -> Option<&Q> {
        self.question.as_ref()
    }

    /// Waits for nothing any more; the same question is asked anew.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// The answers that came since the last call.
    pub fn take(&mut self) -> Vec<Q::Answer> {
        let mut taken = Vec::new();
        while let Some(parts) = &self.parts {
            match parts.try_recv() {
                Ok(Part::Answer(answer)) => taken.push(answer),
                Ok(Part::End) => (self.parts, self.ended) = (None, true),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => self.parts = None,
            }
        }
        self.answered |= !taken.is_empty();
        taken
    }

    /// Whether something else took the lane before all of the answer came.
    fn is_interrupted(&self) -> bool {
        self.question.is_some() && self.parts.is_none() && !self.ended
    }

    /// Whether nothing came back yet and something may still come.
    pub fn is_waiting(&self) -> bool {
        self.parts.is_some() && !self.answered
    }
}

/// A question with its newest answer, which stays until a newer one replaces it.
pub struct Slot<Q: Query> {
    asked: Asked<Q>,
    answer: Option<Answered<Q>>,
}

struct Answered<Q: Query> {
    question: Q,
    answer: Arc<Q::Answer>,
    /// No further part comes.
    whole: bool,
}

impl<Q: Query> Default for Slot<Q> {
    fn default() -> Self {
        Self { asked: Asked::default(), answer: None }
    }
}

impl<Q: Query> Slot<Q> {
    /// Asks, unless it is answered or on its way.
    pub fn want(&mut self, question: Q, effects: &mut Effects) {
        let known = self.answer.as_ref().filter(|known| known.question == question);
        if known.is_some_and(|known| known.whole) {
            // What was asked since is of no interest any more.
            self.asked.forget();
        } else {
            self.asked.want(question, effects);
        }
    }

    /// Takes in what came back; says whether anything did.
    pub fn poll(&mut self) -> bool {
        let newest = self.asked.take().pop();
        let came = newest.is_some();
        if let (Some(answer), Some(question)) = (newest, self.asked.question()) {
            let question = question.clone();
            self.answer = Some(Answered { question, answer: Arc::new(answer), whole: false });
        }
        if let Some(known) = self.answer.as_mut().filter(|_| self.asked.ended) {
            known.whole = self.asked.question() == Some(&known.question);
        }
        came
    }

    /// The newest answer, perhaps to an earlier question.
    pub fn get(&self) -> Option<&Arc<Q::Answer>> {
        self.answer.as_ref().map(|known| &known.answer)
    }

    /// The question that the newest answer is to.
    pub fn question(&self) -> Option<&Q> {
        self.answer.as_ref().map(|known| &known.question)
    }

    /// The newest answer, if it is to this question.
    pub fn answer_to(&self, question: &Q) -> Option<&Arc<Q::Answer>> {
        self.answer.as_ref().filter(|known| known.question == *question).map(|known| &known.answer)
    }

    /// Whether the answer is to an earlier question than the one asked last.
    pub fn is_stale(&self) -> bool {
        self.asked.question().is_some_and(|asked| self.question() != Some(asked))
    }

    /// Whether an answer is on its way and no part of it is there yet.
    pub fn is_waiting(&self) -> bool {
        self.asked.is_waiting()
    }

    /// The newest answer, to be changed in place.
    pub fn get_mut(&mut self) -> Option<&mut Q::Answer>
    where
        Q::Answer: Clone,
    {
        self.answer.as_mut().map(|known| Arc::make_mut(&mut known.answer))
    }
}

/// Work of which every piece is done, whatever is asked after it: what is to be written.
pub struct Errands<Q: Query> {
    waiting: Vec<(Q, Receiver<Part<Q::Answer>>)>,
}

impl<Q: Query> Default for Errands<Q> {
    fn default() -> Self {
        Self { waiting: Vec::new() }
    }
}

impl<Q: Query> Errands<Q> {
    /// Hands in a piece of work.
    pub fn send(&mut self, errand: Q, effects: &mut Effects) {
        let (sender, answers) = channel();
        effects.ask(Job::new(errand.clone(), sender));
        self.waiting.push((errand, answers));
    }

    /// Whether nothing is on its way.
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The pieces that were done since the last call, with what came of them.
    pub fn take(&mut self) -> Vec<(Q, Q::Answer)> {
        let mut done = Vec::new();
        for (errand, answers) in std::mem::take(&mut self.waiting) {
            match answers.try_recv() {
                Ok(Part::Answer(answer)) => done.push((errand, answer)),
                Err(TryRecvError::Empty) => self.waiting.push((errand, answers)),
                Ok(Part::End) | Err(TryRecvError::Disconnected) => {}
            }
        }
        done
    }
}

/// Data that a question carries under the key that stands for it: equal keys, equal data.
pub struct Keyed<K, T> {
    /// What the data depends on.
    pub key: K,
    /// The data.
    pub value: Arc<T>,
}

impl<K: Clone, T> Clone for Keyed<K, T> {
    fn clone(&self) -> Self {
        Self { key: self.key.clone(), value: self.value.clone() }
    }
}

impl<K: PartialEq, T> PartialEq for Keyed<K, T> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

/// Something that a question carries and that does not make it another question.
#[derive(Clone, Default)]
pub struct Hint<T>(pub T);

impl<T> PartialEq for Hint<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

// Questions may carry whole engines, so none of these prints more than how far it is.

impl<Q: Query> fmt::Debug for Asked<Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asked").field("waiting", &self.is_waiting()).finish_non_exhaustive()
    }
}

impl<Q: Query> fmt::Debug for Slot<Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slot").field("answered", &self.answer.is_some()).finish_non_exhaustive()
    }
}

impl<Q: Query> fmt::Debug for Errands<Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Errands").field("waiting", &self.waiting.len()).finish_non_exhaustive()
    }
}

impl<K: fmt::Debug, T> fmt::Debug for Keyed<K, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Keyed").field(&self.key).finish()
    }
}

impl<T> fmt::Debug for Hint<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hint")
    }
}

#[cfg(test)]
mod tests;
