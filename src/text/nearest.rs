//! Known names that a misspelt name may have meant.

/// Suggestions at most.
const MOST: usize = 3;

/// The names nearest to an unknown one, the nearest first; none when all are too far off.
pub fn nearest<'n>(unknown: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let unknown = unknown.to_lowercase();
    let length = unknown.chars().count();
    // A third of the letters may be wrong.
    let limit = (length / 3).clamp(1, 4);
    let mut near: Vec<(usize, &str)> = names
        .into_iter()
        .filter_map(|name| {
            let lower = name.to_lowercase();
            if lower.chars().count().abs_diff(length) > limit {
                // Half a name is a hint too.
                let begins = length > 2 && lower.starts_with(&unknown);
                return begins.then_some((limit + 1, name));
            }
            let edits = strsim::osa_distance(&unknown, &lower);
            (edits <= limit).then_some((edits, name))
        })
        .collect();
    near.sort_by_key(|(edits, _)| *edits);
    // Beside a near name, a far one is noise.
    let farthest = near.first().map_or(0, |(edits, _)| edits + 1);
    let near = near.into_iter().filter(|(edits, _)| *edits <= farthest);
    near.take(MOST).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_come_first() {
        let names = ["lnsp_min", "lnsp_mean", "ter", "termination", "success"];
        let near = |unknown| nearest(unknown, names);
        assert_eq!(near("lnsp_mni"), ["lnsp_min"], "two letters swapped are one edit");
        assert_eq!(near("LNSP_MEEN"), ["lnsp_mean", "lnsp_min"]);
        assert_eq!(near("sucess"), ["success"]);
        assert_eq!(near("term"), ["ter", "termination"]);
        assert!(near("cost").is_empty());
        assert!(near(&"x".repeat(100_000)).is_empty());
    }
}
