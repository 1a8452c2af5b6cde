//! Attacks on baskets, on the seam.

use privet_data::{Progress, Random};
use privet_kind::page::Series;
use privet_kind::{
    Attack, AttackInfo, Finding, Knowledge, Need, Note, Reason, Share, Standing, Unmade, Views,
};
use serde::Deserialize;

use super::open::{OriginalSets, PublishedClusters, PublishedNodes};
use crate::attack::{Known, LinkTarget, Score, link, link_disassociated};
use crate::criteria::{Atoms, Lists};
use crate::{Baskets, SetsError};

/// The most people that are attacked; more are drawn from.
const TARGETS: usize = 2000;

/// A finding from a score.
pub(super) fn finding(info: &AttackInfo, score: Score, sampled: bool) -> Finding {
    let mut finding = Finding::new(info, Share::new(score.sure, score.of));
    finding.right = Some(Share::new(score.right, score.of));
    if score.control_of > 0 {
        finding.control = Some(Share::new(score.control, score.control_of));
    }
    finding.sampled = sampled;
    finding
}

/// What is published of the items of an original: classes of items that no basket tells apart.
///
/// The adversary knows the hierarchy of items: it is how shops and coders name things.
fn atoms(published: &PublishedNodes, original: &OriginalSets) -> Result<Atoms, SetsError> {
    let number_of: foldhash::HashMap<&str, u32> =
        published.labels.iter().map(|label| &**label).zip(0..).collect();
    let tree = &original.tree;
    // Nodes are found by their labels; groups of policies by the items that they join.
    let mut by_item: Vec<Vec<u32>> = (0..tree.leaves() as u32)
        .map(|item| tree.path(item).filter_map(|node| number_of.get(tree.label(node)).copied()).collect())
        .collect();
    for (item, nodes) in by_item.iter_mut().enumerate() {
        let own = number_of.get(&*original.data.items.labels[item]).copied();
        if let Some(node) = own {
            let mut at = node;
            while published.above[at as usize] != at {
                at = published.above[at as usize];
                nodes.push(at);
            }
        }
        nodes.sort_unstable();
        nodes.dedup();
    }
    let mut used = vec![false; published.labels.len()];
    published.sets.flat().iter().for_each(|&node| used[node as usize] = true);
    let mut class_of: foldhash::HashMap<Vec<u32>, u32> = foldhash::HashMap::default();
    let mut nodes: Vec<Vec<u32>> = Vec::new();
    let of_item = by_item
        .into_iter()
        .map(|mut own| {
            own.retain(|&node| used[node as usize]);
            match own.is_empty() {
                true => u32::MAX,
                false => *class_of.entry(own).or_insert_with_key(|own| {
                    nodes.push(own.clone());
                    nodes.len() as u32 - 1
                }),
            }
        })
        .collect();
    let mut under: Vec<Vec<u32>> = vec![Vec::new(); published.labels.len()];
    for (class, own) in nodes.iter().enumerate() {
        own.iter().for_each(|&node| under[node as usize].push(class as u32));
    }
    let covered =
        published.sets.iter().map(|set| set.iter().flat_map(|&node| under[node as usize].iter().copied()));
    let baskets = Baskets::of(covered);
    Ok(Atoms { of_item, baskets, nodes })
}

/// Baskets of the original in the items of published clusters.
fn in_labels(original: &OriginalSets, labels: &[Box<str>]) -> Baskets {
    let number_of: foldhash::HashMap<&str, u32> = labels.iter().map(|label| &**label).zip(0..).collect();
    let of_item: Vec<Option<u32>> =
        original.data.items.labels.iter().map(|label| number_of.get(&**label).copied()).collect();
    original.data.baskets.map(|item| of_item[item as usize])
}

/// Whoever knows a few items of a person looks for the baskets that fit.
pub(super) struct KnownItems;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownSection {
    items: usize,
}

impl Attack for KnownItems {
    fn info(&self) -> &'static AttackInfo {
        &AttackInfo {
            id: "known-items",
            title: "A few known items",
            sentence: "The adversary has seen a few items of a person and looks for the only basket that fits.",
            needs: &[Need::Original],
            standing: Standing::Gate,
            source: "Terrovitis, Mamoulis and Kalnis 2008; survey ME-18",
        }
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Option<Views<'_>>,
        known: &Knowledge,
        progress: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade> {
        let (nodes, clusters) = (release.get::<PublishedNodes>(), release.get::<PublishedClusters>());
        if nodes.is_none() && clusters.is_none() {
            return Err(Reason::Nothing { what: "basket".to_owned() }.into());
        }
        let original = original.and_then(|own| own.get::<OriginalSets>()).ok_or(Need::Original)?;
        let asked = known.section::<KnownSection>("known-items")?.map(|own| own.items);
        let promised = nodes.map_or_else(|| clusters.and_then(|own| own.known), |own| own.known);
        let usual = asked.or(promised).unwrap_or(2).max(1);
        let view = nodes.map(|own| atoms(own, original)).transpose()?;
        let run = |items: usize| -> Result<LinkTarget, Unmade> {
            let known = Known { items, targets: TARGETS, seed: known.seed };
            Ok(match (&view, clusters) {
                (Some(view), _) => link(&original.data.baskets, view, known, progress)?,
                (None, Some(own)) => {
                    let people = in_labels(original, &own.labels);
                    link_disassociated(&people, &own.apart, known, progress)?
                }
                (None, None) => return Err(Need::View.into()),
            })
        };
        let found = run(usual)?;
        let mut result = finding(self.info(), found.score, found.sampled);
        result.variant = format!("{usual} known {}", if usual == 1 { "item" } else { "items" });
        let mut points = Vec::new();
        for items in 1..=6 {
            let own = run(items)?;
            points.push((items as f64, own.score.right as f64 / own.score.of.max(1) as f64));
        }
        result.curves.push(Series { name: "found, by items known".to_owned(), points });
        let strangers = format!(
            "Among as many people who are not in the data, a single basket would fit {} by accident.",
            found.strangers
        );
        result.notes.push(Note::of_original(strangers));
        if let Some(fewest) = found.fewest {
            result.notes.push(Note::of_original(format!(
                "The fewest baskets that fit anybody's known items are {fewest}."
            )));
        }
        Ok(vec![result])
    }
}

/// Whoever knows a few public items concludes a sensitive one.
pub(super) struct SensitiveItem;

impl Attack for SensitiveItem {
    fn info(&self) -> &'static AttackInfo {
        &AttackInfo {
            id: "sensitive-item",
            title: "A sensitive item from public ones",
            sentence: "The adversary knows a few public items of a person and concludes a sensitive item that most fitting \
                       baskets hold.",
            needs: &[Need::Original],
            standing: Standing::Gate,
            source: "Xu, Wang, Fu and Yu 2008; Cao and others 2010",
        }
    }

    fn run(
        &self,
        release: Views<'_>,
        original: Option<Views<'_>>,
        known: &Knowledge,
        progress: &dyn Progress,
    ) -> Result<Vec<Finding>, Unmade> {
        let published =
            release.get::<PublishedNodes>().ok_or(Reason::Nothing { what: "table of baskets".to_owned() })?;
        let original = original.and_then(|own| own.get::<OriginalSets>()).ok_or(Need::Original)?;
        let data = &original.data;
        let targets: Vec<u32> =
            (0..data.items.len() as u32).filter(|&item| data.items.sensitive[item as usize]).collect();
        if targets.is_empty() {
            return Err(Reason::Nothing { what: "sensitive item".to_owned() }.into());
        }
        let view = atoms(published, original)?;
        let lists = Lists::new(&view.baskets, view.nodes.len());
        let class = |item: u32| Some(view.of_item[item as usize]).filter(|&own| own != u32::MAX);
        let frequency: Vec<f64> = targets
            .iter()
            .map(|&item| {
                class(item).map_or(0.0, |own| lists.list(own).len() as f64 / data.baskets.len().max(1) as f64)
            })
            .collect();
        let mut random = Random::stream(known.seed, 12);
        let mut people: Vec<u32> = (0..data.baskets.len() as u32).collect();
        let sampled = people.len() > TARGETS;
        random.shuffle(&mut people);
        people.truncate(TARGETS);
        let most = known.section::<KnownSection>("sensitive-item")?.map(|own| own.items);
        let most = most.or(published.known).unwrap_or(2).max(1);
        let mut score = Score::default();
        for &person in &people {
            progress.check()?;
            let basket = data.baskets.basket(person as usize);
            let mut public: Vec<u32> =
                basket.iter().copied().filter(|&item| !data.items.sensitive[item as usize]).collect();
            random.shuffle(&mut public);
            public.truncate(most);
            let mut classes: Vec<u32> = public.iter().filter_map(|&item| class(item)).collect();
            classes.sort_unstable();
            classes.dedup();
            let fits = if classes.is_empty() { 0 } else { lists.support(&classes, u64::MAX) };
            let mut sure = None;
            let mut without = None;
            for (&item, &usual) in targets.iter().zip(&frequency) {
                let mut with = classes.clone();
                with.extend(class(item));
                with.sort_unstable();
                with.dedup();
                let share = match class(item) {
                    Some(_) if fits > 0 => lists.support(&with, u64::MAX) as f64 / fits as f64,
                    _ => 0.0,
                };
                sure = sure.or((share >= known.confidence).then_some(item));
                without = without.or((usual >= known.confidence).then_some(item));
            }
            score.of += 1;
            score.control_of += 1;
            score.sure += u64::from(sure.is_some());
            score.right += u64::from(sure.is_some_and(|item| basket.contains(&item)));
            score.control += u64::from(without.is_some_and(|item| basket.contains(&item)));
        }
        let mut result = finding(self.info(), score, sampled);
        result.variant = format!("{most} known {}", if most == 1 { "item" } else { "items" });
        Ok(vec![result])
    }
}
