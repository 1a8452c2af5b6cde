//! Hierarchy files: layouts that are read, a corpus of those that are not, and round trips.

use super::*;
use proptest::prelude::*;

fn rows(bytes: &[u8]) -> Vec<Vec<String>> {
    let hierarchy = parse_hierarchy(bytes).unwrap();
    let row = |i: usize| {
        let labels =
            hierarchy.levels().iter().map(|level| level.labels[level.node_of_leaf[i] as usize].to_string());
        std::iter::once(hierarchy.leaves()[i].to_string()).chain(labels).collect()
    };
    (0..hierarchy.leaves().len()).map(row).collect()
}

#[test]
fn the_layouts_that_people_have_are_read() {
    let expected = [["1", "0-4", "*"], ["2", "0-4", "*"], ["7", "5-9", "*"]];
    for text in [
        "1;0-4;*\n2;0-4;*\n7;5-9;*\n",
        "1,0-4,*\n2,0-4,*\n7,5-9,*\n",
        "1\t0-4\t*\n2\t0-4\t*\n7\t5-9\t*\n",
        "1;0-4;*\r\n2;0-4;*\r\n7;5-9;*\r\n",
        "1;0-4;*\r\n2;0-4;*\r\n7;5-9;*\r",
        "1;0-4;*\n2;0-4;*\n7;5-9;*",
        "\u{feff}1;0-4;*\n2;0-4;*\n7;5-9;*",
        "1;0-4;*\n2;0-4;*\n7;5-9;*\n;;\n;\n",
        "\n1;0-4;*\n\n  \n2;0-4;*\r\n\r\n7;5-9;*\n\n",
        "\"1\";\"0-4\";\"*\"\n\"2\";0-4;*\n7;\"5-9\";*\n",
    ] {
        assert_eq!(rows(text.as_bytes()), expected, "{text:?}");
    }
}

/// Item 20: the header of a hierarchy file was taken for a value, and its labels for groups.
#[test]
fn a_header_is_left_out_and_a_first_value_is_not() {
    let leaves =
        |bytes: &[u8]| -> Vec<String> { rows(bytes).into_iter().map(|row| row[0].clone()).collect() };
    for header in ["age;decade;all", "value;level 1;level 2", "Wert;Ebene1;Ebene2"] {
        let text = format!("{header}\n20;20-29;*\n21;20-29;*\n30;30-39;*\n");
        assert_eq!(leaves(text.as_bytes()), ["20", "21", "30"], "{header}");
        let hierarchy = parse_hierarchy(text.as_bytes()).unwrap();
        assert_eq!(hierarchy.levels()[1].labels.len(), 1);
    }
    assert_eq!(leaves(b"value;group\nBonn;west\nJena;east\nUlm;south\n"), ["Bonn", "Jena", "Ulm"]);
    for text in [
        &b"unknown;unknown;unknown\n20;20-29;*\n21;20-29;*\n30;30-39;*\n"[..],
        b"Berlin;city\nUlm;rural\nJena;rural\nTrier;rural\n",
        b"a;b;*\nc;d;*\ne;f;*\ng;h;*\n",
        b"a;b;c\nd;e;*\n",
    ] {
        assert_eq!(leaves(text).len(), text.iter().filter(|&&byte| byte == b'\n').count());
    }
}

#[test]
fn a_row_for_all_others_covers_values_that_are_not_named() {
    let hierarchy = parse_hierarchy(b"Bonn;west;*\n*;elsewhere;*\nK\xc3\xb6ln;west;*\n").unwrap();
    let column = |values: &[&str]| {
        crate::Domain::canonical(values.iter().map(|&own| own.into()).collect(), |text| text.is_empty()).0
    };
    let cities = column(&["", "Bonn", "Jena", "Ulm"]);
    let caught = hierarchy.clone().catching_all(&cities);
    assert_eq!(caught.leaves().len(), 4, "the star is no value any more");
    let bound = caught.bind(&cities).unwrap();
    let label = |text: &str| {
        let code = cities.texts().iter().position(|own| &**own == text).unwrap();
        &*bound.levels[1].labels[bound.levels[1].node_of_code[code] as usize]
    };
    assert_eq!((label("Bonn"), label("Jena"), label("Ulm")), ("west", "elsewhere", "elsewhere"));
    // Nothing is left for it: its label goes.
    let known = hierarchy.clone().catching_all(&column(&["Bonn"]));
    assert_eq!(known.levels()[0].labels, ["west".into()]);
    // A star that stands in the data is a value like any other.
    assert!(hierarchy.catching_all(&column(&["*", "Ulm"])).bind(&column(&["*", "Ulm"])).is_err());
}

#[test]
fn the_delimiter_is_what_parts_most_lines() {
    assert_eq!(rows(b"1;[0,5);*\n6;[5,10);*\n"), [["1", "[0,5)", "*"], ["6", "[5,10)", "*"]]);
    assert_eq!(rows(b"a; b,x\nc,x\nd,x\n"), [["a; b", "x"], ["c", "x"], ["d", "x"]]);
    assert_eq!(rows(b"\"a;b\",x\n\"c;d\",x\n"), [["a;b", "x"], ["c;d", "x"]]);
    assert_eq!(rows(b"a\nb\n"), [["a"], ["b"]]);
}

#[test]
fn quoted_cells_hold_anything() {
    assert_eq!(
        rows(b"\"a;b\"\"c\"\"\";\"x\ny\";*\n\"\";\"\";*\nd\"e;z;*\n"),
        [["a;b\"c\"", "x\ny", "*"], ["", "", "*"], ["d\"e", "z", "*"]]
    );
    assert_eq!(rows(b"\"\"\"\";\"\"\"\"\"\"\n"), [["\"", "\"\""]]);
    // A value that spans lines moves the line numbers behind it.
    let error = parse_hierarchy(b"\"a\nb\";x\nc;x\nc;x\n").unwrap_err();
    assert_eq!(error, HierarchyError::Duplicate { line: 4, first: 3 });
}

/// What is wrong, where the message must say it stands.
#[test]
fn malformed_files_name_the_line_and_the_column() {
    let many = vec!["a"; 66].join(";");
    let corpus: &[(&[u8], &str)] = &[
        // Nothing there.
        (b"", "is empty"),
        (b"\n", "is empty"),
        (b"\n\n\r\n\n", "is empty"),
        (b"   \n\t\n", "is empty"),
        (b";;;\n;;;\r\n", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"\xef\xbb\xbf\r\n", "is empty"),
        (b"\r", "is empty"),
        // Ragged.
        (b"a;x;*\nb;x\n", "line 2, column 3: 2 levels"),
        (b"a;x\nb;x;*\n", "line 2, column 3: 3 levels"),
        (b"a;x;*\n\n\nb\n", "line 4, column 2: 1 levels"),
        (b"a,x,*\nb,x,*,\n", "line 2, column 4: 4 levels"),
        (b"a\tx\nb\n", "line 2, column 2"),
        (b"a;x;*\r\nb,x,*\r\n", "line 2, column 2"),
        (b"\"a\nb\";x;*\nc;x\n", "line 3, column 3"),
        (b"a;[0,5);*\nb;[0,5)\n", "line 2, column 3"),
        // Duplicates.
        (b"a;x\na;x\n", "line 2, column 1: the value already stands on line 1"),
        (b"a;x\nb;x\n\n\"a\";y\n", "line 4, column 1: the value already stands on line 1"),
        (b"\"\";x\n\"\";x\n", "line 2, column 1"),
        (b"a\na\n", "line 2, column 1"),
        // Not nested.
        (b"a;x;1\nb;x;2\n", "line 2, column 3: levels do not nest; line 1 has the same label in column 2"),
        (b"\n\na;x;1;*\nb;y;1;*\nc;x;2;*\n", "line 5, column 3: levels do not nest; line 3"),
        (
            b"a;x;1;p\nb;y;1;q\n",
            "line 2, column 4: levels do not nest; line 1 has the same label in column 3",
        ),
        (b"a;Other;Europe;*\nb;Other;Asia;*\n", "line 2, column 3"),
        // Quotation marks.
        (b"\"a;x\n", "line 1, column 1: the cell is quoted"),
        (b"a;\"x\n", "line 1, column 2: the cell is quoted"),
        (b"a;x\nb;\"x\n\n\n", "line 2, column 2: the cell is quoted"),
        (b"a;x\n\"", "line 2, column 1: the cell is quoted"),
        (b"a;\"x\"\"\n", "line 1, column 2: the cell is quoted"),
        (b"\"a\"b;x\n", "line 1, column 1: text stands behind"),
        (b"a;\"x\" ;*\n", "line 1, column 2: text stands behind"),
        (b"a;\"x\ny\"z;*\n", "line 2, column 2: text stands behind"),
        (b"a;\"x\"\r;*\n", "line 1, column 2: text stands behind"),
        // Not text.
        (b"a;x\0;*\n", "line 1, column 2: a NUL"),
        (b"a;x\n\0;x\n", "line 2, column 1: a NUL"),
        (b"a;\"\0\"\n", "line 1, column 2: a NUL"),
        (b"\0\0\0\0", "line 1, column 1: a NUL"),
        (b"a;x\nb;\xff\n", "line 2, column 2: not UTF-8"),
        (b"\xc3;x\n", "line 1, column 1: not UTF-8"),
        (b"a;\"\xe2\x82\"\n", "line 1, column 2: not UTF-8"),
        (b"a;x\nb;x;\xed\xa0\x80\n", "line 2, column 3: not UTF-8"),
        (b"\xff\xfea\0;\0x\0", "line 1, column 1: the file is in UTF-16"),
        (b"\xfe\xff\0a\0;\0x", "line 1, column 1: the file is in UTF-16"),
        (b"a;x\rb;x\rc;x\r", "line 1, column 2: a carriage return"),
        (b"a\rb\n", "line 1, column 1: a carriage return"),
        // Labels.
        (b"a;;*\n", "line 1, column 2: the label is empty"),
        (b"a;x;\nb;x;\n", "line 1, column 3: the label is empty"),
        (b"a;x;*\nb;\"\";*\n", "line 2, column 2: the label is empty"),
        (b";x;*\nb;;*\n", "line 2, column 2: the label is empty"),
        (many.as_bytes(), "line 1, column 66: there are more than 64 levels"),
    ];
    assert!(corpus.len() >= 40);
    for (bytes, expected) in corpus {
        let error = parse_hierarchy(bytes).expect_err(&String::from_utf8_lossy(bytes)).to_string();
        assert!(error.contains(expected), "{:?}: {error}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn sixty_four_levels_and_a_huge_line_are_read() {
    assert_eq!(parse_hierarchy(vec!["a"; 65].join(";").as_bytes()).unwrap().height(), 64);
    let huge = "x".repeat(5_000_000);
    assert_eq!(rows(format!("{huge};*\n").as_bytes()), [[&*huge, "*"]]);
    let error = parse_hierarchy(";".repeat(5_000_000).as_bytes()).unwrap_err();
    assert!(error.to_string().contains("more than 64 levels"));
}

#[test]
fn no_message_holds_a_value() {
    for text in [
        "secret;x\nsecret;x",
        "secret;secret;a\nb;secret;c",
        "secret;\"secret",
        "secret;x\nsecret",
        "secret;",
    ] {
        let error = parse_hierarchy(text.as_bytes()).unwrap_err();
        assert!(
            !error.to_string().contains("secret") && !format!("{error:?}").contains("secret"),
            "{error:?}"
        );
    }
}

#[test]
fn the_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("age.csv");
    let error = read_hierarchy(&path).unwrap_err().to_string();
    assert!(error.contains("age.csv: cannot be read"), "{error}");
    std::fs::write(&path, "a;x\nb\n").unwrap();
    let error = read_hierarchy(&path).unwrap_err().to_string();
    assert!(error.contains("age.csv: line 2, column 2: 1 levels where the first line has 2"), "{error}");
    assert!(read_hierarchy(folder.path()).unwrap_err().to_string().contains("cannot be read"));
}

#[test]
fn a_hundred_thousand_rows_are_read_at_once() {
    let text: String = (0..100_000).map(|i| format!("{i:06};{:04};{:02};*\n", i / 100, i / 10_000)).collect();
    let start = std::time::Instant::now();
    let hierarchy = parse_hierarchy(text.as_bytes()).unwrap();
    let taken = start.elapsed();
    assert_eq!((hierarchy.leaves().len(), hierarchy.height()), (100_000, 3));
    assert_eq!(hierarchy.levels()[1].labels.len(), 10);
    // Quadratic code takes minutes; the bound leaves room for a slow, busy machine.
    assert!(taken.as_secs() < 5, "{taken:?}");
}

#[test]
fn delimiters_that_cannot_part_cells_are_refused() {
    let hierarchy = parse_hierarchy(b"a;*\n").unwrap();
    for delimiter in [b'"', b'\n', b'\r', 0, 0xff] {
        assert!(write_hierarchy(Vec::new(), &hierarchy, delimiter).is_err());
    }
}

/// The data set that this field is measured on, in the layout this field uses.
#[test]
fn the_hierarchies_of_the_adult_data_set_are_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/adult");
    if !folder.is_dir() {
        println!("skipped: the adult data set is not there");
        return;
    }
    for (name, leaves, height) in [
        ("age", 100, 4),
        ("education", 16, 3),
        ("marital-status", 7, 2),
        ("native-country", 41, 2),
        ("occupation", 14, 2),
        ("race", 5, 1),
        ("salary-class", 2, 1),
        ("sex", 2, 1),
        ("workclass", 8, 2),
    ] {
        let hierarchy = read_hierarchy(&folder.join(format!("adult_hierarchy_{name}.csv"))).unwrap();
        assert_eq!((hierarchy.leaves().len(), hierarchy.height()), (leaves, height), "{name}");
        assert_eq!(hierarchy.levels()[height - 1].labels.len(), 1, "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_written_is_read_back(
        leaves in prop::collection::btree_set("[ab ;,\t\"\n\r*é\u{feff}]{0,4}", 1..12),
        divisors in prop::collection::vec(2_usize..4, 0..4),
        delimiter in prop::sample::select(vec![b';', b',', b'\t']),
    ) {
        let leaves: Vec<Box<str>> = leaves.into_iter().map(Box::from).collect();
        let mut levels = Vec::new();
        let mut width = 1;
        for divisor in divisors {
            width *= divisor;
            let label = |i: usize| Box::from(format!("; \"{},", i / width));
            levels.push((0..leaves.len()).map(label).collect());
        }
        let hierarchy = Hierarchy::new(leaves, levels).unwrap();
        let mut bytes = Vec::new();
        write_hierarchy(&mut bytes, &hierarchy, delimiter).unwrap();
        prop_assert_eq!(parse_hierarchy(&bytes).unwrap(), hierarchy);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(
        prop::sample::select(b"ab;,\t\"\n\r\0\xff\xc3\xa9".to_vec()), 0..40)) {
        if let Err(error) = parse_hierarchy(&bytes) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}
