//! What a model might have written instead of a token: words of the same kind.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Words that stand in for each other. Tokens of these groups are the choices of a turn.
const GROUPS: &[&[&str]] = &[
    &["confirm", "check", "verify", "see", "agree", "tell"],
    &["cancel", "change", "modify", "return", "exchange", "refund", "book", "upgrade"],
    &["cancelled", "changed", "updated", "booked", "refunded", "issued", "charged", "moved"],
    &["get", "find", "search", "list", "update", "check", "calculate", "transfer"],
    &["_user", "_order", "_reservation", "_customer", "_line", "_flight", "_product", "_bill"],
    &["_details", "_status", "_info", "_by", "_items", "_flights", "_usage", "_level"],
    &["_pending", "_delivered", "_direct", "_onestop", "_stock", "_network", "_fuel"],
    &["return", "exchange", "cancel", "modify", "enable", "send", "resume", "reset", "refuel"],
    &["place", "create", "resolve", "start", "lock", "fill", "estimate", "cat", "grep", "mv", "ls"],
    &["user", "order", "reservation", "ticket", "account", "item", "booking", "line"],
    &["flight", "trip", "seat", "cabin", "fare", "booking", "bag"],
    &["economy", "business", "premium", "basic", "first"],
    &["june", "july", "august", "may", "september"],
    &["gold", "silver", "regular", "platinum", "bronze"],
    &["credit", "gift", "debit", "paypal", "voucher", "certificate"],
    &["_card", "_certificate", "_account", "_wallet", "_voucher"],
    &["black", "white", "olive", "navy", "large", "small", "oak", "grey"],
    &["lamp", "backpack", "kettle", "keyboard", "jacket", "headset", "bookshelf", "set"],
    &["archive", "drafts", "spring", "shared", "backup", "inbox"],
    &["notes", "budget", "report", "plan", "minutes", "survey", "todo"],
    &["rent", "invoices", "server", "travel", "printer", "hiring", "parking"],
    &["roaming", "data", "network", "service", "airplane", "signal"],
    &["email", "name", "number", "address", "zip", "id"],
    &["please", "could", "can", "would", "may"],
    &["sure", "certainly", "understood", "thanks", "great", "okay"],
    &["done", "all", "everything", "that", "it"],
    &["I", "you", "we", "they", "it"],
    &["the", "your", "this", "that", "a", "any"],
    &["'m", "'ll", "'d", "'ve", "'re", "'s"],
    &["mara", "tobias", "ingrid", "kofi", "leila", "dmitri", "yuna", "pablo", "nadia", "owen"],
    &["freya", "hassan", "celia", "jonas", "amara", "ravi", "elise", "marek", "sunita", "bruno"],
    &["ostrow", "mensah", "haddad", "petrenko", "sato", "ibarra", "quinn", "vance", "okafor"],
    &["brandt", "moreau", "costa", "nowak", "iyer", "falk", "delgado", "whitlock", "lindqvist"],
    &["is", "was", "has", "will", "can", "should"],
    &["yes", "no", "okay", "sorry", "right"],
    &["now", "then", "again", "also", "already"],
    &["shall", "should", "may", "can", "do", "would"],
    &["buy", "sell", "hold", "short", "trade"],
    &["true", "false", "null", "none", "yes"],
    &["alder", "quarry", "harbour", "mill", "birch"],
    &["lane", "row", "court", "avenue", "steps", "street"],
    &["standard", "mms", "data", "default", "voice"],
];

/// Alternatives of a word that is in no group.
const COMMON: [&[&str]; 3] = [
    &["the", "your", "a", "this", "that", "it"],
    &["to", "for", "with", "on", "and", "of"],
    &["also", "just", "still", "first", "here", "it"],
];
/// The same for the values of a call, and for its keys: plain, and after an underscore.
const VALUES: &[&str] = &["main", "other", "new", "standard", "default", "none"];
const KEYS: [&[&str]; 2] = [
    &["id", "name", "type", "value", "date", "items"],
    &["_id", "_ids", "_name", "_number", "_type", "_code"],
];
const MARKS: &[&str] = &[".", ",", "!", ":", " -", ";"];
const JSON_MARKS: &[&str] = &["\"", "\",", "\"}", "\":", " \"", "\"}}", "{\""];

static INDEX: LazyLock<HashMap<&str, &[&str]>> = LazyLock::new(|| {
    let words = GROUPS.iter().flat_map(|group| group.iter().map(|word| (*word, *group)));
    // A word of two groups belongs to the first.
    words.rev().collect()
});

/// Words of the same kind, if `word` (lower case, without a space) is a choice.
pub fn siblings(word: &str) -> Option<&'static [&'static str]> {
    INDEX.get(word).copied()
}

/// Words that could stand for any other of a message.
pub fn common(word: &str) -> &'static [&'static str] {
    COMMON[word.len() % COMMON.len()]
}

/// Words that could stand for any other key of a call.
pub fn keys(word: &str) -> &'static [&'static str] {
    KEYS[usize::from(word.starts_with('_'))]
}

/// Words that could stand for any other value of a call.
pub fn values() -> &'static [&'static str] {
    VALUES
}

/// Punctuation that could stand for another.
pub fn marks(json: bool) -> &'static [&'static str] {
    if json { JSON_MARKS } else { MARKS }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_leaves_four_alternatives() {
        let lists =
            GROUPS.iter().copied().chain(COMMON).chain(KEYS).chain([VALUES, MARKS, JSON_MARKS]);
        for list in lists {
            let mut distinct = list.to_vec();
            distinct.sort_unstable();
            distinct.dedup();
            assert_eq!(distinct.len(), list.len(), "{list:?}");
            assert!(list.len() >= 5, "{list:?}");
        }
        assert_eq!(siblings("cancel"), Some(GROUPS[1]));
        assert_eq!(siblings("otter"), None);
    }
}
