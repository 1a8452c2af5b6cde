//! Learning a model and writing it.

use std::collections::BTreeSet;
use std::path::Path;

use privet_criteria::Requirement;
use privet_data::Progress;
use privet_kind::{JobFile, KindError, Outcome};
use privet_mine::cluster::{ClusterOptions, ClusterRelease, Membership, cluster};
use privet_mine::rules::channels::rules_without_channels;
use privet_mine::rules::{
    Rule, RuleOptions, RuleRelease, Transactions, frequent_itemsets, largest_safe_subset, rules_of,
};
use privet_mine::tree::{GrowOptions, Pruning, confidence_limit, grow, l_of_confidence, to_pmml};
use privet_mine::{Examples, Schema};
use privet_release::{Draft, Promised, Randomness};

use crate::error::told;
use crate::job::{self, ClusterSettings, RuleSettings, Settings, TreeSettings};
use crate::view::{OriginalModel, PublishedModel};
use crate::{MODEL_FILE, PMML_FILE, RECORDS_FILE, records};

/// The most itemsets that are looked at.
const MOST_ITEMSETS: usize = 20_000_000;

/// What was learned, and what is promised and told besides the spans.
struct Learned {
    model: PublishedModel,
    k: u64,
    promises: Vec<Promised>,
    summary: Vec<(String, String)>,
    /// The records recoded by the spans, as CSV, where they are asked for.
    records: Option<String>,
}

pub(crate) fn make(job: &JobFile, draft: &Draft, progress: &dyn Progress) -> Result<Outcome, KindError> {
    let learned = match (crate::input::read(job, progress)?, job::settings(job)?) {
        (OriginalModel::Tree(examples), Settings::Tree(settings)) => tree(&examples, &settings)?,
        (OriginalModel::Clusters(points), Settings::Clusters(settings)) => {
            clusters(&points, &settings, progress)?
        }
        (OriginalModel::Rules(data, labels), Settings::Rules(settings)) => {
            rules(&data, &labels, &settings, progress)?
        }
        (OriginalModel::Elsewhere, Settings::Given(settings)) => {
            given(crate::input::given(job)?, settings.k)?
        }
        // Cannot happen: the input is read as the settings say.
        _ => return Err(KindError::key("model.type", "does not fit the input")),
    };
    let verdict = learned.model.verdict().map_err(|error| KindError::refused(error.to_string()))?;
    if !verdict.holds() {
        return Err(KindError::refused("a span of the model has fewer people than was asked"));
    }
    let promised = match &learned.model {
        PublishedModel::Bayes(_) => "k-anonymous-counts",
        _ => "k-anonymous-spans",
    };
    let mut spans = Promised::new(promised).with("k", learned.k);
    if let Some(reached) = verdict.reached() {
        spans = spans.reaching(reached as f64);
    }
    let mut promises = vec![spans];
    promises.extend(learned.promises);
    let mut text = serde_json::to_vec_pretty(&learned.model)
        .map_err(|error| KindError::resources(format!("the model cannot be written: {error}")))?;
    text.push(b'\n');
    write(draft, MODEL_FILE, &text)?;
    let recoded = learned.records;
    if let Some(text) = &recoded {
        write(draft, RECORDS_FILE, text.as_bytes())?;
    }
    let mut has_pmml = false;
    if let PublishedModel::Tree(release) = &learned.model
        && release.model.roots.len() == 1
    {
        write(draft, PMML_FILE, to_pmml(release).map_err(told)?.as_bytes())?;
        has_pmml = true;
    }
    let mut summary = learned.summary;
    let reached =
        verdict.reached().map_or("no span tells of private attributes".to_owned(), |k| k.to_string());
    summary.push(("smallest span".to_owned(), reached));
    summary.push(("people nothing is told of".to_owned(), verdict.silent().to_string()));
    Ok(Outcome {
        body: serde_json::json!({
            "records": learned.model.records(), "pmml": has_pmml, "recoded": recoded.is_some()
        }),
        promises,
        randomness: Randomness::default(),
        summary,
        ..Outcome::default()
    })
}

fn write(draft: &Draft, name: &str, bytes: &[u8]) -> Result<(), KindError> {
    use std::io::Write;
    let mut file = draft.create(name)?;
    file.write_all(bytes).map_err(|error| KindError::io(Path::new(name), &error))?;
    file.finish()?;
    Ok(())
}

fn tree(examples: &Examples, settings: &TreeSettings) -> Result<Learned, KindError> {
    let schema = examples.schema();
    let mut options = GrowOptions::k_anonymous(settings.k);
    options.levels = settings.levels;
    options.gain = settings.gain;
    options.weighted = settings.weighted;
    options.max_depth = settings.max_depth.unwrap_or(options.max_depth);
    if let Some(z) = settings.prune {
        options.pruning = Pruning::Pessimistic { z };
    }
    let mut promises = Vec::new();
    if let Some(limit) = settings.confidence_limit {
        options.requirements.push(confidence_limit(schema, limit).map_err(told)?);
        let l = l_of_confidence(limit).map_err(told)?;
        promises.push(Promised::new("span-confidence").with("limit", limit).with("l", l));
    }
    for required in required(schema, settings)? {
        promises.push(criterion_promise(&required)?);
        options.requirements.push(required);
    }
    options.trees = forest(schema, &settings.trees)?;
    let grown = grow(examples, &options).map_err(told)?;
    let mut summary = vec![
        ("leaves".to_owned(), grown.release.model.leaves().count().to_string()),
        ("spans".to_owned(), grown.release.spans.len().to_string()),
        ("splits refused".to_owned(), grown.growth.refused.to_string()),
        ("splits pruned".to_owned(), grown.growth.pruned.to_string()),
    ];
    let mut text = None;
    if settings.records {
        let recoded = records::recoded(&grown.release.model, examples)?;
        promises
            .push(Promised::new("k-anonymous-records").with("k", settings.k).reaching(recoded.least as f64));
        summary.push(("discernibility of the records".to_owned(), recoded.discernibility.to_string()));
        summary.push(("classification metric CM of the records".to_owned(), recoded.minority.to_string()));
        text = Some(recoded.csv);
    }
    Ok(Learned {
        model: PublishedModel::Tree(grown.release),
        k: settings.k,
        promises,
        summary,
        records: text,
    })
}

/// The privacy models that a job asks of every span, with the class as their column.
fn required(schema: &Schema, settings: &TreeSettings) -> Result<Vec<Requirement>, KindError> {
    let mut all = Vec::new();
    for (key, value) in &settings.require {
        let wrong = |problem: String| KindError::key(format!("model.require.{key}"), problem);
        if key == "k-anonymity" {
            return Err(wrong("is what `model.k` asks for".to_owned()));
        }
        let asked = Requirement::parse(key, value).map_err(|error| wrong(error.problem))?;
        let class = [schema.class.name.as_str()];
        all.extend(privet_criteria::resolve(&asked, &class).map_err(|error| wrong(error.problem))?);
    }
    Ok(all)
}

/// The promise that every span keeps a privacy model: its parameters are those of the model.
fn criterion_promise(required: &Requirement) -> Result<Promised, KindError> {
    let unwritten = || KindError::resources("the promise cannot be written");
    let value = serde_json::to_value(required).map_err(|_| unwritten())?;
    let parameters = value.as_object().ok_or_else(unwritten)?;
    let promised = Promised::new("span-criterion");
    Ok(parameters.iter().fold(promised, |own, (name, value)| own.with(name, value.clone())))
}

fn forest(schema: &Schema, trees: &[Vec<String>]) -> Result<Vec<Vec<usize>>, KindError> {
    let place = |name: &String| {
        let found = schema.attributes.iter().position(|own| own.name == *name);
        found
            .ok_or_else(|| KindError::key("model.trees", "names a column that is neither public nor private"))
    };
    trees.iter().map(|own| own.iter().map(place).collect()).collect()
}

fn clusters(
    points: &privet_mine::cluster::Points,
    settings: &ClusterSettings,
    progress: &dyn Progress,
) -> Result<Learned, KindError> {
    let options = ClusterOptions {
        k: settings.k,
        // The other membership is a function of all records, and a centroid of few records is nearly one of them.
        membership: Membership::NearestCentroid,
        min_members: settings.k,
        rule: settings.rule,
        max_clusters: settings.max_clusters,
        patience: settings.patience,
    };
    let found = cluster(points, &options, progress).map_err(told)?;
    let release = ClusterRelease::of(&found).map_err(told)?;
    let summary = vec![
        ("clusters".to_owned(), found.clusters().to_string()),
        ("spans".to_owned(), found.spans.len().to_string()),
        ("cuts refused".to_owned(), found.refused.to_string()),
        ("every cut tried".to_owned(), if found.exhausted { "yes" } else { "no" }.to_owned()),
    ];
    Ok(Learned {
        model: PublishedModel::Clusters(release),
        k: settings.k,
        promises: Vec::new(),
        summary,
        records: None,
    })
}

fn rules(
    data: &Transactions,
    labels: &[String],
    settings: &RuleSettings,
    progress: &dyn Progress,
) -> Result<Learned, KindError> {
    let number = |label: &String| {
        let found = labels.binary_search(label);
        found
            .map(|item| item as u32)
            .map_err(|_| KindError::key("model.private-items", "names an item that no transaction holds"))
    };
    let private: Vec<u32> = settings.private_items.iter().map(number).collect::<Result<_, _>>()?;
    let itemsets = frequent_itemsets(data, settings.min_support, MOST_ITEMSETS, progress).map_err(told)?;
    let options = RuleOptions {
        confidence: settings.min_confidence,
        consequent: settings.max_consequent,
        limit: settings.max_rules,
    };
    let mined = rules_of(&itemsets, &options, progress).map_err(told)?;
    if mined.is_empty() {
        return Err(KindError::key("model.min-support", "and `model.min-confidence` leave no rule"));
    }
    let safe = largest_safe_subset(data, &mined, &private, settings.k, progress).map_err(told)?;
    let mut kept: Vec<Rule> = safe.kept.iter().map(|&place| mined[place].clone()).collect();
    let mut summary = vec![
        ("rules mined".to_owned(), mined.len().to_string()),
        ("no larger set is safe".to_owned(), if safe.is_largest { "yes" } else { "not known" }.to_owned()),
    ];
    let mut promises = Vec::new();
    if settings.close_channels {
        // Every subset of safe rules is safe.
        let (all, records) = (kept.len(), data.len() as u64);
        let closed = rules_without_channels(&kept, &private, records, settings.k, progress).map_err(told)?;
        kept = closed.iter().map(|&place| kept[place].clone()).collect();
        summary
            .push(("rules left out to close inference channels".to_owned(), (all - kept.len()).to_string()));
        promises.push(Promised::new("k-anonymous-patterns").with("k", settings.k));
    }
    summary.push(("rules published".to_owned(), kept.len().to_string()));
    let release = published_rules(data, labels, &kept, &private, settings.k)?;
    Ok(Learned { model: PublishedModel::Rules(release), k: settings.k, promises, summary, records: None })
}

/// A model that was learned elsewhere: what it says of its spans is checked, and nothing else is known of its people.
fn given(model: PublishedModel, k: u64) -> Result<Learned, KindError> {
    let checked = model.check(k).map_err(|error| KindError::refused(error.to_string()))?;
    if checked.violations > 0 || !checked.keeps_its_own {
        return Err(KindError::refused("a span of the model has fewer people than was asked"));
    }
    let summary = vec![("spans".to_owned(), checked.spans.to_string())];
    // What the model says that its spans keep is promised, so that it is verified again.
    let mut promises = Vec::new();
    if let PublishedModel::Tree(release) = &model {
        let declared =
            release.requirements.iter().filter(|own| !matches!(own, Requirement::KAnonymity { .. }));
        promises = declared.map(criterion_promise).collect::<Result<_, _>>()?;
    }
    Ok(Learned { model, k, promises, summary, records: None })
}

/// The release over the items of its rules alone: the names of other items tell that somebody holds them.
fn published_rules(
    data: &Transactions,
    labels: &[String],
    rules: &[Rule],
    private: &[u32],
    k: u64,
) -> Result<RuleRelease, KindError> {
    let used: BTreeSet<u32> = rules.iter().flat_map(Rule::items).collect();
    let used: Vec<u32> = used.into_iter().collect();
    // Numbers stay in order, so sides stay ascending.
    let renumbered = |items: &[u32]| -> Vec<u32> {
        items.iter().filter_map(|item| used.binary_search(item).ok()).map(|place| place as u32).collect()
    };
    let own = Transactions::new(data.rows().map(&renumbered));
    let rules: Vec<Rule> = rules
        .iter()
        .map(|rule| Rule {
            antecedent: renumbered(&rule.antecedent),
            consequent: renumbered(&rule.consequent),
            ..*rule
        })
        .collect();
    let labels: Vec<String> = used.iter().map(|&item| labels[item as usize].clone()).collect();
    RuleRelease::of(&own, &labels, &rules, &renumbered(private), k).map_err(told)
}
