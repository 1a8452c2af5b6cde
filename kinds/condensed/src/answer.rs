//! Questions to condensed records: what to expect of the people behind them. No published value is that of a person, so that nothing is
//! bounded.

use privet_kind::{NoAnswer, Question, ReleaseAnswer};
use privet_measure::answer::{AnswerCells, AnswerColumn, AnswerSource, Records};

use crate::PublishedRecords;

/// Answers a question from the synthetic records.
pub(crate) fn answer(release: &PublishedRecords, question: &Question) -> Result<ReleaseAnswer, NoAnswer> {
    let column = |column: &privet_data::Column| {
        let cells = AnswerCells::PerRecord(column.codes.clone());
        AnswerColumn::exact(column.name.clone(), column.domain.clone(), cells)
    };
    let records = Records {
        columns: release.file.columns.iter().map(column).collect(),
        rows: release.file.rows,
        group_of: Vec::new(),
        suppressed: release.body.withheld,
    };
    let mut answer = records.answer(question)?;
    // What holds of a made record need not hold of anybody.
    for estimate in answer.lines.iter_mut().flat_map(|line| &mut line.estimates) {
        (estimate.at_least, estimate.at_most) = (None, None);
    }
    let notes = vec![
        "Counted over synthetic records, which were drawn from the means and covariances of groups: means and sums of all records are close to \
         those of the people, and conditions on single values are as good as these describe the groups."
            .to_owned(),
    ];
    Ok(ReleaseAnswer { answer, notes })
}
