//! Attacks on weak randomness against differentially private answers: they succeed against too little noise, and fail at
//! the calibrated noise and the ledger.

use privet_attack::noise::averaging::{answers_needed, ask_again};
use privet_attack::noise::linear::{Subsets, from_subsets, questions_for, rebuild};
use privet_attack::noise::local_sensitivity::{Desk, advantage, loss};
use privet_attack::noise::{BitScore, NoiseAttackError};
use privet_data::Random;
use privet_dp::ledger::{Ledger, Request, SqliteLedger, answer};
use privet_dp::{Bounds, Count, Neighbours, People, Privacy, SmoothMedian, Sulq};

const TRUTH: u64 = 412;

fn count() -> Count {
    Count { people: People::one_record_each(Neighbours::AddRemove) }
}

/// survey AT-14 and PM-35: whoever asks the same count again and again at ε = 0.1 is cut off after ten answers, when the
/// mean is still off by several; a desk without a ledger tells the count.
#[test]
fn the_ledger_cuts_averaging_off() -> Result<(), Box<dyn std::error::Error>> {
    let noise = count().noise(&Privacy::Pure("0.1".parse()?))?;
    let deviation = noise.accuracy().standard_deviation;
    let needed = answers_needed(deviation, 0.5)?;
    assert!(needed > 3000, "{needed}");

    let folder = tempfile::tempdir()?;
    let mut ledger = SqliteLedger::open(&folder.path().join("ledger.db"))?;
    ledger.open_account("patients", &Privacy::Pure("1".parse()?).loss())?;
    let request = Request::new("patients", "eve", "count where smoker", noise.loss())?;
    let found = ask_again(4000, deviation, || {
        let (_, noisy) = answer(&mut ledger, &request, || count().release(TRUTH, &noise)).ok()?;
        Some(noisy as f64)
    })?;
    assert!(found.refused && found.answers == 10, "{found:?}");
    assert!(!found.tells_a_count() && found.half_width_95 > 8.0, "{found:?}");

    // Without the ledger: 4000 answers. Off by more than 1.2 is more than 5 deviations of the mean.
    let found = ask_again(4000, deviation, || Some(count().release(TRUTH, &noise).ok()? as f64))?;
    assert!(!found.refused && found.tells_a_count(), "{found:?}");
    assert!(found.error(TRUTH as f64) < 1.2, "{found:?}");
    Ok(())
}

/// survey AT-20 and ME-32: a session that is calibrated to all questions withstands; the noise of one question, used for
/// all of them, does not.
#[test]
fn calibrated_noise_withstands_the_linear_program() -> Result<(), Box<dyn std::error::Error>> {
    let people = 20;
    let questions = questions_for(people);
    let (mut weak, mut strong) = (0, 0);
    for seed in 0..3 {
        let mut random = Random::new(seed);
        let truth: Vec<bool> = (0..people).map(|_| random.chance(0.5)).collect();
        let numbers: Vec<f64> = truth.iter().map(|bit| f64::from(*bit)).collect();
        let subsets = Subsets::random(people, questions, 100 + seed)?;
        let sums = subsets.sums(&numbers);

        // "ε = 4 for each answer" is ε = 4·374 for the table.
        let noise = count().noise(&Privacy::Pure("4".parse()?))?;
        let each = |sum: &f64| count().release(*sum as u64, &noise).map(|noisy| noisy as f64);
        let answers: Vec<f64> = sums.iter().map(each).collect::<Result<_, _>>()?;
        weak += BitScore::of(&truth, &rebuild(&subsets, &answers)?.bits)?.wrong;

        let privacy = Privacy::Approximate("1".parse()?, "1e-6".parse()?);
        let mut session =
            Sulq::new(People::one_record_each(Neighbours::ReplaceOne), questions as u64, &privacy)?;
        let answers: Vec<f64> = sums
            .iter()
            .map(|sum| session.answer(*sum as u64).map(|noisy| noisy as f64))
            .collect::<Result<_, _>>()?;
        strong += BitScore::of(&truth, &rebuild(&subsets, &answers)?.bits)?.wrong;
        // Somebody who believes in small errors is told otherwise.
        assert_eq!(from_subsets(&subsets, &answers, Some(4.0)), Err(NoiseAttackError::Contradiction));
    }
    // Of 60 bits a coin gets 30 wrong, and 11 or fewer with probability 4e-7. The noise of the session has a deviation of
    // about 100, twenty times the root of the number of people; that of one answer one of about 0.2.
    assert!(weak <= 11, "{weak}");
    assert!(strong > 11, "{strong}");
    Ok(())
}

/// survey AT-22: between the tables of TH-17 the noise of the local sensitivity decides always. The smooth median keeps its
/// promise there: an exact answer, which gave the table away, is about as frequent for both.
#[test]
fn the_smooth_median_withstands() -> Result<(), Box<dyn std::error::Error>> {
    let (first, second) = ([0, 100, 100, 100, 100], [0, 0, 100, 100, 100]);
    let desk = |values: [i64; 5]| Desk::median(&values.map(|value| value as f64), 0.0, 100.0, 1.0);
    let (exact, noisy) = (desk(first)?, desk(second)?);
    assert_eq!((advantage(exact, noisy), loss(exact, noisy)), (1.0, f64::INFINITY));

    let people = People::one_record_each(Neighbours::ReplaceOne);
    let median = SmoothMedian::new(people, Bounds::integers(0, 100)?, &"1".parse()?, &"1e-6".parse()?)?;
    let rounds = 2000;
    let mut hits = [0u32; 2];
    for (hits, values) in hits.iter_mut().zip([first, second]) {
        for _ in 0..rounds {
            *hits += u32::from(median.release(values)? == 100);
        }
    }
    let [a, b] = hits.map(|hits| f64::from(hits) / f64::from(rounds));
    // Both medians are 100, the upper bound, where noise from 0 on ends: with probability 1/(1 + e^(−1/2𝒮)), which is 0.5013
    // for 𝒮 = 97 of the first table and 0.5012 for 𝒮 = 100 of the second. A share of 2000 has a deviation of 0.0112; 0.06 is
    // 5.36 of these: a false alarm of 8.5e-8 for one and 1.7e-7 for both. Far within the ratio of e that is promised.
    assert!((a - 0.5013).abs() < 0.06 && (b - 0.5013).abs() < 0.06, "{a} {b}");
    Ok(())
}
