//! How a question is to be answered, where there is a choice.

use std::fmt;
use std::str::FromStr;

/// What `--mechanism` says; without it, noise on every figure of every group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Laplace noise on counts and sums, also where a delta is declared.
    Laplace,
    /// Gaussian noise on counts and sums; needs a delta.
    Gaussian,
    /// The k largest groups are chosen one by one, and counted afresh.
    Peeling,
    /// Several counting questions share one charge.
    Sulq,
    /// Synthetic records, drawn from the counts by a Pólya urn.
    Dirichlet,
    /// A randomized set of the combinations that occur.
    AlphaBeta,
    /// Synthetic records, drawn from tables of one and of two columns.
    Marginals,
}

impl Method {
    /// All words, in the order of the list above.
    pub const WORDS: [&'static str; 7] =
        ["laplace", "gaussian", "peeling", "sulq", "dirichlet", "alpha-beta", "marginals"];
    const ALL: [Self; 7] = [
        Self::Laplace,
        Self::Gaussian,
        Self::Peeling,
        Self::Sulq,
        Self::Dirichlet,
        Self::AlphaBeta,
        Self::Marginals,
    ];
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::WORDS[*self as usize]) // why: one word for each variant, in their order
    }
}

impl FromStr for Method {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|own| own.to_string() == text).ok_or(())
    }
}
