//! What is held back while the user votes. The rule: of a pair that the user has not voted on, no list,
//! order, title or file shows how its runs ended, what judges or other people say of it, or a value
//! that is made of these. Every screen asks here.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::Shared;
use crate::engine::{Column, Engine, Kept, Outcomes, PairId, TaskId, TaskQuery, TaskTable};
use crate::model::Cell;
use crate::scorers::Scorer;
use crate::store::{Vote, votes};
use crate::ui::query::Keyed;
use crate::ui::renewal::NewIds;
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
    /// Pairs that were opened in this sitting before the user had voted on them.
    pub opened: HashSet<PairId>,
}

/// Graded tasks that a cell of a scope has at least, for its numbers to be shown while the user votes.
const LEAST_GRADED: usize = 5;

impl Blinding {
    /// Takes up the ids of another reading of the store.
    pub fn renew(&mut self, ids: &NewIds<'_>) {
        self.disclosed = self.disclosed.iter().filter_map(|id| ids.task(*id)).collect();
        self.opened = self.opened.iter().filter_map(|pair| ids.pair(*pair)).collect();
    }
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

    /// How many tasks of some cells have a pair that is not voted on, and how many such pairs there are.
    /// The numbers do not depend on what is hidden.
    pub fn open(&self, engine: &Engine, holds: impl Fn(usize) -> bool) -> OpenCounts {
        let mut open = OpenCounts::default();
        for (cell, frame) in engine.frames().iter().enumerate().filter(|(cell, _)| holds(*cell)) {
            for (task, known) in (0u32..).zip(frame.tasks.iter()) {
                let id = TaskId { cell: cell as u32, task };
                let is_open = |draw: u32| !self.0.contains(&PairId { id, draw });
                let pairs = known.samples.iter().filter(|sample| is_open(sample.draw)).count();
                open.pairs += pairs;
                open.tasks += usize::from(pairs > 0);
            }
        }
        open
    }

    /// How many kept tasks of a cell are not held back.
    pub fn count_known(&self, kept: &Kept, cell: usize) -> usize {
        kept.ids(cell).filter(|id| !self.is_open(*id, kept.whole())).count()
    }

    /// A table without what it would tell: rows that were selected by hidden values are left out, and
    /// rows that such a value would order come last, in the order of the store. All tasks of its cells
    /// that are not voted on count as held back, whether they would be selected or not.
    pub fn apply(&self, table: &mut TaskTable, tells: Tells, cell: Option<usize>, engine: &Engine) {
        if tells.by_selection {
            table.rows.retain(|id| !self.is_open(*id, engine));
            table.held_back = self.open(engine, |one| cell.is_none_or(|only| only == one)).tasks;
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

/// How much is held back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenCounts {
    /// Tasks with a pair that is not voted on.
    pub tasks: usize,
    /// Pairs that are not voted on.
    pub pairs: usize,
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
        self.voted_pairs().filter(|_| self.is_voting)
    }

    /// The pairs that the user voted on.
    fn voted_pairs(&self) -> Option<Blind> {
        let engine = self.engine()?;
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

    /// The entries of a list that may be shown.
    pub fn not_held_back<T>(&self, all: Vec<T>, task: impl Fn(&T) -> TaskId) -> Vec<T> {
        let Some((engine, blind)) = self.engine().zip(self.blind()) else { return all };
        all.into_iter().filter(|one| !blind.value.is_open(task(one), engine)).collect()
    }

    /// How much of some cells is held back while a pair is open.
    pub fn held_back_in(&self, holds: impl Fn(usize) -> bool) -> OpenCounts {
        let open = self.engine().zip(self.blind());
        open.map_or_else(OpenCounts::default, |(engine, blind)| blind.value.open(engine, holds))
    }

    /// How many pairs the user has not voted on.
    pub fn open_pairs(&self) -> usize {
        let open = self.engine().zip(self.voted_pairs());
        open.map_or(0, |(engine, voted)| voted.value.open(engine, |_| true).pairs)
    }

    /// Why no numbers are shown, while a pair is open: some would be those of a few tasks that are held
    /// back, or no task in scope is voted on.
    pub fn hidden_numbers(&self) -> Option<String> {
        let blind = self.blind().filter(|_| !self.lens.scope.is_empty())?;
        let kept = &self.data.chosen.scope.as_ref()?.value;
        let is_open = |id: TaskId| blind.value.is_open(id, kept.whole());
        let is_small = |(cell, graded): (usize, &Outcomes)| {
            graded.successes + graded.failures < LEAST_GRADED && kept.ids(cell).any(is_open)
        };
        let mut ids = (0..kept.whole().frames().len()).flat_map(|cell| kept.ids(cell));
        if !kept.outcomes().iter().enumerate().any(is_small) && !ids.all(is_open) {
            return None;
        }
        let key = self.keymap.key_of("lift-scope").unwrap_or(":");
        Some(format!(
            "The scope is too small to show numbers while you vote, or you have voted on none of its \
             tasks: {key} lifts the scope."
        ))
    }

    /// Marks the tasks as known whose outcomes a screen of these cells shows after one of their pairs was
    /// opened: votes on them are not blind.
    pub fn disclose(&mut self, shows: impl Fn(TaskId) -> bool) {
        if self.is_voting || self.blinding.opened.is_empty() {
            return;
        }
        let opened = self.blinding.opened.iter().filter(|pair| self.vote_on(**pair).is_none());
        let seen = opened.map(|pair| pair.id).filter(|id| shows(*id));
        let seen: Vec<TaskId> = seen.filter(|id| !self.blinding.disclosed.contains(id)).collect();
        if !seen.is_empty() {
            self.blinding.disclosed.extend(seen);
            self.say("outcomes are shown here: your vote on that pair will not count in the audit");
        }
    }
}

/// How many entries are held back, in words to follow a title; nothing where there are none.
pub fn held_back_words(count: usize) -> String {
    match count {
        0 => String::new(),
        count => format!(", {} held back until you have voted", crate::text::grouped(count as u64)),
    }
}
