//! What calls cost: a table of prices that the user keeps.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The price of a model, per million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Of what is sent.
    pub input: f64,
    /// Of what is answered.
    pub output: f64,
}

/// The prices of models by name.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct Prices(pub BTreeMap<String, Price>);

impl Prices {
    /// What so many tokens of a model cost; none where its price is unknown.
    pub fn cost(&self, model: &str, [input, output]: [u64; 2]) -> Option<f64> {
        let price = self.0.get(model)?;
        Some((input as f64 * price.input + output as f64 * price.output) / 1e6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_per_million_tokens() {
        let prices: Prices =
            toml::from_str("\"gpt\" = { input = 0.15, output = 0.6 }").expect("TOML");
        let cost = prices.cost("gpt", [2_000_000, 500_000]).expect("a price");
        assert!((cost - 0.6).abs() < 1e-12);
        assert_eq!(prices.cost("other", [1, 1]), None);
        assert!(toml::from_str::<Prices>("gpt = { input = 1.0 }").is_err());
    }
}
