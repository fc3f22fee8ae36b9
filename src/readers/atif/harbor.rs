//! Harbor's folders: a trial with its trajectory, result and reward, and a job of trials.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::super::names::{CellNames, model_name};
use super::super::{Content, clock, json};
use super::document::continuations;
use crate::model::{Check, CheckKind, Outcome};

/// The most that is read of a reward.
const LONGEST_REWARD: u64 = 1 << 20;

/// The key of a reward that is the label.
const LABEL: &str = "reward";

/// Whether a folder is a trial: it has a trajectory, or its result and settings.
pub(super) fn is_trial(folder: &Path) -> bool {
    let has = |name: &str| folder.join(name).is_file();
    let ran = folder.join("agent").is_dir() || has("exception.txt") || has("trial.log");
    has(TRAJECTORY) || (ran && has("result.json") && has("config.json"))
}

/// Where a trial has its trajectory.
const TRAJECTORY: &str = "agent/trajectory.json";

/// Whether a trial recorded its trajectory.
pub(super) fn has_trajectory(trial: &Path) -> bool {
    trial.join(TRAJECTORY).is_file()
}

/// The trials of a job, by name; none of a folder that holds something else.
pub(super) fn trials(entries: &[PathBuf]) -> Option<Vec<PathBuf>> {
    let (trials, others): (Vec<&PathBuf>, Vec<&PathBuf>) =
        entries.iter().partition(|path| path.is_dir() && is_trial(path));
    let has_settings = others.iter().any(|path| path.ends_with("config.json"));
    let is_job = !trials.is_empty() && (has_settings || others.is_empty());
    is_job.then(|| trials.into_iter().cloned().collect())
}

/// Everything that is read of a trial.
pub(super) fn files(trial: &Path) -> Vec<PathBuf> {
    let trajectory = trial.join(TRAJECTORY);
    let beside = ["result.json", "config.json", "verifier/reward.txt", "verifier/reward.json"];
    let mut files = continuations(&trajectory);
    files.push(trajectory);
    files.extend(beside.iter().map(|name| trial.join(name)));
    files.retain(|path| path.is_file());
    files
}

#[derive(Debug, Default, Deserialize)]
struct TrialResult {
    #[serde(default, deserialize_with = "json::id")]
    task_name: Option<String>,
    #[serde(default, deserialize_with = "json::id")]
    trial_name: Option<String>,
    #[serde(default, deserialize_with = "json::id")]
    source: Option<String>,
    #[serde(default, deserialize_with = "json::lenient")]
    agent_info: AgentInfo,
    #[serde(default, deserialize_with = "json::lenient")]
    agent_result: AgentResult,
    #[serde(default, deserialize_with = "json::lenient")]
    verifier_result: VerifierResult,
    #[serde(default, deserialize_with = "json::lenient")]
    exception_info: Exception,
    #[serde(default, deserialize_with = "json::lenient")]
    agent_execution: Timing,
    #[serde(default, deserialize_with = "json::lenient")]
    config: Option<Config>,
}

#[derive(Debug, Default, Deserialize)]
struct AgentInfo {
    #[serde(default, deserialize_with = "json::id")]
    name: Option<String>,
    #[serde(default, deserialize_with = "json::lenient")]
    model_info: Named,
}

#[derive(Debug, Default, Deserialize)]
struct Named {
    #[serde(default, deserialize_with = "json::id")]
    name: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct AgentResult {
    #[serde(default, deserialize_with = "json::whole")]
    n_input_tokens: Option<i64>,
    #[serde(default, deserialize_with = "json::whole")]
    n_output_tokens: Option<i64>,
    #[serde(default, deserialize_with = "json::number")]
    cost_usd: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
struct VerifierResult {
    #[serde(default, deserialize_with = "json::lenient")]
    rewards: Option<BTreeMap<String, Value>>,
}

#[derive(Debug, Default, Deserialize)]
struct Exception {
    #[serde(default, deserialize_with = "json::id")]
    exception_type: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct Timing {
    #[serde(default, deserialize_with = "json::id")]
    started_at: Option<String>,
    #[serde(default, deserialize_with = "json::id")]
    finished_at: Option<String>,
}

/// The settings of a trial, or of a job.
#[derive(Debug, Default, Deserialize)]
struct Config {
    #[serde(default, deserialize_with = "json::lenient")]
    task: TaskConfig,
    #[serde(default, deserialize_with = "json::lenient")]
    agent: AgentConfig,
    #[serde(default, deserialize_with = "json::lenient")]
    datasets: Vec<Dataset>,
}

#[derive(Debug, Default, Deserialize)]
struct TaskConfig {
    #[serde(default, deserialize_with = "json::id")]
    source: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct AgentConfig {
    #[serde(default, deserialize_with = "json::id")]
    name: Option<String>,
    #[serde(default, deserialize_with = "json::id")]
    model_name: Option<String>,
    #[serde(default, deserialize_with = "json::lenient")]
    kwargs: AgentArguments,
}

#[derive(Debug, Default, Deserialize)]
struct AgentArguments {
    #[serde(default, deserialize_with = "json::number")]
    temperature: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
struct Dataset {
    #[serde(default, deserialize_with = "json::id")]
    name: Option<String>,
    #[serde(default, deserialize_with = "json::id")]
    path: Option<String>,
}

/// A trial, without its trajectory.
#[derive(Debug)]
pub(super) struct Trial {
    folder: PathBuf,
    result: TrialResult,
    config: Config,
    dataset_of_job: Option<String>,
}

impl Trial {
    /// Reads what stands beside the trajectory; what cannot be read counts as not there.
    pub(super) fn read(folder: &Path, dataset_of_job: Option<&str>) -> Self {
        let mut result: TrialResult = lenient(&folder.join("result.json"));
        let config = result.config.take().unwrap_or_else(|| lenient(&folder.join("config.json")));
        let dataset_of_job = dataset_of_job.map(str::to_owned);
        Self { folder: folder.to_owned(), result, config, dataset_of_job }
    }

    /// The trajectory, where one was recorded.
    pub(super) fn trajectory(&self) -> Option<Content> {
        let path = self.folder.join(TRAJECTORY);
        path.is_file().then(|| Content::at(&path))
    }

    /// Whether the trial ran in steps, each with a trajectory in a folder of its own.
    pub(super) fn has_steps(&self) -> bool {
        self.folder.join("steps").is_dir()
    }

    /// The name of the trial.
    pub(super) fn name(&self) -> String {
        let folder = || self.folder.file_name().map(|name| name.to_string_lossy().into_owned());
        self.result.trial_name.clone().or_else(folder).unwrap_or_default()
    }

    /// The task; folders cut long names off.
    pub(super) fn task(&self) -> String {
        self.result.task_name.clone().unwrap_or_else(|| task_of_folder(&self.name()).to_owned())
    }

    /// The names of its cell, as far as they are known without the trajectory.
    pub(super) fn names(&self) -> CellNames {
        let Self { result, config, .. } = self;
        let model = result.agent_info.model_info.name.as_ref();
        CellNames {
            dataset: (result.source.as_ref().or(config.task.source.as_ref()))
                .or(self.dataset_of_job.as_ref())
                .cloned(),
            model: model.or(config.agent.model_name.as_ref()).map(|model| model_name(model)),
            condition: result.agent_info.name.as_ref().or(config.agent.name.as_ref()).cloned(),
        }
    }

    pub(super) fn temperature(&self) -> Option<f64> {
        self.config.agent.kwargs.temperature
    }

    /// The error that ended it.
    pub(super) fn exception(&self) -> Option<&str> {
        self.result.exception_info.exception_type.as_deref()
    }

    pub(super) fn duration(&self) -> Option<f64> {
        let Timing { started_at, finished_at } = &self.result.agent_execution;
        clock::between(started_at.as_deref(), finished_at.as_deref())
    }

    /// Prompt tokens, generated tokens and cost, as the agent reported them.
    pub(super) fn usage(&self) -> (Option<u64>, Option<u64>, Option<f64>) {
        let AgentResult { n_input_tokens, n_output_tokens, cost_usd } = self.result.agent_result;
        let count = |count: Option<i64>| count.and_then(|count| u64::try_from(count).ok());
        (count(n_input_tokens), count(n_output_tokens), cost_usd)
    }

    /// How it was graded: the reward, and the other scores of the verifier.
    pub(super) fn grade(&self) -> (Outcome, Vec<Check>) {
        let rewards = self.rewards();
        let label = match rewards.get(LABEL) {
            Some(label) => Some(*label),
            None if rewards.len() == 1 => rewards.values().next().copied(),
            None => None,
        };
        let is_other = |(name, _): &(&String, &f64)| *name != LABEL && rewards.len() > 1;
        let checks = rewards.iter().filter(is_other).map(|(name, value)| {
            // A share is neither met nor missed.
            let is_one = Outcome::from_reward(Some(*value)).success == Some(true);
            let met = (is_one || *value == 0.0).then_some(is_one);
            let detail = Some(value.to_string());
            Check { detail, ..Check::new(CheckKind::Score, name.as_str(), met) }
        });
        (Outcome::from_reward(label), checks.collect())
    }

    /// The rewards by name: what the result recorded, else what the verifier wrote.
    fn rewards(&self) -> BTreeMap<String, f64> {
        let recorded = self.result.verifier_result.rewards.as_ref().filter(|all| !all.is_empty());
        if let Some(rewards) = recorded {
            return numbers(rewards);
        }
        let verifier = self.folder.join("verifier");
        if let Some(reward) = text(&verifier.join("reward.txt")) {
            let reward = reward.trim().parse().ok().filter(|value: &f64| value.is_finite());
            return reward.map(|value| (LABEL.to_owned(), value)).into_iter().collect();
        }
        numbers(&lenient(&verifier.join("reward.json")))
    }
}

/// The task that a trial's folder names: `<task>__<trial>`.
pub(super) fn task_of_folder(name: &str) -> &str {
    name.rsplit_once("__").map_or(name, |(task, _)| task)
}

/// The dataset that the settings of a job name.
pub(super) fn dataset_of_job(job: &Path) -> Option<String> {
    let config: Config = lenient(&job.join("config.json"));
    let Dataset { name, path } = config.datasets.into_iter().next()?;
    let folder = || Some(Path::new(path.as_deref()?).file_name()?.to_string_lossy().into_owned());
    name.or_else(folder)
}

/// The values that are numbers; a flag counts as 0 or 1.
fn numbers(values: &BTreeMap<String, Value>) -> BTreeMap<String, f64> {
    let number = |value: &Value| match value {
        Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
        value => value.as_f64().filter(|value| value.is_finite()),
    };
    values.iter().filter_map(|(name, value)| Some((name.clone(), number(value)?))).collect()
}

/// A short text file; none where it cannot be read.
fn text(path: &Path) -> Option<String> {
    let size = fs::metadata(path).ok().filter(fs::Metadata::is_file)?.len();
    (size <= LONGEST_REWARD).then(|| fs::read_to_string(path).ok()).flatten()
}

/// The JSON of a file, or the default where it is missing, damaged or something else.
fn lenient<T: DeserializeOwned + Default>(path: &Path) -> T {
    if !path.is_file() {
        return T::default();
    }
    let bytes = Content::at(path).json().unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}
