//! Trials that run in steps: each step has a folder with its trajectory and its reward.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::super::{clock, json};
use super::harbor::{self, AgentResult, Exception, LABEL, Timing, VerifierResult};
use crate::model::{Check, natural_order};

/// The folder of a trial that holds the folders of its steps.
const STEPS: &str = "steps";

/// What the result of a trial says about one of its steps.
#[derive(Debug, Deserialize)]
pub(super) struct StepResult {
    #[serde(default, deserialize_with = "json::id")]
    step_name: Option<String>,
    #[serde(default, deserialize_with = "json::object")]
    agent_result: AgentResult,
    #[serde(default, deserialize_with = "json::object")]
    verifier_result: VerifierResult,
    #[serde(default, deserialize_with = "json::object")]
    exception_info: Exception,
    #[serde(default, deserialize_with = "json::object")]
    agent_execution: Timing,
}

/// The steps of a trial in their order; none of a trial that ran at once.
#[derive(Debug, Default)]
pub(super) struct Steps {
    folders: Vec<PathBuf>,
    results: Vec<StepResult>,
}

impl Steps {
    /// Finds the steps of a trial: in the order of its result, then those that it does not name.
    pub(super) fn of(trial: &Path, results: Option<Vec<StepResult>>) -> Self {
        let results = results.unwrap_or_default();
        let mut folders = folders(trial);
        folders.sort_by_cached_key(|folder| {
            let is_named = |step: &StepResult| step.step_name.as_deref() == Some(&name(folder));
            results.iter().position(is_named).unwrap_or(usize::MAX)
        });
        Self { folders, results }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.folders.is_empty() && self.results.is_empty()
    }

    /// The folders of the steps, which have what the folder of another trial has.
    pub(super) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// What the agent reported for all steps.
    pub(super) fn usage(&self) -> AgentResult {
        let reported = self.results.iter().map(|step| step.agent_result);
        reported.fold(AgentResult::default(), AgentResult::plus)
    }

    /// The seconds that the agent ran, in all steps.
    pub(super) fn duration(&self) -> Option<f64> {
        let seconds = self.results.iter().filter_map(|step| {
            let Timing { started_at, finished_at } = &step.agent_execution;
            clock::between(started_at.as_deref(), finished_at.as_deref())
        });
        seconds.reduce(|sum, more| sum + more)
    }

    /// The error that ended the last step; after an error in an earlier one, the trial went on.
    pub(super) fn exception(&self) -> Option<&str> {
        self.results.last()?.exception_info.exception_type.as_deref()
    }

    /// The rewards of every step.
    pub(super) fn checks(&self) -> Vec<Check> {
        let mut checks = Vec::new();
        for folder in &self.folders {
            let step = name(folder);
            let rewards = harbor::rewards(self.recorded(&step), folder);
            checks.extend(of_step(&step, &rewards));
        }
        checks
    }

    fn recorded(&self, step: &str) -> Option<&VerifierResult> {
        let found = self.results.iter().find(|result| result.step_name.as_deref() == Some(step));
        found.map(|result| &result.verifier_result)
    }
}

/// The checks of a step: the reward has its name, and other scores stand behind it.
fn of_step(step: &str, rewards: &BTreeMap<String, f64>) -> Vec<Check> {
    let is_lone = rewards.len() == 1;
    let check = |(name, value): (&String, &f64)| {
        let title =
            if is_lone || name == LABEL { step.to_owned() } else { format!("{step}/{name}") };
        harbor::check(&title, *value)
    };
    rewards.iter().map(check).collect()
}

/// The folders of a trial's steps, by name.
pub(super) fn folders(trial: &Path) -> Vec<PathBuf> {
    let Ok(entries) = trial.join(STEPS).read_dir() else { return Vec::new() };
    let paths = entries.flatten().map(|entry| entry.path());
    let mut folders: Vec<PathBuf> = paths.filter(|path| path.is_dir()).collect();
    folders.sort_by(|a, b| natural_order(&name(a), &name(b)));
    folders
}

/// The trial that the folder of a step belongs to.
pub(super) fn trial_of(step: &Path) -> Option<&Path> {
    let steps = step.parent()?;
    (steps.file_name()? == STEPS).then(|| steps.parent())?
}

fn name(folder: &Path) -> String {
    folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reward_of_a_step_has_its_name() {
        let names = |rewards: &[(&str, f64)]| {
            let rewards = rewards.iter().map(|(name, value)| ((*name).to_owned(), *value));
            let checks = of_step("build", &rewards.collect());
            checks.into_iter().map(|check| check.expected).collect::<Vec<_>>()
        };
        assert_eq!(names(&[("tests", 1.0)]), ["build"], "the only one is the reward");
        assert_eq!(names(&[("reward", 1.0), ("style", 0.0)]), ["build", "build/style"]);
    }
}
