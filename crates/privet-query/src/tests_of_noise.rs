//! What one person can change, whatever cells hold, and which noise is chosen for it.

use privet_data::io::{ReadOptions, read_csv_bytes};
use privet_dp::Noise;
use proptest::prelude::*;

use super::Neighbourhood;
use super::declared::{Declared, Flags};
use super::execute::Exact;
use super::method::Method;
use super::plan::{Error, Mechanism, Plan};

fn flags(epsilon: &str) -> Flags {
    Flags {
        epsilon: Some(epsilon.to_owned()),
        bounds: vec!["cost=-3..10".into()],
        grids: vec!["cost=0.1".into()],
        keys: vec!["sex=F,M".into()],
        ..Flags::default()
    }
}

fn plan(question: &str, flags: &Flags) -> Plan {
    Plan::new(question, &Declared { flags, job: None }).unwrap()
}

/// Cells that are numbers, or look like some.
const CELLS: [&str; 20] = [
    "",
    "NaN",
    "nan",
    "-NaN",
    "inf",
    "-inf",
    "Infinity",
    "1e999",
    "-1e999",
    "x",
    " 5 ",
    "5.5",
    "-0",
    "5e-324",
    "1e308",
    "-1e308",
    "99999999999999999999",
    "-3",
    "10",
    "0.1",
];

/// A record: whose, which sex, which cell.
type Row = (u8, u8, usize);

fn exact(plan: &Plan, records: &[Row]) -> Exact {
    let sexes = ["F", "M", "X"];
    let line = |&(id, sex, cell): &Row| {
        // Person 0 is nobody.
        let id = if id == 0 { String::new() } else { format!("p{id}") };
        format!("{id},{},{}\n", sexes[usize::from(sex)], CELLS[cell])
    };
    let csv = format!("id,sex,cost\n{}", records.iter().map(line).collect::<String>());
    let options = ReadOptions { columns: Some(plan.columns()), header: Some(true), ..ReadOptions::default() };
    Exact::new(plan, read_csv_bytes(csv.as_bytes(), &options).unwrap().table)
}

/// The exact numbers of a figure by group, in units, and the noise that is to hide them.
fn numbers<'a>(plan: &'a Plan, exact: &Exact, part: usize) -> (Vec<i128>, &'a Noise) {
    let part = &plan.parts[part];
    let groups = plan.groups.get();
    match &part.mechanism {
        Mechanism::Count(noise) => {
            (exact.counts(part.figure.column(), groups).into_iter().map(i128::from).collect(), noise)
        }
        Mechanism::Sum { sum, noise } => {
            let units = exact.units(part, &sum.bounds, groups);
            let sum = |own: Vec<i64>| own.iter().map(|&unit| i128::from(sum.bounds.clamp(unit))).sum();
            (units.into_iter().map(sum).collect(), noise)
        }
        other => panic!("{other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    /// Neighbouring tables change sums and counts by what the noise is made for at most, whatever their cells hold: in sum of
    /// absolute values for Laplace noise, in Euclidean length for Gaussian noise.
    #[test]
    fn no_cell_moves_a_sum_beyond_its_sensitivity(
        records in prop::collection::vec((0u8..4, 0u8..3, 0usize..CELLS.len()), 1..12),
        others in prop::collection::vec((0u8..3, 0usize..CELLS.len()), 12),
        most in 1u32..4, is_replaced in any::<bool>(), is_grouped in any::<bool>(), gaussian in any::<bool>(),
    ) {
        let flags = Flags {
            max_records: Some(most),
            per_person: Some("id".into()),
            neighbours: is_replaced.then_some(Neighbourhood::Replace),
            delta: gaussian.then(|| "1e-6".into()),
            method: gaussian.then_some(Method::Gaussian),
            keys: if is_grouped { vec!["sex=F,M".into()] } else { Vec::new() },
            ..flags("1")
        };
        let question = if is_grouped {
            "select sex, sum(cost), count(*), count(cost) from d group by sex"
        } else {
            "select sum(cost), count(*), count(cost) from d where cost < 7 or cost >= 7 or sex = 'F'"
        };
        let plan = plan(question, &flags);
        let mut changed = records.clone();
        match is_replaced {
            true => {
                for ((id, sex, cell), other) in changed.iter_mut().zip(&others) {
                    if *id == 1 {
                        (*sex, *cell) = *other;
                    }
                }
            }
            false => changed.retain(|own| own.0 != 1),
        }
        let (one, other) = (exact(&plan, &records), exact(&plan, &changed));
        for part in 0..3 {
            let (before, noise) = numbers(&plan, &one, part);
            let (after, _) = numbers(&plan, &other, part);
            let changes = before.iter().zip(&after).map(|(a, b)| (a - b).unsigned_abs());
            let moved = match noise.is_gaussian() {
                true => (changes.map(|own| own * own).sum::<u128>() as f64).sqrt(),
                false => changes.sum::<u128>() as f64,
            };
            prop_assert!(moved <= noise.sensitivity() * (1.0 + 1e-12), "{part}: {moved} {}", noise.sensitivity());
        }
    }
}

/// NaN was counted as the lower bound, and infinities as a bound in sums and as nothing in conditions.
#[test]
fn cells_that_are_no_numbers_are_left_out_everywhere() {
    let of = |question: &str, csv: &str| -> Vec<f64> {
        let plan = plan(question, &Flags { keys: Vec::new(), grids: Vec::new(), ..flags("1000") });
        let options =
            ReadOptions { columns: Some(plan.columns()), header: Some(true), ..ReadOptions::default() };
        let table = read_csv_bytes(csv.as_bytes(), &options).unwrap().table;
        let lines = Exact::new(&plan, table).release(&plan).unwrap().lines;
        lines[0].numbers.iter().map(|own| own.value.round()).collect()
    };
    let csv = format!("cost\n{}", "NaN\ninf\n-inf\nx\n\"\"\n".repeat(100));
    assert_eq!(of("select sum(cost), count(cost) from d", &csv), [0.0, 400.0]);
    assert_eq!(of("select count(*) from d where cost > 0 or cost <= 0", &csv), [0.0]);
    // With numbers among them, averages and quantiles are those of the numbers; what is too large is beyond the bounds.
    let csv = format!("cost\n{}", "NaN\ninf\n4\n1e999\n4\n".repeat(200));
    assert_eq!(of("select avg(cost) from d", &csv), [6.0]);
    assert_eq!(of("select median(cost) from d", &csv), [4.0]);
    assert_eq!(of("select count(*) from d where cost > 1000000", &csv), [200.0]);
    let said = plan(
        "select avg(cost) from d",
        &Flags { keys: Vec::new(), per_person: Some("id".into()), ..flags("1") },
    );
    let said = said.remarks().join(" ");
    assert!(said.contains("no number (a word, NaN, inf) are left out"), "{said}");
    assert!(said.contains("Records without a value of `id` count nowhere"), "{said}");
}

/// The guide said that Gaussian noise is smaller where one person has many records, and every plan showed the opposite.
#[test]
fn the_smaller_noise_is_chosen_and_told() {
    let width = |plan: &Plan| match plan.parts[0].error() {
        Error::HalfWidth(half) => half,
        other => panic!("{other:?}"),
    };
    let many = (1..=24).map(|i| format!("count(*) as a{i}")).collect::<Vec<_>>().join(", ");
    let different = (1..=24).map(|i| format!("sum(c{i})")).collect::<Vec<_>>().join(", ");
    for (question, records, is_gaussian) in [
        ("select sex, count(*) from d group by sex".to_owned(), 1, false),
        ("select sex, count(*) from d group by sex".to_owned(), 30, false),
        ("select sum(cost) from d".to_owned(), 10, false),
        (format!("select {many} from d"), 1, false),
        (format!("select {different} from d"), 1, true),
    ] {
        let with = |method, delta: Option<&str>| Flags {
            method,
            delta: delta.map(str::to_owned),
            max_records: Some(records),
            bounds: (1..=24).map(|i| format!("c{i}=0..9")).chain(["cost=0..9".into()]).collect(),
            ..flags("1")
        };
        let open = plan(&question, &with(None, Some("1e-6")));
        let laplace = plan(&question, &with(Some(Method::Laplace), None));
        let gaussian = plan(&question, &with(Some(Method::Gaussian), Some("1e-6")));
        assert_eq!(width(&open), width(&laplace).min(width(&gaussian)), "{question}");
        assert_eq!(width(&gaussian) < width(&laplace), is_gaussian, "{question}");
        assert_eq!(open.loss.delta().is_zero(), !is_gaussian, "{question}");
        let said = open.remarks().join(" ");
        assert!(said.contains("noise would be ±"), "{said}");
        assert_eq!(said.contains("it is not spent"), !is_gaussian, "{said}");
    }
}

/// Many figures with Gaussian noise share their losses as concentrated ones: noise grows with the root of their number.
#[test]
fn gaussian_figures_share_their_loss() {
    let flags = |sums: usize| Flags {
        method: Some(Method::Gaussian),
        delta: Some("1e-6".into()),
        bounds: (0..sums).map(|i| format!("c{i}=0..9")).collect(),
        grids: Vec::new(),
        keys: Vec::new(),
        ..flags("1")
    };
    let sigma = |sums: usize| {
        let question = (0..sums).map(|i| format!("sum(c{i})")).collect::<Vec<_>>().join(", ");
        let plan = plan(&format!("select {question} from d"), &flags(sums));
        let Mechanism::Sum { noise, .. } = &plan.parts[0].mechanism else { panic!() };
        assert_eq!(plan.loss.to_string(), "epsilon 1, delta 0.000001");
        noise.scale().to_f64().value()
    };
    for sums in [2, 4, 16] {
        let times = sigma(sums) / sigma(1);
        assert!((times - (sums as f64).sqrt()).abs() < 0.01, "{sums}: {times}");
    }
}
