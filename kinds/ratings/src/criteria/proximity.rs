//! Epsilon-proximity (thesis 1.11, Eq 6.1, Eq 6.2, Def 6.1).

use crate::{NULL, Reach, Scale, Survey};

/// How far two ratings of an issue that is not sensitive are apart (Eq 6.1): nothing between two nulls, `r` between a null
/// and a rating.
///
/// ```
/// use privet_ratings::{NULL, Scale, dissimilarity, sensitive_dissimilarity};
/// let scale = Scale::whole(1, 6)?;
/// assert_eq!(dissimilarity(scale, 0, 4), 4.0);
/// assert_eq!((dissimilarity(scale, NULL, NULL), dissimilarity(scale, NULL, 4)), (0.0, 6.0));
/// assert_eq!(sensitive_dissimilarity(scale, NULL, NULL), 6.0);
/// # Ok::<(), privet_ratings::RatingsError>(())
/// ```
pub fn dissimilarity(scale: Scale, a: u8, b: u8) -> f64 {
    match (a == NULL, b == NULL) {
        (true, true) => 0.0,
        (false, false) => f64::from(a.abs_diff(b)) * scale.step(),
        _ => scale.null_distance(),
    }
}

/// How far two sensitive ratings are apart (Eq 6.2): `r` wherever one is null.
pub fn sensitive_dissimilarity(scale: Scale, a: u8, b: u8) -> f64 {
    match a == NULL || b == NULL {
        true => scale.null_distance(),
        false => f64::from(a.abs_diff(b)) * scale.step(),
    }
}

/// Whether all pairs of a group are proximate. In the maximum norm that holds if and only if the ratings of every issue
/// span at most epsilon and nobody's null stands beside a rating, so the check is linear in the size of the group.
pub fn is_clique(survey: &Survey, group: &[u32], reach: Reach) -> bool {
    if reach.everything {
        return true;
    }
    let Some((&first, others)) = group.split_first() else { return true };
    let (issues, ticks) = survey.row(first);
    let (mut low, mut high) = (ticks.to_vec(), ticks.to_vec());
    for &user in others {
        let (own, ticks) = survey.row(user);
        if own != issues {
            return false;
        }
        for ((low, high), &tick) in low.iter_mut().zip(&mut high).zip(ticks) {
            *low = tick.min(*low);
            *high = tick.max(*high);
        }
    }
    low.iter().zip(&high).all(|(low, high)| high - low <= reach.ticks)
}
