//! Columns of one family, such as `PAY_AMT1` to `PAY_AMT6`, get one role: what is known of one of them is known of all.
//!
//! A family are columns whose names differ in their number alone, three at least. Guessed one by one, some would be taken for
//! numbers of records and others for measures, by the chance of their values.

use privet_data::Role;

use super::guess::Guessed;
use super::profile::Profile;

/// Fewer columns than this are no family: `address1` and `address2` may differ in what they are.
const FEWEST: usize = 3;

/// The careful choice first, where as many columns were guessed to be one as another.
const CAREFUL: [Role; 4] = [Role::Identifier, Role::Quasi, Role::Sensitive, Role::Insensitive];

/// Gives the columns of each family the role that more than half of them were guessed to have.
pub(super) fn unite(profiles: &[Profile<'_>], guesses: &mut [Guessed]) {
    let mut families: Vec<(String, Vec<usize>)> = Vec::new();
    for (place, profile) in profiles.iter().enumerate() {
        let Some(stem) = stem(profile.name()) else { continue };
        match families.iter_mut().find(|family| family.0 == stem) {
            Some(family) => family.1.push(place),
            None => families.push((stem, vec![place])),
        }
    }
    for (_, members) in families.iter().filter(|family| family.1.len() >= FEWEST) {
        let having = |role: Role| members.iter().filter(|&&place| guesses[place].role == role).count();
        // Of equals, the last is the largest: the careful one must come last.
        let Some(role) = CAREFUL.into_iter().rev().max_by_key(|&role| having(role)) else { continue };
        // Names of nothing, such as c01 to c17, are no family: what they are taken for differs.
        if 2 * having(role) <= members.len() {
            continue;
        }
        let Some(&model) = members.iter().find(|&&place| guesses[place].role == role) else { continue };
        let understood = guesses[model].understood;
        for &place in members {
            if guesses[place].role == role {
                continue;
            }
            let (first, last) = (members[0], members[members.len() - 1]);
            let reason = format!(
                "most columns of its family, {} to {}, are taken for it",
                profiles[first].name(),
                profiles[last].name()
            );
            guesses[place] = Guessed { role, reason, understood };
        }
    }
}

/// The name without its number; none where it has no number or nothing else.
fn stem(name: &str) -> Option<String> {
    let digits = |c: char| c.is_ascii_digit();
    let start = name.find(digits)?;
    let end = start + name[start..].find(|c| !digits(c)).unwrap_or(name.len() - start);
    // One number only: `q1_2020` may be of several families.
    (!name[end..].contains(digits) && start > 0)
        .then(|| format!("{}#{}", &name[..start], &name[end..]).to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_family_differ_in_their_number() {
        assert_eq!(stem("PAY_AMT1"), stem("pay_amt6"));
        assert_eq!(stem("visit2_date"), stem("visit10_date"));
        assert_ne!(stem("PAY_1"), stem("BILL_1"));
        assert_eq!(stem("q1_2020"), None);
        assert_eq!(stem("age"), None);
        assert_eq!(stem("2019"), None);
    }
}
