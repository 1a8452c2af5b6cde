//! Entropies of columns and what they tell about each other, in bits (survey UM-12; the thesis' distance between
//! attributes, section 3).

use super::UtilityError;
use super::grouping::group;

/// Entropy of a distribution given by counts.
pub(super) fn entropy_of(counts: &[u64]) -> f64 {
    let sum: f64 = counts.iter().map(|&count| count as f64).sum();
    let terms = counts.iter().filter(|&&count| count > 0).map(|&count| {
        let share = count as f64 / sum;
        -share * share.log2()
    });
    terms.sum::<f64>().max(0.0)
}

/// Entropy of the combinations that occur in some columns: of one column, of a quasi-identifier, of a whole table.
///
/// # Errors
/// When columns differ in length.
pub fn entropy(columns: &[&[u32]]) -> Result<f64, UtilityError> {
    let rows = columns.first().map_or(0, |column| column.len());
    Ok(entropy_of(&group(columns, rows, None)?.sizes))
}

/// H(D) − H(D*) (UM-12): how many bits fewer the published columns tell apart. Negative when the release has more
/// different combinations than the original, as a noisy one may.
///
/// # Errors
/// When columns of either table differ in length.
pub fn entropy_difference(original: &[&[u32]], published: &[&[u32]]) -> Result<f64, UtilityError> {
    Ok(entropy(original)? - entropy(published)?)
}

/// H(X|X*) (UM-12): what remains unknown of the original columns when the published ones are known, record by record.
///
/// # Errors
/// When columns differ in length.
pub fn conditional_entropy(original: &[&[u32]], published: &[&[u32]]) -> Result<f64, UtilityError> {
    let both: Vec<&[u32]> = original.iter().chain(published).copied().collect();
    Ok((entropy(&both)? - entropy(published)?).max(0.0))
}

/// I(A;B) = H(A) + H(B) − H(A,B): what one column tells about the other.
///
/// # Errors
/// When the columns differ in length.
pub fn mutual_information(a: &[u32], b: &[u32]) -> Result<f64, UtilityError> {
    Ok((entropy(&[a])? + entropy(&[b])? - entropy(&[a, b])?).max(0.0))
}

/// 2H(A,B) − H(A) − H(B): a distance between columns, 0 when each determines the other (thesis section 3).
///
/// # Errors
/// When the columns differ in length.
pub fn variation_of_information(a: &[u32], b: &[u32]) -> Result<f64, UtilityError> {
    Ok((2.0 * entropy(&[a, b])? - entropy(&[a])? - entropy(&[b])?).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let (a, b) = ([0, 0, 1, 1], [5, 6, 5, 6]);
        assert_eq!((entropy(&[&a]), entropy(&[&a, &b])), (Ok(1.0), Ok(2.0)));
        assert_eq!((mutual_information(&a, &b), variation_of_information(&a, &b)), (Ok(0.0), Ok(2.0)));
        let renamed = [9, 9, 3, 3];
        assert_eq!(
            (mutual_information(&a, &renamed), variation_of_information(&a, &renamed)),
            (Ok(1.0), Ok(0.0))
        );
        // Four values published as two labels, then as one.
        let values = [0, 1, 2, 3];
        assert_eq!(
            (conditional_entropy(&[&values], &[&a]), entropy_difference(&[&values], &[&a])),
            (Ok(1.0), Ok(1.0))
        );
        assert_eq!(conditional_entropy(&[&values], &[&[0; 4]]), Ok(2.0));
        // Shuffled: as many bits as before, and yet nothing is known.
        assert_eq!((entropy_difference(&[&a], &[&b]), conditional_entropy(&[&a], &[&b])), (Ok(0.0), Ok(1.0)));
    }

    #[test]
    fn nobody_and_unequal_lengths() {
        assert_eq!((entropy(&[]), entropy(&[&[]]), entropy_of(&[0, 0])), (Ok(0.0), Ok(0.0), 0.0));
        assert_eq!(entropy(&[&[4]]), Ok(0.0));
        assert!(entropy(&[&[1], &[1, 2]]).is_err() && mutual_information(&[1], &[]).is_err());
        // With no column nothing is known and nothing is published.
        assert_eq!(conditional_entropy(&[], &[]), Ok(0.0));
    }
}
