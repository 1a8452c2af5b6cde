//! The role of a column, guessed from its name, kind, uniqueness and pattern, with the reason.
//!
//! Leans to the careful side (survey, section 0): a column is insensitive only when it tells people apart in no
//! way, and whatever is not understood counts as known to others. No reason holds a value of the data.

use privet_data::{Kind, Role};

use super::profile::Profile;
use super::words::{Meaning, Words};

/// Fewer records than this say nothing about uniqueness.
const FEW_RECORDS: u64 = 20;
/// So many distinct values per record make a column name records.
const NEARLY_UNIQUE: f64 = 0.9;
/// Texts longer than this on average are sentences.
const SENTENCE: f64 = 40.0;
/// A column of names that has no more values than this names groups.
const FEW_VALUES: usize = 20;

/// A role and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Guessed {
    pub(super) role: Role,
    pub(super) reason: String,
    /// Whether anything is known about the column, and the role is more than the careful choice.
    pub(super) understood: bool,
}

fn guessed(role: Role, reason: impl Into<String>) -> Guessed {
    Guessed { role, reason: reason.into(), understood: true }
}

/// Guesses the role of a column.
pub(super) fn guess(profile: &Profile<'_>, words: Option<&Words>) -> Guessed {
    by_form(profile)
        .or_else(|| words.and_then(|words| by_name(profile, words)))
        .or_else(|| by_values(profile))
        .unwrap_or_else(|| undecided(profile))
}

/// What the form of the values tells whatever the column is called.
fn by_form(profile: &Profile<'_>) -> Option<Guessed> {
    let pattern = profile.pattern.filter(|p| p.identifies())?;
    Some(guessed(
        Role::Identifier,
        format!("its values look like {}, which belong to one person", pattern.says()),
    ))
}

/// What the name tells, if the values do not contradict it.
fn by_name(profile: &Profile<'_>, words: &Words) -> Option<Guessed> {
    let kind = profile.kind;
    let says = words.says;
    let many = profile.present >= FEW_RECORDS;
    match words.role {
        // Whether there is a telephone is no telephone number.
        Role::Identifier if kind == Kind::Boolean => None,
        Role::Identifier => match words.meaning {
            Meaning::FreeText if many && profile.mean_length < SENTENCE && profile.uniqueness() < 0.5 => None,
            Meaning::AnyName if many && profile.distinct() <= FEW_VALUES && profile.uniqueness() < 0.05 => {
                Some(guessed(
                    Role::Quasi,
                    "its name speaks of a name, but its few distinct values name groups, not people",
                ))
            }
            _ => Some(guessed(Role::Identifier, format!("its name speaks of {says}"))),
        },
        Role::Sensitive if kind == Kind::Date || profile.pattern.is_some_and(|p| !p.identifies()) => {
            Some(guessed(
                Role::Quasi,
                format!("its name speaks of {says}, but a date or place is what others know of it"),
            ))
        }
        Role::Sensitive if is_free_text(profile) => Some(guessed(
            Role::Identifier,
            format!("its name speaks of {says}, and its long texts, hardly two alike, may name anybody"),
        )),
        Role::Sensitive => Some(guessed(Role::Sensitive, format!("its name speaks of {says}"))),
        role => {
            let may_be_unique = matches!(
                words.meaning,
                Meaning::Birth | Meaning::Age | Meaning::Body | Meaning::PostalCode | Meaning::Coordinates
            );
            if !may_be_unique && (is_unique_text(profile) || is_number_of_records(profile)) {
                return None;
            }
            Some(guessed(role, format!("its name speaks of {says}")))
        }
    }
}

/// What uniqueness and kind tell of a column whose name tells nothing.
fn by_values(profile: &Profile<'_>) -> Option<Guessed> {
    if profile.distinct() == 0 && profile.records() > 0 {
        return Some(guessed(Role::Insensitive, "it holds no value in any record, so it tells nobody apart"));
    }
    if profile.distinct() == 1 && profile.records() > 1 && profile.present == profile.records() as u64 {
        return Some(guessed(
            Role::Insensitive,
            "it has the same value in every record, so it tells nobody apart",
        ));
    }
    if let Some(pattern) = profile.pattern.filter(|p| !p.identifies()) {
        return Some(guessed(
            Role::Quasi,
            format!("its values look like {}, which others know", pattern.says()),
        ));
    }
    if is_free_text(profile) {
        return Some(guessed(Role::Identifier, "its long texts, hardly two alike, may name anybody"));
    }
    if is_unique_text(profile) {
        return Some(guessed(
            Role::Identifier,
            "nearly every record has a value of its own, so a value names a person",
        ));
    }
    if is_number_of_records(profile) {
        return Some(guessed(
            Role::Identifier,
            "every record has a whole number of its own, as numbers of patients or customers are",
        ));
    }
    (profile.kind == Kind::Date)
        .then(|| guessed(Role::Quasi, "a date tells when something happened, and others may have been there"))
}

/// The careful choice for what is not understood.
fn undecided(profile: &Profile<'_>) -> Guessed {
    let what = match (profile.kind, profile.distinct()) {
        (_, 0) => "nothing is known about it".to_owned(),
        (Kind::Integer | Kind::Decimal, 11..) => {
            "a measure of some kind, linkable if others know it even roughly".to_owned()
        }
        (_, 1) => "one distinct value".to_owned(),
        (_, distinct) => format!("{distinct} distinct values and a name that tells nothing"),
    };
    let reason = format!("{what}; the careful choice is that others know it");
    Guessed { understood: false, ..guessed(Role::Quasi, reason) }
}

fn is_free_text(profile: &Profile<'_>) -> bool {
    profile.kind == Kind::Text
        && profile.present >= FEW_RECORDS
        && profile.mean_length >= SENTENCE
        && profile.uniqueness() >= 0.5
}

fn is_unique_text(profile: &Profile<'_>) -> bool {
    profile.kind == Kind::Text && profile.present >= FEW_RECORDS && profile.uniqueness() >= NEARLY_UNIQUE
}

/// Whole numbers that count records or have one length, none of them twice.
fn is_number_of_records(profile: &Profile<'_>) -> bool {
    profile.kind == Kind::Integer
        && profile.present >= FEW_RECORDS
        && profile.distinct() as u64 == profile.present
        && (profile.is_running_number() || profile.same_length.is_some_and(|length| length >= 6))
}
