//! Numbers as people write them.

/// A count with separated thousands: 2390 is `2,390`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A count with its noun: `1 task`, `2,390 tasks`.
pub fn counted(count: u64, noun: &str) -> String {
    let stem = noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    let ending = match stem {
        _ if count == 1 => return format!("1 {noun}"),
        Some(stem) => format!("{stem}ies"),
        None => format!("{noun}s"),
    };
    format!("{} {ending}", grouped(count))
}

/// A size in bytes for people: `512 B`, `1.5 kB`, `2.0 MB`.
pub fn sized(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..999_950 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// A share as a whole percentage; only none and all are 0% and 100%.
pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    match part {
        0 => "0%".to_owned(),
        _ if part == whole => "100%".to_owned(),
        _ => format!("{:.0}%", (part as f64 / whole as f64 * 100.0).clamp(1.0, 99.0)),
    }
}

/// A number to two decimals, without the zero before the point: `.52`, `-.12`, `1.00`.
pub fn two(value: f64) -> String {
    let text = format!("{value:.2}");
    match text.strip_prefix("-0.") {
        Some("00") => ".00".to_owned(),
        Some(rest) => format!("-.{rest}"),
        None => text.strip_prefix('0').map_or(text.clone(), str::to_owned),
    }
}

/// A difference with its sign: `+.05`, `-.12`.
pub fn signed(value: f64) -> String {
    let text = two(value);
    if text.starts_with('-') { text } else { format!("+{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_write_them() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(counted(1, "trajectory"), "1 trajectory");
        assert_eq!(counted(2390, "trajectory"), "2,390 trajectories");
        assert_eq!(counted(0, "task"), "0 tasks");
        assert_eq!(counted(2, "way"), "2 ways");
        assert_eq!([512, 1_540, 999_960].map(sized), ["512 B", "1.5 kB", "1.0 MB"]);
    }

    #[test]
    fn only_none_and_all_are_0_and_100_percent() {
        assert_eq!(percent(0, 10), "0%");
        assert_eq!(percent(1, 1000), "1%");
        assert_eq!(percent(999, 1000), "99%");
        assert_eq!(percent(10, 10), "100%");
        assert_eq!(percent(0, 0), "–");
    }

    #[test]
    fn two_decimals() {
        let cases =
            [(0.524, ".52"), (1.0, "1.00"), (-0.12, "-.12"), (-0.001, ".00"), (-12.5, "-12.50")];
        for (value, text) in cases {
            assert_eq!(two(value), text);
        }
        assert_eq!(signed(0.05), "+.05");
        assert_eq!(signed(-0.05), "-.05");
    }
}
