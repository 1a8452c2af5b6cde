//! Files for the owner: what is concluded about each person, and the page.

use std::io::Write;
use std::path::Path;

use privet_attack::{Beliefs, Suspects, Truth};
use privet_release::{Manifest, Published};
use privet_report::{Assessment, Facts};

use crate::error::{JobError, RunError};

/// Writes the owner's page.
pub(super) fn page(path: &Path, manifest: &Manifest, assessment: &Assessment) -> Result<(), RunError> {
    let facts = Facts { attacks: assessment.attacks.clone(), ..Facts::default() };
    whole(path, privet_report::owner_html(manifest, &facts, assessment).as_bytes())
}

/// Writes a file whole or not at all.
pub(super) fn whole(path: &Path, bytes: &[u8]) -> Result<(), RunError> {
    let failed =
        |error: std::io::Error| RunError::from(JobError::new(format!("cannot be written: {error}")).at(path));
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    let write = || -> std::io::Result<()> {
        let mut file = std::fs::File::create(&part)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&part, path)
    };
    write().map_err(|error| {
        // why: the first failure is the one to tell
        let _ = std::fs::remove_file(&part);
        failed(error)
    })
}

/// A CSV with one line for each person and sensitive column: candidates left, the values that are possible with their
/// probabilities, and whether the best guess is right.
pub(super) fn people(
    path: &Path,
    release: &Published,
    people: &Suspects,
    truth: Option<&Truth>,
    beliefs: &[Beliefs],
    name_of: &dyn Fn(u32) -> String,
) -> Result<(), RunError> {
    let mut text = String::from("person,candidates,column,guess,probability,right,possible\n");
    let candidates = people.candidates();
    for person in 0..people.people() as u32 {
        let left = candidates[people.profile_of[person as usize] as usize];
        let name = quoted(&name_of(person));
        if beliefs.is_empty() {
            text.push_str(&format!("{name},{left},,,,,\n"));
        }
        for (number, (column, beliefs)) in release.sensitive.iter().zip(beliefs).enumerate() {
            let belief = beliefs.of(person);
            let guess = belief.and_then(|belief| belief.guess());
            let value =
                truth.and_then(|truth| truth.values.get(number)?.get(person as usize).copied().flatten());
            let right = match (guess, value) {
                (Some((guess, _)), Some(value)) => {
                    if guess == value {
                        "yes"
                    } else {
                        "no"
                    }
                }
                _ => "",
            };
            let possible: Vec<String> = belief
                .iter()
                .flat_map(|belief| &belief.values)
                .map(|(value, chance)| format!("{} {chance:.4}", column.domain.text(*value)))
                .collect();
            text.push_str(&format!(
                "{name},{left},{},{},{},{right},{}\n",
                quoted(&column.name),
                guess.map_or(String::new(), |(value, _)| quoted(column.domain.text(value))),
                guess.map_or(String::new(), |(_, chance)| format!("{chance:.4}")),
                quoted(&possible.join("; ")),
            ));
        }
    }
    whole(path, text.as_bytes())
}

/// A cell of a CSV.
pub(super) fn quoted(text: &str) -> String {
    match text.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
