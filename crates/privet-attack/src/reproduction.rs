//! Swapped and synthetic records against the people of the original: whose record came out again, and who is in the data
//! (survey AT-31, ME-33 to ME-45).
//!
//! A record that was made need not be new. **Reproduction** counts the people of whom a published record has every value,
//! though nobody else of the original has them: their record is published, whatever made it. **Membership** asks whether
//! published records stand nearer to the people whom they were made from than to others: a model that learned single
//! people by heart gives them away by that.
//!
//! # Guarantee
//! Both are about values that are published and known, and conclude nothing by themselves. A rate by itself says little: in
//! a table of few values records come out again by chance. So reproduction is set against people who are not in the data,
//! or, where it is known which record was made from whose, against the same people without their own. Membership cannot
//! be made without people who are not in the data.

use crate::finding::Finding;
use crate::membership::distinguishing;
use crate::rate::Rate;

/// The share of people outside of the data who may be taken for members.
const FALSE_ALARMS: f64 = 0.05;

/// Records that equal those of people.
#[derive(Debug, Clone, Copy)]
pub struct Equal<'a> {
    /// Per person how many published records have every value of theirs.
    pub published: &'a [u64],
    /// Per person how many records of the original have, besides their own.
    pub others: &'a [u64],
}

impl Equal<'_> {
    /// People whose record is published though nobody else of the original has it.
    fn reproduced(&self) -> Rate {
        let both = self.published.iter().zip(self.others);
        let hits = both.filter(|(published, others)| **published > 0 && **others == 0).count();
        Rate::new(hits as u64, self.published.len() as u64)
    }
}

/// What reproduction is set against.
#[derive(Debug, Clone, Copy)]
pub struct Control<'a> {
    /// The same for other people.
    pub equal: Equal<'a>,
    /// Who they are.
    pub who: &'static str,
}

/// Whose record came out again. `columns` is how many columns are compared.
pub fn reproduction(people: Equal<'_>, control: Option<Control<'_>>, columns: usize) -> Finding {
    let exposed = people.reproduced();
    let any = people.published.iter().filter(|own| **own > 0).count();
    let alone = people.others.iter().filter(|own| **own == 0).count();
    let mut notes = vec![format!(
        "A published record equals that of {any} of {} people in all {columns} columns that are compared; {alone} people have \
         values that nobody else of the original has.",
        people.published.len()
    )];
    if control.is_none() {
        notes.push(
            "There is no control: give people who are certainly not in the data as [control] in the knowledge file, to \
             tell what comes out by chance."
                .to_owned(),
        );
    }
    Finding {
        attack: "reproduction",
        column: None,
        assumed: "every published column of a person".to_owned(),
        success: "a published record has every value of the person, which nobody else of the original has"
            .to_owned(),
        exposed,
        right: None,
        control: control.map(|own| own.equal.reproduced()),
        control_group: control.map(|own| own.who.to_owned()),
        risk: exposed.rate,
        not_counted: None,
        histogram: Vec::new(),
        histogram_of: "",
        notes,
    }
}

/// Who is in the data, by how far the nearest published record is. `None` without people, without others, or when a
/// distance is no number.
///
/// Whoever is nearer than all but a twentieth of those outside is taken for a member. A twentieth of anybody is: what
/// counts as risk is what being in the data adds.
pub fn membership(members: &[f64], strangers: &[f64]) -> Option<Finding> {
    let scores: Vec<f64> = members.iter().chain(strangers).map(|distance| -distance).collect();
    let is_member: Vec<bool> = (0..scores.len()).map(|at| at < members.len()).collect();
    let told = distinguishing(&scores, &is_member)?;
    let mut outside = strangers.to_vec();
    outside.sort_by(f64::total_cmp);
    // The nearest who is one too many: all who are nearer are taken for members.
    let most = (FALSE_ALARMS * outside.len() as f64).floor() as usize;
    let threshold = outside.get(most).copied().unwrap_or(f64::INFINITY);
    let near = |all: &[f64]| {
        let hits = all.iter().filter(|distance| **distance < threshold).count();
        Rate::new(hits as u64, all.len() as u64)
    };
    let (exposed, control) = (near(members), near(strangers));
    Some(Finding {
        attack: "membership",
        column: None,
        assumed: "every published column of a person, and people who are not in the data to compare with".to_owned(),
        success: "a published record is nearer to the person than to 95 % of the people who are not in the data".to_owned(),
        exposed,
        right: None,
        control: Some(control),
        control_group: Some("people of the control table, who are not in the data".to_owned()),
        risk: (exposed.rate - control.rate).max(0.0),
        not_counted: None,
        histogram: Vec::new(),
        histogram_of: "",
        notes: vec![
            format!(
                "Telling who is in the data from who is not: area under the curve {:.3} (0.5 is guessing), advantage {:.3}.",
                told.auc, told.advantage
            ),
            "Some people outside of the data are as near by chance; what is compared with a limit is what being in the data \
             adds."
                .to_owned(),
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_is_alone_is_given_away() {
        // The second looks like another one, the third did not come out again.
        let people = Equal { published: &[1, 3, 0, 2], others: &[0, 1, 0, 0] };
        let without = Equal { published: &[0, 3, 0, 1], others: &[0, 1, 0, 0] };
        let found = reproduction(people, Some(Control { equal: without, who: "the same" }), 3);
        assert_eq!((found.exposed.hits, found.exposed.of, found.risk), (2, 4, 0.5));
        assert_eq!(found.control.map(|own| own.hits), Some(1));
        assert!(found.notes[0].contains("of 3 of 4 people"), "{}", found.notes[0]);
        let nobody = reproduction(Equal { published: &[], others: &[] }, None, 0);
        assert_eq!((nobody.exposed.of, nobody.risk), (0, 0.0));
        assert!(nobody.notes[1].contains("[control]"));
    }

    #[test]
    fn who_is_nearer_than_strangers() {
        let members: Vec<f64> = (0..100).map(|at| if at < 40 { 0.0 } else { 1.0 + f64::from(at) }).collect();
        let strangers: Vec<f64> = (0..100).map(|at| 1.0 + f64::from(at)).collect();
        let found = membership(&members, &strangers).unwrap();
        // The five nearest strangers are below the threshold of 6; of members the forty who are learned by heart.
        assert_eq!((found.exposed.hits, found.control.map(|own| own.hits)), (40, Some(5)));
        assert!((found.risk - 0.35).abs() < 1e-12);
        assert!(found.notes[0].contains("advantage 0.400"), "{}", found.notes[0]);
        // The same distances tell nobody apart.
        let same = membership(&strangers, &strangers).unwrap();
        assert_eq!((same.risk, same.exposed.hits), (0.0, 5));
        assert!(membership(&[], &strangers).is_none() && membership(&members, &[]).is_none());
        assert!(membership(&[f64::NAN], &[1.0]).is_none());
        // All equally near: nobody is nearer than others.
        assert_eq!(membership(&[0.0; 5], &[0.0; 9]).unwrap().exposed.hits, 0);
    }
}
