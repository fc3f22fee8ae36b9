//! Measures a store of demo size: writing, opening, listing, and reading one run.
//!
//! `cargo bench --bench store`

use std::hint::black_box;
use std::sync::OnceLock;

use qualm::demo::{self, DemoOptions};
use qualm::store::{Entry, Store};

fn main() {
    divan::main();
}

/// The demo store, made once.
fn shared() -> &'static (tempfile::TempDir, Store, Vec<Entry>) {
    static SHARED: OnceLock<(tempfile::TempDir, Store, Vec<Entry>)> = OnceLock::new();
    SHARED.get_or_init(|| {
        let home = tempfile::tempdir().expect("a folder");
        let path = home.path().join("demo.qualm");
        demo::write(&path, &DemoOptions::default(), &|| ()).expect("written");
        let store = Store::open(&path).expect("a store");
        let entries = store.entries().expect("entries");
        (home, store, entries)
    })
}

#[divan::bench(sample_count = 5)]
fn generate_demo() {
    let made = demo::generate(&DemoOptions::default(), |cell| {
        black_box(cell);
        Ok::<(), ()>(())
    });
    black_box(made).expect("the sink takes all");
}

#[divan::bench(sample_count = 5)]
fn write_demo(bencher: divan::Bencher<'_, '_>) {
    let home = tempfile::tempdir().expect("a folder");
    let path = home.path().join("demo.qualm");
    bencher.bench(|| demo::write(&path, &DemoOptions::default(), &|| ()).expect("written"));
}

#[divan::bench]
fn open(bencher: divan::Bencher<'_, '_>) {
    let (_, store, _) = shared();
    bencher.bench(|| Store::open(store.path()).expect("a store"));
}

#[divan::bench]
fn list(bencher: divan::Bencher<'_, '_>) {
    let (_, store, _) = shared();
    bencher.bench(|| store.entries().expect("entries"));
}

/// Reads messages and tokens of one reference from the middle of the tables.
#[divan::bench]
fn fetch_one(bencher: divan::Bencher<'_, '_>) {
    let (_, store, entries) = shared();
    let middle = entries.iter().filter(|entry| entry.head.draw == 0).nth(1200);
    let entry = middle.expect("2,390 references");
    bencher.bench(|| store.trajectory(entry).expect("a run"));
}
