//! The label of k-neighbourhood anonymity: what its values may be generalized to, by groups in the job or by a hierarchy file.

use std::collections::BTreeMap;
use std::path::Path;

use foldhash::HashMap;
use privet_data::hierarchy::read_hierarchy;
use privet_data::{Domain, Role};
use privet_kind::KindError;

use super::job::{Method, Settings};
use crate::{Attribute, LabelTree, Network};

/// The parents of all codes, and the texts of those above the values.
type Above = (Vec<Option<u32>>, Vec<Box<str>>);

/// Groups of the job, and `*` above them.
fn groups(
    groups: &BTreeMap<String, String>,
    texts: &[Box<str>],
    domain: &Domain,
) -> Result<Above, KindError> {
    if groups.keys().any(|own| domain.code_of(own).is_none()) {
        // The value is not told: it may be one of the data.
        return Err(KindError::key("graph.groups", "has a value that the label does not have"));
    }
    let mut names: Vec<&String> = groups.values().collect();
    names.sort_unstable();
    names.dedup();
    let leaves = texts.len();
    let root = (leaves + names.len()) as u32;
    let parent = |text: &str| Some((leaves + names.binary_search(&groups.get(text)?).ok()?) as u32);
    let mut parents: Vec<Option<u32>> = texts.iter().map(|text| Some(parent(text).unwrap_or(root))).collect();
    parents.extend(names.iter().map(|_| Some(root)));
    parents.push(None);
    let above = names.into_iter().map(|own| own.as_str().into()).chain(["*".into()]).collect();
    Ok((parents, above))
}

/// The levels of a hierarchy file, and `*` above them. Missing values are covered by `*` alone.
fn levels(file: &Path, texts: &[Box<str>], domain: &Domain) -> Result<Above, KindError> {
    let hierarchy = read_hierarchy(file).map_err(|error| KindError::bad_input(error.to_string()))?;
    let leaf: HashMap<&str, usize> =
        hierarchy.leaves().iter().enumerate().map(|(place, text)| (&**text, place)).collect();
    let levels = hierarchy.levels();
    let first_of_level: Vec<u32> = levels
        .iter()
        .scan(texts.len() as u32, |next, level| {
            let first = *next;
            *next += level.labels.len() as u32;
            Some(first)
        })
        .collect();
    let above: Vec<Box<str>> = levels.iter().flat_map(|level| level.labels.iter().cloned()).collect();
    let root = (texts.len() + above.len()) as u32;
    let code = |level: usize, leaf: usize| match levels.get(level) {
        Some(own) => first_of_level[level] + own.node_of_leaf[leaf],
        None => root,
    };
    let mut parents = vec![Some(root); texts.len() + above.len()];
    for (own, text) in (0u32..).zip(texts) {
        if domain.is_missing(own) {
            continue;
        }
        let place = leaf.get(&**text).copied().ok_or_else(|| {
            KindError::key("graph.hierarchy", "does not hold every value of the label").at(file)
        })?;
        parents[own as usize] = Some(code(0, place));
    }
    for place in 0..hierarchy.leaves().len() {
        for level in 0..levels.len() {
            parents[code(level, place) as usize] = Some(code(level + 1, place));
        }
    }
    parents.push(None);
    Ok((parents, above.into_iter().chain(["*".into()]).collect()))
}

/// The label of k-neighbourhood anonymity: codes of a tree and their texts.
pub(super) struct Label {
    name: String,
    role: Role,
    pub codes: Vec<u32>,
    pub tree: LabelTree,
    texts: Vec<Box<str>>,
}

impl Label {
    pub fn of(network: &Network, settings: &Settings) -> Result<Option<Self>, KindError> {
        let Method::KNeighbourhood { label: Some(name), .. } = &settings.method else { return Ok(None) };
        let attribute = network
            .nodes
            .attribute(name)
            .ok_or_else(|| KindError::key("graph.label", "names no attribute of [input.attributes]"))?;
        let mut texts: Vec<Box<str>> = attribute.domain.texts().to_vec();
        // Every code of the domain, with the one for missing values.
        let codes =
            attribute.codes.iter().copied().max().map_or(0, |last| last as usize + 1).max(texts.len());
        while texts.len() < codes {
            texts.push(attribute.domain.text(texts.len() as u32).into());
        }
        let (parents, above) = match &settings.hierarchy {
            Some(file) => levels(file, &texts, &attribute.domain)?,
            None => groups(&settings.groups, &texts, &attribute.domain)?,
        };
        texts.extend(above);
        let tree = LabelTree::new(parents)?;
        let (name, role) = (attribute.name.clone(), attribute.role);
        Ok(Some(Self { name, role, codes: attribute.codes.clone(), tree, texts }))
    }

    /// The attribute as it is published.
    pub fn published(&self, codes: &[u32]) -> Attribute {
        let mut distinct: Vec<Box<str>> = self.texts.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let (domain, _) = Domain::canonical(distinct, str::is_empty);
        let text = |code: u32| self.texts[code as usize].as_ref();
        let codes = codes.iter().map(|&own| domain.code_of(text(own)).unwrap_or(domain.missing())).collect();
        Attribute { name: self.name.clone(), role: self.role, codes, domain }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three levels above the values; a value that the file does not have is an error that names no value.
    #[test]
    fn a_hierarchy_file_is_a_tree_of_labels() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("towns.csv");
        std::fs::write(
            &file,
            "Ulm;Swabia;South;Germany\nBonn;Rhine;West;Germany\nKiel;Coast;North;Germany\n",
        )
        .unwrap();
        let texts: Vec<Box<str>> = ["Bonn", "Kiel", "Ulm"].map(Box::from).to_vec();
        let (domain, _) = Domain::canonical(texts, str::is_empty);
        let texts = domain.texts().to_vec();
        let (parents, above) = levels(&file, &texts, &domain).unwrap();
        let all: Vec<Box<str>> = texts.iter().cloned().chain(above).collect();
        let tree = LabelTree::new(parents).unwrap();
        let code = |text: &str| all.iter().position(|own| &**own == text).unwrap() as u32;
        assert_eq!(tree.common(code("Ulm"), code("Bonn")), code("Germany"));
        assert_eq!(tree.parent(code("Ulm")), Some(code("Swabia")));
        assert_eq!(tree.parent(code("Germany")), Some(code("*")));
        std::fs::write(&file, "Ulm;Swabia\nBonn;Rhine\n").unwrap();
        let refused = levels(&file, &texts, &domain).unwrap_err().to_string();
        assert!(refused.contains("every value") && !refused.contains("Kiel"), "{refused}");
    }
}
