//! The sizes in the header of a Parquet page, which is a struct in Thrift's compact protocol.

/// What a page says about itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Page {
    /// Bytes of the header.
    pub(super) header: u64,
    /// Bytes that follow it in the file.
    pub(super) stored: u64,
    /// Bytes of these when they are decompressed.
    pub(super) size: u64,
    /// Values in it; none in a dictionary, whose values are bytes of it.
    pub(super) values: u64,
}

/// The deepest struct in a struct that a header has.
const DEPTH: usize = 8;

impl Page {
    /// Reads the header at the beginning of `bytes`; none when there is none, or not all of it.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader { rest: bytes };
        let mut page = Self::default();
        let mut field = 0;
        while let Some(kind) = reader.field(&mut field)? {
            match (field, kind) {
                (2, I32) => page.size = reader.number()?,
                (3, I32) => page.stored = reader.number()?,
                // The header of a data page, of the first or the second version.
                (5 | 8, STRUCT) => page.values = reader.first_number()?,
                _ => reader.skip(kind, DEPTH)?,
            }
        }
        page.header = (bytes.len() - reader.rest.len()) as u64;
        Some(page)
    }
}

const I32: u8 = 5;
const STRUCT: u8 = 12;

struct Reader<'b> {
    rest: &'b [u8],
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// A signed number that must not be negative.
    fn number(&mut self) -> Option<u64> {
        let zigzag = self.varint()?;
        (zigzag & 1 == 0).then_some(zigzag >> 1)
    }

    /// The type of the next field of a struct, whose number `field` becomes; none at the end.
    #[allow(clippy::option_option, reason = "the bytes may end before the struct does")]
    fn field(&mut self, field: &mut u64) -> Option<Option<u8>> {
        let byte = self.byte()?;
        if byte == 0 {
            return Some(None);
        }
        let delta = u64::from(byte >> 4);
        *field = if delta == 0 { self.number()? } else { *field + delta };
        Some(Some(byte & 0x0f))
    }

    /// Reads a struct and returns its first field, a number.
    fn first_number(&mut self) -> Option<u64> {
        let (mut field, mut number) = (0, 0);
        while let Some(kind) = self.field(&mut field)? {
            if (field, kind) == (1, I32) {
                number = self.number()?;
            } else {
                self.skip(kind, DEPTH)?;
            }
        }
        Some(number)
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        match kind {
            // True and false have no bytes.
            1 | 2 => {}
            3 => drop(self.byte()?),
            4..=6 => drop(self.varint()?),
            7 => self.rest = self.rest.get(8..)?,
            8 => {
                let length = usize::try_from(self.varint()?).ok()?;
                self.rest = self.rest.get(length..)?;
            }
            STRUCT if depth > 0 => {
                let mut field = 0;
                while let Some(kind) = self.field(&mut field)? {
                    self.skip(kind, depth - 1)?;
                }
            }
            // Page headers have no lists or maps.
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sizes_of_a_page_are_read() {
        // type 0, size 300, stored 20, a checksum, and a data page of 7 values with statistics.
        let header = [
            0x15, 0, 0x15, 0xd8, 0x04, 0x15, 40, 0x15, 9, 0x1c, 0x15, 14, 0x15, 0, 0x15, 6, 0x15,
            6, 0x1c, 0x18, 2, b'a', b'b', 0, 0, 0, 0xff,
        ];
        let page = Page { header: 26, stored: 20, size: 300, values: 7 };
        assert_eq!(Page::read(&header), Some(page));
        for end in 0..26 {
            assert_eq!(Page::read(&header[..end]), None, "{end}");
        }
        // Sizes below zero, and structs in structs without end.
        assert_eq!(Page::read(&[0x25, 1, 0]), None);
        assert_eq!(Page::read(&[0x6c; 100]), None);
    }
}
