//! A party's side of a job: connect, compute, pass the gate, and only then write, when all parties accept the same result.
//!
//! Guarantee: nothing is written unless every party's gate accepts what it would write and all would write the same. Whatever the parties
//! learn together is a release of the same strength as any other: tables and counts go through the gate of records, which the program brings
//! as a [`Gate`]; rules lose itemsets from which small groups could be computed; trees, clusters and rules go through the gate of models. The
//! result file holds what the gate judged and nothing more. Results that are no release are refused unless the job asks for them
//! (`without-release`), and then the result and its page say that no gate judged them.

use std::path::{Path, PathBuf};

use privet_data::Progress;
use privet_data::io::{is_same_file, real};
use privet_release::{FolderError, ResultDraft};
use serde::Serialize;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::compute::{Outcome, Product, agree, compute};
use crate::error::PartyError;
use crate::job::{AdversarySection, ReadJob};
use crate::session::tls::{Identity, hex};
use crate::session::{Traffic, Transcript, connect};

/// Turns a joint table or model into a release that passed every check; the same for all parties.
pub trait Gate {
    /// Makes the release in this folder, which is not there yet, and gives bytes that are equal where releases are.
    ///
    /// # Errors
    /// What the gate says where it refuses.
    fn release(
        &self,
        product: &Product,
        also: Option<&toml::Table>,
        adversary: &AdversarySection,
        folder: &Path,
        progress: &dyn Progress,
    ) -> Result<Vec<u8>, PartyError>;
}

/// What the operator says besides the job.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// Which party this is.
    pub name: String,
    /// Its key; `NAME.key` beside the job when left out.
    pub key: Option<PathBuf>,
    /// Whether an older result may be replaced.
    pub replace: bool,
}

/// What a run came to.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// Where the result is.
    pub folder: PathBuf,
    /// All parties.
    pub parties: Vec<String>,
    /// The hash of the job.
    pub job: String,
    /// What went over the network.
    pub traffic: Traffic,
    /// What was computed.
    pub result: serde_json::Value,
    /// What every party learned besides.
    pub revealed: &'static str,
}

/// Runs a party's side of a job.
///
/// # Errors
/// When the job or the input is wrong, a party ends the session, or a gate refuses. Nothing is written then but the transcript.
pub fn run(
    job: &ReadJob,
    options: &RunOptions,
    gate: &dyn Gate,
    progress: &dyn Progress,
) -> Result<Summary, PartyError> {
    let me = job.party(&options.name);
    let me = me.ok_or_else(|| PartyError::Job(format!("`{}` does not take part", options.name)))?;
    // Without a slash at the end: the transcript lies beside the folder, not in it.
    let folder: PathBuf = job.output(me).components().collect();
    let key = options.key.clone().unwrap_or_else(|| job.base.join(format!("{}.key", options.name)));
    let transcript = beside(&folder, "transcript.jsonl");
    spare(&folder, &transcript, &[&key, &job.base.join(&job.job.parties[me].input)])?;
    let identity = Identity::read(&key)?;
    let draft = ResultDraft::begin(&folder, options.replace).map_err(of_folder)?;
    let transcript = Transcript::begin(&transcript)?;
    let mut session =
        connect(&job.endpoints(), me, &identity, job.hash, job.limits(), Some(transcript), progress)?;
    let result = side(&mut session, job, gate, &draft);
    let parties = session.names().to_vec();
    let (outcome, traffic) = session.end(result)?;
    draft.commit().map_err(of_folder)?;
    Ok(Summary {
        folder,
        parties,
        job: hex(&job.hash),
        traffic,
        result: outcome.result,
        revealed: outcome.revealed,
    })
}

/// What happens between the beginning and the end of a session.
fn side(
    session: &mut crate::session::Session<'_>,
    job: &ReadJob,
    gate: &dyn Gate,
    draft: &ResultDraft,
) -> Result<Outcome, PartyError> {
    let outcome = compute(session, job)?;
    let mut hash = Sha256::new();
    session.stage("passing the gate", None);
    if let Some(product) = &outcome.product {
        let adversary = &job.job.adversary;
        let also = job.job.privacy.also.as_ref();
        hash.update(gate.release(product, also, adversary, &draft.release(), session.progress())?);
    } else if job.job.adversary.max_risk.is_some() {
        return Err(PartyError::Refused(
            "the result is no release, so no attack of `max-risk` can be tried on it".to_owned(),
        ));
    }
    let parties = session.names().to_vec();
    let document = json!({
        "version": 1,
        "job": hex(&job.hash),
        "parties": parties,
        "result": outcome.result,
        "revealed-to-the-parties": outcome.revealed,
        "judged-by-the-gate": outcome.product.is_some(),
        "assumption": "parties that follow the protocol and do not pool what they see beyond what the protocol's page allows",
    });
    let text = format!("{document:#}\n");
    hash.update(text.as_bytes());
    draft.write(text.as_bytes(), report(&outcome, &parties).as_bytes()).map_err(of_folder)?;
    agree(session, true, &hash.finalize().into())?;
    Ok(outcome)
}

/// A page for people.
fn report(outcome: &Outcome, parties: &[String]) -> String {
    let mut text = format!(
        "# Joint result of {}\n\nNo party showed its records to another. What every party learned besides this result: {}.\n\n",
        parties.join(", "),
        outcome.revealed
    );
    text += match &outcome.product {
        Some(Product::Table(_)) => {
            "The records are in `release`, with a report of their own; `privet verify` checks them again.\n\n"
        }
        Some(Product::Model(_)) => {
            "The model is in `release`, with a report of its own: `privet verify` checks it again, and `privet mine predict` uses it.\n\n"
        }
        None => {
            "No gate judged this result, and no attack was tried on it: it is no release of an existing kind, and the job accepts that \
             (`without-release`). Think before you publish it.\n\n"
        }
    };
    text + &format!("```json\n{:#}\n```\n", outcome.result)
}

fn beside(folder: &Path, ending: &str) -> PathBuf {
    let mut name = folder.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    PathBuf::from(name)
}

/// Refuses an output over what this party reads, before any other party is spoken to.
fn spare(folder: &Path, transcript: &Path, inputs: &[&Path]) -> Result<(), PartyError> {
    let place = real(folder);
    let lost = |own: &&Path| real(own).starts_with(&place) || is_same_file(transcript, own);
    match inputs.iter().any(lost) {
        true => Err(PartyError::Job(format!(
            "{} is where a file of this party lies, which would be lost; choose another `output`",
            folder.display()
        ))),
        false => Ok(()),
    }
}

fn of_folder(error: FolderError) -> PartyError {
    match error {
        FolderError::Io { source, .. } if source.kind() == std::io::ErrorKind::Interrupted => {
            PartyError::Stopped
        }
        FolderError::Io { path, source } => PartyError::Resources(format!("{}: {source}", path.display())),
        FolderError::Exists(path) => {
            let error = std::io::Error::from(std::io::ErrorKind::AlreadyExists);
            PartyError::io(&path, "there is a result already; --force replaces it", error)
        }
        other => PartyError::Job(other.to_string()),
    }
}
