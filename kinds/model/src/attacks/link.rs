//! The linking attack using a model (Friedman, Wolff, Schuster, Definition 6; papers F-PM6): people are put into spans by their public attributes,
//! and the populations of a span tell what is likely of them. k-anonymity leaves spans whose people are all alike, so this
//! attack counts towards the limits.

use privet_data::Progress;
use privet_kind::{Attack, AttackInfo, Finding, Knowledge, Note, Share, Standing, Unmade, Views};
use privet_mine::bayes::BayesRelease;
use privet_mine::cluster::ClusterRelease;
use privet_mine::rules::RuleRelease;
use privet_mine::tree::TreeRelease;
use privet_mine::{Examples, SpanOracle};

use super::published;
use crate::{OriginalModel, PublishedModel};

pub(super) struct Link;

const INFO: AttackInfo = AttackInfo {
    id: "link",
    title: "Linking through the model",
    sentence: "The adversary knows the public attributes of everybody, finds the span of each person, and takes what most of its \
               people have for what the person has.",
    needs: &[],
    standing: Standing::Gate,
    source: "papers F-PM6",
};

impl Attack for Link {
    fn info(&self) -> &'static AttackInfo {
        &INFO
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Option<Views<'_>>,
        known: &Knowledge,
        progress: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade> {
        let original = original.and_then(|own| own.get::<OriginalModel>());
        progress.check()?;
        let finding = match (published(&release)?, original) {
            (PublishedModel::Tree(own), Some(OriginalModel::Tree(people))) => tree(own, Some(people), known),
            (PublishedModel::Tree(own), _) => tree(own, None, known),
            (PublishedModel::Clusters(own), _) => clusters(own, known),
            (PublishedModel::Rules(own), _) => rules(own, known),
            (PublishedModel::Bayes(own), _) => bayes(own, known),
        };
        Ok(vec![finding])
    }
}

/// Whether the adversary is sure of the most frequent of some counts, and which it is.
fn sure_of(counts: &[u64], known: &Knowledge) -> Option<usize> {
    let all: u64 = counts.iter().sum();
    let (best, &most) =
        counts.iter().enumerate().max_by_key(|(place, count)| (**count, usize::MAX - place))?;
    (all > 0 && most as f64 >= known.confidence * all as f64).then_some(best)
}

fn tree(release: &TreeRelease, people: Option<&Examples>, known: &Knowledge) -> Finding {
    let classes = release.model.schema.class.values.len();
    let mut sure = 0;
    let mut all_alike = 0;
    let mut total = vec![0u64; classes];
    let mut guesses: Vec<(&[u32], Option<usize>)> = Vec::new();
    for span in &release.spans {
        let mut counts = vec![0u64; classes];
        for own in &span.populations {
            counts.iter_mut().zip(&own.counts).for_each(|(sum, count)| *sum += count);
        }
        total.iter_mut().zip(&counts).for_each(|(sum, count)| *sum += count);
        let guess = sure_of(&counts, known).filter(|_| span.class.is_none());
        if guess.is_some() {
            sure += span.records();
            all_alike +=
                if counts.iter().filter(|&&count| count > 0).count() == 1 { span.records() } else { 0 };
        }
        guesses.push((&span.leaves, guess));
    }
    let mut finding = Finding::new(&INFO, Share::new(sure, release.records));
    if all_alike > 0 {
        let text = format!("{all_alike} people are in spans whose people all have one class.");
        finding.notes.push(Note::of_release(text));
    }
    if !release.model.schema.class_is_private() {
        finding.notes.push(Note::of_release("The class is public: the model tells of no private class."));
        return finding;
    }
    // A person is put into the span of its public attributes and guessed; the control guesses what most people have.
    if let (Some(people), Ok(oracle)) = (people, release.model.oracle()) {
        let common = (0..classes).max_by_key(|&class| (total[class], usize::MAX - class));
        let (mut right, mut by_chance) = (0, 0);
        for (record, &class) in people.records().zip(people.classes()) {
            let mut key = Vec::new();
            oracle.span(&record, &mut key);
            let found = guesses.binary_search_by(|(leaves, _)| (*leaves).cmp(&key[..])).ok();
            if let Some(guess) = found.and_then(|place| guesses[place].1) {
                right += u64::from(guess == class as usize);
                by_chance += u64::from(common == Some(class as usize));
            }
        }
        finding.right = Some(Share::new(right, release.records));
        finding.control = Some(Share::new(by_chance, release.records));
    }
    finding
}

/// Being in one cluster of several narrows private attributes; the adversary is sure when most of a span is in one cluster.
fn clusters(release: &ClusterRelease, known: &Knowledge) -> Finding {
    let telling = release.spans.iter().filter(|span| span.clusters.len() > 1);
    let sure = telling.filter(|span| sure_of(&span.populations, known).is_some());
    Finding::new(&INFO, Share::new(sure.map(|span| span.records()).sum(), release.records))
}

/// Whoever knows one attribute knows the counts of classes for its value; a count that is hidden is taken for none, so the adversary is surer
/// than it should be. The attribute that tells of most people is counted.
fn bayes(release: &BayesRelease, known: &Knowledge) -> Finding {
    let mut sure = vec![0u64; release.attributes.len()];
    for (attribute, _, counts) in release.by_value() {
        if sure_of(&counts, known).is_some() {
            sure[attribute] += counts.iter().sum::<u64>();
        }
    }
    let most = sure.into_iter().max().unwrap_or(0);
    Finding::new(&INFO, Share::new(most.min(release.records), release.records))
}

/// Whoever holds a public antecedent holds a private consequent: sure where the confidence is high. Rules may be about the same people, so
/// the rule with most people is counted.
fn rules(release: &RuleRelease, known: &Knowledge) -> Finding {
    let is_private = |item: &u32| release.private.binary_search(item).is_ok();
    let sure = release.rules.iter().filter(|rule| {
        !rule.antecedent.iter().any(is_private)
            && rule.consequent.iter().any(is_private)
            && rule.confidence() >= known.confidence
    });
    let most = sure.clone().map(|rule| rule.antecedent_support).max().unwrap_or(0);
    let count = sure.count();
    let mut finding = Finding::new(&INFO, Share::new(most, release.records));
    if count > 1 {
        let text =
            format!("{count} rules lead to a private item so surely; the one with most people is counted.");
        finding.notes.push(Note::of_release(text));
    }
    finding
}
