//! The pages hold what they must, survive any numbers, and treat names as hostile text.

use super::*;

fn facts() -> AnswerFacts {
    let number = |value, half_width_95, rank_error_95| AnswerNumber { value, half_width_95, rank_error_95 };
    AnswerFacts {
        software: "privet 0".into(),
        question: "select sex, count(*) from d\nwhere name = '<b>x</b>'".into(),
        analyst: "<script>".into(),
        group_by: vec!["sex".into()],
        figures: vec![
            AnswerFigure {
                name: "count(*)".into(),
                noise: "discrete Laplace, scale 2".into(),
                law: Some((NoiseKind::Laplace, 2.0)),
                half_width_95: Some(6.0),
            },
            AnswerFigure {
                name: "median".into(),
                noise: "exponential".into(),
                law: None,
                half_width_95: None,
            },
        ],
        lines: vec![
            AnswerLine {
                group: vec![Some("<i>".into())],
                numbers: vec![number(-3.0, Some(6.0), None), number(1.0, None, Some(4.0))],
            },
            AnswerLine {
                group: vec![None],
                numbers: vec![number(40.0, Some(6.0), None), number(2.0, None, None)],
            },
        ],
        remarks: vec!["A remark & more.".into()],
        epsilon: 0.5,
        delta: 1e-6,
        cost: "epsilon 0.5".into(),
        max_records: 1,
        account: Budget {
            name: "a".into(),
            ledger: "l".into(),
            total: 3.0,
            left: 2.0,
            left_words: "epsilon 2".into(),
        },
        entry: 2,
        hash: "00".into(),
        ..AnswerFacts::default()
    }
}

#[test]
fn an_answer_has_its_page() {
    let page = answer_html(&facts());
    for text in [
        "&lt;b&gt;x",
        "&lt;script&gt;",
        "&lt;i&gt;",
        "<em>all</em>",
        "4\u{a0}ranks",
        "not told",
        "A remark &amp; more.",
        "times as likely",
        "1.649",
        "In 95 of 100 answers the error is at most 6",
        "left: epsilon 2",
        "taken on trust",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert!(!page.contains("<script") && !page.contains("<b>x"));
    // A part spent before of 0.5 of 3, and as much now.
    assert!(page.contains("width=\"16.67%\""));
    let weak = answer_html(&AnswerFacts { epsilon: 9.0, ..facts() });
    assert!(weak.contains("protects little"));
}

#[test]
fn any_numbers_make_a_page() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -1.0, 1e300, f64::MAX] {
        let mut facts = facts();
        (facts.epsilon, facts.delta, facts.account.total, facts.account.left) = (bad, bad, bad, bad);
        for figure in &mut facts.figures {
            (figure.law, figure.half_width_95) = (Some((NoiseKind::Gaussian, bad)), Some(bad));
        }
        for own in facts.lines.iter_mut().flat_map(|line| &mut line.numbers) {
            *own = AnswerNumber { value: bad, half_width_95: Some(bad), rank_error_95: Some(bad) };
        }
        let page = answer_html(&facts);
        let drawn = page.split("<svg").skip(1).filter_map(|own| own.split("</svg>").next());
        for drawing in drawn {
            let marks = drawing.split("</desc>").last().unwrap_or_default();
            assert!(!marks.contains("\"NaN") && !marks.contains("\"inf"), "{bad}: {drawing}");
        }
    }
    assert!(answer_html(&AnswerFacts::default()).ends_with("</html>\n"));
}

#[test]
fn a_ledger_has_its_page() {
    let line = |entry, opened, analyst: &str, epsilon| LedgerLine {
        entry,
        opened,
        analyst: analyst.into(),
        epsilon,
        account: "a".into(),
        question: "0123456789abcdef".into(),
        ..LedgerLine::default()
    };
    let facts = LedgerFacts {
        accounts: vec![facts().account],
        entries: vec![
            line(1, true, "", 3.0),
            line(2, false, "<u>", 0.5),
            line(3, false, "<u>", 0.25),
            line(4, false, "b", 0.25),
        ],
        ..LedgerFacts::default()
    };
    let page = ledger_html(&facts);
    assert!(page.contains("&lt;u&gt;") && page.contains("0.75") && page.contains("0123456789ab<"));
    assert!(page.contains("spent: epsilon 1 of 3"));
    assert!(ledger_html(&LedgerFacts::default()).contains("Accounts"));
}
