//! Encodes text columns as numbers.

use std::collections::HashMap;

use polars::prelude::StringChunked;

/// The code of a null.
pub(in crate::store) const NONE: u32 = u32::MAX;

/// Distinct names; the code of a name is its index in the list.
#[derive(Default)]
pub(in crate::store) struct Names {
    codes: HashMap<String, u32>,
    list: Vec<String>,
}

impl Names {
    pub(in crate::store) fn code(&mut self, name: &str) -> u32 {
        if let Some(code) = self.codes.get(name) {
            return *code;
        }
        let code = self.list.len() as u32;
        self.codes.insert(name.to_owned(), code);
        self.list.push(name.to_owned());
        code
    }

    pub(in crate::store) fn into_list(self) -> Vec<String> {
        self.list
    }
}

/// The base-2 logarithm of the number of names that [`encode`] caches.
const CACHE_BITS: u32 = 9;

/// Passes the code of every row to `take`.
pub(super) fn encode(rows: &StringChunked, names: &mut Names, mut take: impl FnMut(u32)) {
    for (chunk, array) in rows.downcast_iter().zip(rows.chunks()) {
        let validity = array.validity();
        // Names are cached by a short key, so that few of them are hashed.
        let mut cache = vec![(0u128, NONE); 1 << CACHE_BITS];
        let mut last = (0u128, NONE);
        for (row, view) in chunk.views().iter().enumerate() {
            if validity.is_some_and(|validity| !validity.get_bit(row)) {
                take(NONE);
                continue;
            }
            // Equal views are equal strings, and consecutive rows are mostly equal.
            if last.0 == view.as_u128() && last.1 != NONE {
                take(last.1);
                continue;
            }
            // A view contains a short string whole, of a long one the length and the beginning.
            let is_short = view.is_inline();
            let key = match chunk.value(row).as_bytes().last_chunk::<8>() {
                Some(end) if !is_short => {
                    let start = u128::from(view.length) << 96 | u128::from(view.prefix) << 64;
                    start | u128::from(u64::from_le_bytes(*end))
                }
                _ => view.as_u128(),
            };
            let mixed = ((key >> 64) as u64 ^ key as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let cached = &mut cache[(mixed >> (64 - CACHE_BITS)) as usize];
            let is_cached = cached.0 == key
                && cached.1 != NONE
                && (is_short || names.list[cached.1 as usize] == chunk.value(row));
            if !is_cached {
                *cached = (key, names.code(chunk.value(row)));
            }
            last = (view.as_u128(), cached.1);
            take(cached.1);
        }
    }
}
