//! Times as harnesses write them.

/// Seconds since 1970 of a time such as `2026-03-01T12:00:00.5Z` or `…+02:00`; without a zone it is
/// taken for UTC.
pub(super) fn seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    let (date, time) = text.split_once(['T', ' '])?;
    let mut parts = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    if !(0..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let zone_start = time.find(['Z', 'z', '+', '-']).unwrap_or(time.len());
    let (clock, zone) = time.split_at_checked(zone_start)?;
    let offset = match zone.split_at_checked(1) {
        Some(("+", zone)) => of_clock(zone)?,
        Some(("-", zone)) => -of_clock(zone)?,
        Some((_, "")) | None => 0.0,
        Some(_) => return None,
    };
    Some(days(year, month, day) as f64 * 86_400.0 + of_clock(clock)? - offset)
}

/// The time between two, where both are known and in order.
pub(super) fn between(start: Option<&str>, end: Option<&str>) -> Option<f64> {
    let duration = seconds(end?)? - seconds(start?)?;
    (duration >= 0.0).then_some(duration)
}

/// Seconds of `12:30`, `12:30:05.25` or `0200`.
fn of_clock(text: &str) -> Option<f64> {
    let (hours, rest) = match text.split_once(':') {
        Some(split) => split,
        None => text.split_at_checked(2)?,
    };
    let (minutes, seconds) = rest.split_once(':').unwrap_or((rest, "0"));
    let number = |text: &str| text.parse::<f64>().ok().filter(|value| (0.0..=60.0).contains(value));
    let minutes = if minutes.is_empty() { "0" } else { minutes };
    Some(number(hours)? * 3600.0 + number(minutes)? * 60.0 + number(seconds)?)
}

/// Days since 1970-01-01 in the Gregorian calendar.
fn days(year: i64, month: i64, day: i64) -> i64 {
    // The year is counted from March, so that a leap day is its last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + (month * 153 + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_another_calendar() {
        // datetime.fromisoformat(text).timestamp(), with UTC where no zone is given
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", 0.0),
            ("2024-02-29T23:59:59.5+00:00", 1_709_251_199.5),
            ("2025-10-16T14:30:00+02:00", 1_760_617_800.0),
            ("2025-10-16T14:30:00-0530", 1_760_644_800.0),
            ("2000-03-01 00:00:00", 951_868_800.0),
            ("2026-12-31T10:20", 1_798_712_400.0),
        ] {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
        for text in ["", "soon", "2025-13-01T00:00:00Z", "2025-01-01", "2025-01-01Tx", "T", "-T:"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }

    #[test]
    fn a_duration_needs_both_ends_in_order() {
        let (start, end) = ("2025-01-01T00:00:00Z", "2025-01-01T00:01:30Z");
        assert_eq!(between(Some(start), Some(end)), Some(90.0));
        assert_eq!(between(Some(end), Some(start)), None);
        assert_eq!(between(None, Some(end)), None);
    }
}
