//! `privet audit`: needs no data, accuses nobody who keeps a claim, and catches what is broken.

use crate::dir::Dir;

#[test]
fn the_house_keeps_its_claims_and_the_broken_are_caught() {
    let dir = Dir::new();
    let args = ["audit", "--epsilon", "1", "--mechanism", "count,histogram", "--broken", "--runs", "8000"];
    let run = dir.expect(0, &args).prints("not contradicted").prints("caught").prints("1 in 1,000,000");
    assert!(!run.out.contains("NOT CAUGHT") && !run.out.contains("CONTRADICTED"), "{run:?}");
    let audited = dir.expect(0, &[&args[..], &["--json"]].concat()).json();
    let mechanisms = audited["mechanisms"].as_array().unwrap();
    assert_eq!(mechanisms.iter().filter(|own| own["broken"] == false).count(), 2);
    assert!(mechanisms.iter().any(|own| own["name"] == "histogram-third" && own["broken"] == true));
    for own in mechanisms {
        let found = own["found_at_least"].as_f64().unwrap();
        assert_eq!(found > 1.0, own["broken"] == true, "{own}");
    }
    // Nothing is written, and nothing is said when nobody wants to hear.
    assert!(dir.names("").is_empty());
    let quiet = ["audit", "--epsilon", "1", "--mechanism", "count", "--runs", "1000", "--quiet"];
    assert_eq!(dir.expect(0, &quiet).out, "");
}

/// A mechanism that is broken and not caught is a failure: here because the epsilon is too small for so few runs.
#[test]
fn a_blunt_audit_fails() {
    let dir = Dir::new();
    let args = ["audit", "--epsilon", "0.01", "--mechanism", "half-the-noise", "--runs", "1000"];
    dir.expect(1, &args).prints("NOT CAUGHT: raise --runs");
    let args = ["audit", "--epsilon", "100", "--mechanism", "count", "--runs", "1000"];
    dir.expect(0, &args).prints("too few runs to tell");
}

#[test]
fn answers_are_attacked_beside_guessing() {
    let dir = Dir::new();
    let args =
        ["audit", "--epsilon", "1", "--mechanism", "count", "--runs", "1000", "--attack", "--noise", "0.25"];
    dir.expect(0, &args)
        .prints("guessing")
        .prints("AT-20")
        .prints("local-sensitivity")
        .prints("more often than 73 %");
}

#[test]
fn flags_that_make_no_sense() {
    let dir = Dir::new();
    for (args, said) in [
        (&["audit"][..], "--epsilon"),
        (&["audit", "--epsilon", "-1"], "epsilon"),
        (&["audit", "--epsilon", "1", "--delta", "2"], "delta"),
        (&["audit", "--epsilon", "1", "--runs", "10"], "from 1000 to 2000000"),
        (&["audit", "--epsilon", "1", "--false-alarm", "1"], "below 1"),
        (&["audit", "--epsilon", "1", "--mechanism", "magic"], "there are count, "),
        (&["audit", "--epsilon", "1", "--noise", "1"], "--attack"),
        (&["audit", "--epsilon", "1", "--attack", "--noise", "0"], "above 0"),
    ] {
        dir.expect(2, args).says(said);
    }
}
