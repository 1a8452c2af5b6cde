//! How a long operation tells a person where it is, and learns that it should stop.

/// Listens to a long operation.
///
/// Every call is cheap; implementations decide how often to draw.
pub trait Progress: Sync {
    /// A stage begins: its name and, when known, how many units it has.
    fn stage(&self, name: &str, total: Option<u64>);
    /// This many units of the current stage are done.
    fn at(&self, done: u64);
    /// Whether the operation should stop as soon as it can.
    fn cancelled(&self) -> bool {
        false
    }
    /// Something that a person should know of at once, and that stops nothing.
    fn notice(&self, _notice: Notice) {}
    /// The error to return when it should stop.
    fn check(&self) -> Result<(), Cancelled> {
        if self.cancelled() { Err(Cancelled) } else { Ok(()) }
    }
}

/// What a person should know of and what stops nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// So many cells of a CSV that was written are formulas to a spreadsheet.
    Formulas {
        /// How many.
        cells: u64,
    },
    /// What is odd about a sheet that was read.
    Sheet {
        /// The sheet.
        sheet: String,
        /// What is odd, in a sentence without values.
        finding: String,
    },
    /// A ledger is locked and waited for.
    Locked {
        /// Which ledger.
        place: String,
        /// Who has locked it, where that is known.
        holder: Option<String>,
    },
}

impl std::fmt::Display for Notice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Notice::Locked { place, holder } => {
                let who = holder.as_deref().unwrap_or("another program");
                write!(f, "waiting for {place}, which {who} has locked; Ctrl-C stops, and nothing is charged")
            }
            Notice::Sheet { sheet, finding } => write!(f, "sheet `{sheet}`: {finding}"),
            Notice::Formulas { cells } => {
                let (are, them) = if *cells == 1 {
                    ("cell of the table is a formula", "it")
                } else {
                    ("cells of the table are formulas", "them")
                };
                write!(
                    f,
                    "{cells} {are} to whoever opens {them} in a spreadsheet, and may be a command; formulas = \"prefix\" \
                     beside the path of the table reads formulas as texts"
                )
            }
        }
    }
}

/// The person asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stopped on request; nothing was written")]
pub struct Cancelled;

/// Tells nobody.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn stage(&self, _name: &str, _total: Option<u64>) {}
    fn at(&self, _done: u64) {}
}
