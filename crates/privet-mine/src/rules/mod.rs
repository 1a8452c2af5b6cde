//! Frequent itemsets, association rules, and what publishing them tells of people (Friedman, Wolff, Schuster, section 4.3; Atzori et al.;
//! papers F-AL5, II.7).
//!
//! [`frequent_itemsets`] mines, [`rules_of`] makes rules, [`RuleRelease`] is what is published and verified, [`largest_safe_subset`]
//! chooses what may be published, and [`channels`] finds the small groups that published supports tell by inclusion and exclusion.

pub mod channels;
mod itemsets;
mod release;
mod rule;
mod safe;
mod transactions;

pub use itemsets::{Itemsets, frequent_itemsets};
pub use release::{RuleError, RuleModel, RuleRelease, RuleSpan, RuleVerdict, spans_of_nested};
pub use rule::{Rule, RuleOptions, rules_of};
pub use safe::{SafeSubset, largest_safe_subset};
pub use transactions::Transactions;
pub(crate) use transactions::{contains, union};
