//! A store as one page for a browser: the grid, tables, figures, and runs side by side, without
//! anything from a network.
//!
//! The templates, the style and the script lie in `templates/page`. Numbers come from the engine and
//! rows from [`show`](super::show): the script sorts, filters and opens, but computes nothing.

mod disagreements;
mod figures;
mod grid;
mod runs;
mod style;
mod tables;
mod tasks;

use std::collections::HashSet;

use askama::Template;

use self::disagreements::Disagreements;
use self::figures::PageFigure;
use self::grid::GridView;
use self::runs::{ComparedRuns, Pair};
use self::tables::TableView;
use crate::engine::{Engine, FEW};
use crate::metrics::Metric;
use crate::metrics::bootstrap::Resampling;
use crate::model::Cell;
use crate::scorers::Scorer;
use crate::store::{Store, StoreError};
use crate::text::{counted, grouped, visible};

/// Bytes beyond which browsers are slow.
pub const LARGE: usize = 50_000_000;

/// Bytes beyond which no page is written.
pub const MOST: usize = 500_000_000;

/// Tasks up to which the runs of all go in, unless it is said which do.
const ALL_RUNS: usize = 100;

/// Tasks by cell and id.
pub type TaskNames = HashSet<(Cell, String)>;

/// What a page holds.
#[derive(Clone, Debug)]
pub struct PageOptions {
    /// The title; the store's name if there is none.
    pub title: Option<String>,
    /// The metrics of the grid.
    pub metrics: Vec<Metric>,
    /// The scorer that runs are shown under; that which a store opens with if none is named.
    pub scorer: Option<Scorer>,
    /// How intervals are drawn.
    pub resampling: Resampling,
    /// The tasks that are listed; all if not named.
    pub listed: Option<TaskNames>,
    /// The tasks whose runs go in; some of every cell if not named.
    pub with_runs: Option<TaskNames>,
    /// The most pairs on which judges disagree.
    pub disagreements: usize,
    /// How the page was made, as names and values.
    pub made_by: Vec<(String, String)>,
}

impl Default for PageOptions {
    fn default() -> Self {
        Self {
            title: None,
            metrics: vec![Metric::Auroc],
            scorer: None,
            resampling: Resampling::default(),
            listed: None,
            with_runs: None,
            disagreements: 20,
            made_by: Vec::new(),
        }
    }
}

/// Why a page cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The page would be too large for any browser.
    #[error(
        "the page would have over {} MB with the runs of {tasks} tasks; choose fewer with --tasks, such as \
         --tasks 'rank <= 3'",
        MOST / 1_000_000
    )]
    TooLarge {
        /// The tasks whose runs were to go in.
        tasks: String,
    },
    /// A template failed.
    #[error("the page cannot be written ({0}); report this as an error of qualm")]
    Template(#[from] askama::Error),
}

/// A page and what went in.
#[derive(Clone, Debug)]
pub struct Page {
    /// The page.
    pub html: String,
    /// What it holds, in words.
    pub summary: String,
    /// That it is so large that browsers are slow, in words.
    pub warning: Option<String>,
}

#[derive(Template)]
#[template(path = "page/page.html")]
struct PageView<'p> {
    title: &'p str,
    policy: String,
    style: &'p str,
    script: &'p str,
    about: About,
    grids: Vec<GridView>,
    tables: Vec<TableView>,
    figures: Vec<PageFigure>,
    disagreements: Option<Disagreements>,
    pairs: Vec<Pair>,
    data: String,
}

/// What the page says of itself.
struct About {
    program: String,
    scope: String,
    synthetic: bool,
    warnings: Vec<String>,
    facts: Vec<(String, String)>,
    few: usize,
    resamples: String,
}

/// What all parts of a page are made from.
struct Source<'p> {
    engine: &'p Engine,
    store: &'p Store,
    options: &'p PageOptions,
    /// The scorer that runs are shown under.
    scorer: Scorer,
}

impl Source<'_> {
    /// Whether a task is listed.
    fn lists(&self, cell: &Cell, task: &str) -> bool {
        let listed = self.options.listed.as_ref();
        listed.is_none_or(|listed| listed.contains(&(cell.clone(), task.to_owned())))
    }

    /// The number of tasks that are listed.
    fn listed(&self) -> usize {
        let frames = self.engine.frames().iter();
        frames
            .map(|frame| {
                let ids: HashSet<&str> = frame.tasks.iter().map(|task| task.id.as_str()).collect();
                ids.into_iter().filter(|id| self.lists(&frame.cell, id)).count()
            })
            .sum()
    }
}

/// Makes the page of a store.
pub fn page(engine: &Engine, store: &Store, options: &PageOptions) -> Result<Page, PageError> {
    let usual = || engine.usual_view().map(|(scorer, _)| scorer);
    let scorer = options.scorer.clone().or_else(usual).unwrap_or(Scorer::Turns);
    let source = Source { engine, store, options, scorer };
    let queue = disagreements::queue(&source);
    let chosen = runs::chosen(&source);
    let compared = runs::compare(&source, &chosen, &queue)?;
    let grids: Vec<GridView> =
        options.metrics.iter().map(|metric| grid::grid(&source, *metric)).collect();
    let tables = tables::tables(&source)?;
    let figures = figures::figures(&source);
    let disagreements = disagreements::view(&source, &queue, &compared);
    let title = options.title.clone().unwrap_or_else(|| store.name());
    let summary = summary(&source, &compared, [tables.len(), figures.len()], &queue);
    let style = style::style();
    let view = PageView {
        title: &visible(&title),
        policy: style::policy(&style),
        style: &style,
        script: style::SCRIPT,
        about: about(&source, &compared),
        grids,
        tables,
        figures,
        disagreements,
        data: tasks::data(&source, &compared),
        pairs: compared.pairs,
    };
    let html = view.render()?;
    if html.len() > MOST {
        return Err(PageError::TooLarge { tasks: grouped(compared.tasks as u64) });
    }
    let warning = (html.len() > LARGE).then(|| {
        format!(
            "a page of {} MB is slow in a browser; choose fewer runs with --tasks",
            html.len() / 1_000_000
        )
    });
    Ok(Page { html, summary, warning })
}

/// What is in the page, with counts.
fn summary(
    source: &Source<'_>,
    compared: &ComparedRuns,
    [tables, figures]: [usize; 2],
    queue: &disagreements::Queue,
) -> String {
    let Source { engine, .. } = source;
    let listed = source.listed();
    let runs = match compared.tasks {
        0 => "no runs".to_owned(),
        tasks => format!(
            "{} of {} of {} tasks",
            counted(compared.runs as u64, "run"),
            grouped(tasks as u64),
            grouped(listed as u64)
        ),
    };
    let mut parts = vec![
        counted(engine.frames().len() as u64, "cell"),
        counted(engine.scorers().len() as u64, "scorer"),
        counted(listed as u64, "task"),
        runs,
        counted(tables as u64, "table"),
        counted(figures as u64, "figure"),
    ];
    if queue.total > 0 {
        parts.push(format!(
            "{} of {}",
            grouped(queue.items.len() as u64),
            counted(queue.total as u64, "disagreement")
        ));
    }
    parts.join(", ")
}

fn about(source: &Source<'_>, compared: &ComparedRuns) -> About {
    let Source { engine, store, options, scorer } = source;
    let manifest = engine.manifest();
    let program = format!("qualm {}", env!("CARGO_PKG_VERSION"));
    let scope = visible(&super::tables::scope_in_words(engine)).into_owned();
    let Resampling { resamples, seed } = options.resampling;
    let named = |name: &str, value: String| (name.to_owned(), visible(&value).into_owned());
    let mut facts = vec![
        named("store", store.name()),
        named("scope", scope.clone()),
        named("made by", program.clone()),
        named("results written by", manifest.written_by.clone()),
        named("runs are shown under", scorer.label()),
        named("runs in this page", compared.words.clone()),
        named("intervals", format!("{}, seed {seed}", counted(resamples as u64, "resample"))),
        named("votes of people", disagreements::voters(engine)),
    ];
    facts.extend(options.made_by.iter().map(|(name, value)| named(name, value.clone())));
    About {
        program,
        scope,
        synthetic: manifest.synthetic,
        warnings: store.doubts().iter().map(|doubt| visible(doubt).into_owned()).collect(),
        facts,
        few: FEW,
        resamples: counted(resamples as u64, "resample"),
    }
}
