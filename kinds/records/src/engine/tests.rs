//! An engine of the plainest kind, which groups the entries of records in lists, gives the bytes of the memory engine.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, UInt32Array};
use arrow_select::take::take;
use privet_data::Silent;
use privet_data::io::{BatchWriter, stream};
use privet_release::part_name;
use proptest::prelude::*;

use super::*;

/// The entries of all records, column by column.
struct Plain {
    path: PathBuf,
    columns: Vec<Vec<u32>>,
}

impl Plain {
    /// The numbers of labels of each record, and whether the record is published.
    fn kept(&self, recoding: &Recoding) -> (Vec<Vec<u32>>, Vec<bool>) {
        let suppressed: HashSet<&[u32]> = recoding.suppressed.iter().map(Vec::as_slice).collect();
        let rows = self.columns.first().map_or(0, Vec::len);
        let nodes = |row: usize| -> Vec<u32> {
            let quasi = recoding.quasi.iter().zip(&recoding.node_of_entry);
            quasi.map(|(&column, nodes)| nodes[self.columns[column][row] as usize]).collect()
        };
        let nodes: Vec<Vec<u32>> = (0..rows).map(nodes).collect();
        let kept = nodes.iter().map(|own| !suppressed.contains(own.as_slice())).collect();
        (nodes, kept)
    }
}

impl Engine for Plain {
    fn read(&mut self, wanted: &Wanted, progress: &dyn Progress) -> Result<Tuples, RunError> {
        let columns = &mut self.columns;
        let input = stream(&self.path, &wanted.options, progress, &mut |_, chunk| {
            columns.resize(chunk.len(), Vec::new());
            columns.iter_mut().zip(chunk).for_each(|(column, own)| column.extend_from_slice(own));
            ControlFlow::Continue(())
        })?;
        let is_grouped: Vec<bool> =
            input.table.columns.iter().map(|own| wanted.grouped.contains(&own.name)).collect();
        let grouped: Vec<&Vec<u32>> =
            self.columns.iter().zip(&is_grouped).filter(|own| *own.1).map(|own| own.0).collect();
        let mut place: HashMap<Vec<u32>, usize> = HashMap::new();
        let (mut weights, mut first) = (Vec::new(), Vec::new());
        for row in 0..input.table.rows {
            let tuple: Vec<u32> = grouped.iter().map(|column| column[row]).collect();
            let place = *place.entry(tuple).or_insert_with(|| {
                weights.push(0);
                first.push(row as u64);
                weights.len() - 1
            });
            weights[place] += 1;
        }
        let entries = self.columns.iter().zip(&is_grouped).map(|(column, is_grouped)| {
            is_grouped.then(|| first.iter().map(|&row| column[row as usize]).collect())
        });
        Ok(Tuples { entries: entries.collect(), weights, is_coded: true, first, input })
    }

    fn write(
        &mut self,
        recoding: &Recoding,
        draft: &Draft,
        _progress: &dyn Progress,
    ) -> Result<Written, RunError> {
        let (_, kept) = self.kept(recoding);
        let each = recoding.rows_per_file.map_or(usize::MAX, |each| each as usize);
        let mut written = Written::default();
        for (part, from) in (0..kept.len()).step_by(each).enumerate() {
            let rows = from..kept.len().min(from.saturating_add(each));
            let columns = recoding.columns.iter().zip(&self.columns).map(|(own, entries)| -> ArrayRef {
                let Published::Values(values) = &own.published else { panic!("all columns have entries") };
                let places = entries[rows.clone()].iter().map(|&entry| values.places[entry as usize]);
                take(&values.values, &UInt32Array::from_iter_values(places), None).unwrap()
            });
            let columns: Vec<ArrayRef> = columns.collect();
            let schema = recoding.columns.iter().zip(&columns);
            let schema = schema.map(|(own, array)| (own.name.clone(), array.data_type().clone()));
            let mut file = draft.create(&part_name(&recoding.file, part))?;
            let mut writer = BatchWriter::begin(&mut file, recoding.format, schema)?;
            // In batches of odd sizes, which must not show.
            let mut at = 0;
            while at < rows.len() {
                let more = (rows.len() - at).min(7 + at % 50);
                let batch: Vec<ArrayRef> =
                    columns.iter().map(|own| Arc::clone(own).slice(at, more)).collect();
                let kept = BooleanArray::from(kept[from + at..from + at + more].to_vec());
                writer.write(&batch, Some(&kept))?;
                at += more;
            }
            written.rows += writer.finish()?.1;
            file.finish()?;
        }
        let before = |&row: &u64| kept[..row as usize].iter().filter(|kept| !**kept).count() as u64;
        written.suppressed_before = recoding.watched.iter().map(before).collect();
        Ok(written)
    }

    fn entries(
        &mut self,
        recoding: &Recoding,
        each: &mut dyn FnMut(&[&[u32]]) -> Result<(), RunError>,
        _progress: &dyn Progress,
    ) -> Result<Written, RunError> {
        let (_, kept) = self.kept(recoding);
        let rows: Vec<usize> = (0..kept.len()).filter(|&row| kept[row]).collect();
        for rows in rows.chunks(7) {
            let entries: Vec<Vec<u32>> =
                self.columns.iter().map(|own| rows.iter().map(|&row| own[row]).collect()).collect();
            each(&entries.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
        }
        let before = |&row: &u64| kept[..row as usize].iter().filter(|kept| !**kept).count() as u64;
        let suppressed_before = recoding.watched.iter().map(before).collect();
        Ok(Written { rows: rows.len() as u64, suppressed_before })
    }

    fn alike(
        &mut self,
        recoding: &Recoding,
        columns: &[String],
        _progress: &dyn Progress,
    ) -> Result<Option<Vec<(u64, u64)>>, RunError> {
        let (nodes, kept) = self.kept(recoding);
        let asked: Vec<usize> =
            (0..recoding.columns.len()).filter(|&at| columns.contains(&recoding.columns[at].name)).collect();
        let mut groups: HashMap<Vec<u32>, u64> = HashMap::new();
        for (row, _) in kept.iter().enumerate().filter(|own| *own.1) {
            let mut key = nodes[row].clone();
            let code = |&at: &usize| recoding.code_of_entry[at][self.columns[at][row] as usize];
            key.extend(asked.iter().map(code));
            *groups.entry(key).or_default() += 1;
        }
        let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
        groups.values().for_each(|&size| *sizes.entry(size).or_default() += 1);
        Ok(Some(sizes.into_iter().collect()))
    }
}

fn csv(people: &[(u32, u32, u32, u32)]) -> String {
    let mut text = String::from("age,town,disease,note\n");
    for (age, town, disease, note) in people {
        let age = if *age == 0 { String::new() } else { (20 + age * 3).to_string() };
        let town = ["Ulm", "Bonn", "Trier", "", "\"Köln\""][*town as usize];
        let disease = ["flu", "ulcer", "cold", "gout"][*disease as usize];
        writeln!(text, "{age},{town},{disease},n{note}").unwrap();
    }
    text
}

const PRIVACY: [&str; 4] = [
    "k-anonymity = 3",
    "k-anonymity = 2\nl-diversity = { l = 2, column = \"disease\" }",
    "l-diversity = { kind = \"entropy\", l = 1.5, column = \"disease\" }",
    "k-anonymity = 2\nalpha-k = { alpha = 0.6, k = 2, column = \"disease\" }",
];

const SEARCH: [&str; 4] = [
    "algorithm = \"optimal\"\nminimal-nodes = true",
    "algorithm = \"optimal\"\nminimize = \"kullback-leibler\"",
    "algorithm = \"datafly\"",
    "algorithm = \"optimal\"\nminimize = \"classification\"\nclass = \"note\"",
];

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|own| own.unwrap());
    entries.map(|own| (own.file_name().into_string().unwrap(), std::fs::read(own.path()).unwrap())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tuples_give_the_release_of_their_records(
        people in prop::collection::vec((0u32..12, 0u32..5, 0u32..4, 0u32..6), 4..120),
        privacy in 0..PRIVACY.len(),
        search in 0..SEARCH.len(),
        suppress in prop::sample::select(&[0.0, 0.05, 0.3][..]),
        format in prop::sample::select(&["parquet", "arrow", "csv"][..]),
        parts in prop::option::of(1u64..60),
        sensitive in any::<bool>(),
        limit in prop::sample::select(&["", "max-risk = 0.3", "max-absolute-risk = 0.6"][..]),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("people.csv");
        std::fs::write(&path, csv(&people)).unwrap();
        let parts = parts.filter(|_| format != "csv").map_or(String::new(), |parts| format!("rows-per-file = {parts}\n"));
        let role = if sensitive { "sensitive" } else { "insensitive" };
        let job = |out: &str| {
            let text = format!(
                "[input]\npath = \"people.csv\"\nheader = true\n[columns.age]\nrole = \"quasi\"\n\
                 hierarchy = {{ intervals = [10, 20] }}\n[columns.town]\nrole = \"quasi\"\n[columns.disease]\n\
                 role = \"sensitive\"\n[columns.note]\nrole = \"{role}\"\n[privacy]\n{}\n[search]\n{}\n\
                 suppress-at-most = {suppress}\n[output]\nfolder = \"{out}\"\nformat = \"{format}\"\n{parts}\n\
                 [adversary]\n{limit}\n",
                PRIVACY[privacy], SEARCH[search]
            );
            Job::parse(&text, &[]).unwrap()
        };
        let options = RunOptions { base: folder.path().to_owned(), ..RunOptions::default() };
        let memory = crate::run(&job("memory"), &options, &Silent);
        let mut engine = Plain { path, columns: Vec::new() };
        let other = run_on(&job("engine"), &options, &mut engine, &Silent);
        match (memory, other) {
            (Ok(memory), Ok(other)) => {
                prop_assert_eq!(memory.rows, other.rows);
                let [memory, other] = ["memory", "engine"].map(|name| files(&folder.path().join(name)));
                prop_assert_eq!(memory.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
                for (name, bytes) in &memory {
                    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                    if name.ends_with(".json") {
                        prop_assert_eq!(text(bytes), text(&other[name]));
                    }
                    prop_assert!(*bytes == other[name], "{}", name);
                }
                let verdict =
                    privet_release::verify(&folder.path().join("engine"), Default::default()).unwrap();
                prop_assert!(verdict.holds(), "{:#?}", verdict.failures().collect::<Vec<_>>());
            }
            (Err(memory), Err(other)) => prop_assert_eq!(memory.to_string(), other.to_string()),
            (memory, other) => prop_assert!(false, "{:?} {:?}", memory.err(), other.err()),
        }
    }
}

#[test]
fn what_needs_all_records_is_refused() {
    let text = "[input]\npath = \"none.csv\"\n[columns.age]\nrole = \"quasi\"\n[privacy]\nk-anonymity = 2\n";
    let refused = |setting: &str| {
        let job = Job::parse(text, &[setting.to_owned()]).unwrap();
        check(&job).unwrap_err().to_string()
    };
    assert!(refused("search.algorithm=mondrian").contains("search.algorithm"));
    assert!(refused("output.home=home").contains("output.home"));
    assert!(refused("output.format=xlsx").contains("output.format"));
    assert!(refused("sampling.fraction=0.5").contains("sampling"));
    assert!(refused("adversary.attacks=[\"definetti\"]").contains("adversary.attacks"));
    let of_input = |setting: &str, input| {
        let job = Job::parse(text, &[setting.to_owned()]).unwrap();
        check_output(&job, input).map_err(|error| error.to_string())
    };
    assert!(of_input("search.suppress-at-most=0", Format::Csv).is_ok());
    assert!(of_input("search.suppress-at-most=0", Format::Xlsx).unwrap_err().contains("output.format"));
    assert!(of_input("output.format=csv", Format::Parquet).unwrap_err().contains("output.format"));
    assert!(of_input("output.rows-per-file=3", Format::Csv).unwrap_err().contains("output.rows-per-file"));
    assert!(Job::parse(text, &["output.rows-per-file=0".to_owned()]).is_err());
}

/// An engine whose published table goes to a second place as well.
struct Beside {
    plain: Plain,
    /// Whether the second place takes nothing.
    fails: bool,
    /// What somebody else puts where the release goes, at the last moment.
    taken: Option<PathBuf>,
    is_taken_back: bool,
}

impl Engine for Beside {
    fn read(&mut self, wanted: &Wanted, progress: &dyn Progress) -> Result<Tuples, RunError> {
        self.plain.read(wanted, progress)
    }

    fn write(
        &mut self,
        recoding: &Recoding,
        draft: &Draft,
        progress: &dyn Progress,
    ) -> Result<Written, RunError> {
        self.plain.write(recoding, draft, progress)
    }

    fn alike(
        &mut self,
        recoding: &Recoding,
        columns: &[String],
        progress: &dyn Progress,
    ) -> Result<Option<Vec<(u64, u64)>>, RunError> {
        self.plain.alike(recoding, columns, progress)
    }

    fn publish_beside(&mut self) -> Result<(), RunError> {
        if self.fails {
            return Err(EngineError::resources("the second place takes nothing").into());
        }
        self.taken.iter().for_each(|path| std::fs::create_dir(path).unwrap());
        Ok(())
    }

    fn take_back(&mut self) -> Result<(), RunError> {
        self.is_taken_back = true;
        Ok(())
    }
}

#[test]
fn both_places_have_the_release_or_neither() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.csv");
    let people: Vec<(u32, u32, u32, u32)> = (0..40).map(|own| (own % 9, own % 4, own % 3, own % 5)).collect();
    std::fs::write(&path, csv(&people)).unwrap();
    let job = "[input]\npath = \"people.csv\"\n[columns.age]\nrole = \"quasi\"\nhierarchy = { intervals = [10, 20] }\n\
               [columns.disease]\nrole = \"sensitive\"\n[privacy]\nk-anonymity = 3\n[output]\nformat = \"parquet\"\n\
               folder = \"out\"\n";
    let job = Job::parse(job, &[]).unwrap();
    let options = RunOptions { base: folder.path().to_owned(), ..RunOptions::default() };
    let out = folder.path().join("out");
    let run = |fails: bool, taken: Option<PathBuf>| {
        let plain = Plain { path: path.clone(), columns: Vec::new() };
        let mut engine = Beside { plain, fails, taken, is_taken_back: false };
        (run_on(&job, &options, &mut engine, &Silent).is_ok(), engine.is_taken_back)
    };
    assert_eq!(run(true, None), (false, false));
    assert!(!out.exists(), "a release folder without the second place");
    assert_eq!(run(false, Some(out.clone())), (false, true));
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 0);
    std::fs::remove_dir(&out).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "a draft is left");
    assert_eq!(run(false, None), (true, false));
    assert!(out.join("manifest.json").is_file());
}
