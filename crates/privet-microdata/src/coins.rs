//! Where the randomness of a job comes from.

use privet_perturb::{Coins, OsCoins, SeededCoins};

/// Where randomness comes from: seeded where a job says so, from the operating system where it does not.
pub fn coins(seed: Option<u64>) -> Box<dyn Coins> {
    match seed {
        Some(seed) => Box::new(SeededCoins::new(seed)),
        None => Box::new(OsCoins::new()),
    }
}
