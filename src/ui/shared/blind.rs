//! What is held back while the user votes. The rule: of a pair that the user has not voted on, no list,
//! order, title or file shows how its runs ended, what judges or other people say of it, or a value
//! that is made of these. Every screen asks here.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::Shared;
use crate::engine::{Column, Engine, PairId, TaskId, TaskQuery, TaskTable};
use crate::model::Cell;
use crate::scorers::Scorer;
use crate::store::{Vote, votes};
use crate::ui::query::Keyed;
use crate::ui::widgets::Memo;

/// What the user's votes depend on: the name, and how many lines of votes there are.
pub type BlindKey = (String, usize);

/// The pairs that the user voted on; the others are held back.
pub type Blind = Keyed<BlindKey, VotedPairs>;

/// Pairs that somebody voted on.
#[derive(Debug, Default)]
pub struct VotedPairs(HashSet<PairId>);

/// What is held back is found from this.
#[derive(Debug, Default)]
pub struct Blinding {
    /// The pairs that the user voted on, kept until another vote comes.
    voted: Memo<BlindKey, Arc<VotedPairs>>,
    /// Tasks whose outcomes the user asked to see before all of their pairs were voted on.
    pub disclosed: BTreeSet<TaskId>,
}

impl VotedPairs {
    fn new(lines: &[Vote], author: &str, engine: &Engine) -> Self {
        let mine: Vec<Vote> = lines.iter().filter(|vote| vote.author == author).cloned().collect();
        let mine = votes::current(&mine);
        let of_task: HashSet<(&Cell, &str)> =
            mine.iter().map(|vote| (&vote.cell, vote.task.as_str())).collect();
        let mut ids: HashMap<(&Cell, &str), TaskId> = HashMap::new();
        for (cell, frame) in (0u32..).zip(engine.frames()) {
            for (task, known) in (0u32..).zip(frame.tasks.iter()) {
                let name = (&frame.cell, known.id.as_str());
                if of_task.contains(&name) {
                    ids.insert(name, TaskId { cell, task });
                }
            }
        }
        let pair = |vote: &Vote| {
            let id = *ids.get(&(&vote.cell, vote.task.as_str()))?;
            (vote.draw_a == 0).then_some(PairId { id, draw: vote.draw_b })
        };
        Self(mine.iter().filter_map(pair).collect())
    }

    /// Whether a pair of a task is not voted on.
    pub fn is_open(&self, id: TaskId, engine: &Engine) -> bool {
        let frame = engine.frames().get(id.cell as usize);
        let task = frame.and_then(|frame| frame.tasks.get(id.task as usize));
        let is_open = |draw: u32| !self.0.contains(&PairId { id, draw });
        task.is_some_and(|task| task.samples.iter().any(|sample| is_open(sample.draw)))
    }

    /// A table without what it would tell: rows that were selected by hidden values are left out, and
    /// rows that such a value would order come last, in the order of the store.
    pub fn apply(&self, table: &mut TaskTable, tells: Tells, engine: &Engine) {
        if tells.by_selection {
            let all = table.rows.len();
            table.rows.retain(|id| !self.is_open(*id, engine));
            table.held_back = all - table.rows.len();
        }
        if tells.by_order {
            let rows = std::mem::take(&mut table.rows).into_iter();
            let (mut open, known): (Vec<TaskId>, Vec<TaskId>) =
                rows.partition(|id| self.is_open(*id, engine));
            open.sort_unstable();
            table.rows = known;
            table.rows.extend(open);
        }
    }
}

/// How a table would tell what is held back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tells {
    /// Its rows are selected by it.
    pub by_selection: bool,
    /// Its rows are ordered by it.
    pub by_order: bool,
}

/// Whether a column tells how runs ended, or what is said of pairs.
pub fn tells(column: &Column, query: &TaskQuery) -> bool {
    // Scores but those of tokens may be made of what judges say.
    let is_telling = |scorer: &Scorer| scorer.base().is_none();
    let is_moved = matches!(column, Column::Rank | Column::Moved);
    match column {
        Column::Agreement => true,
        Column::Scorer(scorer) => is_telling(scorer),
        _ if column.follows_scorer() => {
            is_telling(&query.scorer) || (is_moved && query.before.as_ref().is_some_and(is_telling))
        }
        _ => column.depends_on_outcomes(),
    }
}

impl Shared {
    /// The pairs that the user voted on, while a pair is open to vote on; none at other times, when
    /// nothing is held back.
    pub fn blind(&self) -> Option<Blind> {
        let engine = self.engine().filter(|_| self.is_voting)?;
        let lines = self.votes.lines();
        let key = (self.author.clone(), lines.len());
        let made = || Arc::new(VotedPairs::new(lines, &self.author, engine));
        Some(Keyed { value: self.blinding.voted.get(key.clone(), made), key })
    }

    /// Who votes, if the user does: somebody with a name who opened a pair in this sitting, or voted in
    /// this store before. Numbers and files of Judges tell such a user no verdict.
    pub fn voter(&self) -> Option<&str> {
        let is_mine = |vote: &Vote| vote.author == self.author;
        let votes = self.pair.is_some() || self.votes.lines().iter().any(is_mine);
        Some(self.author.as_str()).filter(|author| !author.is_empty() && votes)
    }

    /// Whether what is known of a task is held back: the user has not voted on all of its pairs.
    pub fn holds_back(&self, id: TaskId) -> bool {
        let engine = self.engine();
        engine.zip(self.blind()).is_some_and(|(engine, blind)| blind.value.is_open(id, engine))
    }

    /// Whether the runs of a task are shown without their outcomes; not where the user asked for them.
    pub fn hides_outcomes(&self, id: TaskId) -> bool {
        self.holds_back(id) && !self.blinding.disclosed.contains(&id)
    }

    /// Whether a column of the table of tasks tells what may be held back.
    pub fn column_tells(&self, column: &Column) -> bool {
        tells(column, &self.task_query())
    }

    /// The entries of a list that may be shown, and how many are held back.
    pub fn not_held_back<T>(&self, all: Vec<T>, task: impl Fn(&T) -> TaskId) -> (Vec<T>, usize) {
        let Some((engine, blind)) = self.engine().zip(self.blind()) else { return (all, 0) };
        let (count, all) = (all.len(), all.into_iter());
        let shown: Vec<T> = all.filter(|one| !blind.value.is_open(task(one), engine)).collect();
        let held_back = count - shown.len();
        (shown, held_back)
    }
}

/// How many entries are held back, in words to follow a title; nothing where there are none.
pub fn held_back_words(count: usize) -> String {
    match count {
        0 => String::new(),
        count => format!(", {} held back until you have voted", crate::text::grouped(count as u64)),
    }
}
