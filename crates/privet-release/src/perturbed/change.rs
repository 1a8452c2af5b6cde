//! How the values of a release were changed, and how a manifest says it: each way has its own part, so that no manifest has two of them
//! or none.

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use super::{Model, PerturbedData, PerturbedManifest, Swap, Synthesis};
use crate::Shown;
use crate::manifest::File;

/// How the values of a release were changed.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Each column by its own law: method `columns`.
    Laws,
    /// Values changed places between records: method `swap`.
    Swapped(Swap),
    /// Records or values were made by a model: method `synthetic`.
    Synthetic(Synthesis),
}

impl Change {
    /// The word for it.
    pub fn method(&self) -> &'static str {
        match self {
            Self::Laws => COLUMNS,
            Self::Swapped(_) => SWAP,
            Self::Synthetic(_) => SYNTHETIC,
        }
    }

    /// How records were swapped, where they were.
    pub fn swap(&self) -> Option<&Swap> {
        match self {
            Self::Swapped(swap) => Some(swap),
            _ => None,
        }
    }

    /// How records were made, where they were.
    pub fn synthesis(&self) -> Option<&Synthesis> {
        match self {
            Self::Synthetic(synthesis) => Some(synthesis),
            _ => None,
        }
    }

    /// The same parts as a manifest has them.
    fn into_parts(self) -> (&'static str, Option<Swap>, Option<Synthesis>) {
        let method = self.method();
        match self {
            Self::Laws => (method, None, None),
            Self::Swapped(swap) => (method, Some(swap), None),
            Self::Synthetic(synthesis) => (method, None, Some(synthesis)),
        }
    }

    fn of_parts(
        method: &str,
        swap: Option<Swap>,
        synthesis: Option<Synthesis>,
    ) -> Result<Self, &'static str> {
        match (method, swap, synthesis) {
            (COLUMNS, None, None) => Ok(Self::Laws),
            (SWAP, Some(swap), None) => Ok(Self::Swapped(swap)),
            (SYNTHETIC, None, Some(synthesis)) => Ok(Self::Synthetic(synthesis)),
            _ => Err("the release does not say how it was made as its method asks for"),
        }
    }
}

/// The words of the methods.
const COLUMNS: &str = "columns";
const SWAP: &str = "swap";
const SYNTHETIC: &str = "synthetic";

/// The method, and the part that it has.
impl Serialize for Change {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("method", self.method())?;
        match self {
            Self::Laws => {}
            Self::Swapped(swap) => map.serialize_entry(SWAP, swap)?,
            Self::Synthetic(synthesis) => map.serialize_entry(SYNTHETIC, synthesis)?,
        }
        map.end()
    }
}

/// A manifest as it stands in its file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Layout {
    format: u32,
    software: String,
    kind: String,
    method: String,
    data: PerturbedData,
    model: Model,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    swap: Option<Swap>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    synthetic: Option<Synthesis>,
    randomness: String,
    #[serde(default)]
    shown: Shown,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signer: Option<String>,
    files: Vec<File>,
    seal: String,
}

impl TryFrom<Layout> for PerturbedManifest {
    type Error = &'static str;

    fn try_from(layout: Layout) -> Result<Self, &'static str> {
        Ok(Self {
            format: layout.format,
            software: layout.software,
            kind: layout.kind,
            data: layout.data,
            model: layout.model,
            change: Change::of_parts(&layout.method, layout.swap, layout.synthetic)?,
            randomness: layout.randomness,
            shown: layout.shown,
            signer: layout.signer,
            files: layout.files,
            seal: layout.seal,
        })
    }
}

impl From<PerturbedManifest> for Layout {
    fn from(manifest: PerturbedManifest) -> Self {
        let (method, swap, synthetic) = manifest.change.into_parts();
        Self {
            format: manifest.format,
            software: manifest.software,
            kind: manifest.kind,
            method: method.to_owned(),
            data: manifest.data,
            model: manifest.model,
            swap,
            synthetic,
            randomness: manifest.randomness,
            shown: manifest.shown,
            signer: manifest.signer,
            files: manifest.files,
            seal: manifest.seal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perturbed::SwapWay;

    #[test]
    fn a_method_has_its_own_part_and_no_other() {
        let swap = || {
            let way = SwapWay::Nearest { probability: 0.5, compared: Vec::new() };
            Swap { way, columns: Vec::new(), keeps: 1, changed: 0, new_records: None }
        };
        assert_eq!(Change::of_parts("columns", None, None), Ok(Change::Laws));
        assert_eq!(Change::of_parts("swap", Some(swap()), None), Ok(Change::Swapped(swap())));
        for (method, part) in
            [("columns", Some(swap())), ("synthetic", Some(swap())), ("swap", None), ("magic", None)]
        {
            assert!(Change::of_parts(method, part, None).is_err(), "{method}");
        }
        assert_eq!(Change::Swapped(swap()).into_parts(), ("swap", Some(swap()), None));
    }
}
