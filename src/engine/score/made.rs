//! Scorers that are kept in the store with a recipe: ensembles and calibrations of others.

use std::collections::BTreeMap;

use crate::engine::{Engine, FOLD_SEED};
use crate::metrics::folds::FOLDS;
use crate::metrics::logistic;
use crate::scorers::{Method, Recipe, Scorer, Spec};
use crate::store::{Manifest, RecipeSettings, ScorerSettings};

/// A recipe under the name of its scorer.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedRecipe {
    /// The name.
    pub name: String,
    /// The recipe.
    pub recipe: Recipe,
}

/// Why a recipe cannot be kept under a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WrongName {
    /// It is not written as one.
    #[error("`{0}` is no name with a recipe; write it as NAME={1}")]
    Unreadable(String, &'static str),
    /// The recipe is wrong.
    #[error("`{0}`: {1}")]
    Recipe(String, crate::scorers::WrongRecipe),
    /// The recipe is of the other kind.
    #[error("`{0}`: {1} is {2}; use {3}")]
    OtherKind(String, &'static str, &'static str, &'static str),
    /// Another scorer has the name.
    #[error("another scorer is called {0}; choose another name")]
    Taken(String),
    /// The name has characters that flags and recipes read otherwise.
    #[error("`{0}` is no name of a scorer: use letters, digits, `-` and `_`")]
    NoName(String),
}

impl NamedRecipe {
    /// Reads `NAME=logistic(lnsp.min,ter)`.
    pub fn parse(text: &str, calibrates: bool) -> Result<Self, WrongName> {
        let example = if calibrates { "isotonic(lnsp.min)" } else { "logistic(lnsp.min,ter)" };
        let (name, recipe) =
            text.split_once('=').ok_or_else(|| WrongName::Unreadable(text.to_owned(), example))?;
        let recipe =
            Recipe::parse(recipe).map_err(|why| WrongName::Recipe(text.to_owned(), why))?;
        if recipe.method.is_calibration() != calibrates {
            let (kind, flag) = if calibrates {
                ("an ensemble", "--ensemble")
            } else {
                ("a calibration", "--calibrate")
            };
            return Err(WrongName::OtherKind(text.to_owned(), recipe.method.id(), kind, flag));
        }
        Ok(Self { name: Self::name(name)?, recipe })
    }

    /// A name as it was typed; fails for one that no scorer may have.
    pub fn name(text: &str) -> Result<String, WrongName> {
        let name = text.trim().to_owned();
        let word = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || !name.chars().all(word) {
            return Err(WrongName::NoName(name));
        }
        if Spec::find(&name.to_lowercase()).is_some() {
            return Err(WrongName::Taken(name));
        }
        Ok(name)
    }

    /// Fails where another scorer of an engine has the name. An older recipe may, and is replaced.
    pub(super) fn is_free_in(&self, engine: &Engine) -> Result<(), WrongName> {
        let scorer = Scorer::Stored(self.name.clone());
        if engine.has_values(&scorer) && !engine.is_made(&scorer) {
            return Err(WrongName::Taken(self.name.clone()));
        }
        Ok(())
    }

    /// What the manifest says of it.
    pub(super) fn settings(&self) -> ScorerSettings {
        let method = self.recipe.method;
        let recipe = RecipeSettings {
            method: method.id().to_owned(),
            inputs: self.recipe.names(),
            folds: method.is_fitted().then_some(FOLDS as u32),
            seed: method.is_fitted().then_some(FOLD_SEED),
            inverse_penalty: (method == Method::Logistic).then_some(logistic::C as u32),
        };
        ScorerSettings { recipe: Some(recipe), ..ScorerSettings::now() }
    }
}

/// The recipes that a store keeps, by name. One of a method that a newer version wrote is left out.
pub fn recipes(manifest: &Manifest) -> Vec<NamedRecipe> {
    let recipe = |(name, settings): (&String, &ScorerSettings)| {
        let RecipeSettings { method, inputs, .. } = settings.recipe.as_ref()?;
        let inputs = inputs.iter().map(|input| Scorer::parse(input)).collect();
        let recipe = Recipe::new(Method::parse(method)?, inputs).ok()?;
        Some(NamedRecipe { name: name.clone(), recipe })
    };
    manifest.scorers.iter().filter_map(recipe).collect()
}

/// The recipes of a store with new ones in place of those of the same name.
pub(super) fn with_new(manifest: &Manifest, new: &[NamedRecipe]) -> Vec<NamedRecipe> {
    let all = recipes(manifest).into_iter().chain(new.iter().cloned());
    let mut by_name: BTreeMap<String, NamedRecipe> = BTreeMap::new();
    for named in all {
        by_name.insert(named.name.clone(), named);
    }
    by_name.into_values().collect()
}
