//! What all kinds on the seam have in common: the seal, the files, and the promises, which the referee of the kind judges.

use std::path::Path;

use super::outcome::{Check, Verdict};
use super::trust::Trusted;
use super::{VerifyError, VerifyOptions, structure};
use crate::envelope::{Envelope, software};
use crate::referee::Referee;
use crate::release_folder::{OpenError, ReleaseFolder};

/// What every kind states and no file shows.
const STATED: [Trusted; 2] = [
    Trusted {
        what: "attacks",
        why: "what attacks found before the release was published, and which were not made: they need the original",
    },
    Trusted {
        what: "commands",
        why: "the commands that are said to have made the release: the job and the input stay at home",
    },
];

/// Checks a release on the seam.
pub(super) fn verify(
    folder: &Path,
    bytes: &[u8],
    referee: &dyn Referee,
    options: VerifyOptions<'_>,
) -> Result<Verdict, VerifyError> {
    let envelope = match Envelope::parse(bytes) {
        Ok(envelope) => envelope,
        Err(error) => return super::unreadable(error),
    };
    let mut checks = vec![structure::seal(bytes, &envelope.seal), made_by(&envelope)];
    let opened = ReleaseFolder::trusted(folder, envelope);
    let listed = match referee.files(&opened) {
        Ok(listed) => listed,
        Err(error) => return Ok(Verdict::early(with(checks, failure("body", error)?))),
    };
    let tables: Vec<&str> = listed.iter().map(String::as_str).collect();
    checks.extend(structure::files(folder, &opened.envelope().files, &tables, options.progress)?);
    if checks.iter().any(|check| !check.ok) {
        return Ok(Verdict::early(checks));
    }
    let promises = &opened.envelope().promises;
    if promises.iter().any(|promised| referee.statement(promised).is_none()) {
        checks.push(Check::failed("promises", "the manifest states a promise that this kind does not have"));
    }
    match referee.verify(&opened, options.progress) {
        Ok(found) => checks.extend(found),
        Err(error) => checks.push(failure("published files", error)?),
    }
    let on_trust = STATED.iter().chain(referee.on_trust()).copied().collect();
    Ok(Verdict { checks, on_trust })
}

fn with(mut checks: Vec<Check>, check: Check) -> Vec<Check> {
    checks.push(check);
    checks
}

/// What a file that cannot be read is: a failed check, unless the person or the system stopped the reading.
fn failure(name: &str, error: OpenError) -> Result<Check, VerifyError> {
    match error {
        OpenError::Cancelled => Err(VerifyError::Cancelled),
        OpenError::Io { path, source } => Err(VerifyError::Io { path, source }),
        other => Ok(Check::failed(name, other.to_string())),
    }
}

/// Whether this version made it: the pages of another cannot be compared.
fn made_by(envelope: &Envelope) -> Check {
    let own = software();
    match envelope.software == own {
        true => Check::passed("software", format!("made by {own}")),
        false => Check::failed(
            "software",
            format!("the release was not made by {own}; use the version of privet that made it"),
        ),
    }
}
