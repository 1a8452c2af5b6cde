//! How an assessment is told on a terminal.

use privet::Assessed;
use privet_attack::adversary::{INSENSITIVE, SENSITIVE};
use privet_attack::{Finding, Unit};
use privet_report::{Assessment, Figure, Fit, Learner, Workload, share_in_text};

use super::{answer, grouped, seam};

/// What attacks found in a folder, one line each.
pub fn attacks_of(assessed: &Assessed) -> String {
    match assessed {
        Assessed::Views(own) => seam::attacks(own),
        Assessed::Table(own) => attacks(own),
    }
}

/// What measures found in a folder.
pub fn measured_of(assessed: &Assessed) -> String {
    match assessed {
        Assessed::Views(own) => seam::measured(own),
        Assessed::Table(own) => measured(own),
    }
}

/// What attacks found, one line each.
fn attacks(assessment: &Assessment) -> String {
    let mut text = String::new();
    assessment.attacks.iter().for_each(|finding| text.push_str(&finding_text(finding)));
    if !assessment.not_made.is_empty() {
        text.push_str("\nNot made:\n");
        for skipped in &assessment.not_made {
            text.push_str(&format!("  {:<24} {}\n", skipped.label(), skipped.why));
        }
    }
    for own in &assessment.blocked {
        text.push_str(&format!(
            "\nRequested and not made: `{}`: {}.\n",
            own.label(),
            own.why.trim_end_matches('.')
        ));
    }
    let informs: Vec<&str> =
        assessment.attacks.iter().filter(|own| own.not_counted.is_some()).map(|own| own.attack).collect();
    let not_made = match assessment.not_made.len() {
        0 => String::new(),
        1 => "; 1 attack was not made".to_owned(),
        many => format!("; {many} attacks were not made"),
    };
    match worst(assessment) {
        Some(worst) if informs.is_empty() => {
            text.push_str(&format!("\nThe strongest attack exposes {worst}{not_made}\n"));
        }
        Some(worst) => text.push_str(&format!(
            "\nThe strongest attack, without those that only inform ({}), exposes {worst}{not_made}\n",
            each_once(&informs)
        )),
        None if !informs.is_empty() => {
            text.push_str("\nThe attacks that were made only inform: none of them counts as a risk.\n");
        }
        None => {}
    }
    text
}

/// What an attack found.
fn finding_text(finding: &Finding) -> String {
    let mut text = String::new();
    let of = finding.column.as_ref().map_or(String::new(), |column| format!(" of {column}"));
    let what = match finding.unit {
        Unit::Cells => "hidden counts computed back",
        Unit::Records => "records exposed",
        Unit::People => "people exposed",
        Unit::Predicates => "predicates single out one person",
    };
    let title = format!("{}{of}", finding.attack);
    match finding.exposed.is_known() {
        true => text.push_str(&format!(
            "{title:<28} {:>10} of {:>10} {what} ({})",
            grouped(finding.exposed.hits),
            grouped(finding.exposed.of),
            percent(finding.exposed.rate),
        )),
        false => text.push_str(&format!("{title:<28} not known how many {what}")),
    }
    if let Some(right) = &finding.right {
        text.push_str(&format!(", rightly {}", percent(right.rate)));
    }
    if let Some(control) = finding.control.as_ref().filter(|control| control.of > 0) {
        text.push_str(&format!(", control {}", percent(control.rate)));
    }
    text.push('\n');
    let rates = [
        ("exposed", Some(&finding.exposed)),
        ("rightly", finding.right.as_ref()),
        ("control", finding.control.as_ref()),
    ];
    let intervals: Vec<String> = (rates.into_iter())
        .filter_map(|(what, rate)| Some((what, rate.filter(|own| own.of > 0)?)))
        .map(|(what, rate)| format!("{what} {} to {}", percent(rate.low), percent(rate.high)))
        .collect();
    if !intervals.is_empty() {
        text.push_str(&format!("{:<28} 95 % intervals: {}.\n", "", intervals.join(", ")));
    }
    if let Some(why) = &finding.not_counted {
        text.push_str(&format!("{:<28} Only informs, and does not count towards the risk: {why}.\n", ""));
    }
    for note in &finding.notes {
        text.push_str(&format!("{:<28} {}\n", "", note.text));
    }
    text
}

/// Words that may come for several columns.
fn each_once(words: &[&str]) -> String {
    let mut all = words.to_vec();
    all.dedup();
    all.join(", ")
}

/// What attacks found, in a line, and which were not made.
pub fn in_short(findings: &[Finding], not_tried: &[&str]) -> String {
    let one = |finding: &Finding| {
        let of = finding.column.as_ref().map_or(String::new(), |column| format!(" of {column}"));
        match finding.not_counted {
            None => format!("{}{of} {}", finding.attack, percent(finding.risk)),
            Some(_) if !finding.exposed.is_known() => {
                format!("{}{of} not known (only informs)", finding.attack)
            }
            Some(_) => format!("{}{of} {} (only informs)", finding.attack, percent(finding.exposed.rate)),
        }
    };
    if findings.is_empty() {
        return String::new();
    }
    let all: Vec<String> = findings.iter().map(one).collect();
    let mut text = format!(
        "Attacked first ({} made, {} not); people exposed: {}.\n",
        all.len(),
        not_tried.len(),
        all.join(", ")
    );
    if let Some(own) = findings.iter().find(|own| own.attack == INSENSITIVE && own.exposed.hits > 0) {
        text.push_str(&format!(
            "If the insensitive columns are known too, {} of the people are unique: make them quasi, or leave them out, unless nobody \
             outside knows them.\n",
            percent(own.exposed.rate)
        ));
    }
    let of_one = findings.iter().filter(|own| own.attack == SENSITIVE && own.exposed.hits > 0);
    let worst = of_one.max_by(|a, b| a.exposed.rate.total_cmp(&b.exposed.rate));
    if let Some((own, column)) = worst.and_then(|own| Some((own, own.column.as_ref()?))) {
        text.push_str(&format!(
            "If {column} of a person is known, {} of the people are unique, and their other sensitive values are revealed: make it quasi, or \
             leave it out, unless nobody outside knows it.\n",
            percent(own.exposed.rate)
        ));
    }
    if !not_tried.is_empty() {
        text.push_str(&format!("Not tried: {}.\n", not_tried.join(", ")));
    }
    text
}

fn worst(assessment: &Assessment) -> Option<String> {
    let worst = assessment.worst()?;
    Some(format!("{} of the people ({})", percent(worst.risk), worst.attack))
}

/// What was measured.
fn measured(assessment: &Assessment) -> String {
    let mut text = String::new();
    if let Some(utility) = &assessment.utility {
        text.push_str("Usefulness of the release\n");
        text.push_str(&figures(&utility.figures));
        for column in &utility.columns {
            text.push_str(&format!("\n{} ({})\n{}", column.name, column.role, figures(&column.figures)));
        }
        for note in &utility.notes {
            text.push_str(&format!("\n{}\n", note.text));
        }
        if let Some(queries) = &utility.queries {
            text.push_str(&format!(
                "\n{} random count queries: mean relative error {}, median {}\n",
                grouped(queries.queries),
                percent(queries.mean_relative_error),
                percent(queries.median_relative_error),
            ));
        }
        if let Some(own) = &utility.workload {
            text.push_str(&workload(own));
        }
        if let Some(protocol) = &utility.protocol {
            let word = if protocol.strict { "the strict protocol" } else { "not the strict protocol" };
            text.push_str(&format!("\nLearning ({word})\n  {}\n", protocol.says()));
        }
        for own in &utility.regressions {
            let of = |fit: &Fit| match fit.determination {
                Some(share) => format!("{} (R² {share:.3})", number(fit.error)),
                None => number(fit.error),
            };
            text.push_str(&format!(
                "  {} of {}: error {} learned from the release, {} learned from the original, {} by always predicting the mean\n",
                own.name,
                own.target,
                of(&own.released),
                of(&own.raw),
                number(own.baseline),
            ));
        }
        if !utility.learners.is_empty() {
            text.push_str("\nHow often a classifier is right on raw records that it never saw\n");
            for Learner { name, class, baseline, raw, released } in &utility.learners {
                text.push_str(&format!(
                    "  {name} of {class}: {} learned from the release, {} learned from the original, {} by always predicting the most frequent class\n",
                    percent(released.rate),
                    percent(raw.rate),
                    percent(baseline.rate),
                ));
            }
        }
    }
    if let Some(risk) = &assessment.risk {
        text.push_str("\nRisk of the records\n");
        text.push_str(&figures(&risk.figures));
        for note in &risk.notes {
            text.push_str(&format!("\n{note}\n"));
        }
    }
    text
}

/// The owner's own questions, with their true answers.
fn workload(own: &Workload) -> String {
    let errors = &own.errors;
    let head = ["line", "", "true", "expected", "off by", "at least", "at most", "within bounds"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for asked in &own.answers {
        let told = &asked.compared;
        // Nothing is relative to 0: there the error itself is told.
        let error = told.relative_error.map_or_else(|| answer::number(told.absolute_error), percent);
        let within = told.within_bounds.map_or("-", |is| if is { "yes" } else { "no" });
        let [truth, expected, least, most] =
            [told.truth, told.expected, told.at_least, told.at_most].map(answer::number);
        rows.push(vec![
            asked.line.to_string(),
            asked.figure.clone(),
            truth,
            expected,
            error,
            least,
            most,
            within.to_owned(),
        ]);
    }
    let mut text = "\nQueries of your own: the true answers are for you alone\n".to_owned();
    for line in answer::table(&rows, 2).lines() {
        text.push_str(&format!("  {line}\n"));
    }
    let or_none = |error: Option<f64>| error.map_or_else(|| "none".to_owned(), percent);
    text.push_str(&format!(
        "  mean relative error {}, median {}; {} of {} errors of at most a tenth; {} of {} true answers within \
         the bounds\n",
        or_none(errors.mean_relative_error),
        or_none(errors.median_relative_error),
        grouped(errors.within_tenth),
        grouped(errors.compared),
        grouped(errors.within_bounds),
        grouped(errors.bounded),
    ));
    for note in own.left_out().iter().chain(&own.notes) {
        text.push_str(&format!("  {note}\n"));
    }
    text
}

fn figures(figures: &[Figure]) -> String {
    let line = |figure: &Figure| {
        // Where there is no figure its sentence says why.
        if figure.value.is_nan() {
            let word = figure.without_value();
            return format!("  {:<42} {word:>12}\n    {}\n", figure.name, figure.says);
        }
        let value = if figure.is_share { percent(figure.value) } else { number(figure.value) };
        format!("  {:<42} {value:>12}\n", figure.name)
    };
    figures.iter().map(line).collect()
}

fn percent(share: f64) -> String {
    // What rounding leaves of nothing is nothing.
    if share.abs() < 1e-11 { "0 %".to_owned() } else { share_in_text(share) }
}

fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        let sign = if value < 0.0 { "-" } else { "" };
        return format!("{sign}{}", grouped(value.abs() as u64));
    }
    // Digits behind the point say nothing in a large number.
    if (1e4..1e15).contains(&value.abs()) {
        let sign = if value < 0.0 { "-" } else { "" };
        return format!("{sign}{}", grouped(value.abs().round() as u64));
    }
    if value.abs() >= 1e15 || (value != 0.0 && value.abs() < 1e-4) {
        return format!("{value:.4e}");
    }
    format!("{value:.4}")
}
