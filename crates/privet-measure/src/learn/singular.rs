//! Singular values of a square matrix, also where columns depend on each other.
//!
//! The usual way (bidiagonal, then implicit shifts) is fast, and on some matrices of lower rank it does not come to an end. Then
//! Jacobi's way is gone (Hestenes, one-sided): pairs of columns are turned until all are at right angles to each other. It is
//! slower and does not fail on finite numbers.

use nalgebra::{DMatrix, DVector, SVD};

/// Left vectors (columns), singular values, and right vectors (rows), in no particular order.
pub(super) struct Singular {
    pub left: DMatrix<f64>,
    pub values: DVector<f64>,
    pub right: DMatrix<f64>,
}

/// Rounds through all pairs of columns; a handful is the rule.
const ROUNDS: usize = 60;

/// Decomposes a matrix; none where a number is not finite.
pub(super) fn decompose(matrix: &DMatrix<f64>) -> Option<Singular> {
    if matrix.iter().any(|own| !own.is_finite()) {
        return None;
    }
    let most = 1000 * matrix.ncols();
    let usual = SVD::try_new(matrix.clone(), true, true, 5.0 * f64::EPSILON, most);
    match usual.map(|own| (own.u, own.singular_values, own.v_t)) {
        Some((Some(left), values, Some(right))) => Some(Singular { left, values, right }),
        _ => jacobi(matrix),
    }
}

fn jacobi(matrix: &DMatrix<f64>) -> Option<Singular> {
    let columns = matrix.ncols();
    let mut turned = matrix.clone();
    let mut right = DMatrix::<f64>::identity(columns, columns);
    // What a column of rounding errors alone amounts to: there is no direction in it to be turned.
    let noise = (matrix.norm() * f64::EPSILON).powi(2);
    for _ in 0..ROUNDS {
        let mut is_done = true;
        for a in 0..columns {
            for b in a + 1..columns {
                let (own, other) = (turned.column(a).norm_squared(), turned.column(b).norm_squared());
                let product = turned.column(a).dot(&turned.column(b));
                if own <= noise || other <= noise || product.abs() <= 1e-15 * (own * other).sqrt() {
                    continue;
                }
                is_done = false;
                let slope = (other - own) / (2.0 * product);
                let tangent = slope.signum() / (slope.abs() + (1.0 + slope * slope).sqrt());
                let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
                turn(&mut turned, a, b, cosine, cosine * tangent);
                turn(&mut right, a, b, cosine, cosine * tangent);
            }
        }
        if is_done {
            break;
        }
    }
    let values = DVector::from_iterator(columns, turned.column_iter().map(|own| own.norm()));
    for (mut column, &length) in turned.column_iter_mut().zip(values.iter()) {
        if length > 0.0 {
            column /= length;
        }
    }
    let is_finite = values.iter().all(|own| own.is_finite());
    is_finite.then(|| Singular { left: turned, values, right: right.transpose() })
}

/// Turns two columns against each other.
fn turn(matrix: &mut DMatrix<f64>, a: usize, b: usize, cosine: f64, sine: f64) {
    for row in 0..matrix.nrows() {
        let (own, other) = (matrix[(row, a)], matrix[(row, b)]); // why: rows and columns of the matrix
        matrix[(row, a)] = cosine * own - sine * other;
        matrix[(row, b)] = sine * own + cosine * other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back(own: &Singular) -> DMatrix<f64> {
        &own.left * DMatrix::from_diagonal(&own.values) * &own.right
    }

    /// Both ways on matrices of every rank: the product is the matrix, right vectors are at right angles, and as many values are
    /// above rounding as there are independent columns.
    #[test]
    fn dependent_columns_are_decomposed() {
        for size in [1usize, 2, 5, 24] {
            for rank in 0..=size {
                // Digits that look random and are the same everywhere.
                let number = |row: usize, column: usize| {
                    ((row * 131 + column * 7_919 + 1) as f64 * 0.754_877_666_246_693)
                        .sin()
                        .mul_add(1e4, 0.0)
                        .fract()
                };
                let first = DMatrix::from_fn(size, rank, number);
                let second = DMatrix::from_fn(rank, size, |row, column| number(column + 3, row + 1));
                let matrix = first * second;
                for own in [decompose(&matrix).unwrap(), jacobi(&matrix).unwrap()] {
                    let far = (back(&own) - &matrix).norm();
                    assert!(far <= 1e-12 * matrix.norm().max(1.0), "{size} {rank}: {far}");
                    let angles = &own.right * own.right.transpose() - DMatrix::<f64>::identity(size, size);
                    assert!(angles.norm() < 1e-12, "{size} {rank}");
                    let largest = own.values.iter().copied().fold(0.0, f64::max);
                    let above = own.values.iter().filter(|own| **own > 1e-10 * largest).count();
                    assert_eq!(above, rank, "{size}: {}", own.values);
                }
            }
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        assert!(decompose(&DMatrix::from_element(2, 2, f64::NAN)).is_none());
        assert!(decompose(&DMatrix::from_element(2, 2, f64::INFINITY)).is_none());
        assert!(decompose(&DMatrix::zeros(3, 3)).is_some());
    }
}
