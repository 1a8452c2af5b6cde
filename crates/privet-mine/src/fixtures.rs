//! The worked examples of the source, for tests.

use crate::{Attribute, ClassAttribute, Examples, Schema, Values, Visibility};

fn domain<'a>(values: &[&'a str]) -> Vec<&'a str> {
    let mut domain = values.to_vec();
    domain.sort_unstable();
    domain.dedup();
    domain
}

/// Examples from rows of words; the last column is the class.
pub(crate) fn examples(names: &[&str], public: &[&str], class: Visibility, rows: &[&str]) -> Examples {
    let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.split(',').collect()).collect();
    let column = |place: usize| rows.iter().map(|row| row[place]).collect::<Vec<&str>>();
    let codes = |values: &[&str], domain: &[&str]| -> Vec<u32> {
        values.iter().map(|own| domain.binary_search(own).unwrap() as u32).collect()
    };
    let last = names.len() - 1;
    let (mut attributes, mut columns) = (Vec::new(), Vec::new());
    for (place, &name) in names[..last].iter().enumerate() {
        let values = column(place);
        let domain = domain(&values);
        let visibility = if public.contains(&name) { Visibility::Public } else { Visibility::Private };
        attributes.push(Attribute::categories(name, visibility, &domain));
        columns.push(Values { codes: codes(&values, &domain), numbers: Vec::new() });
    }
    let values = column(last);
    let classes = domain(&values);
    let class = ClassAttribute {
        name: names[last].to_owned(),
        visibility: class,
        values: classes.iter().map(|&value| value.to_owned()).collect(),
    };
    Examples::new(Schema { attributes, class }, columns, codes(&values, &classes)).unwrap()
}

/// FX-F1: Anthony, Brian, Charles, David, Edward, Frank, Alice, Barbara, Carol, Donna, Emily, Fiona.
pub(crate) fn loans() -> Examples {
    examples(
        &["gender", "married", "age", "sports_car", "loan_risk"],
        &["gender", "married", "age", "sports_car"],
        Visibility::Private,
        &[
            "Male,Yes,Young,Yes,Good",
            "Male,Yes,Young,No,Good",
            "Male,Yes,Young,Yes,Good",
            "Male,Yes,Old,Yes,Good",
            "Male,Yes,Old,Yes,Bad",
            "Male,No,Old,Yes,Bad",
            "Female,No,Young,No,Good",
            "Female,No,Old,Yes,Good",
            "Female,No,Young,No,Bad",
            "Female,Yes,Young,No,Bad",
            "Female,Yes,Young,Yes,Bad",
            "Female,Yes,Young,Yes,Bad",
        ],
    )
}

/// FX-F2: Lisa, John, Ben, Laura, Robert, Anna.
pub(crate) fn cars(public: &[&str]) -> Examples {
    examples(
        &["marital", "sports_car", "loan_risk"],
        public,
        Visibility::Private,
        &[
            "Unmarried,Yes,Good",
            "Married,Yes,Good",
            "Married,No,Bad",
            "Married,No,Bad",
            "Unmarried,Yes,Bad",
            "Unmarried,No,Bad",
        ],
    )
}

/// FX-T8: a, b, c, d are 0 to 3.
pub(crate) fn fx_t8() -> crate::rules::Transactions {
    let rows = ["abc", "abd", "abc", "acd", "bcd", "abcd", "ac", "bd"];
    crate::rules::Transactions::new(rows.map(|row| row.bytes().map(|item| u32::from(item - b'a')).collect()))
}
