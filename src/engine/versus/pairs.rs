//! Which cells are compared: pairs that two names mean.

use crate::model::Cell;

/// Cells to compare, by index: the first is the baseline, the second the candidate.
pub type CellPairs = Vec<[usize; 2]>;

/// Which of dataset, model and condition a name states.
type Stated = [bool; 3];

/// A way to name a cell, and what the name states.
type Reading = (fn(&Cell) -> String, Stated);

/// The cells that a name means, each with what the name states of it: a dataset, a model, a condition, or
/// some of them with slashes between. The most exact reading counts.
fn named(name: &str, cells: &[Cell]) -> Vec<(usize, Stated)> {
    let readings: [Reading; 6] = [
        (|cell| format!("{}/{}/{}", cell.dataset, cell.model, cell.condition), [true; 3]),
        (ToString::to_string, [true; 3]),
        (|cell| format!("{}/{}", cell.model, cell.condition), [false, true, true]),
        (|cell| format!("{}/{}", cell.dataset, cell.model), [true, true, false]),
        (|cell| cell.model.clone(), [false, true, false]),
        (|cell| cell.condition.clone(), [false, false, true]),
    ];
    let datasets: Reading = (|cell| cell.dataset.clone(), [true, false, false]);
    for (text, stated) in readings.into_iter().chain([datasets]) {
        let fits = (0..cells.len()).filter(|index| text(&cells[*index]) == name);
        let fits: Vec<(usize, Stated)> = fits.map(|index| (index, stated)).collect();
        if !fits.is_empty() {
            return fits;
        }
    }
    Vec::new()
}

/// Every cell, of which nothing is stated.
fn every(cells: &[Cell]) -> Vec<(usize, Stated)> {
    (0..cells.len()).map(|index| (index, [false; 3])).collect()
}

/// Whether two cells are equal in everything that may not differ.
fn agree(a: &Cell, b: &Cell, may_differ: Stated) -> bool {
    let same = [a.dataset == b.dataset, a.model == b.model, a.condition == b.condition];
    (0..3).all(|part| same[part] || may_differ[part])
}

/// The pairs of cells that two names mean: those that differ in nothing but what both state or, where there
/// are none, in what one of them states.
fn of_names(
    cells: [&[Cell]; 2],
    found: &[Vec<(usize, Stated)>; 2],
    is_one_store: bool,
) -> CellPairs {
    let pairs = |may_differ: fn(bool, bool) -> bool| -> CellPairs {
        let mut pairs = Vec::new();
        for (first, of_first) in &found[0] {
            for (second, of_second) in &found[1] {
                let parts = [0, 1, 2].map(|part| may_differ(of_first[part], of_second[part]));
                let itself = is_one_store && first == second;
                if !itself && agree(&cells[0][*first], &cells[1][*second], parts) {
                    pairs.push([*first, *second]);
                }
            }
        }
        pairs
    };
    let strict = pairs(|first, second| first && second);
    if strict.is_empty() { pairs(|first, second| first || second) } else { strict }
}

/// Pairs of cells that are compared. Names state what is to differ; everything else is equal in a pair.
/// Without names, cells of equal names in two stores are compared, or the two cells of a dataset. An error
/// says what no cell fits.
pub fn pair_cells(
    cells: [&[Cell]; 2],
    names: [Option<&str>; 2],
    is_one_store: bool,
) -> Result<CellPairs, String> {
    let mut found = [Vec::new(), Vec::new()];
    for side in 0..2 {
        let flag = ["--baseline", "--candidate"][side];
        found[side] = match names[side] {
            Some(name) => named(name, cells[side]),
            None => every(cells[side]),
        };
        if let (true, Some(name)) = (found[side].is_empty(), names[side]) {
            return Err(format!("{flag} {name} names no cell"));
        }
    }
    let pairs = if names == [None, None] {
        without_names(cells, is_one_store)
    } else {
        of_names(cells, &found, is_one_store)
    };
    if pairs.is_empty() {
        let why = match names {
            [None, None] => "which cells to compare is not clear",
            _ => "no two cells fit --baseline and --candidate",
        };
        return Err(format!("{why}; name both, such as --baseline MODEL --candidate MODEL"));
    }
    Ok(pairs)
}

fn without_names([first, second]: [&[Cell]; 2], is_one_store: bool) -> CellPairs {
    if !is_one_store {
        let equal = first.iter().enumerate().filter_map(|(index, cell)| {
            Some([index, second.iter().position(|other| other == cell)?])
        });
        let equal: CellPairs = equal.collect();
        if !equal.is_empty() {
            return equal;
        }
    }
    let of_dataset = |cells: &[Cell], dataset: &str| -> Vec<usize> {
        (0..cells.len()).filter(|index| cells[*index].dataset == dataset).collect()
    };
    let mut datasets: Vec<&str> = Vec::new();
    for cell in first.iter().filter(|cell| second.iter().any(|other| other.dataset == cell.dataset))
    {
        if !datasets.contains(&cell.dataset.as_str()) {
            datasets.push(&cell.dataset);
        }
    }
    let pair = |dataset: &&str| {
        let (here, there) = (of_dataset(first, dataset), of_dataset(second, dataset));
        match (&here[..], &there[..], is_one_store) {
            ([a, b], _, true) | ([a], [b], false) => Some([*a, *b]),
            _ => None,
        }
    };
    // A dataset that is not clear makes the whole unclear.
    datasets.iter().map(pair).collect::<Option<CellPairs>>().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(names: &[(&str, &str, &str)]) -> Vec<Cell> {
        let cell = |(dataset, model, condition): &(&str, &str, &str)| Cell {
            condition: (*condition).to_owned(),
            ..Cell::new(*dataset, *model)
        };
        names.iter().map(cell).collect()
    }

    fn pairs(cells: &[Cell], baseline: &str, candidate: &str) -> Result<CellPairs, String> {
        pair_cells([cells, cells], [Some(baseline), Some(candidate)], true)
    }

    #[test]
    fn names_state_what_differs() {
        let all = cells(&[
            ("air", "a", "text"),
            ("air", "a", "native"),
            ("air", "b", "text"),
            ("tel", "a", "text"),
            ("tel", "b", "text"),
        ]);
        assert_eq!(pairs(&all, "text", "native"), Ok(vec![[0, 1]]));
        assert_eq!(pairs(&all, "a", "b"), Ok(vec![[0, 2], [3, 4]]), "in every dataset");
        assert_eq!(pairs(&all, "a/text", "b/text"), Ok(vec![[0, 2], [3, 4]]));
        assert_eq!(pairs(&all, "air/a/native", "tel/b/text"), Ok(vec![[1, 4]]), "two datasets");
        assert_eq!(pairs(&all, "tel/a/text", "b"), Ok(vec![[3, 4]]), "in the same dataset");
        assert_eq!(pairs(&all, "air/a/text", "native"), Ok(vec![[0, 1]]));
        let only = pair_cells([&all, &all], [Some("air/a/text"), None], true);
        assert_eq!(only.map(|pairs| pairs.len()), Ok(4), "with every other cell");
        assert_eq!(pairs(&all, "c", "b"), Err("--baseline c names no cell".to_owned()));
        let none = pairs(&all, "air/a/text", "air/a/text").expect_err("a cell and itself");
        assert!(none.starts_with("no two cells fit"), "{none}");
    }

    #[test]
    fn without_names_the_two_cells_of_every_dataset_are_compared() {
        let two =
            cells(&[("air", "a", "x"), ("air", "b", "x"), ("tel", "a", "x"), ("tel", "b", "x")]);
        assert_eq!(pair_cells([&two, &two], [None, None], true), Ok(vec![[0, 1], [2, 3]]));
        let three = cells(&[("air", "a", "x"), ("air", "b", "x"), ("air", "c", "x")]);
        assert!(pair_cells([&three, &three], [None, None], true).is_err());
        // Two stores: equal names first, else one cell for every dataset.
        assert_eq!(
            pair_cells([&three, &three[1..]], [None, None], false),
            Ok(vec![[1, 0], [2, 1]])
        );
        assert_eq!(pair_cells([&three[..1], &three[2..]], [None, None], false), Ok(vec![[0, 0]]));
        assert!(pair_cells([&three[..1], &three[1..]], [None, None], false).is_err());
    }
}
