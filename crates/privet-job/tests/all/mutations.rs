//! Damaged input never panics: seeded mutations of valid input for every entry that takes bytes from outside.
//!
//! The same entries have a target each under `fuzz/`; this is what runs everywhere. The mutations are the same
//! in every run; the number of the one that fails is told.

use std::panic::{AssertUnwindSafe, catch_unwind};

use privet_data::hierarchy::parse_hierarchy;
use privet_data::io::{ReadOptions, read_csv_bytes};
use privet_data::{Domain, Hierarchy};
use privet_init::init::{Source, propose};
use privet_job::Job;
use privet_release::Manifest;

const MUTATIONS: u64 = 3_000;

/// Knuth's 64-bit linear congruence: the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

/// Pieces that change what a text means.
const PIECES: &[&[u8]] = &[
    b"\"",
    b"\"\"",
    b",",
    b";",
    b"\t",
    b"\n",
    b"\r",
    b"\r\n",
    b"\0",
    b"\xff",
    b"\xc3",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"[",
    b"]",
    b"{",
    b"}",
    b"=",
    b".",
    b"'",
    b"#",
    b"\\",
    b"\\u0000",
    b"*",
    b"-",
    b"-1",
    b"0",
    b"1e309",
    b"nan",
    b"99999999999999999999",
    b"true",
    b"null",
    b"[[",
    b"\"k\"",
    b"2024-02-30",
    b"_",
    " \u{1f333}".as_bytes(),
];

fn mutate(random: &mut Random, seeds: &[&[u8]]) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        let end = (at + 1 + random.below(24)).min(bytes.len()).max(at);
        match random.below(8) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 if at < bytes.len() => bytes[at] = random.below(256) as u8,
            2 => drop(bytes.drain(at..end)),
            3 => {
                let copy = bytes[at..end].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, copy);
            }
            4 => {
                let other = seeds[random.below(seeds.len())];
                let from = random.below(other.len());
                let piece = other[from..(from + 1 + random.below(40)).min(other.len())].to_vec();
                bytes.splice(at..end, piece);
            }
            5 if random.below(10) == 0 => bytes.truncate(at),
            _ => drop(bytes.splice(at..at, PIECES[random.below(PIECES.len())].iter().copied())),
        }
    }
    bytes
}

/// Runs an entry on many mutations, and on the seeds themselves. Returns how many were accepted.
fn survive(seeds: &[&[u8]], entry: impl Fn(&[u8]) -> bool) -> u64 {
    let mut accepted = 0;
    for seed in seeds {
        assert!(entry(seed), "a seed is not valid: {}", seed.escape_ascii());
    }
    for number in 0..MUTATIONS {
        let bytes = mutate(&mut Random(number), seeds);
        match catch_unwind(AssertUnwindSafe(|| entry(&bytes))) {
            Ok(valid) => accepted += u64::from(valid),
            Err(_) => panic!("mutation {number} panics: {}", bytes.escape_ascii()),
        }
    }
    assert!((1..MUTATIONS).contains(&accepted), "{accepted} of {MUTATIONS} mutations are valid");
    accepted
}

const TABLES: &[&[u8]] = &[
    b"name,age,zip,disease\nann,30,47011,flu\nbob,?,47012,\"a, b\"\ncid,41,,cancer\n",
    b"born;sex;note\r\n1980-01-31;f;\"said \"\"x\"\"\"\r\n1991-12-01;m;\"two\r\nlines\"\r\n",
    b"\xef\xbb\xbfa\tb\n1\t2.5\n3\t-4e2\n",
    b"'q','s'\n'x,y',1\n'z',2\n",
    b"12,true\n13,false\n14,no",
];

#[test]
fn damaged_tables_never_panic() {
    let options = [
        ReadOptions::default(),
        ReadOptions { header: Some(false), missing: vec!["?".into(), "x".into()], ..ReadOptions::default() },
        ReadOptions { delimiter: Some(b';'), quote: Some(b'\''), ..ReadOptions::default() },
        ReadOptions { encoding: Some(privet_data::io::Encoding::Latin1), ..ReadOptions::default() },
    ];
    survive(TABLES, |bytes| {
        let mut valid = false;
        for options in &options {
            if let Ok(input) = read_csv_bytes(bytes, options) {
                let columns = &input.table.columns;
                assert!(columns.iter().all(|column| column.codes.len() == input.table.rows));
                let proposal = propose(&input.table, "people.csv", &Source::default());
                assert_eq!(proposal.columns.len(), columns.len());
                valid = true;
            }
        }
        valid
    });
}

#[test]
fn damaged_hierarchies_never_panic() {
    let seeds: &[&[u8]] = &[
        b"20;20-29;*\n21;20-29;*\n35;30-39;*\n",
        b"Bonn,Rhine,*\r\n\"Ulm, old\",\"Danube\",*\r\n",
        b"\xef\xbb\xbfx\tA\ny\tA\n\n\t\t\n",
        b"a\nb\nc\n",
    ];
    let values: Vec<Box<str>> = ["20", "21", "35", "x", "a", ""].map(Box::from).to_vec();
    let (domain, _) = Domain::canonical(values, str::is_empty);
    survive(seeds, |bytes| {
        let Ok(hierarchy) = parse_hierarchy(bytes) else { return false };
        let own = Domain::canonical(hierarchy.leaves().to_vec(), |text| text == "x").0;
        let fitted = hierarchy.bind(&own).unwrap();
        assert_eq!(fitted.levels.len(), hierarchy.height() + 1);
        let _ = hierarchy.bind(&domain);
        let mut written = Vec::new();
        privet_data::hierarchy::write_hierarchy(&mut written, &hierarchy, b';').unwrap();
        let again: Hierarchy = parse_hierarchy(&written).unwrap();
        assert_eq!(again, hierarchy, "what is written is read back");
        true
    });
}

#[test]
fn damaged_jobs_never_panic() {
    let golden = |name: &str| {
        std::fs::read(format!("{}/tests/golden/{name}/job.toml", env!("CARGO_MANIFEST_DIR"))).unwrap()
    };
    let seeds = ["conditions", "voters", "visits"].map(golden);
    let seeds: Vec<&[u8]> = seeds.iter().map(Vec::as_slice).collect();
    survive(&seeds, |bytes| Job::parse(&String::from_utf8_lossy(bytes), &[]).is_ok());
    let job = String::from_utf8(seeds[0].to_vec()).unwrap();
    let settings: &[&[u8]] = &[
        b"privacy.k-anonymity=5",
        b"columns.\"zip\".weight = 2.5",
        b"columns.age.hierarchy={ intervals = [5, 10], top = 90 }",
        b"search.minimize=height",
    ];
    survive(settings, |bytes| Job::parse(&job, &[String::from_utf8_lossy(bytes).into_owned()]).is_ok());
}

#[test]
fn damaged_manifests_never_panic() {
    let folder = tempfile::tempdir().unwrap();
    let base = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/visits");
    let mut job = Job::read(&base.join("job.toml"), &[]).unwrap();
    job.output.folder = folder.path().join("release");
    let options = privet_job::RunOptions { base, ..Default::default() };
    let summary = privet_job::run(&job, &options, &privet_data::Silent).unwrap();
    let path = summary.release.join("manifest.json");
    let intact = std::fs::read(&path).unwrap();
    survive(&[&intact], |bytes| {
        let _ = Manifest::seal_of(bytes);
        Manifest::parse(bytes).is_ok()
    });
    // What parses is also judged: the referee must not trust it.
    for number in 0..300 {
        let bytes = mutate(&mut Random(number), &[&intact]);
        std::fs::write(&path, &bytes).unwrap();
        let verdict = catch_unwind(|| privet_release::verify(&summary.release, Default::default()));
        let verdict =
            verdict.unwrap_or_else(|_| panic!("mutation {number} panics: {}", bytes.escape_ascii()));
        assert!(
            bytes == intact || !verdict.is_ok_and(|verdict| verdict.holds()),
            "mutation {number} is believed"
        );
    }
}
