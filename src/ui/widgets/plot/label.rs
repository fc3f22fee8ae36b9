//! Names of lines, each beside its line near its end, where nothing else is.

use ratatui::layout::Rect;

/// What stands on the characters of a plot.
#[derive(Clone, Debug)]
pub(super) struct Taken {
    size: (i32, i32),
    /// For every character, the lines that go through it, by their bits.
    lines: Vec<u8>,
    /// Characters with something else than a line.
    others: Vec<bool>,
    /// Characters that names avoid where they can.
    filled: Vec<bool>,
}

/// How much a name keeps away from other things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Distance {
    /// It touches no other line and covers nothing.
    Far,
    /// It touches no other line, and may cover the area between two heights.
    Over,
    /// It may touch another line.
    Near,
}

impl Taken {
    pub fn new(area: Rect, is_filled: impl Fn(u16, u16) -> bool) -> Self {
        let all = (0..area.height).flat_map(|row| (0..area.width).map(move |column| (column, row)));
        let filled: Vec<bool> = all.map(|(column, row)| is_filled(column, row)).collect();
        let size = (i32::from(area.width), i32::from(area.height));
        Self { size, lines: vec![0; filled.len()], others: vec![false; filled.len()], filled }
    }

    fn index(&self, column: i32, row: i32) -> Option<usize> {
        let inside = (0..self.size.0).contains(&column) && (0..self.size.1).contains(&row);
        inside.then(|| (row * self.size.0 + column) as usize)
    }

    /// A line goes through these characters.
    pub fn take_line(&mut self, line: usize, path: &[(u16, u16)]) {
        for (column, row) in path {
            if let Some(index) = self.index(i32::from(*column), i32::from(*row)) {
                self.lines[index] |= 1 << (line % 8);
            }
        }
    }

    /// Takes some characters of a row.
    pub fn take(&mut self, column: u16, row: u16, wide: u16) {
        for offset in 0..i32::from(wide) {
            if let Some(index) = self.index(i32::from(column) + offset, i32::from(row)) {
                self.others[index] = true;
            }
        }
    }

    /// Whether a name of a line may begin at a character.
    fn fits(&self, line: usize, (column, row): (i32, i32), wide: i32, distance: Distance) -> bool {
        let is_free = |index: usize| {
            self.lines[index] == 0
                && !self.others[index]
                && (distance != Distance::Far || !self.filled[index])
        };
        let mut under = (column..column + wide).map(|at| self.index(at, row));
        if !under.all(|index| index.is_some_and(is_free)) {
            return false;
        }
        let touches = |at: i32| self.index(at, row).is_some_and(|index| self.lines[index] != 0);
        if distance != Distance::Near && (touches(column - 1) || touches(column + wide)) {
            return false;
        }
        let mut around = (row - 1..=row + 1)
            .flat_map(|row| (column - 1..=column + wide).map(move |column| (column, row)))
            .filter_map(|(column, row)| self.index(column, row));
        let is_other = |index: usize| {
            let is_name = self.others[index]
                && self.index(column, row).is_some_and(|from| {
                    // Something in the same row would run together with the name.
                    from / self.size.0 as usize == index / self.size.0 as usize
                });
            let only_others = self.lines[index] != 0 && self.lines[index] & (1 << (line % 8)) == 0;
            is_name || (distance != Distance::Near && only_others)
        };
        !around.any(is_other)
    }

    /// Finds and takes a place for one of the names of a line, as near to its end as possible: the first
    /// name if it has room away from other lines, else a later one.
    pub fn find_room(
        &mut self,
        line: usize,
        path: &[(u16, u16)],
        widths: &[u16],
    ) -> Option<(usize, u16, u16)> {
        let tries = [Distance::Far, Distance::Over, Distance::Near];
        let tries = tries
            .into_iter()
            .flat_map(|distance| (0..widths.len()).map(move |name| (name, distance)));
        // Only a name that stands in for a longer one may touch another line.
        let may_touch = |name: usize| name > 0 && name + 1 == widths.len();
        let mut tries =
            tries.filter(|(name, distance)| *distance != Distance::Near || may_touch(*name));
        let (name, column, row) = tries.find_map(|(name, distance)| {
            let wide = i32::from(widths[name]);
            let beside = [(2, 0), (-wide - 1, 0), (-wide, 1), (1, 1), (-wide, -1), (1, -1)];
            path.iter().rev().find_map(|(column, row)| {
                let at = |(right, down): (i32, i32)| {
                    (i32::from(*column) + right, i32::from(*row) + down)
                };
                let near = beside.into_iter().map(at);
                let mut near = near.filter(|at| self.fits(line, *at, wide, distance));
                near.next().map(|(column, row)| (name, column as u16, row as u16))
            })
        })?;
        self.take(column, row, widths[name]);
        Some((name, column, row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_inside_and_apart_from_lines_and_each_other() {
        let area = Rect::new(0, 0, 30, 9);
        let lines: Vec<Vec<(u16, u16)>> = [1, 2, 3, 5]
            .map(|slope| (0..30).map(|column| (column, 8 - (column / slope).min(8))).collect())
            .to_vec();
        let is_line = |at: (u16, u16)| lines.iter().any(|line| line.contains(&at));
        let mut taken = Taken::new(area, |_, _| false);
        lines.iter().enumerate().for_each(|(line, path)| taken.take_line(line, path));
        let mut written: Vec<(u16, u16)> = Vec::new();
        for ((line, path), wide) in lines.iter().enumerate().zip([6, 4, 3, 5]) {
            let (name, column, row) = taken.find_room(line, path, &[wide, 1]).expect("room");
            let wide = [wide, 1][name];
            let near = path
                .iter()
                .any(|(x, y)| y.abs_diff(row) <= 1 && *x + 2 >= column && *x <= column + wide + 1);
            assert!(near, "{path:?} {column} {row}");
            for at in (column..column + wide).map(|column| (column, row)) {
                assert!(area.contains(at.into()) && !is_line(at) && !written.contains(&at));
                written.push(at);
            }
        }
        assert_eq!(taken.find_room(0, &lines[0], &[29]), None, "no room is no name");
    }

    #[test]
    fn a_short_name_stands_in_for_a_long_one() {
        let path: Vec<(u16, u16)> = (0..6).map(|column| (column, 1)).collect();
        let mut taken = Taken::new(Rect::new(0, 0, 6, 3), |_, _| false);
        taken.take_line(0, &path);
        let (name, _, row) = taken.find_room(0, &path, &[9, 1]).expect("room");
        assert_eq!((name, row), (1, 2));
    }
}
