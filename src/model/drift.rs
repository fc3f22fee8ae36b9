//! How far a turn has drifted from its task.

/// The drift of one turn, between sentence embeddings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// 1 − the cosine of the conversation so far and the user's first message.
    pub action: f64,
    /// 1 − the cosine of the action and what followed it; 0 where nothing did.
    pub observation: f64,
    /// The expected state from 1 to 3 of a model of drift; none where there were too few runs to fit it.
    pub severity: Option<f64>,
}

impl Drift {
    /// Both drifts and the severity in a few words.
    pub fn words(&self) -> String {
        let severity =
            self.severity.map_or(String::new(), |severity| format!(", severity {severity:.2}"));
        format!("drift {:.2}, after it {:.2}{severity}", self.action, self.observation)
    }
}

/// The drift of one turn of a trajectory: a row of the store.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DriftRow {
    /// The number of the trajectory in the store.
    pub trajectory: u32,
    /// The turn, from 0.
    pub turn: u32,
    /// Its drift.
    pub drift: Drift,
}
