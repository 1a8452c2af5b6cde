//! A law for each attribute: numbers get noise, categories are kept or replaced (survey ME-27, FX-1.5).
//!
//! # Guarantee
//! Attributes are perturbed independently of each other and of all records, each by its own law. The [`NoiseModel`]
//! holds the laws and where the randomness came from, and nothing of the data: it is published with the records.
//! ERR-1 (zip is listed as number and as category) is read as a number.

use crate::error::check_probability;
use crate::{Coins, Drawn, Noise, PerturbError, Retention, Source, additive_noise, multiplicative_noise};

/// A column.
#[derive(Debug, Clone, PartialEq)]
pub enum Attribute {
    /// Numbers.
    Numbers(Vec<f64>),
    /// Codes below the size of the domain.
    Categories {
        /// One per record.
        codes: Vec<u32>,
        /// The size of the domain.
        domain: u32,
    },
}

impl Attribute {
    fn len(&self) -> usize {
        match self {
            Attribute::Numbers(values) => values.len(),
            Attribute::Categories { codes, .. } => codes.len(),
        }
    }
}

/// How an attribute is perturbed.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case", deny_unknown_fields)]
pub enum Law {
    /// Not at all.
    Keep,
    /// Numbers: noise is added.
    Add(Noise),
    /// Numbers: multiplied by 1 + noise.
    Multiply(Noise),
    /// Categories: replaced by any value of the domain, the old one included, with this probability.
    Replace {
        /// The probability.
        probability: f64,
    },
}

/// What is published of the perturbation.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct NoiseModel {
    /// The law of each attribute.
    pub laws: Vec<Law>,
    /// Where the randomness came from.
    pub source: Source,
}

/// Perturbs each attribute by its law.
///
/// # Errors
/// When there is not one law per attribute, a law is for another kind of attribute or has a parameter out of range,
/// attributes have different lengths, a value is none to compute with, or the source of randomness fails.
pub fn perturb<C: Coins + ?Sized>(
    attributes: &[Attribute],
    laws: &[Law],
    coins: &mut C,
) -> Result<(Vec<Attribute>, NoiseModel), PerturbError> {
    crate::matrix::check_length("laws", laws.len(), attributes.len())?;
    let records = attributes.first().map_or(0, Attribute::len);
    let mut out = Vec::with_capacity(attributes.len());
    for (attribute, law) in attributes.iter().zip(laws) {
        crate::matrix::check_length("records in a column", attribute.len(), records)?;
        out.push(match (attribute, *law) {
            (attribute, Law::Keep) => attribute.clone(),
            (Attribute::Numbers(values), Law::Add(noise)) => {
                Attribute::Numbers(additive_noise(values, noise, coins)?.value)
            }
            (Attribute::Numbers(values), Law::Multiply(noise)) => {
                Attribute::Numbers(multiplicative_noise(values, noise, coins)?.value)
            }
            (Attribute::Categories { codes, domain }, Law::Replace { probability }) => {
                check_probability("the probability of replacing a value", probability)?;
                let Drawn { value, .. } =
                    Retention::new(1.0 - probability, *domain)?.randomize(codes, coins)?;
                Attribute::Categories { codes: value, domain: *domain }
            }
            _ => {
                return Err(PerturbError::Parameter {
                    name: "the law of an attribute",
                    accepted: "noise for numbers, replacement for categories",
                });
            }
        });
    }
    Ok((out, NoiseModel { laws: laws.to_vec(), source: coins.source() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SeededCoins;
    use crate::testing::{assert_mean, moments};
    use std::slice::from_ref;

    /// survey FX-1.5: age += N(0, 4), zip += N(0, 500); gender, nationality and condition are replaced with probability
    /// 1/4. False alarm: 1e-6 for all 7.
    #[test]
    fn the_configuration_of_table_1_5() {
        let n = 40_000;
        let categories =
            |domain: u32| Attribute::Categories { codes: (0..n).map(|i| i % domain).collect(), domain };
        let attributes = [
            Attribute::Numbers((0..n).map(|i| f64::from(20 + i % 40)).collect()),
            categories(2),
            Attribute::Numbers((0..n).map(|i| f64::from(13_000 + i % 100)).collect()),
            categories(4),
            categories(5),
        ];
        let replace = Law::Replace { probability: 0.25 };
        let laws = [
            Law::Add(Noise::Gaussian { deviation: 2.0 }),
            replace,
            Law::Add(Noise::Gaussian { deviation: 500f64.sqrt() }),
            replace,
            replace,
        ];
        let (out, model) = perturb(&attributes, &laws, &mut SeededCoins::new(15)).unwrap();
        assert_eq!((model.source, model.laws.as_slice()), (Source::Seeded, laws.as_slice()));
        let root = f64::from(n).sqrt();
        for ((before, after), law) in attributes.iter().zip(&out).zip(laws) {
            match (before, after, law) {
                (Attribute::Numbers(before), Attribute::Numbers(after), Law::Add(noise)) => {
                    let added: Vec<f64> = before.iter().zip(after).map(|(a, b)| b - a).collect();
                    let (mean, variance) = moments(&added);
                    assert_mean(mean, 0.0, noise.variance().sqrt() / root, 7);
                    assert_mean(variance, noise.variance(), noise.variance() * 2f64.sqrt() / root, 7);
                }
                (Attribute::Categories { codes, domain }, Attribute::Categories { codes: after, .. }, _) => {
                    let same = codes.iter().zip(after).filter(|(a, b)| a == b).count() as f64;
                    let p = 0.75 + 0.25 / f64::from(*domain);
                    assert_mean(same / f64::from(n), p, (p * (1.0 - p)).sqrt() / root, 7);
                }
                _ => panic!("an attribute changed its kind"),
            }
        }
    }

    #[test]
    fn the_model_is_written_and_read() {
        let laws = vec![
            Law::Keep,
            Law::Multiply(Noise::Uniform { half_width: 0.1 }),
            Law::Replace { probability: 0.25 },
        ];
        let model = NoiseModel { laws, source: Source::OperatingSystem };
        let written = serde_json::to_string(&model).unwrap();
        assert_eq!(
            written,
            r#"{"laws":["keep",{"multiply":{"law":"uniform","half-width":0.1}},{"replace":{"probability":0.25}}],"source":"operating-system"}"#
        );
        assert_eq!(serde_json::from_str::<NoiseModel>(&written).unwrap(), model);
    }

    #[test]
    fn edges() {
        let mut coins = SeededCoins::new(1);
        let numbers = Attribute::Numbers(vec![1.0]);
        let codes = Attribute::Categories { codes: vec![1], domain: 2 };
        assert!(perturb(&[], &[], &mut coins).unwrap().0.is_empty());
        assert!(perturb(from_ref(&numbers), &[], &mut coins).is_err());
        assert!(perturb(from_ref(&numbers), &[Law::Replace { probability: 0.1 }], &mut coins).is_err());
        assert!(perturb(from_ref(&codes), &[Law::Add(Noise::NONE)], &mut coins).is_err());
        for probability in [f64::NAN, 1.5, -0.5] {
            assert!(perturb(from_ref(&codes), &[Law::Replace { probability }], &mut coins).is_err());
        }
        let longer = Attribute::Numbers(vec![1.0, 2.0]);
        assert!(perturb(&[codes.clone(), longer], &[Law::Keep, Law::Keep], &mut coins).is_err());
        let (out, _) =
            perturb(&[codes.clone(), numbers.clone()], &[Law::Keep, Law::Keep], &mut coins).unwrap();
        assert_eq!(out, [codes, numbers]);
    }
}
