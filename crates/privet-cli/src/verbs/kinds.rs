//! `privet kinds`: the kinds of release beyond records, with their keys, attacks and measures.

use clap::Args;
use privet::KINDS;

use super::{Shared, print, print_json};
use crate::exit::{DONE, Failure};

/// List the kinds of release that a job can name, with their keys, attacks and measures
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  privet kinds
  privet kinds graph
  privet kinds graph --json")]
pub struct Kinds {
    /// Show the keys, attacks and measures of one kind
    kind: Option<String>,
}

impl Kinds {
    /// Runs it.
    pub fn run(self, shared: &Shared) -> Result<u8, Failure> {
        let is_wanted = |id: &str| self.kind.as_deref().is_none_or(|kind| kind == id);
        if !KINDS.iter().any(|kind| is_wanted(kind.id())) {
            let ids: Vec<&str> = KINDS.iter().map(|kind| kind.id()).collect();
            return Err(Failure::bad_input(format!("unknown kind; accepted: {}", ids.join(", "))));
        }
        let wanted = KINDS.iter().filter(|kind| is_wanted(kind.id()));
        if shared.json {
            let told: Vec<serde_json::Value> = wanted.map(|kind| json(*kind)).collect();
            print_json(&told)?;
            return Ok(DONE);
        }
        let mut text = String::new();
        for kind in wanted {
            text.push_str(&format!("{:<10} {}\n", kind.id(), kind.title()));
            if self.kind.is_some() {
                text.push_str(&whole(*kind));
            }
        }
        if self.kind.is_none() {
            text.push_str("\nA job names its kind in its first line: kind = \"graph\". All of one kind: privet kinds graph");
        }
        if !shared.quiet {
            print(&text)?;
        }
        Ok(DONE)
    }
}

/// The keys, attacks and measures of a kind.
fn whole(kind: &dyn privet::Kind) -> String {
    let mut text = String::new();
    for section in kind.sections() {
        text.push_str(&format!("\n[{}]\n", section.name));
        for (key, sentence) in section.keys {
            text.push_str(&format!("  {key:<20} {sentence}\n"));
        }
    }
    text.push_str("\nAttacks\n");
    for info in kind.attacks().iter().map(|attack| attack.info()) {
        text.push_str(&format!("  {:<20} {} ({})\n", info.id, info.sentence, info.source));
    }
    text.push_str("\nMeasures\n");
    for info in kind.measures().iter().map(|measure| measure.info()) {
        text.push_str(&format!("  {:<20} {}\n", info.id, info.sentence));
    }
    text
}

fn json(kind: &dyn privet::Kind) -> serde_json::Value {
    let sections: Vec<_> = kind
        .sections()
        .iter()
        .map(|own| serde_json::json!({ "name": own.name, "keys": own.keys.iter().copied().collect::<std::collections::BTreeMap<_, _>>() }))
        .collect();
    let attacks: Vec<_> = kind
        .attacks()
        .iter()
        .map(|own| own.info())
        .map(|own| {
            serde_json::json!({
                "id": own.id, "title": own.title, "sentence": own.sentence, "needs": own.needs, "standing": own.standing, "source": own.source
            })
        })
        .collect();
    let measures: Vec<_> = kind
        .measures()
        .iter()
        .map(|own| own.info())
        .map(|own| serde_json::json!({ "id": own.id, "title": own.title, "sentence": own.sentence }))
        .collect();
    serde_json::json!({
        "id": kind.id(), "title": kind.title(), "sections": sections, "attacks": attacks, "measures": measures
    })
}
