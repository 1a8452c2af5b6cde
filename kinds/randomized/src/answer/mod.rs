//! Questions to randomized records (survey US-02, US-14).

mod matching;
mod perturbed;
mod weights;

pub(crate) use perturbed::Perturbed as PerturbedAnswers;
pub(crate) use privet_microdata::answer::*;
