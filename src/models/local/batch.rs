//! Tokens of several texts as one input of a model.

/// The most tokens in a batch, padding included.
const MOST_TOKENS: usize = 4096;

/// The most rows in a batch.
const MOST_ROWS: usize = 64;

/// Texts up to this length may be padded to more than twice their length.
const SHORT: usize = 32;

/// The tokens of one text, or of a pair of texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Their ids.
    pub ids: Vec<u32>,
    /// Which of the two texts each belongs to.
    pub(super) types: Vec<u32>,
}

/// Rows of equal length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Batch {
    pub(super) rows: usize,
    pub(super) length: usize,
    pub(super) ids: Vec<u32>,
    pub(super) mask: Vec<u32>,
    pub(super) types: Vec<u32>,
}

impl Batch {
    /// Pads texts at their end.
    pub(super) fn new(texts: &[&Tokens], pad: u32) -> Self {
        let length = texts.iter().map(|text| text.ids.len()).max().unwrap_or(0);
        let mut batch = Self { rows: texts.len(), length, ..Self::default() };
        for text in texts {
            let padding = length - text.ids.len();
            let padded = |values: &[u32], with: u32| {
                values.iter().copied().chain(std::iter::repeat_n(with, padding)).collect::<Vec<_>>()
            };
            batch.ids.extend(padded(&text.ids, pad));
            batch.types.extend(padded(&text.types, 0));
            batch.mask.extend(padded(&vec![1; text.ids.len()], 0));
        }
        batch
    }
}

/// Puts texts of similar length together, the longest first. The texts of a group stay together; a group is
/// so many texts in a row.
pub(super) fn by_length(lengths: &[usize], group: usize) -> Vec<Vec<usize>> {
    let longest = |number: usize| {
        let end = ((number + 1) * group).min(lengths.len());
        lengths[number * group..end].iter().copied().max().unwrap_or(0)
    };
    let mut groups: Vec<usize> = (0..lengths.len().div_ceil(group)).collect();
    groups.sort_by_key(|number| std::cmp::Reverse(longest(*number)));
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut length = 0;
    for number in groups {
        let texts = number * group..((number + 1) * group).min(lengths.len());
        match batches.last_mut() {
            Some(batch)
                if batch.len() + texts.len() <= MOST_ROWS
                    && (2 * longest(number) >= length || length <= SHORT)
                    && (batch.len() + texts.len()) * length <= MOST_TOKENS =>
            {
                batch.extend(texts);
            }
            _ => {
                length = longest(number);
                batches.push(texts.collect());
            }
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_similar_length_share_a_batch() {
        let lengths = [3, 900, 5, 4, 1000, 3, 3000, 2000];
        let batches = by_length(&lengths, 1);
        assert_eq!(batches, [vec![6], vec![7, 4], vec![1], vec![2, 3, 0, 5]]);
        let all: usize = batches.iter().map(Vec::len).sum();
        assert_eq!(all, lengths.len());
    }

    #[test]
    fn both_directions_of_a_pair_share_a_batch() {
        let lengths = [10, 4000, 20, 20, 4000, 10];
        assert_eq!(by_length(&lengths, 2), [vec![0, 1], vec![4, 5], vec![2, 3]]);
        assert_eq!(by_length(&[], 2), Vec::<Vec<usize>>::new());
    }

    #[test]
    fn padding_is_masked() {
        let long = Tokens { ids: vec![2, 7, 3], types: vec![0, 1, 1] };
        let short = Tokens { ids: vec![2], types: vec![0] };
        let batch = Batch::new(&[&long, &short], 9);
        assert_eq!((batch.rows, batch.length), (2, 3));
        assert_eq!(batch.ids, [2, 7, 3, 2, 9, 9]);
        assert_eq!(batch.mask, [1, 1, 1, 1, 0, 0]);
        assert_eq!(batch.types, [0, 1, 1, 0, 0, 0]);
    }
}
