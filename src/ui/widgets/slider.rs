//! A slider with a knob.

/// A slider with a knob at one of its steps: step 2 of 5 is `──●──`.
pub fn slider(step: usize, steps: usize) -> String {
    let knob = |index: usize| if index == step { '●' } else { '─' };
    (0..steps).map(knob).collect()
}
