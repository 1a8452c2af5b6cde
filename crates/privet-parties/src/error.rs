//! Why a session ended without a result: typed reasons that name a party and never hold a value of the data.

use std::fmt;
use std::path::PathBuf;

use privet_dp::DpError;
use privet_dp::ledger::LedgerError;

/// What a party did, or failed to do, that ended a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Reason {
    /// It could not be reached before the time limit.
    Unreachable,
    /// It presented a certificate other than the pinned one.
    WrongCertificate,
    /// It refused the certificate of this party.
    CertificateRefused,
    /// It holds a different job.
    DifferentJob,
    /// It sent a message of another session.
    Replayed,
    /// Its connection ended before the protocol did.
    Disappeared,
    /// Nothing was heard of it, not even a sign of life, for the time limit.
    Silent,
    /// It is alive but did not deliver a message within the limit of one step.
    Late,
    /// It sent a message that is not next in the protocol, twice, or out of order.
    OutOfTurn,
    /// It sent more than the protocol allows.
    Oversized,
    /// It sent a message that does not have the form of the protocol.
    Malformed,
    /// It sent a value outside the domain of the protocol, or one that fails a check of consistency.
    Invalid,
    /// Its gate refused the result.
    Refused,
    /// Its privacy budget does not suffice.
    Budget,
    /// Its input does not fit the job.
    Input,
    /// It was stopped by its operator.
    Stopped,
    /// It ran out of a resource.
    Resources,
}

impl Reason {
    /// Every reason with its number on the wire.
    const ALL: [(u8, Reason); 17] = [
        (1, Reason::Unreachable),
        (2, Reason::WrongCertificate),
        (3, Reason::CertificateRefused),
        (4, Reason::DifferentJob),
        (5, Reason::Replayed),
        (6, Reason::Disappeared),
        (7, Reason::Silent),
        (8, Reason::Late),
        (9, Reason::OutOfTurn),
        (10, Reason::Oversized),
        (11, Reason::Malformed),
        (12, Reason::Invalid),
        (13, Reason::Refused),
        (14, Reason::Budget),
        (15, Reason::Input),
        (16, Reason::Stopped),
        (17, Reason::Resources),
    ];

    /// Its number on the wire.
    pub fn code(self) -> u8 {
        Self::ALL.iter().find(|(_, reason)| *reason == self).map_or(0, |&(code, _)| code)
    }

    /// The reason of a number, where there is one.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.iter().find(|&&(number, _)| number == code).map(|&(_, reason)| reason)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unreachable => "could not be reached before the time limit",
            Self::WrongCertificate => "presented a certificate that the job does not pin",
            Self::CertificateRefused => "refused the certificate of this party",
            Self::DifferentJob => "holds a different job file",
            Self::Replayed => "sent a message of another session",
            Self::Disappeared => "closed its connection before the protocol ended",
            Self::Silent => "gave no sign of life within the time limit",
            Self::Late => "did not finish a step within the limit of one step",
            Self::OutOfTurn => "sent a message that is not next in the protocol",
            Self::Oversized => "sent more than the protocol allows",
            Self::Malformed => "sent a message that does not have the form of the protocol",
            Self::Invalid => "sent a value that fails a check of the protocol",
            Self::Refused => "refused the result at its gate",
            Self::Budget => "does not have the privacy budget for the result",
            Self::Input => "has input that does not fit the job",
            Self::Stopped => "was stopped by its operator",
            Self::Resources => "ran out of a resource",
        })
    }
}

/// A session that ended without a result.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Abort {
    /// The party because of which it ended.
    pub party: String,
    /// What that party did.
    pub reason: Reason,
    /// The party that reported this, where it was another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reported_by: Option<String>,
}

impl fmt::Display for Abort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the session ended without a result: {} {}", self.party, self.reason)?;
        match &self.reported_by {
            Some(reporter) => write!(f, " (reported by {reporter})"),
            None => Ok(()),
        }
    }
}

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PartyError {
    /// A party ended the session, or made it end.
    #[error("{0}")]
    Abort(Abort),
    /// The job file is wrong.
    #[error("the job: {0}")]
    Job(String),
    /// The input of this party is wrong.
    #[error("the input: {0}")]
    Input(String),
    /// A file could not be read or written.
    #[error("{path}: {problem}: {error}", path = path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// What could not be done.
        problem: &'static str,
        /// What the system said.
        error: std::io::Error,
    },
    /// The network refused.
    #[error("{what}: {error}")]
    Network {
        /// What could not be done.
        what: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// A key or certificate cannot be used.
    #[error("{0}")]
    Key(String),
    /// The gate of this party refused the result.
    #[error("{0}; no result was written")]
    Refused(String),
    /// Noise could not be drawn, or the parameters of privacy are wrong.
    #[error(transparent)]
    Privacy(#[from] DpError),
    /// The ledger refused the charge or could not be used.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The operating system gives no random numbers.
    #[error("the operating system gives no random numbers")]
    Random,
    /// The operator stopped this party.
    #[error("stopped on request")]
    Stopped,
    /// Something ran out.
    #[error("{0}")]
    Resources(String),
}

impl PartyError {
    /// What the other parties are told when this error ends the session here.
    pub fn reason(&self) -> Reason {
        match self {
            Self::Abort(abort) => abort.reason,
            Self::Job(_) | Self::Input(_) | Self::Io { .. } | Self::Key(_) => Reason::Input,
            Self::Refused(_) => Reason::Refused,
            Self::Privacy(_) | Self::Ledger(_) => Reason::Budget,
            Self::Stopped => Reason::Stopped,
            Self::Network { .. } | Self::Random | Self::Resources(_) => Reason::Resources,
        }
    }

    /// What is told of this error when it ends the session of the party of this name.
    pub(crate) fn abort(&self, name: &str) -> Abort {
        match self {
            Self::Abort(abort) => abort.clone(),
            other => Abort { party: name.to_owned(), reason: other.reason(), reported_by: None },
        }
    }

    pub(crate) fn io(path: &std::path::Path, problem: &'static str, error: std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), problem, error }
    }
}

impl From<privet_data::Cancelled> for PartyError {
    fn from(_: privet_data::Cancelled) -> Self {
        Self::Stopped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_its_number() {
        for (code, reason) in Reason::ALL {
            assert_eq!(Reason::from_code(code), Some(reason));
            assert_eq!(reason.code(), code);
        }
        assert_eq!(Reason::from_code(0), None);
        assert_eq!(Reason::from_code(200), None);
    }
}
