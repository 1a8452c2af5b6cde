//! Attacks on logs, on the seam.

use std::path::{Path, PathBuf};

use foldhash::HashMap;
use privet_data::Progress;
use privet_data::io::ReadOptions;
use privet_kind::{
    Attack, AttackInfo, Finding, KindError, Knowledge, Need, Note, Reason, Share, Standing, Unmade, Views,
};
use serde::Deserialize;

use super::attacks::finding;
use super::job::Method;
use super::open::{OriginalLog, PublishedCounts, PublishedLog, PublishedSketches};
use crate::attack::{Beliefs as Intervals, Matching, crack, inject, match_trails, reverse_tokens};
use crate::log::sketch::histories;
use crate::log::{Log, people_per_query, remove_infrequent, tokens_of};
use crate::{Baskets, LogOptions, read_log};

/// What an adversary has of another log.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct OtherLog {
    log: PathBuf,
    #[serde(default)]
    person: Option<String>,
    #[serde(default)]
    query: Option<String>,
    /// By how much frequencies may differ, as a logarithm.
    #[serde(default)]
    width: Option<f64>,
}

impl OtherLog {
    fn read(&self, known: &Knowledge, progress: &dyn Progress) -> Result<Log, Unmade> {
        let options =
            LogOptions { person: self.person.clone(), query: self.query.clone(), ..LogOptions::default() };
        Ok(read_log(&known.path(&self.log), &options, progress)?)
    }
}

fn log_of(release: Views<'_>) -> Result<&PublishedLog, Unmade> {
    release
        .get::<PublishedLog>()
        .ok_or_else(|| Reason::Nothing { what: "log of single rows".to_owned() }.into())
}

/// Queries of few people that left all the same.
pub(super) struct RareQueries;

impl Attack for RareQueries {
    fn info(&self) -> &'static AttackInfo {
        &AttackInfo {
            id: "rare-queries",
            title: "Queries of few people",
            sentence: "The adversary looks for people by queries that fewer people asked than the threshold says.",
            needs: &[Need::Original],
            standing: Standing::Gate,
            source: "survey AP-09, L1870",
        }
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Option<Views<'_>>,
        _: &Knowledge,
        _: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade> {
        let (log, counts) = (release.get::<PublishedLog>(), release.get::<PublishedCounts>());
        let published: Vec<&str> = match (log, counts) {
            (Some(own), _) if own.hashed => {
                return Err(Reason::Nothing { what: "readable query".to_owned() }.into());
            }
            (Some(own), _) => own.log.texts().iter().map(|text| &**text).collect(),
            (None, Some(own)) => own.queries.iter().map(|own| &*own.0).collect(),
            (None, None) => return Err(Reason::Nothing { what: "query".to_owned() }.into()),
        };
        let original = original.and_then(|own| own.get::<OriginalLog>()).ok_or(Need::Original)?;
        let people = match &original.method {
            Method::Threshold { people, .. } => *people,
            Method::Korolova { spending, .. } | Method::Zealous { spending, .. } => spending.people,
            _ => 2,
        };
        let number_of: HashMap<&str, usize> =
            original.log.texts().iter().map(|text| &**text).zip(0..).collect();
        let true_counts = people_per_query(&original.log).queries;
        let is_rare = |text: &&&str| number_of.get(**text).is_none_or(|&query| true_counts[query] < people);
        let rare = published.iter().filter(is_rare).count() as u64;
        let mut result = Finding::new(self.info(), Share::new(rare, published.len() as u64));
        result.right = Some(Share::new(rare, published.len() as u64));
        if published.is_empty() {
            // Nothing left, so nothing rare left: a share of no query would count as unknown.
            result.sure = Share::new(0, 1);
            result.right = Some(Share::new(0, 1));
        }
        Ok(vec![result])
    }
}

/// Accounts that are opened to reach a threshold.
pub(super) struct Accounts;

impl Attack for Accounts {
    fn info(&self) -> &'static AttackInfo {
        &AttackInfo {
            id: "accounts",
            title: "Accounts against the threshold",
            sentence: "The adversary asks a suspected query from as many accounts as the threshold lacks, and learns whether \
                       somebody else asked it.",
            needs: &[Need::Original],
            standing: Standing::Informs,
            source: "survey AT-32",
        }
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Option<Views<'_>>,
        known: &Knowledge,
        progress: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade> {
        log_of(release)?;
        let original = original.and_then(|own| own.get::<OriginalLog>()).ok_or(Need::Original)?;
        let Method::Threshold { people, .. } = original.method else {
            return Err(Reason::Nothing { what: "threshold without noise".to_owned() }.into());
        };
        let publish = |log: &Log| Ok(remove_infrequent(log, people)?.texts().to_vec());
        let found = inject(&original.log, people, 200, known.seed, &publish, progress)?;
        if found.score.of == 0 {
            return Err(Reason::Nothing { what: "query of a single person".to_owned() }.into());
        }
        let mut result = finding(self.info(), found.score, true);
        result
            .notes
            .push(Note::of_knowledge(format!("{} accounts are opened for each query.", found.accounts)));
        Ok(vec![result])
    }
}

/// Rows of words: of a published log the hashes, of another log the words, with their labels.
fn words(log: &Log) -> (Baskets, Vec<Box<str>>) {
    let mut number_of: HashMap<&str, u32> = HashMap::default();
    let of_query: Vec<Vec<u32>> = log
        .texts()
        .iter()
        .map(|text| {
            let number = |word| {
                let next = number_of.len() as u32;
                *number_of.entry(word).or_insert(next)
            };
            tokens_of(text).map(number).collect()
        })
        .collect();
    let mut labels: Vec<Box<str>> = vec!["".into(); number_of.len()];
    for (word, number) in number_of {
        labels[number as usize] = word.into();
    }
    let rows = log.queries().iter().map(|&query| of_query[query as usize].iter().copied());
    (Baskets::of(rows), labels)
}

/// Hashed words and words of another log, with who is who where the owner tells.
struct Hashed {
    rows: Baskets,
    reference: Baskets,
    words: Vec<Box<str>>,
    hashes: usize,
    truth: Vec<Option<u32>>,
    has_truth: bool,
}

fn hashed(
    release: Views<'_>,
    original: Option<Views<'_>>,
    other: &OtherLog,
    known: &Knowledge,
    progress: &dyn Progress,
) -> Result<Hashed, Unmade> {
    let published = log_of(release)?;
    if !published.hashed {
        return Err(Reason::Nothing { what: "hashed word".to_owned() }.into());
    }
    let (rows, hashes) = words(&published.log);
    let (reference, words) = words(&other.read(known, progress)?);
    let number_of: HashMap<&str, u32> = words.iter().map(|word| &**word).zip(0..).collect();
    let owner = original.and_then(|own| own.get::<OriginalLog>()).filter(|own| !own.words.is_empty());
    let truth = |hash: &str| owner.and_then(|own| number_of.get(&**own.words.get(hash)?).copied());
    let truth: Vec<Option<u32>> = hashes.iter().map(|hash| truth(hash)).collect();
    Ok(Hashed { rows, reference, hashes: hashes.len(), truth, has_truth: owner.is_some(), words })
}

/// Frequency beliefs against hashes.
pub(super) struct Beliefs;

impl Attack for Beliefs {
    fn info(&self) -> &'static AttackInfo {
        &AttackInfo {
            id: "beliefs",
            title: "Frequencies of hashed words",
            sentence: "The adversary believes of each word how frequent it is, and sees how frequent each hash is.",
            needs: &[Need::Section],
            standing: Standing::Informs,
            source: "Lakshmanan, Ng and Ramesh 2005; survey AT-26",
        }
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Option<Views<'_>>,
        known: &Knowledge,
        progress: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade> {
        log_of(release)?;
        let other = known.section::<OtherLog>("beliefs")?.ok_or(Need::Section)?;
        let own = hashed(release, original, &other, known, progress)?;
        let share = |rows: &Baskets, count: usize| -> Vec<f64> {
            rows.supports(count).iter().map(|&own| own as f64 / rows.len().max(1) as f64).collect()
        };
        let (theirs, ours) = (share(&own.rows, own.hashes), share(&own.reference, own.words.len()));
        // One belief per hash: the words of the other log that are as frequent, in the order of frequency.
        let mut order: Vec<u32> = (0..ours.len() as u32).collect();
        order.sort_by(|&a, &b| ours[b as usize].total_cmp(&ours[a as usize]).then(a.cmp(&b)));
        order.truncate(own.hashes);
        if order.len() < own.hashes {
            return Err(Reason::Nothing {
                what: "belief for every hash: the other log has fewer words than there are hashes".to_owned(),
            }
            .into());
        }
        let believed: Vec<f64> = order.iter().map(|&word| ours[word as usize]).collect();
        let hash_of: HashMap<u32, u32> =
            own.truth.iter().zip(0..).filter_map(|(word, hash)| Some(((*word)?, hash))).collect();
        let truth: Vec<u32> =
            order.iter().map(|word| hash_of.get(word).copied().unwrap_or(u32::MAX)).collect();
        let truth_in_range: Vec<u32> =
            truth.iter().map(|&hash| if hash == u32::MAX { 0 } else { hash }).collect();
        let intervals = Intervals::around(&believed, other.width.unwrap_or(0.1));
        let found = crack(&intervals, &theirs, &truth_in_range, known.seed)?;
        let mut result = finding(self.info(), found.score, false);
        if !own.has_truth {
            result.right = None;
        }
        result
            .notes
            .push(Note::of_knowledge(format!("The O-estimate expects {:.1} cracks.", found.o_estimate)));
        Ok(vec![result])
    }
}

/// Company against hashes.
pub(super) struct Company;

impl Attack for Company {
    fn info(&self) -> &'static AttackInfo {
        &AttackInfo {
            id: "company",
            title: "Company of hashed words",
            sentence: "The adversary matches hashes to the words of another log by which words they stand with.",
            needs: &[Need::Section],
            standing: Standing::Informs,
            source: "Kumar, Novak, Pang and Tomkins 2007; survey AT-27",
        }
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Option<Views<'_>>,
        known: &Knowledge,
        progress: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade> {
        log_of(release)?;
        let other = known.section::<OtherLog>("company")?.ok_or(Need::Section)?;
        let own = hashed(release, original, &other, known, progress)?;
        let found = reverse_tokens(&own.rows, &own.reference, &own.truth, known.seed);
        let mut score = found.score;
        if !own.has_truth {
            (score.of, score.control_of) = (own.hashes as u64, 0);
        }
        let mut result = finding(self.info(), score, false);
        if !own.has_truth {
            result.right = None;
        }
        Ok(vec![result])
    }
}

/// Trails over sites.
pub(super) struct Trails;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct NamedVisits {
    /// A table of pairs: a name and an address that the name is known to have visited.
    visits: PathBuf,
    /// Whether some visits of a name are not known.
    #[serde(default)]
    within: bool,
    /// A table of pairs: a name and the published number of that person, to score the matches.
    #[serde(default)]
    truth: Option<PathBuf>,
}

impl Attack for Trails {
    fn info(&self) -> &'static AttackInfo {
        &AttackInfo {
            id: "trails",
            title: "Trails over sites",
            sentence: "The adversary knows by name who bought at which sites, and looks for the only person who visited these.",
            needs: &[Need::Section],
            standing: Standing::Informs,
            source: "Malin and Sweeney 2004; survey AT-28",
        }
    }

    fn run(
        &self,
        release: Views<'_>,
        _: Option<Views<'_>>,
        known: &Knowledge,
        progress: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade> {
        let published = log_of(release)?;
        let section = known.section::<NamedVisits>("trails")?.ok_or(Need::Section)?;
        let Some(clicks) = published.log.clicks().filter(|_| !published.log.addresses().is_empty()) else {
            return Err(Reason::Nothing { what: "address".to_owned() }.into());
        };
        let options = crate::PairOptions { read: ReadOptions::default(), ..crate::PairOptions::default() };
        let names = crate::read_pairs(&known.path(&section.visits), &options, progress)?;
        let number_of: HashMap<&str, u32> =
            published.log.addresses().iter().map(|own| &**own).zip(0..).collect();
        let of_item: Vec<Option<u32>> =
            names.items.labels.iter().map(|label| number_of.get(&**label).copied()).collect();
        let trails = names.baskets.map(|item| of_item[item as usize]);
        let visits = (0..published.log.people()).map(|person| {
            published.log.rows_of(person).map(|row| clicks[row]).filter(|&click| click != crate::log::NONE)
        });
        let addresses = Baskets::of(visits);
        let matching = if section.within { Matching::Within } else { Matching::Equal };
        let truth = match &section.truth {
            None => vec![None; trails.len()],
            Some(path) => truth(&known.path(path), &known.path(&section.visits), progress)?,
        };
        let (score, _) = match_trails(&trails, &addresses, matching, &truth, known.seed);
        let mut finding = Finding::new(self.info(), Share::new(score.sure, trails.len() as u64));
        if section.truth.is_some() {
            finding.right = Some(Share::new(score.right, score.of));
            finding.control = Some(Share::new(score.control, score.control_of));
        }
        Ok(vec![finding])
    }
}

/// Per name of a table of visits, in the order in which they are read, the published number of the person.
fn truth(path: &Path, visits: &Path, progress: &dyn Progress) -> Result<Vec<Option<u32>>, KindError> {
    let read = |path: &Path| privet_data::io::read(path, &ReadOptions::default().exactly(), progress);
    let (truth, visits) = (read(path)?.table, read(visits)?.table);
    let ([name, number, ..], [names, ..]) = (&truth.columns[..], &visits.columns[..]) else {
        return Err(KindError::bad_input("needs two columns, a name and the published number").at(path));
    };
    let mut number_of: HashMap<&str, u32> = HashMap::default();
    for (&name_code, &code) in name.codes.iter().zip(&number.codes) {
        let Ok(number) = number.domain.text(code).trim().parse() else {
            return Err(KindError::bad_input("holds something else than published numbers").at(path));
        };
        number_of.insert(name.domain.text(name_code), number);
    }
    let names = &names.domain.texts()[names.domain.missing() as usize..];
    Ok(names.iter().map(|own| number_of.get(&**own).copied()).collect())
}

/// Histories from sketches and signs.
pub(super) struct Sequences;

impl Attack for Sequences {
    fn info(&self) -> &'static AttackInfo {
        &AttackInfo {
            id: "sequences",
            title: "Histories from sketches",
            sentence: "The adversary has the signs and solves for the history behind each sketch.",
            needs: &[Need::View],
            standing: Standing::Gate,
            source: "survey AP-14, L1930",
        }
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Option<Views<'_>>,
        _: &Knowledge,
        progress: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade> {
        let published =
            release.get::<PublishedSketches>().ok_or(Reason::Nothing { what: "sketch".to_owned() })?;
        let (queries, signs) = published.signs.as_ref().ok_or(Need::View)?;
        let targets: Vec<&Vec<f64>> = published.sketches.iter().take(200).collect();
        let known: Option<foldhash::HashSet<Vec<(Box<str>, u64)>>> =
            original.and_then(|own| own.get::<OriginalLog>()).map(|own| {
                let named = |history: Vec<(u32, f64)>| {
                    let mut named: Vec<(Box<str>, u64)> = history
                        .iter()
                        .map(|&(term, count)| (own.log.query_text(term).into(), count as u64))
                        .collect();
                    named.sort();
                    named
                };
                histories(&own.log).into_iter().map(named).collect()
            });
        let (mut sure, mut right) = (0, 0);
        for sketch in &targets {
            progress.check()?;
            let history =
                crate::attack::solve(sketch, &|row, term| signs[row][term as usize], queries.len() as u32);
            let mut named: Vec<(Box<str>, u64)> =
                history.iter().map(|&(term, count)| (queries[term as usize].clone(), count as u64)).collect();
            named.sort();
            sure += u64::from(!named.is_empty());
            right += u64::from(known.as_ref().is_some_and(|known| known.contains(&named)));
        }
        let of = targets.len() as u64;
        let mut result = Finding::new(self.info(), Share::new(sure, of));
        result.right = known.map(|_| Share::new(right, of));
        result.sampled = published.sketches.len() > targets.len();
        if published.unit {
            result.notes.push(Note::of_release("Histories have length 1, so whole counts cannot be told."));
        }
        Ok(vec![result])
    }
}
