//! Archives that are damaged, hostile or of something else: each gets one sentence, and nothing is
//! written.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use proptest::prelude::*;
use qualm::import::{ImportOptions, import};
use qualm::readers::{ReadOptions, find_inputs};
use zip::CompressionMethod;

use super::made::{Log, archive, patch, record};
use crate::support::{assert_whole, home, run, text};

const SAMPLE: &str = "samples/1_epoch_1.json";

/// What an import of these bytes says; it must fail and leave nothing behind.
fn refusal(name: &str, bytes: &[u8]) -> String {
    let home = home();
    fs::write(home.path().join(name), bytes).expect("written");
    let out = run(home.path(), &["import", name, "-o", "s.qualm"]);
    assert_eq!(out.status.code(), Some(1), "{}", text(&out.stdout));
    let left: Vec<_> = fs::read_dir(home.path()).expect("a folder").flatten().collect();
    let names: Vec<_> = left.iter().map(fs::DirEntry::file_name).collect();
    assert!(names.iter().all(|left| left == name || left == "cache"), "{names:?}");
    text(&out.stderr).trim().to_owned()
}

fn whole() -> Vec<u8> {
    Log::fixture().archive(CompressionMethod::Deflated)
}

const COPY: &str = "copy the file again; `inspect log recover` may restore a crashed run";

#[test]
fn a_cut_off_archive_is_named_as_such() {
    let bytes = whole();
    for end in [bytes.len() - 10, bytes.len() / 2, 80] {
        let said = refusal("cut.eval", &bytes[..end]);
        let start = "qualm: cut.eval: is a damaged or incomplete zip archive";
        assert!(said.starts_with(start) && said.ends_with(COPY), "{said}");
    }
}

#[test]
fn an_archive_that_was_packed_again_is_named_as_such() {
    let packed = zstd::encode_all(&whole()[..], 1).expect("packed");
    let said = refusal("log.eval.zst", &packed);
    let why = "is a zip archive that was compressed once more; unpack it with gunzip or unzstd";
    assert!(said.starts_with(&format!("qualm: log.eval.zst: {why}")), "{said}");
}

#[test]
fn an_entry_that_lies_about_its_size_is_refused() {
    let mut bytes = whole();
    patch(&mut bytes, SAMPLE, 24, &100u32.to_le_bytes());
    let said = refusal("less.eval", &bytes);
    let problem =
        "less.eval, entry samples/1_epoch_1.json: does not unpack to the 100 bytes that it states";
    assert!(said.contains(problem) && said.ends_with(COPY), "{said}");
    let mut bytes = whole();
    patch(&mut bytes, SAMPLE, 24, &200_000u32.to_le_bytes());
    let said = refusal("more.eval", &bytes);
    assert!(said.contains("entry samples/1_epoch_1.json: ") && said.ends_with(COPY), "{said}");
}

#[test]
fn an_entry_that_would_fill_the_memory_is_refused() {
    let mut bytes = whole();
    patch(&mut bytes, SAMPLE, 24, &(2u32 << 30).to_le_bytes());
    let said = refusal("large.eval", &bytes);
    assert!(
        said.contains(
            "entry samples/1_epoch_1.json: unpacks to 2048 MiB, more than the limit of 1024 MiB;"
        ),
        "{said}"
    );

    // Half a kilobyte of zstd for 16 MiB, of which 100 bytes are unpacked.
    let zeros = vec![b' '; 16 << 20];
    let mut bomb = archive([(SAMPLE, zeros.as_slice())], CompressionMethod::Zstd);
    assert!(bomb.len() < 4096);
    patch(&mut bomb, SAMPLE, 24, &100u32.to_le_bytes());
    assert!(refusal("bomb.eval", &bomb).contains("does not unpack to the 100 bytes"));
}

#[test]
fn entries_that_share_bytes_are_refused() {
    // A second record of the same entry, under another name.
    let mut bytes = whole();
    let at = record(&bytes, SAMPLE);
    let length = 46 + SAMPLE.len();
    let mut copy = bytes[at..at + length].to_vec();
    copy[30..34].fill(0);
    copy[46 + 8] = b'7';
    let extra = usize::from(u16::from_le_bytes([bytes[at + 30], bytes[at + 31]]));
    assert_eq!(extra, 0, "the record ends with its name");
    let end = bytes.len() - 22;
    bytes.splice(end..end, copy);
    let last = bytes.len() - 22;
    for offset in [8, 10] {
        let count = u16::from_le_bytes([bytes[last + offset], bytes[last + offset + 1]]) + 1;
        bytes[last + offset..last + offset + 2].copy_from_slice(&count.to_le_bytes());
    }
    let size =
        u32::from_le_bytes(bytes[last + 12..last + 16].try_into().expect("four")) + length as u32;
    bytes[last + 12..last + 16].copy_from_slice(&size.to_le_bytes());
    let said = refusal("shared.eval", &bytes);
    assert!(said.contains("shared.eval: has overlapping entries"), "{said}");
}

#[test]
fn an_encrypted_entry_is_refused() {
    let mut bytes = whole();
    patch(&mut bytes, SAMPLE, 8, &1u16.to_le_bytes());
    let said = refusal("secret.eval", &bytes);
    assert!(
        said.contains("entry samples/1_epoch_1.json: is encrypted; decrypt it first"),
        "{said}"
    );
}

#[test]
fn a_method_that_nobody_knows_is_named() {
    let mut bytes = whole();
    patch(&mut bytes, SAMPLE, 10, &14u16.to_le_bytes());
    let said = refusal("packed.eval", &bytes);
    assert!(said.contains(SAMPLE) && said.contains("inspect log convert"), "{said}");
}

#[test]
fn damaged_bytes_are_noticed_by_their_sum() {
    let mut bytes = Log::fixture().archive(CompressionMethod::Stored);
    let at = bytes.windows(6).position(|window| window == b"Paris.").expect("stored as it is");
    bytes[at] = b'p';
    let said = refusal("changed.eval", &bytes);
    assert!(said.contains("entry samples/") && said.contains("is damaged ("), "{said}");
}

#[test]
fn an_archive_inside_an_archive_is_no_sample() {
    let inner = whole();
    let nested = archive([(SAMPLE, inner.as_slice())], CompressionMethod::Deflated);
    let said = refusal("nested.eval", &nested);
    assert!(
        said.contains("nested.eval, entry samples/1_epoch_1.json, byte 1 ")
            && said.contains("is not JSON"),
        "{said}"
    );
}

#[test]
fn a_broken_sample_is_named_with_its_entry() {
    let mut log = Log::fixture();
    for (name, entry) in &mut log.entries {
        if name == SAMPLE {
            entry.truncate(500);
        }
    }
    let said = refusal("broken.eval", &log.archive(CompressionMethod::Zstd));
    assert!(
        said.contains("entry samples/1_epoch_1.json, byte 500 ") && said.contains("ends before"),
        "{said}"
    );
}

#[test]
fn what_is_no_log_is_refused_politely() {
    let other = archive([("word/document.xml", b"<a/>".as_slice())], CompressionMethod::Deflated);
    for name in ["other.eval", "other.zip"] {
        let said = refusal(name, &other);
        let expected = format!(
            "qualm: {name}: is a zip archive without an Inspect log; unpack it and name the results in it"
        );
        assert_eq!(said, expected);
    }
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n";
    let said = refusal("x.eval", pointer);
    assert_eq!(
        said,
        "qualm: x.eval: is a Git LFS pointer, not the file itself; fetch it with `git lfs pull`"
    );
    let said = refusal("x.eval", b"plain text");
    assert_eq!(
        said,
        "qualm: x.eval: is not a zip archive, which an Inspect log (.eval) must be; copy the file again"
    );
}

#[test]
fn names_that_lead_elsewhere_write_nothing() {
    let home = home();
    let folder = home.path().join("in");
    fs::create_dir(&folder).expect("made");
    let sample = Log::fixture().entry(SAMPLE);
    let names = [
        "samples/../../up_epoch_1.json",
        "/samples/root_epoch_1.json",
        "../x",
        "samples/C:\\x_epoch_2.json",
    ];
    let entries = names.iter().map(|name| (*name, sample.as_bytes()));
    fs::write(folder.join("x.eval"), archive(entries, CompressionMethod::Zstd)).expect("written");
    let store = home.path().join("s.qualm");
    let summary = import(&[folder.join("x.eval")], &store, &ImportOptions::default(), &|_| {})
        .expect("imported");
    assert_eq!((summary.added, summary.files[0].1.len()), (1, 5), "{:?}", summary.files);
    assert!(summary.files[0].1.iter().any(|note| note.contains("holds 1 sample twice")));
    let listed = |folder: &Path| fs::read_dir(folder).expect("a folder").count();
    assert_eq!((listed(&folder), listed(home.path())), (1, 2));
}

#[test]
fn of_entries_with_one_name_the_last_counts() {
    let home = home();
    let path = home.path().join("x.eval");
    let log = Log::fixture();
    let later = log.entry(SAMPLE).replace("uuidOfSample1Epoch1aaa", "uuidOfTheSecondEntryaa");
    let entries = [(SAMPLE, log.entry(SAMPLE)), ("samples/9_epoch_1.json", later)];
    let entries = entries.iter().map(|(name, text)| (*name, text.as_bytes()));
    let mut bytes = archive(entries, CompressionMethod::Stored);
    let name = b"samples/9_epoch_1.json";
    let positions: Vec<usize> =
        (0..bytes.len() - name.len()).filter(|at| bytes[*at..].starts_with(name)).collect();
    assert_eq!(positions.len(), 2, "in the entry and in the directory");
    positions.into_iter().for_each(|at| bytes[at + 8] = b'1');
    fs::write(&path, bytes).expect("written");
    let (_, store) = super::import_all(home.path(), &[path]);
    let entries = store.entries().expect("entries");
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].head.origin.run_id.as_deref(), Some("uuidOfTheSecondEntryaa"));
}

#[test]
fn a_folder_passes_over_what_is_no_log() {
    let home = home();
    let folder = home.path().join("logs");
    fs::create_dir(&folder).expect("made");
    fs::write(folder.join("a.eval"), whole()).expect("written");
    fs::write(folder.join("b.eval"), "version https://git-lfs.github.com/spec/v1\n")
        .expect("written");
    fs::write(folder.join("c.zip"), archive([("x", b"".as_slice())], CompressionMethod::Stored))
        .expect("written");
    let inputs = find_inputs(&[folder], &ReadOptions::default()).expect("found");
    assert_eq!(inputs.claimed.len(), 1);
    let why: Vec<&str> = inputs.unknown.iter().map(|(_, why)| why.as_str()).collect();
    let expected =
        ["is a Git LFS pointer, not the file itself", "is a zip archive without an Inspect log"];
    assert_eq!(why, expected);
}

/// Reads bytes as an archive: any result but a panic, and no store that is not whole.
fn read_as_archive(bytes: &[u8]) {
    let home = home();
    let path = home.path().join("x.eval");
    fs::write(&path, bytes).expect("written");
    let _ = find_inputs(std::slice::from_ref(&path), &ReadOptions::default());
    let read = ReadOptions { reader: qualm::readers::by_id("inspect"), ..ReadOptions::default() };
    let options = ImportOptions { read, ..ImportOptions::default() };
    let store = home.path().join("s.qualm");
    match import(&[path], &store, &options, &|_| {}) {
        Ok(_) => assert_whole(&store),
        Err(error) => {
            assert!(error.to_string().contains("x.eval"), "{error}");
            assert!(!store.exists());
        }
    }
}

fn methods() -> &'static [Vec<u8>; 3] {
    static MADE: OnceLock<[Vec<u8>; 3]> = OnceLock::new();
    let all = [CompressionMethod::Deflated, CompressionMethod::Zstd, CompressionMethod::Stored];
    MADE.get_or_init(|| all.map(|method| Log::fixture().archive(method)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn archives_with_bytes_changed(
        method in 0..3usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = methods()[method].clone();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        read_as_archive(&bytes);
    }

    #[test]
    fn archives_with_a_changed_directory(
        offset in 0..700usize,
        word in prop::sample::select(vec![0u32, 1, 0xffff, 0x7fff_ffff, 0xffff_ffff]),
    ) {
        let mut bytes = methods()[0].clone();
        let at = bytes.len() - 4 - offset.min(bytes.len() - 4);
        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        read_as_archive(&bytes);
    }

    #[test]
    fn cut_and_joined_archives(
        method in 0..3usize,
        cut in any::<prop::sample::Index>(),
        from in any::<prop::sample::Index>(),
    ) {
        let bytes = &methods()[method];
        let mut joined = bytes[..cut.index(bytes.len())].to_vec();
        joined.extend(&bytes[from.index(bytes.len())..]);
        read_as_archive(&joined);
    }

    #[test]
    fn anything_after_the_signature(rest in prop::collection::vec(any::<u8>(), 0..200)) {
        read_as_archive(&[b"PK\x03\x04".as_slice(), &rest].concat());
    }
}
