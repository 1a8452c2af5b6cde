//! Against minimality (survey ME-17): groups are formed without a look at sensitive values, and where too many of a group
//! have the protected value, some get another one.
//!
//! A search that publishes no more coarsely than it must tells something by what it did not publish (survey AT-09). With
//! `countermeasure = "distort"` it sees k-anonymity alone, so the shape of groups has nothing to tell; the cap on the
//! protected value is then kept by distortion. The price is stated in the manifest: so many values are not true.

use privet_attack::minimality::distort;
use privet_criteria::Requirement;
use privet_data::{Cells, Progress, Random, Role};
use privet_recode::lattice;
use privet_release::manifest::Distorted;

use crate::chosen::Chosen;
use crate::error::{JobError, RunError};
use crate::job::{Job, Publish};
use crate::load::Loaded;
use crate::mondrian::MondrianSection;
use crate::run::{Prepared, choose};

/// Groups times values that are counted at most.
const MOST_CELLS: usize = 1 << 26;

/// The promises that it can keep: k-anonymity, and a cap on one value.
struct Promise {
    k: u64,
    cap: f64,
    /// Position among the sensitive columns.
    column: usize,
    /// The code of the protected value.
    value: u32,
}

fn promise(loaded: &Loaded) -> Result<Promise, JobError> {
    let wrong = |problem: &str| JobError::key("adversary.countermeasure", format!("= \"distort\" {problem}"));
    let needs =
        "keeps `k-anonymity` and one `alpha-k` with one of its `values`; promise these and nothing else";
    let mut k = 1;
    let mut cap = None;
    for requirement in &loaded.requirements {
        match requirement {
            Requirement::KAnonymity { k: own } => k = k.max(*own),
            Requirement::AlphaK { alpha, k: own, values, column } if values.len() == 1 && cap.is_none() => {
                k = k.max(*own);
                let names = |s: &crate::load::Sensitive| loaded.input.table.columns[s.position].name.as_str();
                let position = loaded.sensitive.iter().position(|s| column.as_deref() == Some(names(s)));
                let position = position.ok_or_else(|| wrong(needs))?;
                let domain = &loaded.input.table.columns[loaded.sensitive[position].position].domain;
                let value = domain.code_of(&values[0]);
                cap = Some((
                    *alpha,
                    position,
                    value.ok_or_else(|| wrong("protects a value that does not occur"))?,
                ));
            }
            _ => return Err(wrong(needs)),
        }
    }
    let (cap, column, value) = cap.ok_or_else(|| wrong(needs))?;
    Ok(Promise { k, cap, column, value })
}

/// Chooses a candidate by k-anonymity alone and replaces values in the table where the cap is broken.
pub(crate) fn apply(job: &Job, loaded: &mut Loaded, progress: &dyn Progress) -> Result<Chosen, RunError> {
    let Promise { k, cap, column, value } = promise(loaded)?;
    if job.search.published() == Some(Publish::Buckets) {
        let problem = "= \"distort\" does not go with buckets; set another publish in [search]";
        return Err(JobError::key("adversary.countermeasure", problem).into());
    }
    // A choice that looks at a sensitive column tells something of it, whatever is promised.
    let mondrian = job.search.parameters::<MondrianSection>().and_then(|own| own.target.as_ref());
    let is_sensitive = |name: &&String| job.columns.get(*name).is_some_and(|own| own.role == Role::Sensitive);
    for (key, column) in [("search.class", job.search.class.as_ref()), ("search.mondrian.target", mondrian)] {
        if column.filter(is_sensitive).is_some() {
            let problem = "names a sensitive column, so that the shape of the groups would tell something of it, which \
                           adversary.countermeasure = \"distort\" is there to prevent; name another column, or leave one of them out";
            return Err(JobError::key(key, problem).into());
        }
    }
    let prepared = Prepared::new(loaded)?;
    let criteria = prepared.criteria(loaded, &[Requirement::KAnonymity { k }])?;
    let problem = prepared.problem(loaded, job, &criteria);
    let chosen = choose(job, loaded, &problem, progress)?;
    let published = chosen.published(&problem);
    let shown = published.problem(&problem);
    let partition = lattice::partition(&shown, &shown.at(&published.levels));

    let position = loaded.sensitive[column].position;
    let values = loaded.input.table.columns[position].domain.len();
    if partition.rows.len().saturating_mul(values) > MOST_CELLS {
        let problem =
            format!("= \"distort\" counts groups times values, and there are more than {MOST_CELLS}");
        return Err(JobError::key("adversary.countermeasure", problem).into());
    }
    let codes = &loaded.input.table.columns[position].codes;
    let mut histograms = vec![vec![0u64; values]; partition.rows.len()];
    let mut holders: Vec<Vec<u32>> = vec![Vec::new(); partition.rows.len()];
    for (record, (&class, &code)) in (0..).zip(partition.class_of.iter().zip(codes)) {
        if partition.kept[class as usize] {
            histograms[class as usize][code as usize] += 1;
            if code == value {
                holders[class as usize].push(record);
            }
        }
    }
    // Whoever knew the seed could tell what was replaced.
    let mut seed = [0u8; 8];
    getrandom::fill(&mut seed).map_err(|_| RunError::Search(lattice::SearchError::NoRandomness))?;
    let seed = u64::from_le_bytes(seed);
    let distorted = distort(&histograms, value as usize, cap, seed)
        .map_err(|error| JobError::key("adversary.countermeasure", format!("= \"distort\": {error}")))?;
    let mut random = Random::new(seed ^ 0x9e37_79b9_7f4a_7c15);
    let mut changes: Vec<(u32, u32)> = Vec::new();
    for (class, holders) in holders.iter_mut().enumerate() {
        let more = |&code: &usize| distorted.histograms[class][code].saturating_sub(histograms[class][code]);
        let new = (0..values).filter(|&code| code != value as usize);
        let new = new.flat_map(|code| std::iter::repeat_n(code as u32, more(&code) as usize));
        for (place, code) in new.enumerate() {
            let other = place + random.below(holders.len() - place);
            holders.swap(place, other);
            changes.push((holders[place], code));
        }
    }
    let own = &mut loaded.input.table.columns[position];
    match &own.cells {
        Cells::Verbatim { .. } => own.cells = Cells::Plain,
        Cells::ArrowVerbatim { .. } => {
            let problem = "= \"distort\" cannot write a column that has nulls and empty texts; make them one in the input";
            return Err(JobError::key("adversary.countermeasure", problem).into());
        }
        _ => {}
    }
    loaded.true_codes = Some((position, own.codes.clone()));
    let counts = &mut loaded.sensitive[column].counts;
    for &(record, code) in &changes {
        counts[own.codes[record as usize] as usize] -= 1;
        counts[code as usize] += 1;
        own.codes[record as usize] = code;
    }
    loaded.distorted = Some(Distorted { column: own.name.clone(), records: changes.len() as u64 });
    Ok(chosen)
}
