//! Writes computed values into the store, where other tools can read them.
//!
//! Values of computed scorers follow from runs and verdicts each time a store is loaded. [`score`]
//! brings the copy in `scores` up to date and records what it was computed from, so that loading
//! detects a stale copy ([`Store::doubts`](crate::store::Store::doubts)); [`check_values`] compares
//! the values. Code that changes runs or verdicts calls [`copied`] before and [`refresh`]
//! afterwards. Values of pairs have no copy: `pairs` has only what the engine cannot compute.

mod check;
mod computed;
mod made;
mod missing;
mod refresh;

use std::collections::BTreeSet;
use std::path::Path;

use super::Engine;
use super::load::{Needs, reads_pairs};
use crate::model::{Score, Trajectory};
use crate::scorers::whitebox::{self, Spans};
use crate::scorers::{Need, SPECS, Spec};
use crate::store::{Amendment, ScorerSettings, Store, StoreError, TurnColumns};
use computed::{Computed, Fresh, FreshColumn};
use refresh::Differences;

pub use check::check_values;
pub use made::{NamedRecipe, WrongName, recipes};

/// What to compute.
#[derive(Clone, Debug, Default)]
pub struct ScoreOptions {
    /// Only scorers with these ids.
    pub scorers: Option<Vec<String>>,
    /// The tokens that turn scores are over; by default as before.
    pub span: Option<Spans>,
    /// Ensembles and calibrations to keep as scorers, in place of older ones of the same name.
    pub recipes: Vec<NamedRecipe>,
}

/// What was computed, what was there, and what could not be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScoreSummary {
    /// Scorers with the number of values that are new or changed.
    pub computed: Vec<(String, usize)>,
    /// Scorers all of whose values were there.
    pub kept: Vec<String>,
    /// The number of stored values that were dropped because nothing gives them any more.
    pub dropped: usize,
    /// The number of stored values of pairs that were dropped because the engine computes them.
    pub obsolete: usize,
    /// What has no value, and why.
    pub missing: Vec<String>,
    /// Whether turns were scored again, over another span.
    pub rescored: bool,
    /// Which tables the values were computed from although they are not as they were written.
    pub damage: Option<String>,
}

/// Computes the offline scorers of a store and writes the values that are missing or differ, all in
/// one step. If it is interrupted, the store stays as it was.
pub fn score(
    path: &Path,
    options: &ScoreOptions,
    progress: &dyn Fn(usize, usize),
) -> Result<ScoreSummary, StoreError> {
    let mut summary = ScoreSummary::default();
    let mut amendment = Amendment::begin(path)?;
    let current = Spans::of(amendment.store().manifest().span.as_deref());
    let span = options.span.unwrap_or(current);
    let turns = if span == current {
        None
    } else {
        summary.rescored = true;
        let rescore = |run: &mut Trajectory| whitebox::score_turns(run, span);
        Some(TurnColumns::of(&amendment.turns(span.id(), rescore, progress)?))
    };
    let engine = Engine::with_turns(amendment.store(), None, &Needs::all(), turns)?;
    summary.damage = amendment.store().damage();
    let is_wanted =
        |id: &str| options.scorers.as_ref().is_none_or(|wanted| wanted.iter().any(|one| one == id));
    summary.missing = missing::missing(&engine, &|spec: &Spec| is_wanted(spec.id));
    let mut refresh = Refresh {
        computed: Computed::new(amendment.store().manifest()),
        amendment,
        engine: &engine,
        refreshed: BTreeSet::new(),
        has_written: summary.rescored,
    };
    summary.obsolete = refresh.drop_obsolete_pairs()?;
    let made = refresh.made(&options.recipes, &mut summary)?;
    refresh.scores(&mut summary, &is_wanted, &made)?;
    let from_votes = engine.judge().is_some_and(|judge| judge.is_human());
    let has_new = made.iter().any(|made| made.is_new);
    if refresh.has_written || has_new || !refresh.amendment.is_current(from_votes) {
        refresh.settings(span, summary.rescored);
        refresh.recipes(&made);
        refresh.amendment.computed(from_votes);
        refresh.amendment.commit()?;
    }
    Ok(summary)
}

/// The computed scorers whose values a store holds copies of; none where there is no store.
pub fn copied(path: &Path) -> Result<Vec<String>, StoreError> {
    if !Store::is_store(path) {
        return Ok(Vec::new());
    }
    let store = Store::open(path)?;
    let computed = Computed::new(store.manifest());
    let is_computed = |id: &&String| computed.scorers().iter().any(|scorer| scorer.id() == *id);
    let manifest = store.manifest();
    // Ensembles and calibrations follow from other scorers, and so from the same changes.
    let made = recipes(manifest).into_iter().map(|made| made.name);
    if manifest.computed_from.is_some() {
        return Ok(manifest.scorers.keys().filter(is_computed).cloned().chain(made).collect());
    }
    // Earlier versions may not say which scorers have values.
    let rows = store.scores()?.into_iter().filter(|row| computed.has_score(row));
    let ids: BTreeSet<String> = rows.map(|row| row.scorer).chain(made).collect();
    Ok(ids.into_iter().collect())
}

/// Keeps an ensemble or calibration in a store as a scorer; returns the number of its values.
pub fn keep_recipe(path: &Path, recipe: NamedRecipe) -> Result<usize, StoreError> {
    let name = recipe.name.clone();
    let options = ScoreOptions { scorers: Some(Vec::new()), span: None, recipes: vec![recipe] };
    let summary = score(path, &options, &|_, _| ())?;
    Ok(summary.computed.iter().filter(|(scorer, _)| *scorer == name).map(|(_, n)| n).sum())
}

/// Makes the copies of these scorers right after a change of runs or verdicts; returns the number of
/// values that are new or changed.
pub fn refresh(path: &Path, copied: Vec<String>) -> Result<usize, StoreError> {
    if copied.is_empty() {
        return Ok(0);
    }
    let options = ScoreOptions { scorers: Some(copied), ..ScoreOptions::default() };
    let summary = score(path, &options, &|_, _| ())?;
    Ok(summary.computed.iter().map(|(_, count)| count).sum())
}

/// An ensemble or calibration with its values now.
struct Made {
    named: NamedRecipe,
    column: FreshColumn,
    is_new: bool,
}

/// Makes the stored copies of computed values what they are now.
struct Refresh<'e> {
    amendment: Amendment,
    engine: &'e Engine,
    computed: Computed,
    /// The ids of scorers with new or changed values.
    refreshed: BTreeSet<String>,
    has_written: bool,
}

impl Refresh<'_> {
    /// Drops values of pairs that loading ignores, which earlier versions wrote; returns their number.
    fn drop_obsolete_pairs(&mut self) -> Result<usize, StoreError> {
        let mut rows = self.amendment.store().pairs()?;
        let before = rows.len();
        rows.retain(|row| reads_pairs(&row.scorer));
        let obsolete = before - rows.len();
        if obsolete > 0 {
            self.has_written = true;
            self.amendment.pairs(&rows)?;
        }
        Ok(obsolete)
    }

    /// The ensembles and calibrations of the store, and new ones, with their values now.
    fn made(
        &self,
        new: &[NamedRecipe],
        summary: &mut ScoreSummary,
    ) -> Result<Vec<Made>, StoreError> {
        let store = self.amendment.store();
        let refused = |name: &str, why: String| StoreError::NotKept {
            path: store.path().to_owned(),
            name: name.to_owned(),
            why,
        };
        for named in new {
            named.is_free_in(self.engine).map_err(|why| refused(&named.name, why.to_string()))?;
        }
        let mut all = Vec::new();
        for named in made::with_new(store.manifest(), new) {
            let (column, without) = FreshColumn::made(self.engine, &named);
            let is_new = new.contains(&named);
            if let Some((_, why)) = without.first() {
                let cells = self.engine.frames().len();
                let name = &named.name;
                if is_new && column.is_empty() {
                    let why = format!("{why}; `qualm scorers` lists what there is");
                    return Err(refused(name, why));
                }
                let none = without.len();
                summary.missing.push(format!("{name}: no value in {none} of {cells} cells; {why}"));
            }
            all.push(Made { named, column, is_new });
        }
        Ok(all)
    }

    /// Records the recipes of new and changed values.
    fn recipes(&mut self, made: &[Made]) {
        for Made { named, is_new, .. } in made {
            if *is_new || self.refreshed.contains(&named.name) {
                self.amendment.settings(&named.name, Some(named.settings()));
            }
        }
    }

    /// Writes the rows that are wanted. Those of other scorers that are there are made right too: a copy
    /// is never stale.
    fn scores(
        &mut self,
        summary: &mut ScoreSummary,
        is_wanted: &dyn Fn(&str) -> bool,
        made: &[Made],
    ) -> Result<(), StoreError> {
        let mut rows = self.amendment.store().scores()?;
        let before = rows.len();
        if summary.rescored {
            rows.retain(|row| !Spec::find(&row.scorer).is_some_and(is_over_tokens));
        }
        let is_made = |id: &str| made.iter().any(|made| made.named.name == id);
        let of_scorers = self.computed.scorers().iter();
        let of_scorers = of_scorers.map(|scorer| FreshColumn::of(self.engine, scorer));
        let of_recipes = made.iter().map(|made| made.column.clone());
        let fresh = Fresh::new(self.engine, of_scorers.chain(of_recipes).collect());
        let is_computed = |row: &Score| self.computed.has_score(row) || is_made(&row.scorer);
        // An ensemble is kept on purpose, whatever scorers are named now.
        let is_wanted = |id: &str| is_wanted(id) || is_made(id);
        let differences = Differences::between(&rows, &fresh, is_computed)
            .want(|index| is_wanted(&fresh.columns[fresh.column(index)].id));
        let mut counts = vec![0; fresh.columns.len()];
        differences.fresh().for_each(|index| counts[fresh.column(index)] += 1);
        for (column, count) in fresh.columns.iter().zip(counts) {
            match count {
                _ if column.is_empty() => {}
                0 if !is_wanted(&column.id) => {}
                0 => summary.kept.push(column.label.clone()),
                count => {
                    summary.computed.push((column.label.clone(), count));
                    self.refreshed.insert(column.id.clone());
                }
            }
        }
        if differences.is_empty() && rows.len() == before {
            return Ok(());
        }
        summary.dropped += differences.obsolete.len();
        self.has_written = true;
        self.amendment.scores_in_parts(differences.applied(rows, &fresh))
    }

    /// Records how the new values came about, and forgets scorers that have none any more.
    fn settings(&mut self, span: Spans, rescored: bool) {
        let judge = self.engine.judge().map(|judge| judge.to_string());
        for spec in &SPECS {
            let scorer = self.computed.scorers().iter().find(|scorer| scorer.id() == spec.id);
            if self.refreshed.contains(spec.id) {
                let settings = ScorerSettings {
                    model: judge.clone().filter(|_| spec.needs(Need::Judge)),
                    span: is_over_tokens(spec).then(|| span.id().to_owned()),
                    ..ScorerSettings::now()
                };
                self.amendment.settings(spec.id, Some(settings));
            } else if scorer.is_some_and(|scorer| !self.engine.has_values(scorer))
                || (rescored && is_over_tokens(spec))
            {
                self.amendment.settings(spec.id, None);
            }
        }
    }
}

/// Whether another span changes the values.
fn is_over_tokens(spec: &Spec) -> bool {
    spec.needs(Need::LogProbabilities)
}
