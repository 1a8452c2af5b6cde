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
                untold: None,
            },
            AnswerFigure {
                name: "median".into(),
                noise: "exponential".into(),
                law: None,
                half_width_95: None,
                untold: None,
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
            ledger: "/vault/kept/l".into(),
            total: 3.0,
            left: 2.0,
            left_words: "epsilon 2".into(),
            ..Budget::default()
        },
        entry: 2,
        hash: "00".into(),
        ..AnswerFacts::default()
    }
}

/// survey PM-18: what a belief can become stands on the page, rounded up.
#[test]
fn the_page_tells_what_beliefs_can_become() {
    let belief = |is_of_presence, at_most_after| AnswerBelief { is_of_presence, before: 0.1, at_most_after };
    let beliefs = vec![belief(true, 0.154_829), belief(false, 0.231_970)];
    let page = answer_html(&AnswerFacts { beliefs, delta: 0.0, ..facts() });
    for text in [
        "that a person is in the table: 10\u{a0}% becomes 15.49\u{a0}% at most",
        "of something about her records: 10\u{a0}% becomes 23.2\u{a0}% at most",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert!(!answer_html(&facts()).contains("% becomes"));
}

/// Where the ledger lies is nobody's business but its keeper's; and no heading is empty.
#[test]
fn an_answer_tells_no_path_and_names_every_column() {
    let page = answer_html(&facts());
    assert!(page.contains("entry 2 of <bdi class=\"name\">l</bdi>"), "{page}");
    assert!(!page.contains("vault") && !page.contains("<th scope=\"col\"></th>"), "{page}");
    let ledger = LedgerFacts { ledger: "/vault/kept/l".into(), ..LedgerFacts::default() };
    let page = ledger_html(&ledger);
    assert!(!page.contains("vault") && !page.contains("<th scope=\"col\"></th>"), "{page}");
    assert_eq!(file_name("postgresql://host/ledgers"), "postgresql://host/ledgers");
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
    for word in ["Epsilon", "Delta", "Noise", "Laplace noise", "± 95 %", "Account", "Ledger"] {
        assert!(page.contains(&format!("<dt>{word}</dt>")), "{word}");
    }
    assert!(page.contains("Words used here") && !page.contains("<dt>Gaussian noise</dt>"));
}

/// Where the number of records is public, nothing hides who is in the table, and the page does not say so.
#[test]
fn presence_is_not_called_hidden_under_replace() {
    let hides = "Whether a given person is counted";
    let page = answer_html(&facts());
    assert!(page.contains(hides) && page.contains("hides every single person"));
    let page = answer_html(&AnswerFacts { replaced: true, ..facts() });
    assert!(!page.contains(hides) && !page.contains("hides every single person"));
    assert!(page.contains("<li>What a given person’s record says.</li>"));
    assert!(page.contains("That it is hidden who is in the table"));
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
    assert!(page.contains("Words used here") && page.contains("<dt>Epsilon</dt>"), "{page}");
    assert!(page.contains("&lt;u&gt;") && page.contains("0.75") && page.contains("0123456789ab<"));
    assert!(page.contains("spent: epsilon 1 of 3"));
    // e^1, rounded up; no delta was opened, so none is spoken of, and no answer either.
    assert!(page.contains("nothing more than 2.719 times as likely") && !page.contains("elta"));
    assert!(page.contains("Of epsilon 3, 2 is left.") && !page.contains("this answer"));
    assert!(ledger_html(&LedgerFacts::default()).contains("Accounts"));
}

/// Where delta was opened or spent, it stands wherever epsilon does.
#[test]
fn a_ledger_tells_delta() {
    let line = |entry, analyst: &str, epsilon, delta| LedgerLine {
        entry,
        opened: analyst.is_empty(),
        analyst: analyst.into(),
        epsilon,
        delta,
        account: "a".into(),
        ..LedgerLine::default()
    };
    let account = Budget {
        total: 1.0,
        left: 0.75,
        total_delta: 0.01,
        left_delta: 0.007,
        left_words: "epsilon 0.75, delta 0.007".into(),
        ..facts().account
    };
    let entries = vec![line(1, "", 1.0, 0.01), line(2, "ann", 0.125, 0.002), line(3, "bob", 0.125, 0.001)];
    let mut facts = LedgerFacts { accounts: vec![account], entries, ..LedgerFacts::default() };
    let page = ledger_html(&facts);
    for text in [
        "spent: epsilon 0.25 of 1, delta 0.003 of 0.01",
        "left: epsilon 0.75, delta 0.007",
        "but with a probability of at most 0.003, the delta that was spent",
        "Of epsilon 1, 0.75 is left, and of delta 0.01, 0.007.",
        "<th scope=\"col\" class=\"number\">Delta</th>",
        "<td class=\"number\">0.125</td><td class=\"number\">0.002</td></tr>",
    ] {
        assert!(page.contains(text), "{text}");
    }
    // Opened and not spent: it is told that none was, and the promise is without it.
    facts.entries.truncate(1);
    let page = ledger_html(&facts);
    assert!(page.contains("epsilon 0 of 1, delta 0 of 0.01") && !page.contains("but with a probability"));
    assert!(page.contains("Nothing was answered yet.") && !page.contains("times as likely"));
}

/// What an answer costs is rounded up and what is left down, so that the tiles promise nothing that is not there.
#[test]
fn tiles_are_rounded_to_the_safe_side() {
    let account =
        Budget { total: 1.0, left: 0.899_99, total_delta: 0.1, left_delta: 0.099_999_9, ..facts().account };
    let page = answer_html(&AnswerFacts { epsilon: 0.100_01, delta: 0.000_100_01, account, ..facts() });
    for text in ["0.1001", "0.8999", "0.0001001", "0.09999"] {
        assert!(page.contains(&format!("<dd>{text}</dd>")), "{text}");
    }
    assert!(page.contains("with a probability of 0.0001001 at most"));
    let took = "this answer took epsilon 0.1001 and delta 0.0001001.";
    assert!(
        page.contains("Of epsilon 1, 0.8999 is left, and of delta 0.1, 0.09999; ") && page.contains(took)
    );
}

/// Where no error is told, nothing is said of it but that and why.
#[test]
fn answers_without_an_error() {
    let (within, advice) = ("the true number is within", "smaller than its error");
    let page = answer_html(&facts());
    assert!(page.contains(within) && page.contains(advice) && page.contains("larger than their errors"));
    assert!(page.contains("how far off they may be"));
    let mut none = facts();
    none.lines.iter_mut().flat_map(|line| &mut line.numbers).for_each(|own| {
        (own.half_width_95, own.rank_error_95) = (None, None);
    });
    none.figures.iter_mut().for_each(|own| own.untold = Some("the size of <it> would tell".into()));
    let page = answer_html(&none);
    for text in [within, advice, "larger than their errors", "how far off they may be", "95\u{a0}%</th>"] {
        assert!(!page.contains(text), "{text}");
    }
    let why = "How far off these are is not told: the size of &lt;it&gt; would tell.";
    assert!(page.contains(why) && page.contains("How near to the truth the answers are"));
    // Ranks are an error, but no whisker is drawn of them.
    let mut ranks = none;
    ranks.lines[0].numbers[1].rank_error_95 = Some(4.0);
    let page = answer_html(&ranks);
    assert!(page.contains("4\u{a0}ranks") && page.contains(advice) && !page.contains(within));
    assert_eq!(page.matches("How far off these are is not told").count(), 1);
}
