//! Tables that agree, chosen groups, smooth medians, sessions and synthetic records: what they cost, that they are about the
//! right records, that the errors beside them hold, and what is refused.

use privet_data::io::{ReadOptions, read_csv_bytes};
use privet_dp::{Noise, Rational, Sulq};

use super::Neighbourhood;
use super::declared::{Declared, Flags};
use super::execute::{Exact, Released};
use super::method::Method;
use super::plan::{Mechanism, Plan, Way};

fn flags(epsilon: &str) -> Flags {
    Flags {
        epsilon: Some(epsilon.to_owned()),
        bounds: vec!["cost=0..100".into()],
        keys: vec!["sex=F,M".into(), "ward=1,2,3".into(), "ill=no,yes".into()],
        ..Flags::default()
    }
}

fn plan(question: &str, flags: &Flags) -> Plan {
    Plan::new(question, &Declared { flags, job: None }).unwrap()
}

fn refused(question: &str, flags: &Flags) -> String {
    Plan::new(question, &Declared { flags, job: None }).unwrap_err().to_string()
}

/// 120 people: 60 in ward 1, 40 in ward 2, 20 in ward 3; a woman in every other line; every fifth ill; and two whose values
/// are not declared.
fn people() -> String {
    let mut csv = "id,sex,ward,ill,cost\n".to_owned();
    for i in 0..120 {
        let ward = if i < 60 {
            1
        } else if i < 100 {
            2
        } else {
            3
        };
        let (sex, ill) = (if i % 2 == 0 { "F" } else { "M" }, if i % 5 == 0 { "yes" } else { "no" });
        csv.push_str(&format!("p{i},{sex},{ward},{ill},{}\n", i % 101));
    }
    csv + "x,F,9,no,5\ny,,1,no,5\n"
}

fn exact(plan: &Plan) -> Exact {
    let options =
        ReadOptions { columns: Some(plan.columns()), header: Some(true), ..ReadOptions::default().exactly() };
    Exact::new(plan, read_csv_bytes(people().as_bytes(), &options).unwrap().table)
}

fn answer(question: &str, flags: &Flags) -> Released {
    let plan = plan(question, flags);
    exact(&plan).release(&plan).unwrap()
}

fn values(released: &Released) -> Vec<String> {
    let line = |line: &super::Line| {
        let keys: Vec<&str> = line.group.iter().map(|key| key.as_deref().unwrap_or("*")).collect();
        format!("{} {:.0}", keys.join(" "), line.numbers[0].value)
    };
    released.lines.iter().map(line).collect()
}

const TABLES: &str = "select count(*) from d group by grouping sets ((sex, ward), (ward, ill), ())";

/// survey ME-30: with next to no noise the tables come back; one set of coefficients pays for all of them.
#[test]
fn tables_are_the_right_ones() {
    let plan = plan(TABLES, &flags("1000"));
    assert_eq!(plan.loss.to_string(), "epsilon 1000");
    // Two, three and two keys, and undeclared values: 2 bits each. Coefficients of {sex, ward} 16, of {ward, ill} 16, of
    // which {ward} 4 are in both.
    let figures = plan.figures();
    // Noise on the 3·4·3 combinations of keys, undeclared values included, is less: a total of 36 draws is six times a draw, and
    // one coefficient would have 28 times the noise.
    assert!(figures[0].noise.starts_with("36 cells"), "{}", figures[0].noise);
    assert!(plan.remarks().iter().any(|own| own.contains("Fourier coefficients would")));
    assert_eq!(plan.groups.get(), 13);
    let released = exact(&plan).release(&plan).unwrap();
    let expected = [
        "F 1 * 30",
        "F 2 * 20",
        "F 3 * 10",
        "M 1 * 30",
        "M 2 * 20",
        "M 3 * 10",
        "* 1 no 49",
        "* 1 yes 12",
        "* 2 no 32",
        "* 2 yes 8",
        "* 3 no 16",
        "* 3 yes 4",
        "* * * 122",
    ];
    assert_eq!(values(&released), expected);
    assert!(released.remarks.is_empty());
    let cube = answer("select count(*) from d where cost < 50 group by cube (sex, ill)", &flags("1000"));
    assert_eq!(cube.lines.len(), 4 + 2 + 2 + 1);
}

/// The widths beside the counts hold in 95 % of them. 160 draws of 13 counts, which hang together: were each draw all right
/// or all wrong, the share would have a standard deviation of 1.72 %; six of them are 10.4 %.
#[test]
fn tables_agree_and_their_errors_hold() {
    let plan = plan(TABLES, &flags("0.8"));
    let exact = exact(&plan);
    let truth = [30., 20., 10., 30., 20., 10., 49., 12., 32., 8., 16., 4., 122.];
    let (mut within, mut all) = (0, 0);
    for _ in 0..160 {
        let released = exact.release(&plan).unwrap();
        let numbers: Vec<f64> = released.lines.iter().map(|line| line.numbers[0].value).collect();
        assert!(numbers.iter().all(|own| *own >= 0.0 && own.fract() == 0.0));
        // Undeclared values are in the total alone.
        assert!(numbers[..6].iter().sum::<f64>() <= numbers[12]);
        assert!(numbers[6..12].iter().sum::<f64>() <= numbers[12]);
        for (line, truth) in released.lines.iter().zip(truth) {
            let own = line.numbers[0];
            within += usize::from((own.value - truth).abs() <= own.half_width_95.unwrap());
            all += 1;
        }
    }
    assert!(within as f64 / all as f64 > 0.95 - 0.104, "{within} of {all}");
}

#[test]
fn tables_that_are_too_large_or_of_another_kind() {
    let mut many = flags("1");
    let keys: Vec<String> = (0..65).map(|key| key.to_string()).collect();
    many.keys = ["a", "b"].map(|name| format!("{name}={}", keys.join(","))).to_vec();
    let said = refused("select count(*) from d group by cube (a, b)", &many);
    assert!(
        said.contains("at most 4096") && said.contains("16384") && said.contains("plain `group by`"),
        "{said}"
    );
    // 64 keys would be 64 values; one more for what is undeclared makes them 128.
    many.keys = ["a", "b"].map(|name| format!("{name}={}", keys[..64].join(","))).to_vec();
    let said = refused("select count(*) from d group by cube (a, b)", &many);
    assert!(said.contains("16384, because undeclared values count as one more key of a, of b"), "{said}");
    let named = Flags { others: vec!["a=rest".into(), "b=rest".into()], ..many.clone() };
    let said = refused("select count(*) from d group by cube (a, b)", &named);
    assert!(said.contains("16384.") && !said.contains("undeclared"), "{said}");
    many.keys = ["a", "b"].map(|name| format!("{name}={}", keys[..33].join(","))).to_vec();
    let said = refused("select count(*) from d group by cube (a, b)", &many);
    assert!(said.contains("512 Fourier coefficients"), "{said}");
    for question in [
        "select avg(cost) from d group by cube (sex)",
        "select count(*), sum(cost) from d group by cube (sex)",
        "select count(cost) from d group by cube (sex)",
    ] {
        assert!(refused(question, &flags("1")).contains("count(*) alone"), "{question}");
    }
    assert!(
        refused("select count(*) from d group by grouping sets (())", &flags("1"))
            .contains("without a column")
    );
    let other = Flags { synthetic: Some(5), ..flags("1") };
    assert!(refused(TABLES, &other).contains("counts alone"));
}

/// Asks to stop at the first look.
struct Impatient(std::sync::atomic::AtomicU32);

impl privet_data::Progress for Impatient {
    fn stage(&self, _name: &str, _total: Option<u64>) {}
    fn at(&self, _done: u64) {}
    fn cancelled(&self) -> bool {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < u32::MAX
    }
}

/// The program is left alone at the first look at the person, however long it would take.
#[test]
fn the_linear_program_can_be_stopped() {
    // With a value for what is undeclared, 19 coefficients have less noise than sums of 243 of 729 cells.
    let names = ["a", "b", "c", "d", "e", "f"];
    let flags = Flags { keys: names.map(|name| format!("{name}=0,1")).to_vec(), ..flags("1") };
    let sets = names.map(|name| format!("({name})")).join(", ");
    let plan = plan(&format!("select count(*) from d group by grouping sets ({sets})"), &flags);
    let csv = format!("{}\n{}\n", names.join(","), ["1"; 6].join(","));
    let options =
        ReadOptions { columns: Some(plan.columns()), header: Some(true), ..ReadOptions::default().exactly() };
    let exact = Exact::new(&plan, read_csv_bytes(csv.as_bytes(), &options).unwrap().table);
    let impatient = Impatient(0.into());
    assert!(exact.release_until(&plan, &impatient).unwrap().is_none());
    assert_eq!(impatient.0.into_inner(), 1);
}

const LARGEST: &str = "select ward, count(*) from d group by ward order by count(*) desc limit 2";

#[test]
fn the_choice_gets_a_share() {
    let peeling = |epsilon: &str| Flags { method: Some(Method::Peeling), ..flags(epsilon) };
    let chosen = plan(LARGEST, &peeling("1"));
    assert_eq!(chosen.loss.to_string(), "epsilon 1");
    let Mechanism::Count(noise) = &chosen.parts[0].mechanism else { panic!() };
    assert_eq!(noise.scale(), &Rational::from(2), "half of epsilon is for the choice");
    let Way::Chosen(choice) = &chosen.way else { panic!() };
    assert_eq!(choice.top.loss().to_string(), "epsilon 0.5");
    assert!(
        chosen.remarks()[0].contains("the 2 groups by peeling gets epsilon 0.5"),
        "{:?}",
        chosen.remarks()
    );
    let three = plan(
        "select ward, count(*), avg(cost) from d group by ward order by count(*) desc limit 9",
        &peeling("0.9"),
    );
    let Way::Chosen(choice) = &three.way else { panic!() };
    assert_eq!(choice.top.loss().to_string(), "epsilon 0.3");
    assert_eq!(values(&answer(LARGEST, &peeling("1000"))), ["1 61", "2 40"]);
    for question in [
        "select count(*) from d",
        "select ward, count(*) from d group by ward",
        "select ward, count(*) from d group by ward order by count(*) limit 2",
        "select ward, count(*) from d group by ward order by ward desc limit 2",
        "select ward, sum(cost) from d group by ward order by sum(cost) desc limit 2",
        "select ward, count(*) from d group by ward order by count(*) desc",
    ] {
        assert!(refused(question, &peeling("1")).contains("limit 5"), "{question}");
    }
}

#[test]
fn smooth_medians_cost_a_delta() {
    let question = "select smooth_median(cost) from d where ward < 3";
    assert!(refused(question, &flags("1")).contains("--delta"));
    let with = |epsilon: &str| Flags { delta: Some("1e-6".into()), ..flags(epsilon) };
    let one = plan(question, &with("1"));
    assert_eq!(one.loss.to_string(), "epsilon 1, delta 0.000001");
    let figure = &one.figures()[0];
    assert!(figure.half_width_95.is_none() && figure.half_width_95_times_records.unwrap() > 0.0);
    // Costs 0 to 99 once each, and 5 once more.
    let released = answer(question, &with("1000"));
    assert!((released.lines[0].numbers[0].value - 49.0).abs() <= 1.0, "{:?}", released.lines);
    assert_eq!(released.lines[0].numbers[0].half_width_95, None);
    // Delta is shared with the counts; who moves between groups pays in both.
    let mut moving = Flags { neighbours: Some(Neighbourhood::Replace), ..with("1") };
    let grouped = plan("select sex, smooth_median(cost), count(*) from d group by sex", &moving);
    assert_eq!(grouped.loss.to_string(), "epsilon 1, delta 0.000001");
    let Mechanism::SmoothMedian { median, .. } = &grouped.parts[0].mechanism else { panic!() };
    assert_eq!(
        median.loss().to_string(),
        "epsilon 0.25, delta 0.0000005",
        "the count leaves it all of delta"
    );
    let gaussian = Flags { method: Some(Method::Gaussian), ..moving.clone() };
    let grouped = plan("select sex, smooth_median(cost), count(*) from d group by sex", &gaussian);
    let Mechanism::SmoothMedian { median, .. } = &grouped.parts[0].mechanism else { panic!() };
    assert_eq!(median.loss().to_string(), "epsilon 0.25, delta 0.00000025");
    moving.max_records = Some(2);
    assert!(refused(question, &moving).contains("smooth median"));
    let probabilistic = Flags { probabilistic: true, ..with("1") };
    assert!(refused(question, &probabilistic).contains("probabilistically"));
}

/// survey ME-32: one charge, and noise that grows with the root of the number of questions.
#[test]
fn a_session_is_charged_once() {
    let text =
        "select count(*) from d where sex = 'F'; select count(*), count(sex) as known from d where ward = 1;";
    let sulq = |epsilon: &str| Flags { method: Some(Method::Sulq), ..flags(epsilon) };
    let session = plan(text, &sulq("0.3"));
    assert_eq!(session.loss.to_string(), "epsilon 0.3");
    let figures = session.figures();
    assert_eq!(
        figures.iter().map(|own| own.name.as_str()).collect::<Vec<_>>(),
        ["1. count(*)", "2. count(*)", "3. known"]
    );
    assert!(figures.iter().all(|own| own.noise == "discrete Laplace, scale 10"));
    let approximate = Flags { delta: Some("1e-6".into()), ..sulq("0.3") };
    let (people, _) = Declared { flags: &approximate, job: None }.people().unwrap();
    let privacy = privet_dp::Privacy::Approximate("0.3".parse().unwrap(), "1e-6".parse().unwrap());
    // So few counts would be wider with a delta, which is then not spent; many are not.
    let said = |text: &str| plan(text, &approximate).remarks().join(" ");
    assert!(said(text).contains("it is not spent"), "{}", said(text));
    assert_eq!(plan(text, &approximate).figures()[0].noise, "discrete Laplace, scale 10");
    assert_eq!(plan(text, &approximate).loss.to_string(), "epsilon 0.3");
    let many = "select count(*) from d;".repeat(40);
    let law = Sulq::new(people, 40, &privacy).unwrap().noise().to_string();
    assert_eq!(plan(&many, &approximate).figures()[0].noise, law);
    assert_eq!(plan(&many, &approximate).loss.to_string(), "epsilon 0.3, delta 0.000001");
    assert!(said(&many).contains("without the delta they would be ± 399"), "{}", said(&many));
    let released = answer(text, &sulq("1000"));
    let numbers: Vec<f64> = released.lines[0].numbers.iter().map(|own| own.value).collect();
    assert_eq!(numbers, [61.0, 61.0, 60.0]);
    for question in [
        "select sum(cost) from d",
        "select count(*) from d group by sex",
        "select count(*) from d; select avg(cost) from d",
    ] {
        assert!(refused(question, &sulq("1")).contains("semicolons"), "{question}");
    }
    assert!(refused(text, &flags("1")).contains("several statements"));
}

/// survey PM-28: the stricter form needs more noise for the same numbers.
#[test]
fn the_probabilistic_form_needs_more_noise() {
    let question = "select sex, count(*) from d group by sex";
    let usual = Flags { delta: Some("1e-6".into()), method: Some(Method::Gaussian), ..flags("1") };
    let strict = Flags { probabilistic: true, ..usual.clone() };
    let sigma = |flags: &Flags| {
        let plan = plan(question, flags);
        let Mechanism::Count(noise) = &plan.parts[0].mechanism else { panic!() };
        (noise.scale().clone(), plan.loss.to_string())
    };
    assert!(sigma(&strict).0 > sigma(&usual).0);
    assert_eq!(sigma(&strict).1, sigma(&usual).1);
    assert_eq!(
        sigma(&strict).0,
        Noise::probabilistic(1, &"1".parse().unwrap(), &"1e-6".parse().unwrap()).unwrap().scale().clone()
    );
    assert!(refused(question, &Flags { probabilistic: true, ..flags("1") }).contains("--delta"));
    assert!(refused(question, &Flags { method: Some(Method::Gaussian), ..flags("1") }).contains("--delta"));
    let laplace = Flags { method: Some(Method::Laplace), ..usual };
    assert_eq!(sigma(&laplace), (Rational::ONE, "epsilon 1".to_owned()));
}

const CELLS: &str = "select sex, ward, count(*) from d group by sex, ward";

/// survey ME-46: as many records as asked for, and the least noise that the exact bound allows; ME-47.
#[test]
fn records_are_drawn() {
    let draw = |epsilon: &str, records| Flags { synthetic: Some(records), ..flags(epsilon) };
    let plan_of_100 = plan(CELLS, &draw("1", 100));
    assert_eq!(plan_of_100.loss.to_string(), "epsilon 1");
    // m/(e − 1) = 58.198, so 59 for each of 6 combinations.
    assert!(plan_of_100.remarks()[0].contains("354 records of noise"), "{:?}", plan_of_100.remarks());
    let released = answer(CELLS, &draw("1", 1000));
    assert_eq!(released.lines.iter().map(|line| line.numbers[0].value).sum::<f64>(), 1000.0);
    let set = |epsilon: &str| Flags { method: Some(Method::AlphaBeta), ..flags(epsilon) };
    // Every combination occurs but those of men in ward 3 who cost more than 200.
    let all = answer(CELLS, &set("40"));
    assert_eq!(all.lines.len(), 6);
    assert!(all.remarks[0].starts_with("6 of 6 combinations are published"), "{:?}", all.remarks);
    let none = answer("select sex, count(*) from d where cost > 200 group by sex", &set("40"));
    assert!(none.lines.is_empty());
    // e^epsilon = 3 and one record: kept with 3/4, added with 1/4.
    let law = |flags: &Flags| plan(CELLS, flags).figures()[0].noise.clone();
    assert_eq!(
        law(&set("1.0986122886681098")),
        "alpha-beta: kept with probability 0.7500, added with 0.2500"
    );
    let replaced = Flags { neighbours: Some(Neighbourhood::Replace), ..set("2.1972245773362196") };
    assert_eq!(law(&replaced), law(&set("1.0986122886681098")), "two combinations may change");
    for (question, flags, said) in [
        ("select count(*) from d", draw("1", 5), "declared keys"),
        ("select sex, sum(cost) from d group by sex", draw("1", 5), "declared keys"),
        (CELLS, draw("1", 0), "from 1 to"),
        (CELLS, draw("1", u64::MAX), "from 1 to"),
        (CELLS, Flags { method: Some(Method::Dirichlet), ..flags("1") }, "--synthetic N"),
        (CELLS, Flags { synthetic: Some(5), ..set("1") }, "left to chance"),
        (
            CELLS,
            Flags { method: Some(Method::Gaussian), delta: Some("1e-6".into()), ..draw("1", 5) },
            "not with gaussian",
        ),
    ] {
        let message = refused(question, &flags);
        assert!(message.contains(said), "{question}: {message}");
    }
}
