//! What the tables about decisions are asked for: aims, costs and recipes.

use crate::engine::Engine;
use crate::metrics::threshold::Aim;
use crate::model::Costs;
use crate::report::{TableKind, TableRequest};
use crate::scorers::{Method, Recipe, Scorer};
use crate::store::Store;

/// What thresholds are to achieve, and what is combined.
#[derive(Debug, clap::Args)]
pub(super) struct DecisionArgs {
    /// In `thresholds`, what a threshold is to achieve: `success>=0.9`, `review<=0.2`, `cost`, or a given
    /// confidence, `score>=0.7`. May be repeated
    #[arg(long, value_parser = aim)]
    aim: Vec<Aim>,
    /// In `thresholds`, what a failure costs that is accepted; by default as kept in the store, or 10
    #[arg(long, value_name = "COST", value_parser = cost)]
    cost_failure: Option<f64>,
    /// What a review costs; by default as kept in the store, or 1
    #[arg(long, value_name = "COST", value_parser = cost)]
    cost_review: Option<f64>,
    /// What a run costs; by default as kept in the store, or 0
    #[arg(long, value_name = "COST", value_parser = cost)]
    cost_run: Option<f64>,
    /// In `curves` and `thresholds`, all cells together; every task keeps its cell when tasks are resampled
    #[arg(long)]
    pool: bool,
    /// In `ensemble`, the recipe: `logistic(lnsp.min,ter)` or `rank-average(lnsp.min,ter)`; by default both of
    /// the scorers that --scorer names. May be repeated
    #[arg(long, value_name = "RECIPE", value_parser = ensemble)]
    ensemble: Vec<Recipe>,
}

fn aim(text: &str) -> Result<Aim, &'static str> {
    Aim::parse(text).ok_or("give success>=SHARE, review<=SHARE, cost or score>=NUMBER")
}

fn cost(text: &str) -> Result<f64, &'static str> {
    let cost = text.parse().ok().filter(|cost: &f64| cost.is_finite() && *cost >= 0.0);
    cost.ok_or("give a number that is not negative")
}

fn ensemble(text: &str) -> Result<Recipe, String> {
    let recipe = Recipe::parse(text).map_err(|why| why.to_string())?;
    if recipe.method.is_calibration() {
        return Err("a calibration is no ensemble; --table calibration shows both".to_owned());
    }
    Ok(recipe)
}

impl DecisionArgs {
    /// The request of a table about decisions; none for other tables. `named` says whether the scorers of
    /// the engine were named.
    pub(super) fn request(
        &self,
        kind: TableKind,
        engine: &Engine,
        store: &Store,
        named: bool,
    ) -> anyhow::Result<Option<TableRequest>> {
        let usual = || engine.usual_view().map(|(scorer, _)| scorer).into_iter().collect();
        let scorers: Vec<Scorer> = if named { engine.scorers().to_vec() } else { usual() };
        Ok(Some(match kind {
            TableKind::Curves => TableRequest::Curves { scorers, pool: self.pool },
            TableKind::Thresholds => {
                let aims = if self.aim.is_empty() { Aim::USUAL.to_vec() } else { self.aim.clone() };
                let kept = store.costs()?.unwrap_or_default();
                let costs = Costs {
                    failure: self.cost_failure.unwrap_or(kept.failure),
                    review: self.cost_review.unwrap_or(kept.review),
                    run: self.cost_run.unwrap_or(kept.run),
                };
                TableRequest::Thresholds { scorers, aims, costs, pool: self.pool }
            }
            TableKind::Ensemble if !self.ensemble.is_empty() => {
                TableRequest::Ensembles(self.ensemble.clone())
            }
            TableKind::Ensemble if named => {
                let recipe = |method| Recipe::new(method, scorers.clone());
                let recipes: Result<Vec<Recipe>, _> =
                    Method::ENSEMBLES.into_iter().map(recipe).collect();
                TableRequest::Ensembles(recipes.map_err(|why| anyhow::anyhow!("--scorer: {why}"))?)
            }
            TableKind::Calibration => TableRequest::Calibrations(scorers),
            _ => return Ok(None),
        }))
    }
}
