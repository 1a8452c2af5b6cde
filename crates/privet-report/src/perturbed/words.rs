//! Laws in words. Numbers that promise something are rounded to the side on which they promise less.

use privet_criteria::Better;
use privet_release::perturbed::{
    Amplification, Categories, CategoryLaw, Items, Model, NoiseColumn, NoiseLaw, NoiseWay, Open, Perturbation,
};

use super::pictures::probability;
use crate::text::{count, name, number, number_against, set_share, share_at_most};

/// What a law protects: a class of the page's style, and a sentence of markup.
pub(super) fn protection(perturbation: &Perturbation) -> (&'static str, String) {
    match perturbation {
        Perturbation::Categories(own) => bound(own.open(), &own.protects),
        Perturbation::Items(own) => bound(own.open(), &own.protects),
        Perturbation::Noise(own) => {
            let unit = if own.dates { " days" } else { "" };
            match (own.way, own.interval_95) {
                (NoiseWay::Additive, Some(width)) => (
                    "open",
                    format!(
                        "who knows nothing else can be 95\u{a0}% sure of an original only within an interval of {}{unit}. \
                         Who knows more may know it better: noise on numbers promises no bound.",
                        number_against(width, Better::Higher)
                    ),
                ),
                _ => (
                    "open",
                    "noise hides the exact number, and promises no bound on what can be learned.".to_owned(),
                ),
            }
        }
    }
}

/// A factor that is promised: rounded up, past what is rounding, so that a γ that was asked for is told as it was.
fn factor(gamma: f64) -> String {
    number_against(gamma * (1.0 - 1e-9), Better::Lower)
}

/// What γ means, or why there is none.
fn bound(open: Option<Open>, protects: &Amplification) -> (&'static str, String) {
    match (open, protects.gamma) {
        (None, Some(gamma)) => {
            let belief = protects.beliefs.iter().find(|belief| belief.prior == 0.05);
            let example = belief.map_or(String::new(), |belief| {
                format!(
                    "; who suspected a value with 5\u{a0}% can suspect it with at most {} after seeing this column",
                    share_at_most(belief.posterior)
                )
            });
            let factor = factor(gamma);
            (
                "holds",
                format!(
                    "this column alone changes nobody’s odds about its original by more than a factor of {factor}{example}."
                ),
            )
        }
        (open, _) => ("open", format!("{}.", open.unwrap_or(Open::Excludes).words().replace('`', ""))),
    }
}

/// What all columns together tell of a record.
pub(super) fn together(model: &Model) -> (&'static str, String) {
    match model.gamma {
        Some(gamma) => (
            "holds",
            format!(
                "All columns together change nobody’s odds about a record by more than a factor of {}, the product of all.",
                factor(gamma)
            ),
        ),
        None => (
            "open",
            "All columns together promise no bound on what can be learned of a record: one at least is published as it was, \
             has noise, or promises none."
                .to_owned(),
        ),
    }
}

/// A law as a paragraph of markup.
pub(super) fn law(perturbation: &Perturbation) -> String {
    match perturbation {
        Perturbation::Categories(own) => categories(own),
        Perturbation::Noise(own) => noise(own),
        Perturbation::Items(own) => items(own),
    }
}

fn items(own: &Items) -> String {
    format!(
        "Sets of up to {} of {} items. Each set was filled up with items that stand for nothing, which are not published; of \
         all {} together {} were kept on average, which ones was left to chance, and every other item was added with \
         probability {} (select-a-size). So neither which items a person had nor how many can be read off. An empty cell is an \
         empty set.",
        count(u64::from(own.size)),
        count(own.values.len() as u64),
        count(u64::from(own.size)),
        number(own.expected_kept()),
        number(own.add)
    )
}

fn categories(own: &Categories) -> String {
    let size = own.values.len();
    let values = count(size as u64);
    let from = match own.domain.as_str() {
        "data" => "taken from the data",
        "hierarchy" => "declared by a hierarchy",
        _ => "declared",
    };
    let how = match (&own.law, own.mechanism.as_str()) {
        (CategoryLaw::Retention(keep), mechanism) => {
            let even = (1.0 - keep) / size.max(1) as f64;
            let why = if mechanism == "gamma-diagonal" {
                " (the gamma-diagonal law, which keeps most for its γ)"
            } else {
                ""
            };
            format!(
                "Each value was kept with probability {}, and otherwise replaced by any of the {values} values, each as \
                 likely{why}. So a value is published as it was with probability {}, and as any one \
                 other with probability {}.",
                number(*keep),
                number(keep + even),
                number(even)
            )
        }
        (CategoryLaw::Matrix(_), "warner") => {
            format!(
                "Randomized response after Warner: the truth with probability {}, and otherwise any other value.",
                number(probability(own, 0, 0))
            )
        }
        (CategoryLaw::Matrix(_), "innocuous") => {
            // Whoever answers the other question says the same, whatever the truth is: that is what the rows share.
            format!(
                "Randomized response with an innocuous question: the truth with probability {}, and otherwise the answer \
                 to a question that has nothing to do with the person. So {} is published as it was with probability \
                 {}, and {} with probability {}.",
                number(probability(own, 0, 0) - probability(own, 1, 0)),
                name(own.values.first().map_or("", String::as_str)),
                number(probability(own, 0, 0)),
                name(own.values.get(1).map_or("", String::as_str)),
                number(probability(own, 1, 1))
            )
        }
        (CategoryLaw::Matrix(_), "invariant-pram") => {
            "Post-randomization that leaves the counts alone in expectation: the \
             published counts estimate the original ones as they stand. Its probabilities were made from the original counts \
             and tell all of them exactly, up to one factor; who knows the number of records knows every count."
                .to_owned()
        }
        (CategoryLaw::Matrix(_), _) => {
            "Each value became another with a probability that the publisher wrote down.".to_owned()
        }
    };
    let beliefs: Vec<String> = own
        .protects
        .beliefs
        .iter()
        .map(|belief| format!("{} to at most {}", set_share(belief.prior), share_at_most(belief.posterior)))
        .collect();
    let rise = match own.open() {
        None => format!(
            " By this column alone, beliefs about its original can rise from {}.",
            beliefs.join(", from ")
        ),
        Some(_) => String::new(),
    };
    format!("{how} Its {values} values were {from}.{rise}")
}

fn noise(own: &NoiseColumn) -> String {
    let unit = if own.dates { " days" } else { "" };
    let law = match own.law {
        NoiseLaw::Gaussian => "normal (Gaussian)",
        NoiseLaw::Uniform => "even (uniform)",
    };
    let deviation = own.deviation.map_or(String::new(), |sd| format!("{}{unit}", number(sd)));
    let how = match own.way {
        NoiseWay::Additive => format!(
            "To each value {law} noise was added, with mean 0 and standard deviation {deviation}, independently of everything \
             else."
        ),
        NoiseWay::Multiplicative => format!(
            "Each value was multiplied by 1 plus {law} noise with mean 0 and standard deviation {deviation}. A value of 0 \
             stayed 0."
        ),
        NoiseWay::Correlated => format!(
            "Normal noise was added that is correlated between columns as the originals are, with {} times their covariance. \
             Correlations and regression coefficients are kept; variances are those of the originals times {}.",
            number(own.factor.unwrap_or(0.0)),
            number(1.0 + own.factor.unwrap_or(0.0))
        ),
    };
    let rounding = match (own.step, own.figures) {
        (Some(1.0), _) if own.dates => " Published values are whole days.".to_owned(),
        (Some(step), _) => format!(" Published values are rounded to multiples of {}{unit}.", number(step)),
        (None, Some(figures)) => format!(" Published values are rounded to {figures} figures."),
        (None, None) => String::new(),
    };
    format!("{how}{rounding}")
}
