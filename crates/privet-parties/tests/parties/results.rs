//! What parties write, and what their ledgers are charged, from job to result.

use std::path::Path;
use std::sync::Mutex;

use privet_data::{Progress, Silent};
use privet_dp::ledger::{Ledger, SqliteLedger};
use privet_dp::{Loss, Rational};
use privet_parties::compute::{JointTable, Product};
use privet_parties::job::AdversarySection;
use privet_parties::run::{Gate, RunOptions, Summary, run};
use privet_parties::{PartyError, Reason};

use crate::setting::{NAMES, NoGate, Setting};

/// All parties at once, each in a thread.
fn all(setting: &Setting, parties: usize, gate: &(impl Gate + Sync)) -> Vec<Result<Summary, PartyError>> {
    let job = setting.read();
    std::thread::scope(|scope| {
        let party = |name: &str| {
            let options = RunOptions { name: name.to_owned(), key: None, replace: true };
            let job = &job;
            scope.spawn(move || run(job, &options, gate, &Silent))
        };
        let threads: Vec<_> = NAMES[..parties].iter().map(|name| party(name)).collect();
        threads.into_iter().map(|own| own.join().unwrap()).collect()
    })
}

/// Keeps what would be released.
#[derive(Default)]
struct Kept(Mutex<Vec<JointTable>>);

impl Gate for Kept {
    fn release(
        &self,
        product: &Product,
        _: Option<&toml::Table>,
        _: &AdversarySection,
        folder: &Path,
        _: &dyn Progress,
    ) -> Result<Vec<u8>, PartyError> {
        std::fs::create_dir_all(folder).unwrap();
        let Product::Table(table) = product else { panic!("counts are a table") };
        self.0.lock().unwrap().push(table.clone());
        Ok(vec![1])
    }
}

/// Counts of three parties are those of one table of all records; cells below the minimum are shown to nobody and in no file.
#[test]
fn joint_counts_are_the_central_ones_above_the_minimum() {
    let setting = Setting::counts(3, "connect-seconds = 30");
    let text = std::fs::read_to_string(&setting.job).unwrap();
    std::fs::write(&setting.job, text + "[privacy]\nmin-count = 2\n").unwrap();
    let gate = Kept::default();
    let results = all(&setting, 3, &gate);
    // The first party has one, the second two and the third three times these records.
    let expected = serde_json::json!([
        { "values": ["f", "Bonn"], "count": 6 }, { "values": ["m", "Ulm"], "count": 12 }
    ]);
    for (name, result) in NAMES.iter().zip(results) {
        assert_eq!(result.unwrap().result["counts"], expected);
        let written = std::fs::read_to_string(setting.path(&format!("{name}-result/result.json"))).unwrap();
        assert!(!written.contains("Secretville"));
    }
    let tables = gate.0.into_inner().unwrap();
    assert!(tables.iter().all(|own| *own == tables[0]) && tables.len() == 3);
    assert_eq!((tables[0].k, tables[0].records.len()), (2, 2));
}

fn loss(epsilon: &str) -> Loss {
    Loss::new(Rational::from_str_decimal(epsilon).unwrap(), Rational::from_str_decimal("0").unwrap()).unwrap()
}

/// A job with noise, and a ledger of this budget beside every party's table.
fn with_ledgers(budgets: [&str; 2]) -> Setting {
    let setting = Setting::counts(2, "connect-seconds = 30");
    let mut text = std::fs::read_to_string(&setting.job).unwrap();
    for (name, budget) in NAMES.iter().zip(budgets) {
        let input = format!("input = \"{name}.csv\"");
        text = text.replace(&input, &format!("{input}\nledger = \"{name}.ledger\""));
        let mut ledger = SqliteLedger::open(&setting.path(&format!("{name}.ledger"))).unwrap();
        ledger.open_account(&format!("{name}.csv"), &loss(budget)).unwrap();
    }
    std::fs::write(&setting.job, text + "[privacy]\nepsilon = \"0.5\"\nwithout-release = true\n").unwrap();
    setting
}

fn left(setting: &Setting) -> Vec<Loss> {
    let of = |name: &&str| {
        let path = setting.path(&format!("{name}.ledger"));
        SqliteLedger::open_existing(&path, None).unwrap().remaining(&format!("{name}.csv")).unwrap()
    };
    NAMES[..2].iter().map(of).collect()
}

/// Every party's ledger pays for the joint noise, once; where one cannot pay, none does, nothing is opened and nothing written.
#[test]
fn the_ledger_of_every_party_is_charged_or_none() {
    let setting = with_ledgers(["0.75", "0.5"]);
    let results = all(&setting, 2, &NoGate);
    let results: Vec<Summary> = results.into_iter().map(Result::unwrap).collect();
    assert_eq!(results[0].result, results[1].result);
    assert_eq!(results[0].result["epsilon"], "0.5");
    assert_eq!(left(&setting), [loss("0.25"), loss("0")]);
    // Not even a quarter is left to both, and half is asked for.
    let again = with_ledgers(["0.75", "0.25"]);
    let errors: Vec<PartyError> = all(&again, 2, &NoGate).into_iter().map(Result::unwrap_err).collect();
    assert_eq!(errors[1].reason(), Reason::Budget);
    match &errors[0] {
        PartyError::Abort(abort) => {
            assert_eq!((abort.party.as_str(), abort.reason), ("south", Reason::Budget));
        }
        other => panic!("{other}"),
    }
    assert_eq!(left(&again), [loss("0.75"), loss("0.25")]);
    assert!(NAMES[..2].iter().all(|name| !again.path(&format!("{name}-result")).exists()));
}
