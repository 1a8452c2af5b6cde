//! Questions of the owner's own, answered from the release beside what the original says (survey UM-18, UM-30). The true answers
//! are the owner's: they stand in an assessment, and in nothing that is handed over.

use privet_measure::utility::{Compared, WorkloadErrors};
use serde::Serialize;

/// A workload and how well the release answers it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Workload {
    /// What its answers are off by together.
    #[serde(flatten)]
    pub errors: WorkloadErrors,
    /// Figure by figure, in the order of the file.
    pub answers: Vec<WorkloadAnswer>,
    /// What is to be known about the answers: a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// One figure of one question.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct WorkloadAnswer {
    /// The line of the file on which the question stands, counted from 1.
    pub line: u64,
    /// The figure, as the question names it.
    pub figure: String,
    /// The truth, the answer of the release, and how they compare.
    #[serde(flatten)]
    pub compared: Compared,
}

impl Workload {
    /// Puts answers together.
    pub fn new(answers: Vec<WorkloadAnswer>, notes: Vec<String>) -> Self {
        Self { errors: WorkloadErrors::of(answers.iter().map(|own| &own.compared)), answers, notes }
    }

    /// Why not all figures count towards the relative errors, where that is so.
    pub fn left_out(&self) -> Option<String> {
        let WorkloadErrors { figures, compared, relative, .. } = self.errors;
        let zero = compared - relative;
        let untold = figures - compared;
        let are = |n: u64| if n == 1 { "is" } else { "are" };
        let parts: Vec<String> = [
            (zero > 0).then(|| format!("{zero} {} truly 0, to which nothing is relative", are(zero))),
            (untold > 0).then(|| {
                format!("{untold} {} not told by the release, or an average of nothing", are(untold))
            }),
        ]
        .into_iter()
        .flatten()
        .collect();
        (!parts.is_empty()).then(|| {
            format!("Of {figures} figures {relative} count towards the relative error: {}.", parts.join("; "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_relative_error_is_told() {
        let answer = |truth: Option<f64>, expected: f64| WorkloadAnswer {
            line: 1,
            figure: "count(*)".to_owned(),
            compared: Compared::new(
                truth,
                &privet_measure::answer::Estimate { expected: Some(expected), ..Default::default() },
            ),
        };
        let all = vec![answer(Some(4.0), 5.0), answer(Some(0.0), 1.0), answer(None, 1.0)];
        assert_eq!(
            Workload::new(all.clone(), Vec::new()).left_out().unwrap(),
            "Of 3 figures 1 count towards the relative error: 1 is truly 0, to which nothing is relative; 1 is not told by the release, or an \
             average of nothing."
        );
        let one = Workload::new(all[..1].to_vec(), Vec::new());
        assert_eq!(one.left_out(), None);
        // The sums and the figures stand side by side in JSON.
        let json = serde_json::to_value(&one).unwrap();
        assert_eq!(json["mean_relative_error"], 0.25);
        assert_eq!(json["answers"][0]["truth"], 4.0);
        assert_eq!(json["answers"][0]["line"], 1);
    }
}
