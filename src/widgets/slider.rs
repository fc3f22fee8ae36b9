/// A slider with a knob at one of its steps: step 2 of 5 is `──●──`.
pub fn slider(step: usize, steps: usize) -> String {
    let knob = |own: usize| if own == step { '●' } else { '─' };
    (0..steps).map(knob).collect()
}
