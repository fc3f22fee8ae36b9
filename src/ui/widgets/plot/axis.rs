//! Axes with round ticks.

use crate::ui::widgets::two;

/// The values along one side of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The value at the beginning.
    pub low: f64,
    /// The value at the end.
    pub high: f64,
    /// Values that are named, from low to high.
    pub ticks: Vec<(f64, String)>,
}

impl Axis {
    /// From 0 to 1.
    pub fn share() -> Self {
        let tick = |quarter: u32| {
            let value = f64::from(quarter) / 4.0;
            (value, if quarter == 0 { "0".to_owned() } else { short(value) })
        };
        Self { low: 0.0, high: 1.0, ticks: (0..=4).map(tick).collect() }
    }

    /// From one value to another, with so many round ticks at most.
    pub fn spanning(low: f64, high: f64, most: usize) -> Self {
        let (low, high) = if high > low { (low, high) } else { (low - 0.5, low + 0.5) };
        let ends = |step: f64| ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
        let fits = |step: &f64| {
            let (first, last) = ends(*step);
            last - first + 1.0 <= most.max(2) as f64
        };
        let power = 10f64.powf(((high - low) / most.max(2) as f64).log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0, 20.0].into_iter().map(|factor| factor * power);
        let step = steps.into_iter().find(fits).unwrap_or(high - low);
        let decimals = (-(step * 1.001).log10().floor()).clamp(0.0, 9.0) as usize;
        let (first, last) = ends(step);
        let ticks = (0..=(last - first) as usize).map(|index| {
            let value = (first + index as f64) * step;
            (value, plain(value, decimals))
        });
        Self { low, high, ticks: ticks.collect() }
    }

    /// From the largest quarter that is not above a value to 1.
    pub fn from_quarter(least: f64) -> Self {
        let low = (least.clamp(0.0, 0.75) * 4.0).floor() / 4.0;
        let share = Self::share();
        let ticks = share.ticks.into_iter().filter(|(value, _)| *value >= low);
        Self { low, high: 1.0, ticks: ticks.collect() }
    }

    /// The same with ends that are round, and not inside of these.
    pub fn around(low: f64, high: f64, most: usize) -> Self {
        let inner = Self::spanning(low, high, most);
        let step = inner.ticks.windows(2).map(|pair| pair[1].0 - pair[0].0).next();
        let Some(step) = step else { return inner };
        let low = (inner.low / step + 1e-9).floor() * step;
        let high = (inner.high / step - 1e-9).ceil() * step;
        Self::spanning(low, high, most + 2)
    }

    /// Where a value is between the ends, from 0 to 1.
    pub fn along(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    /// The value at a share of the way.
    pub fn at(&self, share: f64) -> f64 {
        self.low + share * (self.high - self.low)
    }
}

/// A share to two decimals at most: `.5`, `.25`, `1`.
fn short(value: f64) -> String {
    let text = two(value);
    text.strip_suffix(".00").or(text.strip_suffix('0')).unwrap_or(&text).to_owned()
}

/// A number to some decimals, without a zero before the point.
fn plain(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    if let Some(rest) = text.strip_prefix("0.") {
        return if value == 0.0 { "0".to_owned() } else { format!(".{rest}") };
    }
    match text.strip_prefix("-0.") {
        Some(rest) if value.abs() > 0.0 => format!("-.{rest}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, name)| name.as_str()).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(names(&Axis::share()), ["0", ".25", ".5", ".75", "1"]);
        assert_eq!(names(&Axis::spanning(0.91, 0.998, 4)), [".92", ".94", ".96", ".98"]);
        assert_eq!(names(&Axis::spanning(-40.0, -3.0, 4)), ["-40", "-30", "-20", "-10"]);
        assert_eq!(names(&Axis::spanning(-0.3, 0.3, 3)), ["-.2", "0", ".2"]);
        assert_eq!(names(&Axis::spanning(2.0, 2.0, 3)), ["1.5", "2.0", "2.5"]);
        let around = Axis::around(0.913, 0.998, 4);
        assert_eq!(names(&around), [".90", ".92", ".94", ".96", ".98", "1.00"]);
        assert!((around.low - 0.9).abs() < 1e-9 && (around.high - 1.0).abs() < 1e-9);
        assert_eq!(names(&Axis::from_quarter(0.62)), [".5", ".75", "1"]);
        let axis = Axis::spanning(10.0, 20.0, 2);
        assert!((axis.along(15.0) - 0.5).abs() < 1e-12 && (axis.at(0.5) - 15.0).abs() < 1e-12);
    }
}
