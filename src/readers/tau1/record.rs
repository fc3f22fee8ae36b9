//! One run of a tau-bench file, as the harness writes it.

use serde::Deserialize;

use super::super::json::{self, Text};
use super::super::openai::Line;

#[derive(Deserialize)]
pub(super) struct Run {
    #[serde(default, deserialize_with = "json::id")]
    pub(super) task_id: Option<String>,
    #[serde(default, deserialize_with = "json::number")]
    pub(super) reward: Option<f64>,
    #[serde(default, deserialize_with = "json::lenient")]
    pub(super) info: Info,
    #[serde(default)]
    pub(super) traj: Option<Vec<Line>>,
    #[serde(default, deserialize_with = "json::whole")]
    pub(super) trial: Option<i64>,
}

#[derive(Default, Deserialize)]
pub(super) struct Info {
    #[serde(default)]
    pub(super) error: Text,
    #[serde(default, deserialize_with = "json::number")]
    pub(super) user_cost: Option<f64>,
    #[serde(default, deserialize_with = "json::lenient")]
    pub(super) task: Task,
    #[serde(default, deserialize_with = "json::lenient")]
    pub(super) reward_info: RewardInfo,
}

#[derive(Default, Deserialize)]
pub(super) struct Task {
    #[serde(default)]
    pub(super) instruction: Text,
}

#[derive(Default, Deserialize)]
pub(super) struct RewardInfo {
    #[serde(default, deserialize_with = "json::lenient")]
    pub(super) info: RewardDetail,
}

#[derive(Default, Deserialize)]
pub(super) struct RewardDetail {
    #[serde(default, deserialize_with = "json::number")]
    pub(super) r_actions: Option<f64>,
    #[serde(default, deserialize_with = "json::number")]
    pub(super) r_outputs: Option<f64>,
}
