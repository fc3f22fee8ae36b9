//! The last answer to a question, kept.

use std::cell::RefCell;

/// Keeps the last answer to a question, for what is costly to lay out and the same in most frames.
#[derive(Debug)]
pub struct Memo<K, V>(RefCell<Option<(K, V)>>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self(RefCell::new(None))
    }
}

impl<K: PartialEq, V: Clone> Memo<K, V> {
    /// The answer, made when the question is another than the last.
    pub fn get(&self, key: K, make: impl FnOnce() -> V) -> V {
        if let Some((known, value)) = &*self.0.borrow()
            && *known == key
        {
            return value.clone();
        }
        let value = make();
        *self.0.borrow_mut() = Some((key, value.clone()));
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_once_a_question() {
        let memo = Memo::default();
        assert_eq!(memo.get(1, || "a"), "a");
        assert_eq!(memo.get(1, || "b"), "a");
        assert_eq!(memo.get(2, || "b"), "b");
    }
}
