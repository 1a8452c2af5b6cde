//! A table that is asked many questions: what is kept between them changes no decision and saves the elimination.

use privet_data::io::{ReadOptions, read_csv_bytes};
use privet_data::{Random, Silent, Table};
use privet_mine::audit::{AuditQuestion, AuditState, AuditTerms, AuditedTable, Reply};

const PEOPLE: usize = 150;

/// Everybody has a number from 0 to 149 and a salary.
fn staff() -> Table {
    let mut text = "number,salary,bonus\n".to_owned();
    for person in 0..PEOPLE {
        text.push_str(&format!("{person},{},{}\n", 1000 + person * person % 977, person % 31));
    }
    let options = ReadOptions { header: Some(true), ..ReadOptions::default().exactly() };
    read_csv_bytes(text.as_bytes(), &options).unwrap().table
}

fn terms() -> AuditTerms {
    let groups = [("ann", "1"), ("bob", "2")].map(|(name, group)| (name.to_owned(), group.to_owned()));
    AuditTerms { public: vec!["number".to_owned()], groups: groups.into(), ..AuditTerms::default() }
}

/// Asks one question with what was kept, keeps the lines, and gives the reply with the sums that had to be eliminated.
fn asked(
    table: &Table,
    lines: &mut Vec<String>,
    state: Option<&AuditState>,
    (analyst, question): (&str, &str),
) -> (Reply, u64, Option<AuditState>) {
    let question = AuditQuestion::parse(question).unwrap();
    let mut auditors = AuditedTable::resume(table, terms(), None, lines, None, state, &Silent).unwrap();
    let (eliminated, state) = (auditors.eliminated(), auditors.state());
    let pending = auditors.ask(analyst, &question).unwrap();
    let keep = |line| -> Result<(), ()> {
        lines.push(line);
        Ok(())
    };
    (pending.kept(keep).unwrap().reply, eliminated, state)
}

fn question(random: &mut Random) -> (&'static str, String) {
    let analyst = ["ann", "bob", "cy"][random.below(3)];
    let column = ["salary", "bonus"][random.below(2)];
    let (low, width) = (random.below(14), 2 + random.below(12));
    let figure = ["sum", "avg"][random.below(2)];
    (analyst, format!("select {figure}({column}) from data where number between {low} and {}", low + width))
}

#[test]
fn what_is_kept_changes_no_decision() {
    let table = staff();
    let mut random = Random::new(11);
    let (mut with, mut without) = (Vec::new(), Vec::new());
    let mut kept: Option<AuditState> = None;
    let (mut denied, mut most) = (0, 0);
    for place in 0..90 {
        let (analyst, text) = question(&mut random);
        let (reply, eliminated, state) = asked(&table, &mut with, kept.as_ref(), (analyst, &text));
        let (expected, all, _) = asked(&table, &mut without, None, (analyst, &text));
        assert_eq!(reply, expected, "{analyst}: {text}");
        assert!(eliminated <= 5 && eliminated <= all);
        denied += u32::from(matches!(reply, Reply::Denied(_)));
        most = most.max(all);
        if place % 5 == 4 {
            // Through bytes, as it is kept.
            kept = state.map(|own| AuditState::from_bytes(&own.to_bytes()).unwrap());
        }
    }
    assert_eq!(with, without);
    assert!(denied > 5 && most > 20, "{denied} {most}");
}

#[test]
fn a_state_of_another_log_is_left_aside() {
    let table = staff();
    let first = ("ann", "select sum(salary) from data where number between 3 and 9");
    let second = ("ann", "select sum(salary) from data where number between 3 and 8");
    let (mut own, mut other) = (Vec::new(), Vec::new());
    asked(&table, &mut own, None, first);
    let (_, _, state) = asked(&table, &mut other, None, ("ann", "select sum(salary) from data"));
    assert_eq!(state, None, "nothing was asked before");
    let (_, _, state) = asked(&table, &mut other, None, ("ann", "select sum(bonus) from data"));
    assert!(state.is_some());
    let (reply, eliminated, _) = asked(&table, &mut own, state.as_ref(), second);
    assert!(matches!(reply, Reply::Denied(_)) && eliminated == 1);
    // One whose numbers are no row space, though it names an entry of the log.
    let (_, _, state) = asked(&table, &mut own, None, second);
    let mut bytes = state.unwrap().to_bytes();
    let end = bytes.len();
    bytes[end - 4..].copy_from_slice(&u32::MAX.to_le_bytes());
    let broken = AuditState::from_bytes(&bytes).unwrap();
    let (reply, eliminated, _) = asked(&table, &mut own, Some(&broken), second);
    assert!(matches!(reply, Reply::Denied(_)) && eliminated == 1);
}
