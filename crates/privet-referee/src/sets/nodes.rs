//! Baskets of items and groups: the known items of an adversary match a basket when its nodes stand for all of them.

use std::collections::{BTreeMap, BTreeSet};

use privet_data::Progress;
use privet_release::{Check, OpenError, Promised, ReleaseFolder};

use super::{MOST, Rows, count_sets};

const ITEMS: &str = "items.csv";
const BASKETS: &str = "baskets.csv";
const PROTECTED: &str = "protected.csv";

/// The published nodes and baskets.
struct Published {
    above: Vec<usize>,
    covers: Vec<u64>,
    sensitive: Vec<bool>,
    baskets: Vec<Vec<u32>>,
    number_of: BTreeMap<String, u32>,
}

pub(super) fn verify(
    folder: &ReleaseFolder,
    baskets: u64,
    catalogue: u64,
    policies: bool,
    progress: &dyn Progress,
) -> Result<Vec<Check>, OpenError> {
    let (published, mut checks) = read(folder, baskets, catalogue, progress)?;
    if checks.iter().any(|check| !check.ok) {
        return Ok(checks);
    }
    // Classes of items that no basket tells apart take the place of items.
    let (known, sensitive) = classes(&published);
    for promised in &folder.envelope().promises {
        progress.check()?;
        checks.push(match promised.id.as_str() {
            "k-m-anonymity" => k_m(&known, promised),
            "coherence" => {
                let (h, k, p) = (promised.number("h"), promised.whole("k"), promised.whole("p"));
                shares(&known, &sensitive, h, k, p, "coherence")
            }
            "item-diversity" => {
                let h = promised.number("l").filter(|l| *l >= 1.0).map(|l| 1.0 / l);
                shares(&known, &sensitive, h, Some(1), promised.whole("m"), "l-diversity of items")
            }
            "rho-uncertainty" => rho(&known, &sensitive, promised),
            "protected-sets" if policies => protected(folder, &published, promised, progress)?,
            _ => Check::failed(promised.id.clone(), "this form of release has no such promise"),
        });
    }
    Ok(checks)
}

fn read(
    folder: &ReleaseFolder,
    baskets: u64,
    catalogue: u64,
    progress: &dyn Progress,
) -> Result<(Published, Vec<Check>), OpenError> {
    let rows = Rows::read(folder, ITEMS, progress)?;
    let item = rows.column(folder, ITEMS, "item")?;
    let above = rows.column(folder, ITEMS, "above")?;
    let covers: Vec<u64> = rows.numbers(folder, ITEMS, "covers")?;
    let mark = rows.column(folder, ITEMS, "sensitive")?;
    let number_of: BTreeMap<String, u32> =
        item.codes.iter().map(|&code| item.domain.text(code).to_owned()).zip(0..).collect();
    let unknown = || folder.malformed(ITEMS, "an item stands below one that is not listed");
    let above: Option<Vec<usize>> = above
        .codes
        .iter()
        .map(|&code| number_of.get(above.domain.text(code)).map(|&own| own as usize))
        .collect();
    let above = above.ok_or_else(unknown)?;
    let mut problems = Vec::new();
    if number_of.len() != rows.table.rows {
        problems.push("an item is listed twice".to_owned());
    }
    // Upwards, nodes stand for more and more, up to the whole catalogue, and there is no circle.
    // A root may stand for as many, where it has one child: above it nothing comes.
    let is_root = |node: usize| above[node] == node;
    let rises = (0..above.len()).all(|node| {
        is_root(node)
            || covers[above[node]] > covers[node]
            || is_root(above[node]) && covers[above[node]] == covers[node]
    });
    if !rises || covers.iter().any(|&own| own == 0 || own > catalogue) {
        problems.push("a group does not stand for more items than what is below it".to_owned());
    }
    let mut below = vec![0u64; above.len()];
    (0..above.len()).filter(|&node| above[node] != node).for_each(|node| below[above[node]] += covers[node]);
    if (0..above.len()).any(|node| below[node] > covers[node]) {
        problems.push("a group stands for fewer items than are listed below it".to_owned());
    }
    let rows = Rows::read(folder, BASKETS, progress)?;
    let numbers: Vec<u64> = rows.numbers(folder, BASKETS, "basket")?;
    let held = rows.column(folder, BASKETS, "item")?;
    let mut sets: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); usize::try_from(baskets).unwrap_or(0).min(MOST)];
    for (&number, &code) in numbers.iter().zip(&held.codes) {
        let set = usize::try_from(number).ok().and_then(|own| sets.get_mut(own));
        match (set, number_of.get(held.domain.text(code))) {
            (Some(set), Some(&node)) => _ = set.insert(node),
            _ => {
                problems.push("a basket has a number or an item that is not listed".to_owned());
                break;
            }
        }
    }
    let sensitive = mark.codes.iter().map(|&code| mark.domain.text(code) == "yes").collect();
    let sets: Vec<Vec<u32>> = sets.into_iter().map(|set| set.into_iter().collect()).collect();
    let check = match problems.is_empty() {
        true => Check::passed(
            "form",
            format!("{} baskets of {} listed items and groups", sets.len(), number_of.len()),
        ),
        false => Check::failed("form", problems.join("; ")),
    };
    Ok((Published { above, covers, sensitive, baskets: sets, number_of }, vec![check]))
}

/// Per basket the classes of items that its nodes stand for, and per class whether it is sensitive.
///
/// The items of a published node that stand below no other published node are alike: one class. A node has such items when it
/// covers more than the topmost published nodes below it do together.
fn classes(published: &Published) -> (Vec<Vec<u32>>, Vec<bool>) {
    let nodes = published.above.len();
    let mut used = vec![false; nodes];
    published.baskets.iter().flatten().for_each(|&node| used[node as usize] = true);
    let used_above = |node: usize| {
        let mut at = node;
        while published.above[at] != at {
            at = published.above[at];
            if used[at] {
                return Some(at);
            }
        }
        None
    };
    let mut covered_below = vec![0u64; nodes];
    for node in (0..nodes).filter(|&node| used[node]) {
        if let Some(above) = used_above(node) {
            covered_below[above] += published.covers[node];
        }
    }
    let has_class: Vec<bool> =
        (0..nodes).map(|node| used[node] && published.covers[node] > covered_below[node]).collect();
    // Under a node stand its own class and those of all published nodes below.
    let mut under: Vec<Vec<u32>> = vec![Vec::new(); nodes];
    for node in (0..nodes).filter(|&node| has_class[node]) {
        under[node].push(node as u32);
        let mut at = node;
        while let Some(above) = used_above(at) {
            under[above].push(node as u32);
            at = above;
        }
    }
    let known = published.baskets.iter().map(|basket| {
        let set: BTreeSet<u32> =
            basket.iter().flat_map(|&node| under[node as usize].iter().copied()).collect();
        set.into_iter().collect()
    });
    (known.collect(), published.sensitive.clone())
}

fn too_many(name: &str) -> Check {
    Check::failed(
        name,
        format!("more than {MOST} sets begin with one item; the promise cannot be checked in full"),
    )
}

fn k_m(known: &[Vec<u32>], promised: &Promised) -> Check {
    let name = "k^m-anonymity";
    let (Some(k), Some(m)) = (promised.whole("k"), promised.whole("m").filter(|m| (1..=64).contains(m)))
    else {
        return Check::failed(name, "the promise names no k and m");
    };
    let (mut sets, mut failing, mut least) = (0u64, 0u64, u64::MAX);
    let complete = count_sets(known, m as usize, &mut |_, count| {
        sets += 1;
        failing += u64::from(count < k);
        least = least.min(count);
    });
    match (complete, failing) {
        (false, _) => too_many(name),
        (true, 0) if sets == 0 => Check::passed(name, "no basket holds anything"),
        (true, 0) => Check::passed(
            name,
            format!("each of {sets} sets of at most {m} items fits {least} baskets or more"),
        ),
        (true, failing) => Check::failed(
            name,
            format!("{failing} sets of at most {m} items fit fewer than {k} baskets, one only {least}"),
        ),
    }
}

/// Coherence and l-diversity: the support of public sets, and the shares of sensitive items among their baskets.
fn shares(
    known: &[Vec<u32>],
    sensitive: &[bool],
    h: Option<f64>,
    k: Option<u64>,
    p: Option<u64>,
    name: &str,
) -> Check {
    let (Some(h), Some(k), Some(p)) = (h, k, p.filter(|p| (1..=64).contains(p))) else {
        return Check::failed(name, "the promise does not name its parameters");
    };
    let of = |which: bool| -> Vec<Vec<u32>> {
        let own = |basket: &Vec<u32>| {
            basket.iter().copied().filter(|&item| sensitive[item as usize] == which).collect()
        };
        known.iter().map(own).collect()
    };
    let (public, private) = (of(false), of(true));
    let items: BTreeSet<u32> = private.iter().flatten().copied().collect();
    // Counted once over all baskets, and once per sensitive item over the baskets that hold it.
    let mut all: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    let mut too_large = false;
    let complete = count_sets(&public, p as usize, &mut |set, count| {
        too_large |= all.len() > MOST;
        if !too_large {
            all.insert(set.to_vec(), count);
        }
    });
    if !complete || too_large {
        return too_many(name);
    }
    let mut failing: BTreeSet<Vec<u32>> =
        all.iter().filter(|own| *own.1 < k).map(|own| own.0.clone()).collect();
    let mut largest = 0f64;
    for item in items {
        let holders: Vec<Vec<u32>> = public
            .iter()
            .zip(&private)
            .filter(|own| own.1.contains(&item))
            .map(|own| own.0.clone())
            .collect();
        count_sets(&holders, p as usize, &mut |set, count| {
            let share = count as f64 / all[set] as f64;
            largest = largest.max(share);
            if share > h + 1e-9 {
                failing.insert(set.to_vec());
            }
        });
    }
    match failing.len() {
        0 => Check::passed(
            name,
            format!(
                "{} sets of at most {p} public items; the largest share of a sensitive item is {largest:.4}",
                all.len()
            ),
        ),
        sets => Check::failed(name, format!("{sets} sets of at most {p} public items break the promise")),
    }
}

fn rho(known: &[Vec<u32>], sensitive: &[bool], promised: &Promised) -> Check {
    let name = "rho-uncertainty";
    let Some(rho) = promised.number("rho") else {
        return Check::failed(name, "the promise names no rho");
    };
    let support = |set: &[u32]| {
        known.iter().filter(|basket| set.iter().all(|item| basket.contains(item))).count() as f64
    };
    let (mut largest, mut rules) = (0f64, 0u64);
    for item in (0..sensitive.len() as u32).filter(|&item| sensitive[item as usize]) {
        let holders: Vec<Vec<u32>> = known.iter().filter(|basket| basket.contains(&item)).cloned().collect();
        let mut look = |set: &[u32], count: u64| {
            let others: Vec<u32> = set.iter().copied().filter(|&own| own != item).collect();
            if !others.is_empty() {
                rules += 1;
                largest = largest.max(count as f64 / support(&others));
            }
        };
        match promised.whole("most") {
            Some(most) => {
                let others: Vec<Vec<u32>> = holders
                    .iter()
                    .map(|basket| basket.iter().copied().filter(|&own| own != item).collect())
                    .collect();
                if !count_sets(&others, most as usize, &mut look) {
                    return too_many(name);
                }
            }
            None => {
                // Whatever is known, all items that its baskets share are as good: intersections of baskets are enough.
                let mut closed: BTreeSet<Vec<u32>> = BTreeSet::new();
                for basket in &holders {
                    let met: Vec<Vec<u32>> = closed
                        .iter()
                        .map(|set| set.iter().copied().filter(|own| basket.contains(own)).collect())
                        .collect();
                    closed.extend(met);
                    closed.insert(basket.clone());
                    if closed.len() > MOST / 100 {
                        return too_many(name);
                    }
                }
                for set in closed {
                    let count =
                        holders.iter().filter(|basket| set.iter().all(|own| basket.contains(own))).count();
                    look(&set, count as u64);
                }
            }
        }
    }
    match largest <= rho + 1e-9 {
        true => Check::passed(
            name,
            format!("the most confident of {rules} rules to a sensitive item has {largest:.4}"),
        ),
        false => Check::failed(name, format!("a rule to a sensitive item has a confidence of {largest:.4}")),
    }
}

fn protected(
    folder: &ReleaseFolder,
    published: &Published,
    promised: &Promised,
    progress: &dyn Progress,
) -> Result<Check, OpenError> {
    let name = "protected sets";
    let Some(k) = promised.whole("k") else {
        return Ok(Check::failed(name, "the promise names no k"));
    };
    let rows = Rows::read(folder, PROTECTED, progress)?;
    let numbers: Vec<u64> = rows.numbers(folder, PROTECTED, "set")?;
    let items = rows.column(folder, PROTECTED, "item")?;
    let mut sets: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for (&number, &code) in numbers.iter().zip(&items.codes) {
        match published.number_of.get(items.domain.text(code)) {
            Some(&node) => sets.entry(number).or_default().push(node),
            None => return Ok(Check::failed(name, "a protected set names an item that is not listed")),
        }
    }
    let support = |set: &Vec<u32>| {
        published.baskets.iter().filter(|basket| set.iter().all(|node| basket.contains(node))).count() as u64
    };
    let failing = sets.values().map(support).filter(|&own| own > 0 && own < k).count();
    Ok(match failing {
        0 => Check::passed(
            name,
            format!("each of {} protected sets is held by {k} baskets or by none", sets.len()),
        ),
        failing => {
            Check::failed(name, format!("{failing} protected sets are held by fewer than {k} baskets"))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(baskets: &[&[u32]], items: usize) -> Published {
        Published {
            above: (0..items).collect(),
            covers: vec![1; items],
            sensitive: vec![false; items],
            baskets: baskets.iter().map(|basket| basket.to_vec()).collect(),
            number_of: BTreeMap::new(),
        }
    }

    fn asked(k: u64, m: u64) -> Promised {
        Promised::new("k-m-anonymity").with("k", k).with("m", m)
    }

    #[test]
    fn sets_of_items() {
        let own = flat(&[&[0, 1], &[0, 1], &[0, 2], &[0, 2]], 3);
        let (known, _) = classes(&own);
        assert!(k_m(&known, &asked(2, 2)).ok && !k_m(&known, &asked(3, 1)).ok);
        let own = flat(&[&[0, 1], &[0, 1], &[0, 2], &[1, 2]], 3);
        let (known, _) = classes(&own);
        assert!(k_m(&known, &asked(2, 1)).ok && !k_m(&known, &asked(2, 2)).ok);
        assert!(!k_m(&known, &Promised::new("k-m-anonymity")).ok);
    }

    /// Node 2 stands for items 0, 1 and one that is never published by itself.
    #[test]
    fn groups_stand_for_what_is_below() {
        let mut own = flat(&[&[0], &[2], &[2]], 3);
        (own.above, own.covers) = (vec![2, 2, 2], vec![1, 1, 3]);
        let (known, _) = classes(&own);
        assert_eq!(known, [vec![0], vec![0, 2], vec![0, 2]]);
        // Node 1 never occurs; were everything below 2 published, 2 would have no class of its own.
        own.baskets = vec![vec![0], vec![1], vec![2]];
        own.covers = vec![1, 1, 2];
        assert_eq!(classes(&own).0, [vec![0], vec![1], vec![0, 1]]);
    }

    #[test]
    fn shares_of_sensitive_items() {
        let sensitive = [false, false, true];
        let known = vec![vec![0, 2], vec![0], vec![0, 1], vec![0, 1]];
        assert!(shares(&known, &sensitive, Some(0.25), Some(2), Some(2), "x").ok);
        assert!(!shares(&known, &sensitive, Some(0.2), Some(2), Some(2), "x").ok);
        assert!(!shares(&known, &sensitive, Some(0.5), Some(3), Some(2), "x").ok);
        let rule = |rho: f64| rho_of(&known, &sensitive, rho, None);
        assert!(rule(0.25) && !rule(0.2));
        // Two known items name the basket: {0, 1} → 2.
        let known = vec![vec![0, 1, 2], vec![0], vec![1], vec![0], vec![1]];
        assert!(!rho_of(&known, &sensitive, 0.5, None));
        assert!(rho_of(&known, &sensitive, 0.5, Some(1)) && !rho_of(&known, &sensitive, 0.3, Some(1)));
    }

    fn rho_of(known: &[Vec<u32>], sensitive: &[bool], limit: f64, most: Option<u64>) -> bool {
        let promised = Promised::new("rho-uncertainty").with("rho", limit);
        let promised = match most {
            None => promised,
            Some(most) => promised.with("most", most),
        };
        rho(known, sensitive, &promised).ok
    }
}
