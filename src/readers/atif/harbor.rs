//! Harbor's folders: a trial with its trajectory, result and reward, and a job of trials.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rayon::iter::Either;
use rayon::prelude::*;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::super::names::{CellNames, model_name};
use super::super::{Content, ReadError, clock, json};
use super::document::continuations;
use super::run::Run;
use super::steps::{self, StepResult, Steps};
use crate::model::{Check, CheckKind, Outcome};

/// The most that is read of a reward.
const LONGEST_REWARD: u64 = 1 << 20;

/// The key of a reward that is the label.
pub(super) const LABEL: &str = "reward";

/// Whether a folder is a trial: it has a trajectory, or its result and settings.
pub(super) fn is_trial(folder: &Path) -> bool {
    let has = |name: &str| folder.join(name).is_file();
    let ran = || folder.join("agent").is_dir() || has("exception.txt") || has("trial.log");
    let is_alone = || has("config.json") && has("result.json") && ran();
    has(TRAJECTORY) || is_alone() || (has("config.json") && !steps::folders(folder).is_empty())
}

/// Where a trial or a step has its trajectory, and its reward.
const TRAJECTORY: &str = "agent/trajectory.json";
const REWARD_TEXT: &str = "verifier/reward.txt";
const REWARD_JSON: &str = "verifier/reward.json";

/// The folder of a trial, and those of its files that are read.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    files: Vec<PathBuf>,
}

impl Folder {
    /// Looks for the files of a trial.
    pub(super) fn at(path: &Path) -> Self {
        let files = files(path).into_iter().map(|(file, _)| file).collect();
        Self { path: path.to_owned(), files }
    }

    /// The trials of a job, from all their files; those of a trial follow one another.
    pub(super) fn of_files(job: &Path, files: &[PathBuf]) -> Vec<Self> {
        let trial = |file: &PathBuf| Some(job.join(file.strip_prefix(job).ok()?.iter().next()?));
        let trials = files.chunk_by(|a, b| trial(a) == trial(b));
        let folder =
            |files: &[PathBuf]| Some(Self { path: trial(&files[0])?, files: files.to_vec() });
        trials.filter_map(folder).collect()
    }

    fn has(&self, file: &Path) -> bool {
        self.files.iter().any(|known| known == file)
    }

    /// Whether it recorded its trajectory, or that of a step.
    pub(super) fn has_trajectory(&self) -> bool {
        self.files.iter().any(|file| file.ends_with(TRAJECTORY))
    }

    /// The JSON of a file in it, or the default where it has no such file.
    fn lenient<T: DeserializeOwned + Default>(&self, name: &str) -> T {
        let file = self.path.join(name);
        if self.has(&file) { lenient(&file) } else { T::default() }
    }

    /// The files that continue a trajectory.
    fn continuations(&self, trajectory: &Path) -> Vec<PathBuf> {
        let (folder, stem) = (trajectory.parent(), trajectory.file_stem().unwrap_or_default());
        let continues = |file: &&PathBuf| {
            let name = file.file_name().unwrap_or_default().as_encoded_bytes();
            let part = name.strip_prefix(stem.as_encoded_bytes());
            file.parent() == folder && part.is_some_and(|part| part.starts_with(b".cont-"))
        };
        // As they were found, which is their order.
        self.files.iter().filter(continues).cloned().collect()
    }
}

/// The trials of a job, by name; none of a folder that holds something else.
pub(super) fn trials(entries: &[PathBuf]) -> Option<Vec<PathBuf>> {
    let (trials, others): (Vec<&PathBuf>, Vec<&PathBuf>) =
        entries.par_iter().partition_map(|path| {
            if is_trial(path) { Either::Left(path) } else { Either::Right(path) }
        });
    let has_settings = others.iter().any(|path| path.ends_with("config.json"));
    let is_job = !trials.is_empty() && (has_settings || others.is_empty());
    is_job.then(|| trials.into_iter().cloned().collect())
}

/// Everything that is read of a trial, with the sizes.
pub(super) fn files(trial: &Path) -> Vec<(PathBuf, u64)> {
    let mut files = vec![trial.join("result.json"), trial.join("config.json")];
    let steps = steps::folders(trial);
    for folder in steps.iter().map(PathBuf::as_path).chain([trial]) {
        let trajectory = folder.join(TRAJECTORY);
        files.extend(continuations(&trajectory));
        files.extend([trajectory, folder.join(REWARD_TEXT), folder.join(REWARD_JSON)]);
    }
    let sized = |path: PathBuf| {
        let meta = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
        Some((path, meta.len()))
    };
    files.into_iter().filter_map(sized).collect()
}

#[derive(Debug, Default, Deserialize)]
struct TrialResult {
    #[serde(default, deserialize_with = "json::id")]
    task_name: Option<String>,
    #[serde(default, deserialize_with = "json::id")]
    trial_name: Option<String>,
    #[serde(default, deserialize_with = "json::id")]
    source: Option<String>,
    #[serde(default, deserialize_with = "json::object")]
    agent_info: AgentInfo,
    #[serde(default, deserialize_with = "json::object")]
    agent_result: AgentResult,
    #[serde(default, deserialize_with = "json::object")]
    verifier_result: VerifierResult,
    #[serde(default, deserialize_with = "json::object")]
    exception_info: Exception,
    #[serde(default, deserialize_with = "json::object")]
    agent_execution: Timing,
    #[serde(default, deserialize_with = "json::lenient")]
    config: Option<Config>,
    #[serde(default, deserialize_with = "json::objects")]
    step_results: Option<Vec<StepResult>>,
}

#[derive(Debug, Default, Deserialize)]
struct AgentInfo {
    #[serde(default, deserialize_with = "json::id")]
    name: Option<String>,
    #[serde(default, deserialize_with = "json::object")]
    model_info: Named,
}

#[derive(Debug, Default, Deserialize)]
struct Named {
    #[serde(default, deserialize_with = "json::id")]
    name: Option<String>,
}

/// What an agent reports to have used.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct AgentResult {
    #[serde(default, deserialize_with = "json::whole")]
    n_input_tokens: Option<i64>,
    #[serde(default, deserialize_with = "json::whole")]
    n_output_tokens: Option<i64>,
    #[serde(default, deserialize_with = "json::number")]
    cost_usd: Option<f64>,
}

impl AgentResult {
    /// The sum of both, as far as they are known.
    pub(super) fn plus(self, more: Self) -> Self {
        let count =
            |a: Option<i64>, b: Option<i64>| a.into_iter().chain(b).reduce(i64::saturating_add);
        let costs = self.cost_usd.into_iter().chain(more.cost_usd);
        Self {
            n_input_tokens: count(self.n_input_tokens, more.n_input_tokens),
            n_output_tokens: count(self.n_output_tokens, more.n_output_tokens),
            cost_usd: costs.reduce(|sum, more| sum + more),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct VerifierResult {
    #[serde(default, deserialize_with = "json::lenient")]
    rewards: Option<BTreeMap<String, Value>>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Exception {
    #[serde(default, deserialize_with = "json::id")]
    pub(super) exception_type: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Timing {
    #[serde(default, deserialize_with = "json::id")]
    pub(super) started_at: Option<String>,
    #[serde(default, deserialize_with = "json::id")]
    pub(super) finished_at: Option<String>,
}

/// The settings of a trial, or of a job.
#[derive(Debug, Default, Deserialize)]
struct Config {
    #[serde(default, deserialize_with = "json::object")]
    task: TaskConfig,
    #[serde(default, deserialize_with = "json::object")]
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
    #[serde(default, deserialize_with = "json::object")]
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
pub(super) struct Trial<'f> {
    folder: &'f Folder,
    result: TrialResult,
    config: Config,
    steps: Steps,
    dataset_of_job: Option<String>,
}

impl<'f> Trial<'f> {
    /// Reads what stands beside the trajectory; what cannot be read counts as not there.
    pub(super) fn read(folder: &'f Folder, dataset_of_job: Option<&str>) -> Self {
        let mut result: TrialResult = folder.lenient("result.json");
        let config = result.config.take().unwrap_or_else(|| folder.lenient("config.json"));
        let steps = Steps::of(&folder.path, result.step_results.take());
        let dataset_of_job = dataset_of_job.map(str::to_owned);
        Self { folder, result, config, steps, dataset_of_job }
    }

    /// The run, where one was recorded. Steps go on one after the other; while one is running, its
    /// trajectory lies where that of a trial without steps does.
    pub(super) fn run(&self) -> Option<Result<Run, ReadError>> {
        let has_trajectory = |folder: &&Path| self.folder.has(&folder.join(TRAJECTORY));
        let steps = self.steps.folders().iter().map(PathBuf::as_path);
        let gaps = steps.clone().filter(|folder| !has_trajectory(folder)).count();
        let all = steps.chain([self.folder.path.as_path()]);
        let folders: Vec<&Path> = all.filter(has_trajectory).collect();
        if folders.is_empty() {
            return None;
        }
        let runs = folders.iter().map(|folder| {
            let trajectory = folder.join(TRAJECTORY);
            super::joined(&Content::at(&trajectory), self.folder.continuations(&trajectory))
        });
        let runs: Result<Vec<Run>, ReadError> = runs.collect();
        Some(runs.map(|runs| {
            let mut run = runs.into_iter().reduce(Run::go_on).unwrap_or_default();
            run.about.gaps = gaps;
            run
        }))
    }

    /// The name of the trial.
    pub(super) fn name(&self) -> String {
        let folder =
            || self.folder.path.file_name().map(|name| name.to_string_lossy().into_owned());
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
        let of_trial = self.result.exception_info.exception_type.as_deref();
        of_trial.or_else(|| self.steps.exception())
    }

    pub(super) fn duration(&self) -> Option<f64> {
        let Timing { started_at, finished_at } = &self.result.agent_execution;
        let stated = clock::between(started_at.as_deref(), finished_at.as_deref());
        stated.or_else(|| self.steps.duration())
    }

    /// Prompt tokens, generated tokens and cost, as the agent reported them.
    pub(super) fn usage(&self) -> (Option<u64>, Option<u64>, Option<f64>) {
        let all = self.result.agent_result.plus(self.steps.usage());
        let AgentResult { n_input_tokens, n_output_tokens, cost_usd } = all;
        let count = |count: Option<i64>| count.and_then(|count| u64::try_from(count).ok());
        (count(n_input_tokens), count(n_output_tokens), cost_usd)
    }

    /// How it was graded: the reward, and the other scores of the verifier. Of steps, Harbor makes the
    /// reward of the trial as the task says: their mean, or that of the last one.
    pub(super) fn grade(&self) -> (Outcome, Vec<Check>) {
        let recorded = &self.result.verifier_result;
        let rewards = if self.steps.is_empty() {
            rewards(Some(recorded), &self.folder.path)
        } else {
            recorded.numbers().unwrap_or_default()
        };
        let label = match rewards.get(LABEL) {
            Some(label) => Some(*label),
            None if rewards.len() == 1 => rewards.values().next().copied(),
            None => None,
        };
        let is_other = |(name, _): &(&String, &f64)| *name != LABEL && rewards.len() > 1;
        let mut checks = self.steps.checks();
        checks.extend(rewards.iter().filter(is_other).map(|(name, value)| check(name, *value)));
        (Outcome::from_reward(label), checks)
    }
}

impl VerifierResult {
    /// The rewards by name, where some were recorded.
    fn numbers(&self) -> Option<BTreeMap<String, f64>> {
        self.rewards.as_ref().filter(|all| !all.is_empty()).map(numbers)
    }
}

/// The rewards by name: what the result recorded, else what the verifier wrote into a folder.
pub(super) fn rewards(recorded: Option<&VerifierResult>, folder: &Path) -> BTreeMap<String, f64> {
    if let Some(rewards) = recorded.and_then(VerifierResult::numbers) {
        return rewards;
    }
    if let Some(reward) = text(&folder.join(REWARD_TEXT)) {
        let reward = reward.trim().parse().ok().filter(|value: &f64| value.is_finite());
        return reward.map(|value| (LABEL.to_owned(), value)).into_iter().collect();
    }
    numbers(&lenient(&folder.join(REWARD_JSON)))
}

/// A score as a check; a share is neither met nor missed.
pub(super) fn check(name: &str, value: f64) -> Check {
    let is_one = Outcome::from_reward(Some(value)).success == Some(true);
    let met = (is_one || value == 0.0).then_some(is_one);
    Check { detail: Some(value.to_string()), ..Check::new(CheckKind::Score, name, met) }
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
    let bytes = Content::at(path).json().unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_job_are_those_of_its_trials() {
        let job = Path::new("jobs/1");
        let names = ["a__1/result.json", "a__1/agent/trajectory.cont-1.json"];
        let more = ["a__1/agent/trajectory.json", "b__1/config.json"];
        let files: Vec<PathBuf> = names.iter().chain(&more).map(|name| job.join(name)).collect();
        let folders = Folder::of_files(job, &files);
        assert_eq!(folders.len(), 2);
        assert_eq!((&folders[0].path, &folders[0].files[..]), (&job.join("a__1"), &files[..3]));
        assert_eq!((&folders[1].path, &folders[1].files[..]), (&job.join("b__1"), &files[3..]));
        assert!(folders[0].has_trajectory() && !folders[1].has_trajectory());
        assert_eq!(folders[0].continuations(&files[2]), [files[1].clone()]);
        let step = job.join("a__1/steps/one/agent/trajectory.json");
        assert!(folders[0].continuations(&step).is_empty(), "of another folder");
    }

    #[test]
    fn flags_are_rewards_too() {
        let json = r#"{"a": true, "b": false, "c": 0.5, "d": "1", "e": null}"#;
        let rewards = numbers(&serde_json::from_str(json).expect("rewards"));
        let expected = [("a", 1.0), ("b", 0.0), ("c", 0.5)];
        assert_eq!(rewards, expected.map(|(name, value)| (name.to_owned(), value)).into());
    }
}
