//! What the name of a tau-bench file says: the harness writes nothing else about a run.

use std::path::Path;

use super::super::content::unpacked_name;
use super::super::names::model_name;
use super::super::{InputNotes, TEMPERATURE};

/// The agents that the harness runs.
const STRATEGIES: [&str; 4] = ["tool-calling", "act", "react", "few-shot"];

/// A name as the harness gives it: `tool-calling-MODEL-0.0_range_0--1_user-gpt-4o-llm_0512103000`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct HarnessName {
    pub(super) model: String,
    pub(super) temperature: f64,
    strategy: &'static str,
    /// The model of the simulated user, and how it is asked.
    user: Option<String>,
}

impl HarnessName {
    pub(super) fn of(path: &Path) -> Option<Self> {
        let stem = Path::new(unpacked_name(path)?).file_stem()?.to_str()?;
        let (run, rest) = stem.split_once("_range_")?;
        let (agent, temperature) = run.rsplit_once('-')?;
        let (strategy, model) = STRATEGIES.into_iter().find_map(|strategy| {
            Some((strategy, agent.strip_prefix(strategy)?.strip_prefix('-')?))
        })?;
        let user = rest.split_once("_user-").map(|(_, user)| user);
        let user = user.map(|user| user.rsplit_once('_').map_or(user, |(user, _)| user));
        Some(Self {
            model: model_name(model),
            temperature: temperature.parse().ok()?,
            strategy,
            user: user.map(str::to_owned),
        })
    }

    /// Says how the runs were made.
    pub(super) fn note(&self, notes: &mut InputNotes) {
        notes.set("agent", Some(self.strategy));
        notes.set(TEMPERATURE, Some(self.temperature.to_string()));
        notes.set("user", self.user.clone());
    }
}

/// Words that are no model's name.
const NO_MODELS: [&str; 9] =
    ["results", "result", "runs", "run", "trajectories", "traj", "test", "train", "all"];

/// The model in a name that people give, such as `airline-gpt-4o-50x4` or `gpt-4o-airline`: what stands
/// beside the domain, without counts of tasks and trials. None where the name does not hold the domain.
pub(super) fn named_by_hand(path: &Path, domain: Option<&str>) -> Option<String> {
    let stem = Path::new(unpacked_name(path)?).file_stem()?.to_str()?;
    let mut parts: Vec<&str> = stem.split(['-', '_']).collect();
    let domain =
        parts.iter().position(|part| domain.is_some_and(|name| part.eq_ignore_ascii_case(name)))?;
    // It stands at one end, so that what is left is in one piece.
    if domain != 0 && domain + 1 != parts.len() {
        let rest = &parts[domain + 1..];
        if !rest.iter().all(|part| is_count(part)) {
            return None;
        }
        parts.truncate(domain);
    } else {
        parts.remove(domain);
    }
    while parts.last().is_some_and(|part| is_count(part)) {
        parts.pop();
    }
    let model = parts.join("-");
    let is_name = model.starts_with(|first: char| first.is_ascii_alphabetic())
        && !parts.iter().all(|part| {
            NO_MODELS.contains(&part.to_lowercase().trim_end_matches(|c: char| c.is_ascii_digit()))
        });
    is_name.then_some(model)
}

/// Whether a part of a name counts tasks or trials: `50x4`, `4trials`, `run2`.
fn is_count(part: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let counted = |noun: &str| part.strip_suffix(noun).is_some_and(digits);
    part.split_once('x').is_some_and(|(tasks, trials)| digits(tasks) && digits(trials))
        || ["trial", "trials", "task", "tasks"].into_iter().any(counted)
        || ["run", "trial"].into_iter().any(|noun| part.strip_prefix(noun).is_some_and(digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_harness_names_model_temperature_agent_and_user() {
        let name = "tool-calling-gpt-4o-0.0_range_0--1_user-gpt-4o-llm_0512103000.json";
        let named = HarnessName::of(Path::new(name)).expect("a name");
        assert_eq!((named.model.as_str(), named.temperature), ("gpt-4o", 0.0));
        assert_eq!((named.strategy, named.user.as_deref()), ("tool-calling", Some("gpt-4o-llm")));
        let packed = HarnessName::of(Path::new(&format!("{name}.gz")));
        assert_eq!(packed, Some(named));
        assert_eq!(HarnessName::of(Path::new("gpt-4o-airline.json")), None);
    }

    #[test]
    fn people_name_models_beside_the_domain() {
        let named = |name: &str| named_by_hand(Path::new(name), Some("airline"));
        for name in [
            "airline-gpt-4o-50x4.json",
            "airline-gpt-4o-50x4.json.gz",
            "gpt-4o-airline.json.zst",
            "gpt-4o-airline.json",
            "gpt-4o_airline_4trials.json",
        ] {
            assert_eq!(named(name).as_deref(), Some("gpt-4o"), "{name}");
        }
        assert_eq!(named("sonnet-35-new-airline.json").as_deref(), Some("sonnet-35-new"));
        for name in [
            "results-airline.json",
            "airline-run2.json",
            "airline.json",
            "retail-gpt-4o.json",
            "my-airline-gpt-4o.json",
        ] {
            assert_eq!(named(name), None, "{name}");
        }
    }
}
