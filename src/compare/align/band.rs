//! The part of an alignment's table that scripts with few edits can reach.

/// The fields near the diagonal that scripts of some edits can reach.
#[derive(Clone, Copy)]
pub(super) struct Band {
    pub(super) a: usize,
    pub(super) b: usize,
    /// How far the second index may lag behind the first, and be ahead of it.
    behind: usize,
    ahead: usize,
}

impl Band {
    pub(super) fn new((a, b): (usize, usize), edits: usize) -> Self {
        // Every gap moves a path off the diagonal by one, and it has to end in the corner.
        let spare = edits.saturating_sub(a.abs_diff(b)) / 2;
        Self { a, b, behind: spare + a.saturating_sub(b), ahead: spare + b.saturating_sub(a) }
    }

    /// The columns of a row, the last one included.
    pub(super) fn columns(self, row: usize) -> (usize, usize) {
        (row.saturating_sub(self.behind).min(self.b), (row + self.ahead).min(self.b))
    }

    /// Columns of a row, at most.
    pub(super) fn width(self) -> usize {
        (self.behind + self.ahead).min(self.b) + 1
    }

    pub(super) fn fields(self) -> usize {
        self.width().saturating_mul(self.a)
    }

    pub(super) fn is_all(self) -> bool {
        self.behind >= self.a && self.ahead >= self.b
    }
}
