//! `privet audit`: whether the mechanisms behind private answers keep what they claim, without any data.

use clap::Args;
use privet_attack::Rate;
use privet_query::audit::{self, AnswerAttack, AuditOptions, Audited, AuditedMechanism, Verdict};

use super::query_text::left_aligned;
use super::{Shared, grouped, print, print_json};
use crate::exit::{DONE, Failure, REFUSED, code_of};
use crate::progress::Bar;

/// Audit the mechanisms behind private answers: run each very often, and tell which epsilon they can be caught at
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet audit --epsilon 1
  privet audit --epsilon 1 --broken              those that are broken on purpose must be caught
  privet audit --epsilon 0.5 --mechanism count,histogram --runs 200000
  privet audit --epsilon 1 --mechanism query-average --broken
  privet audit --epsilon 1 --attack              what attacks recover of a made-up secret, with too little noise and enough

It needs no data. Each mechanism is run on two tables that differ in one person; what it does differently bounds its
epsilon from below. An audit that finds nothing proves nothing: it checks the program, the proof protects the people.
Exit code 1 when a mechanism is contradicted, or one that is broken on purpose is not.")]
pub struct Audit {
    /// The epsilon that every mechanism claims to keep
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    epsilon: String,
    /// The delta of the mechanisms that have one: larger than for answers, because few runs cannot see a smaller one; 0
    /// leaves them out
    #[arg(long, value_name = "NUMBER", default_value = "0.05", allow_hyphen_values = true)]
    delta: String,
    /// The mechanisms to audit, separated by commas (default: all that answer questions)
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    mechanism: Vec<String>,
    /// Audit those that are broken on purpose, too: they must be caught
    #[arg(long)]
    broken: bool,
    /// How often each mechanism is run on each of two tables; more runs find more
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    runs: u32,
    /// The probability of accusing a mechanism that keeps its claim
    #[arg(long, value_name = "SHARE", default_value_t = 1e-6)]
    false_alarm: f64,
    /// Attack answers about a made-up secret, too: with too little noise, and with noise for epsilon
    #[arg(long)]
    attack: bool,
    /// The scale of the noise that is too little (Laplace noise on whole numbers)
    #[arg(
        long,
        value_name = "NUMBER",
        default_value = "0.25",
        requires = "attack",
        allow_hyphen_values = true
    )]
    noise: String,
    /// The seed of the made-up secret and of the questions. Noise is never seeded, so findings vary a little
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Audit {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        let bar = Bar::new(shared.quiet || shared.json);
        let named = self.mechanism.clone();
        let options = AuditOptions {
            epsilon: self.epsilon,
            delta: self.delta,
            mechanisms: self.mechanism,
            broken: self.broken,
            runs: self.runs,
            false_alarm: self.false_alarm,
            attack: self.attack.then_some(self.noise),
            seed: self.seed,
        };
        let audited = audit::audit(&options, &bar)
            .map_err(|error| Failure { code: code_of(error.outcome()), message: error.to_string() })?;
        bar.clear();
        if shared.json {
            print_json(&audited)?;
        } else if !shared.quiet {
            print(&describe(&audited))?;
        }
        let not_made = |own: &&AuditedMechanism| own.verdict == Verdict::NotMade && named.contains(&own.name);
        if let Some(own) = audited.mechanisms.iter().find(not_made) {
            let why = own.why.as_deref().unwrap_or("it cannot be made so");
            return Err(Failure::bad_input(format!("`--mechanism {}` was not audited: {why}", own.name)));
        }
        Ok(if audited.fails() { REFUSED } else { DONE })
    }
}

fn describe(audited: &Audited) -> String {
    let mut text = String::new();
    for broken in [false, true] {
        let mechanisms: Vec<&AuditedMechanism> =
            audited.mechanisms.iter().filter(|own| own.broken == broken).collect();
        if mechanisms.is_empty() {
            continue;
        }
        let title = if broken { "Broken on purpose: these must be caught" } else { "Mechanisms" };
        let head = ["mechanism", "claims epsilon", "found at least", "false alarm", "verdict", "what"];
        let mut rows = vec![head.map(str::to_owned).to_vec()];
        for own in mechanisms {
            let delta = if own.delta > 0.0 { format!(", delta {}", own.delta) } else { String::new() };
            let found = match own.verdict {
                Verdict::NotMade => "-".to_owned(),
                _ => format!("{:.3}", own.found_at_least),
            };
            rows.push(vec![
                own.name.clone(),
                format!("{}{delta}", own.claimed),
                found,
                odds(audited.false_alarm),
                verdict(own).to_owned(),
                own.why.clone().unwrap_or_else(|| own.what.to_owned()),
            ]);
        }
        text.push_str(&format!("{title}\n{}\n", left_aligned(&rows)));
    }
    if let Some(own) = audited.mechanisms.first() {
        text.push_str(&format!(
            "Each bound is from {} runs on each of two tables, after as many to choose what to count (four times as many \
             for the\nprobabilistic form); no more than {:.2} can be found with so few.\n",
            grouped(own.runs.into()),
            audited.reach,
        ));
    }
    if audited.mechanisms.iter().any(|own| !own.broken) {
        text.push_str(&format!(
            "One mechanism or another that keeps its claim is accused in at most {} audits.\n\
             Not contradicted is not proved: that is what the proofs are for.\n",
            odds(audited.false_alarm_of_all),
        ));
    }
    if !audited.attacks.is_empty() {
        text.push_str(&format!("\n{}", attacks(&audited.attacks)));
    }
    text
}

fn attacks(attacks: &[AnswerAttack]) -> String {
    let head = ["attack", "", "guessing", "too little noise", "noise for epsilon", "their deviations"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for own in attacks {
        let weak = own.weak_deviation.map_or("fits the table".to_owned(), deviation);
        rows.push(vec![
            own.attack.to_owned(),
            own.entry.to_owned(),
            percent(own.guessing),
            share(&own.weak),
            share(&own.calibrated),
            format!("{weak}, {}", deviation(own.calibrated_deviation)),
        ]);
    }
    let mut text = format!("What attacks recover of a made-up secret\n{}\n", left_aligned(&rows));
    for own in attacks {
        text.push_str(&format!("{}: {}.\n", own.attack, own.what));
    }
    if let Some(most) = attacks.iter().find_map(|own| own.most) {
        text.push_str(&format!(
            "Where a yes or no is guessed, no attack at all is right more often than {} at this epsilon, all answers together.\n",
            percent(most)
        ));
    }
    text
}

fn verdict(own: &AuditedMechanism) -> &'static str {
    match (own.verdict, own.broken) {
        (Verdict::NotContradicted, false) => "not contradicted",
        (Verdict::Contradicted, false) => "CONTRADICTED",
        (Verdict::Contradicted, true) => "caught",
        (Verdict::NotContradicted, true) => "NOT CAUGHT: raise --runs",
        (Verdict::TooFewRuns, _) => "too few runs to tell",
        (Verdict::NotMade, _) => "not made",
    }
}

/// A small probability in words.
fn odds(probability: f64) -> String {
    format!("1 in {}", grouped((1.0 / probability).round().clamp(1.0, 1e18) as u64))
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

fn share(rate: &Rate) -> String {
    format!("{} ({} to {})", percent(rate.rate), percent(rate.low), percent(rate.high))
}

fn deviation(value: f64) -> String {
    if value < 10.0 { format!("{value:.2}") } else { grouped(value.round() as u64) }
}
