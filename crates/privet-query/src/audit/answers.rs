//! Attacks on answers about a made-up secret, with too little noise and with noise that is calibrated to epsilon (survey
//! AT-14, AT-19 to AT-22).
//!
//! # Guarantee
//! The adversary sees answers alone; the secret is used to score. Calibrated means that all answers of one attack together
//! cost epsilon, by Laplace noise. The noise that is too little has one scale for every answer, however many are asked.
//! Against epsilon, whoever guesses one bit of one person is right with probability at most e^ε/(1 + e^ε), whatever the
//! attack: [`AnswerAttack::most`].

use privet_attack::Rate;
use privet_attack::ids;
use privet_attack::noise::averaging::average;
use privet_attack::noise::decode::most_likely;
use privet_attack::noise::dinur_nissim::{Reconstruction, all_subsets};
use privet_attack::noise::linear::{Subsets, questions_for, rebuild};
use privet_attack::noise::local_sensitivity::{Desk, belief};
use privet_attack::noise::weighted::{from_weighted_sums, gaussian_weights};
use privet_attack::noise::{NoiseAttackError, Records};
use privet_data::{Progress, Random};
use privet_dp::{DpError, Epsilon, Noise, Rational};
use serde::Serialize;

use super::AuditError;

/// What one attack recovered.
#[derive(Debug, Clone, Serialize)]
pub struct AnswerAttack {
    /// Its name.
    pub attack: &'static str,
    /// Its entry in the survey.
    pub entry: &'static str,
    /// What was asked, and what counts as recovered.
    pub what: String,
    /// The share that somebody gets right who guesses.
    pub guessing: f64,
    /// What was recovered from answers with too little noise.
    pub weak: Rate,
    /// What was recovered from answers with calibrated noise.
    pub calibrated: Rate,
    /// The standard deviation of the noise that is too little; of local sensitivity there is none.
    pub weak_deviation: Option<f64>,
    /// That of the calibrated noise.
    pub calibrated_deviation: f64,
    /// The most that epsilon allows, where one bit of one person is recovered.
    pub most: Option<f64>,
}

/// The noise of both desks.
pub(super) struct Desks {
    epsilon: Epsilon,
    /// The noise that is too little.
    weak: Noise,
    scale: Rational,
}

/// Understands the scale of noise that is too little.
pub(super) fn scale(text: &str, epsilon: &Epsilon) -> Result<Desks, AuditError> {
    let accepted = || AuditError::Flag { flag: "noise", accepted: "a scale above 0, such as 0.5".to_owned() };
    // A scale is written and limited as an epsilon is, and its reciprocal is one.
    let scale: Epsilon = text.parse().map_err(|_: DpError| accepted())?;
    let reciprocal = Epsilon::new(Rational::ONE / scale.value()).map_err(|_| accepted())?;
    Ok(Desks { epsilon: epsilon.clone(), weak: Noise::laplace(1, &reciprocal), scale: scale.value().clone() })
}

impl Desks {
    /// The noise for so many counting questions together.
    fn calibrated(&self, questions: usize) -> Noise {
        Noise::laplace(questions as u128, &self.epsilon)
    }

    /// The most that anybody can be sure of one bit.
    fn most(&self) -> f64 {
        1.0 / (1.0 + (-self.epsilon.value().to_f64().value()).exp())
    }
}

/// A whole number with noise.
fn noisy(noise: &Noise, truth: f64) -> Result<f64, AuditError> {
    Ok(noise.add(truth as i128)? as f64)
}

fn all_noisy(noise: &Noise, truth: &[f64]) -> Result<Vec<f64>, AuditError> {
    truth.iter().map(|own| noisy(noise, *own)).collect()
}

type Attack = fn(&Desks, u64) -> Result<AnswerAttack, AuditError>;

/// Makes all of them.
pub(super) fn all(
    desks: &Desks,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Vec<AnswerAttack>, AuditError> {
    let attacks: [Attack; 5] = [averaging, every_subset, random_subsets, weighted, local_sensitivity];
    progress.stage("attacking", Some(attacks.len() as u64));
    let one = |(done, attack): (usize, &Attack)| {
        progress.check()?;
        progress.at(done as u64);
        attack(desks, seed)
    };
    attacks.iter().enumerate().map(one).collect()
}

/// A table of bits.
fn secret(people: usize, random: &mut Random) -> Vec<bool> {
    (0..people).map(|_| random.chance(0.5)).collect()
}

fn numbers(bits: &[bool]) -> Vec<f64> {
    bits.iter().map(|bit| f64::from(*bit)).collect()
}

fn right(truth: &[bool], found: &[bool]) -> u64 {
    truth.iter().zip(found).filter(|(own, guess)| own == guess).count() as u64
}

/// survey AT-14: the same count again and again; recovered when the mean, rounded, is the count.
fn averaging(desks: &Desks, seed: u64) -> Result<AnswerAttack, AuditError> {
    let (secrets, values, questions) = (50, 101, 200);
    let calibrated = desks.calibrated(questions);
    let mut random = Random::new(seed);
    let mut hits = [0; 2];
    for _ in 0..secrets {
        let truth = random.below(values) as f64;
        for (hits, noise) in hits.iter_mut().zip([&desks.weak, &calibrated]) {
            let answers = all_noisy(noise, &vec![truth; questions])?;
            let found = average(&answers, noise.accuracy().standard_deviation)?;
            *hits += u64::from(found.error(truth) < 0.5);
        }
    }
    Ok(of_both(
        desks,
        &calibrated,
        hits,
        secrets,
        Told {
            attack: ids::AVERAGING,
            entry: "AT-14",
            what: format!(
                "{secrets} counts from 0 to {}, each asked {questions} times; recovered exactly",
                values - 1
            ),
            guessing: 1.0 / values as f64,
            most: None,
        },
    ))
}

/// survey AT-19: all subsets of ten people. The adversary does not know how far answers are off, and takes the most likely table.
fn every_subset(desks: &Desks, seed: u64) -> Result<AnswerAttack, AuditError> {
    let (people, rounds) = (10usize, 10);
    let calibrated = desks.calibrated(1 << people);
    let mut random = Random::new(seed ^ 19);
    let mut hits = [0; 2];
    for _ in 0..rounds {
        let truth = secret(people, &mut random);
        let mask = truth.iter().rev().fold(0u32, |all, bit| 2 * all + u32::from(*bit));
        let sums: Vec<f64> = (0..1u32 << people).map(|set| f64::from((set & mask).count_ones())).collect();
        for (hits, noise) in hits.iter_mut().zip([&desks.weak, &calibrated]) {
            *hits += right(&truth, &likeliest(people as u32, &all_noisy(noise, &sums)?)?);
        }
    }
    Ok(of_both(
        desks,
        &calibrated,
        hits,
        (people * rounds) as u64,
        Told {
            attack: "all-subsets",
            entry: "AT-19",
            what: format!(
                "a yes or no of each of {people} people, {} counts over all sets of them",
                1 << people
            ),
            guessing: 0.5,
            most: Some(desks.most()),
        },
    ))
}

/// The most likely table by answers about all sets of people. The search begins with one that fits them within the least error, up to
/// a factor of two (Algorithm 3): that is the right one where noise is bounded, and led astray by the worst answers where it is not.
fn likeliest(people: u32, answers: &[f64]) -> Result<Vec<bool>, AuditError> {
    let answers = limited(answers.to_vec());
    let start = numbers(&fitting(people, &answers)?.bits);
    let sets = 0..1u32 << people;
    let weights: Vec<f64> =
        sets.flat_map(|set| (0..people).map(move |person| f64::from(set >> person & 1))).collect();
    Ok(most_likely(Records::new(&weights, people as usize)?, &answers, &[start])?)
}

/// The table that fits the answers within the least power of two.
fn fitting(people: u32, answers: &[f64]) -> Result<Reconstruction, AuditError> {
    let mut error = 0.5;
    loop {
        let ask = |set: u32| answers.get(set as usize).copied().unwrap_or(f64::NAN);
        match all_subsets(people, error, ask) {
            // Answers are numbers up to 2^127, so doubling ends before the largest error that is accepted.
            Err(NoiseAttackError::Contradiction) => error *= 2.0,
            other => return Ok(other?),
        }
    }
}

/// survey AT-20: random subsets of twenty people, and a linear program.
fn random_subsets(desks: &Desks, seed: u64) -> Result<AnswerAttack, AuditError> {
    let (people, rounds) = (20usize, 5);
    let questions = questions_for(people);
    let calibrated = desks.calibrated(questions);
    let mut random = Random::new(seed ^ 20);
    let mut hits = [0; 2];
    for round in 0..rounds {
        let truth = secret(people, &mut random);
        let subsets = Subsets::random(people, questions, seed.wrapping_add(round as u64))?;
        let sums = subsets.sums(&numbers(&truth));
        for (hits, noise) in hits.iter_mut().zip([&desks.weak, &calibrated]) {
            let answers = limited(all_noisy(noise, &sums)?);
            *hits += right(&truth, &rebuild(&subsets, &answers)?.bits);
        }
    }
    Ok(of_both(
        desks,
        &calibrated,
        hits,
        (people * rounds) as u64,
        Told {
            attack: "linear-program",
            entry: "AT-20",
            what: format!(
                "a yes or no of each of {people} people, {questions} counts over random sets of them"
            ),
            guessing: 0.5,
            most: Some(desks.most()),
        },
    ))
}

/// A linear program takes answers up to a billion; what is beyond tells no more.
fn limited(answers: Vec<f64>) -> Vec<f64> {
    answers.into_iter().map(|own| own.clamp(-1e9, 1e9)).collect()
}

/// survey AT-21: sums with weights of the normal distribution, in thousandths, of which every tenth answer is arbitrary.
fn weighted(desks: &Desks, seed: u64) -> Result<AnswerAttack, AuditError> {
    let (people, questions, rounds, units) = (16usize, 96usize, 6, 1000.0);
    let mut random = Random::new(seed ^ 21);
    let mut hits = [0; 2];
    let mut deviation = 0.0f64;
    for round in 0..rounds {
        let truth = secret(people, &mut random);
        let weights: Vec<f64> = gaussian_weights(people, questions, seed.wrapping_add(round as u64))?
            .into_iter()
            .map(|weight| (weight * units).round())
            .collect();
        let rows = || weights.chunks_exact(people);
        let sums: Vec<f64> = rows()
            .map(|row| row.iter().zip(numbers(&truth)).map(|(weight, bit)| weight * bit).sum())
            .collect();
        // One person changes all sums together by their weights in all of them.
        let total =
            |person: usize| rows().filter_map(|row| row.get(person)).map(|weight| weight.abs()).sum::<f64>();
        let most = (0..people).map(total).fold(0.0, f64::max);
        let calibrated = Noise::laplace(most as u128, &desks.epsilon);
        deviation = deviation.max(calibrated.accuracy().standard_deviation / units);
        // The same scale as for counts, in thousandths.
        let weak = Epsilon::new(Rational::ONE / (&desks.scale * Rational::from(1000)))?;
        for (hits, noise) in hits.iter_mut().zip([&Noise::laplace(1, &weak), &calibrated]) {
            let mut answers = all_noisy(noise, &sums)?;
            for answer in answers.iter_mut().step_by(10) {
                *answer += units * (random.unit() - 0.5) * 100.0;
            }
            let answers: Vec<f64> = limited(answers).iter().map(|answer| answer / units).collect();
            let weights: Vec<f64> = weights.iter().map(|weight| weight / units).collect();
            *hits += right(&truth, &from_weighted_sums(Records::new(&weights, people)?, &answers)?.bits);
        }
    }
    let weak_deviation = desks.weak.accuracy().standard_deviation;
    let of = (people * rounds) as u64;
    let [weak, calibrated] = hits.map(|hits| Rate::new(hits, of));
    Ok(AnswerAttack {
        attack: ids::WEIGHTED_SUMS,
        entry: "AT-21",
        what: format!(
            "a yes or no of each of {people} people, {questions} weighted sums of which every tenth is arbitrarily wrong"
        ),
        guessing: 0.5,
        weak,
        calibrated,
        weak_deviation: Some(weak_deviation),
        calibrated_deviation: deviation,
        most: Some(desks.most()),
    })
}

/// survey AT-22: which of two tables was asked for its median, after one answer. Too little is the noise that fits the table.
fn local_sensitivity(desks: &Desks, seed: u64) -> Result<AnswerAttack, AuditError> {
    let (rounds, largest) = (1000, 100.0);
    let tables = [[0.0, largest, largest, largest, largest], [0.0, 0.0, largest, largest, largest]];
    let epsilon = desks.epsilon.value().to_f64().value();
    let local = tables.map(|table| Desk::median(&table, 0.0, largest, epsilon));
    let [first, second] = local;
    let local = (first?, second?);
    // Both tables have the median Λ; noise for the worst table is the same for both.
    let same = Desk::new(largest, largest / epsilon)?;
    let calibrated = Noise::laplace(largest as u128, &desks.epsilon);
    let mut random = Random::new(seed ^ 22);
    let mut hits = [0; 2];
    for _ in 0..rounds {
        let is_first = random.chance(0.5);
        let fitting = if is_first { largest } else { noisy(&calibrated, largest)? };
        let worst = noisy(&calibrated, largest)?;
        let answers = [(local, fitting), ((same, same), worst)];
        for (hits, ((first, second), answer)) in hits.iter_mut().zip(answers) {
            let sure = belief(first, second, &[answer])?;
            // Who is no surer than before tosses a coin.
            let guess = if sure == 0.5 { random.chance(0.5) } else { sure > 0.5 };
            *hits += u64::from(guess == is_first);
        }
    }
    let [weak, fixed] = hits.map(|hits| Rate::new(hits, rounds));
    Ok(AnswerAttack {
        attack: ids::LOCAL_SENSITIVITY,
        entry: "AT-22",
        what: format!("{rounds} times one of two tables that differ in one person, by one median with noise"),
        guessing: 0.5,
        weak,
        calibrated: fixed,
        weak_deviation: None,
        calibrated_deviation: calibrated.accuracy().standard_deviation,
        most: Some(desks.most()),
    })
}

/// What is told of an attack beside its numbers.
struct Told {
    attack: &'static str,
    entry: &'static str,
    what: String,
    guessing: f64,
    most: Option<f64>,
}

fn of_both(desks: &Desks, noise: &Noise, hits: [u64; 2], of: u64, told: Told) -> AnswerAttack {
    let [weak, calibrated] = hits.map(|hits| Rate::new(hits, of));
    let Told { attack, entry, what, guessing, most } = told;
    AnswerAttack {
        attack,
        entry,
        what,
        guessing,
        weak,
        calibrated,
        weak_deviation: Some(desks.weak.accuracy().standard_deviation),
        calibrated_deviation: noise.accuracy().standard_deviation,
        most,
    }
}
