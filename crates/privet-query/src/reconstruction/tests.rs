use super::*;
use privet_data::Silent;

/// 64 people who are told apart by number; those with a number of which the bits have an odd sum are ill.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "number,ward,state,age,cost\n".to_owned();
    for number in 0u32..64 {
        let state = if number.count_ones() % 2 == 1 { "ill" } else { "well" };
        let (ward, age) = (number % 4, 20 + number);
        text.push_str(&format!("{number},{ward},{state},{age},{}\n", 100 + 3 * age + number % 5));
    }
    std::fs::write(folder.path().join("people.csv"), text).unwrap();
    folder
}

fn options(folder: &tempfile::TempDir) -> LedgerAttackOptions {
    LedgerAttackOptions {
        data: folder.path().join("people.csv"),
        secret: Some("state = 'ill'".to_owned()),
        public: vec!["number".to_owned(), "ward".to_owned()],
        answers: Some(folder.path().join("answers.csv")),
        ..LedgerAttackOptions::default()
    }
}

fn write_answers(folder: &tempfile::TempDir, lines: &[(String, f64)]) {
    let lines: Vec<String> = lines.iter().map(|(text, answer)| format!("\"{text}\",{answer}")).collect();
    std::fs::write(folder.path().join("answers.csv"), format!("question,answer\n{}\n", lines.join("\n")))
        .unwrap();
}

fn ill(numbers: impl Iterator<Item = u32>) -> f64 {
    numbers.filter(|own| own.count_ones() % 2 == 1).count() as f64
}

/// survey AT-20: counts up to each number, all of them innocent, tell everybody by their differences.
#[test]
fn exact_answers_tell_everybody() {
    let folder = folder();
    let line = |end: u32| {
        let text = format!("select count(*) from data where number < {end} and state = 'ill'");
        (text, ill(0..end))
    };
    write_answers(&folder, &(1..=64).map(line).collect::<Vec<_>>());
    let found = attack_ledger(&options(&folder), &Silent).unwrap();
    let [only] = &found.secrets[..] else { panic!("{found:?}") };
    assert_eq!((only.from, only.questions, only.right.rate), (AnswerSource::Given, 64, 1.0));
    assert_eq!((only.guessing, only.named.rate, only.named.of), (0.5, 1.0, 32));
    assert_eq!((found.risk, found.is_beyond()), (1.0, false));
    let limited = LedgerAttackOptions { max_risk: Some(0.5), ..options(&folder) };
    assert!(attack_ledger(&limited, &Silent).unwrap().is_beyond());
}

/// By hand: four wards of sixteen people, eight of them ill each; wards tell nothing of a person.
#[test]
fn counts_of_wards_tell_no_person() {
    let folder = folder();
    let line = |ward: u32| {
        let text = format!("select count(*) from data where ward = {ward} and state = 'ill'");
        (text, ill((0..64).filter(|own| own % 4 == ward)))
    };
    let mut lines: Vec<(String, f64)> = (0..4).map(line).collect();
    assert!(lines.iter().all(|own| own.1 == 8.0));
    lines.push(("select count(*) from data where ward = 2".to_owned(), 16.0));
    lines.push(("select count(*) from data where age < 30 and state = 'ill'".to_owned(), 5.0));
    write_answers(&folder, &lines);
    let found = attack_ledger(&options(&folder), &Silent).unwrap();
    let only = &found.secrets[0];
    assert_eq!((only.questions, only.right.rate, only.named.of), (4, 0.5, 0));
    assert_eq!(found.risk, 0.0);
    // One answer is about a public column alone, and one about a column that is not public.
    assert!(found.remarks[0].starts_with("The answers tell 4 groups of people apart, 0 of them"));
    assert!(found.remarks[1].starts_with("Of the answers, 1 are about public columns alone"));
}

/// What one pure epsilon allows keeps the bound; exact answers do not.
#[test]
fn an_allowance_keeps_its_bound() {
    let folder = folder();
    let subject = Subject::new(&folder.path().join("people.csv"), None).unwrap();
    let table = read(&subject.path, &ReadOptions::default(), &Silent).unwrap();
    let options = options(&folder);
    let known = known(&options, &subject, &table.table, &table.names, "state = 'ill'").unwrap();
    let pure = Allowance::Pure("1".parse().unwrap());
    let (attacks, remarks) = allowed::attack(&known, &pure, &options, &Silent).unwrap();
    let [own, exact] = &attacks[..] else { panic!("{attacks:?}") };
    assert_eq!((exact.right.rate, exact.deviation, exact.right.of), (1.0, Some(0.0), 60));
    // Four standard deviations of 60 people above the most of 73 %.
    let most = own.most.unwrap();
    assert!((most - 0.731_058).abs() < 1e-6 && own.right.rate < most + 4.0 * 0.0573, "{own:?}");
    assert!(remarks[0].starts_with("60 people"));
    let loose = Allowance::Pure("1000".parse().unwrap());
    let (attacks, _) = allowed::attack(&known, &loose, &options, &Silent).unwrap();
    assert!(attacks[0].right.rate > 0.95, "{attacks:?}");
    // Those whose public values others share cannot be named.
    let wards = LedgerAttackOptions { public: vec!["ward".to_owned()], ..options };
    let known = super::known(&wards, &subject, &table.table, &table.names, "state = 'ill'").unwrap();
    assert!(allowed::attack(&known, &pure, &wards, &Silent).unwrap().0.is_empty());
}

/// survey AT-23: exact answers tell the line through the records; with the noise of a small allowance they do not.
#[test]
fn a_line_from_answers() {
    let folder = folder();
    let table = read(&folder.path().join("people.csv"), &ReadOptions::default(), &Silent).unwrap().table;
    let flags = Flags { bounds: vec!["age=0..100".into(), "cost=0..500".into()], ..Flags::default() };
    let options = LedgerAttackOptions {
        explained: Some("cost".to_owned()),
        explaining: vec!["age".to_owned()],
        flags: flags.clone(),
        ..options(&folder)
    };
    let declared = Declared { flags: &flags, job: None };
    let little = Allowance::Pure("0.01".parse().unwrap());
    let lines = line::attack(&table, ("cost", &options), &declared, Some(&little), &Silent).unwrap();
    let [noisy, exact] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!((noisy.from, exact.from), (AnswerSource::Allowed, AnswerSource::Exact));
    assert!((exact.truth.slopes[0] - 3.0).abs() < 0.05 && exact.apart < 0.05, "{exact:?}");
    assert!((exact.found.slopes[0] / exact.truth.slopes[0] - 1.0).abs() < 0.05, "{exact:?}");
    assert!(noisy.apart > exact.apart, "{noisy:?}");
}

#[test]
fn what_cannot_be_used_is_refused() {
    let folder = folder();
    write_answers(&folder, &[("select count(*) from data where ward = 1".to_owned(), 16.0)]);
    let refused = |change: fn(&mut LedgerAttackOptions)| {
        let mut own = options(&folder);
        change(&mut own);
        attack_ledger(&own, &Silent).unwrap_err().to_string()
    };
    assert!(refused(|_| {}).contains("no answer is a count by public columns and the secret"));
    assert!(refused(|own| own.secret = None).contains("say what the adversary is after"));
    assert!(refused(|own| own.secret = Some("true_ = 1".into())).contains("true_"));
    assert!(
        refused(|own| own.secret = Some("state = 'ill' group by ward".into())).contains("--secret takes")
    );
    assert!(refused(|own| own.public = vec!["state".into()]).contains("cannot be --public"));
    assert!(refused(|own| own.public = vec!["nothing".into()]).contains("nothing"));
    assert!(refused(|own| own.max_risk = Some(2.0)).contains("--max-risk"));
    // A ledger that cannot be used is not a missing one, though answers are named.
    std::fs::write(folder.path().join("people.csv.ledger"), "something else ".repeat(100)).unwrap();
    assert!(refused(|_| {}).contains("no ledger but holds something else"));
    std::fs::remove_file(folder.path().join("people.csv.ledger")).unwrap();
    // Without answers the account is needed, and there is none.
    assert!(refused(|own| own.answers = None).contains("there is no ledger"));
    std::fs::write(folder.path().join("answers.csv"), "question,answer\nselect count(*) from data,x\n")
        .unwrap();
    assert!(refused(|_| {}).contains("line 2: `answer` is missing or no number"));
}
