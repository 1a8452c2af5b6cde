//! Missing values: several markers in one column, hierarchies that cover them or do not.

use crate::dir::Dir;

/// Twelve people; ages and cities are not always known, and marked in different ways.
const PEOPLE: &str = "age,city,disease\n20,Bonn,a\n21,Bonn,b\n?,Bonn,a\n,Bonn,b\nNA,Ulm,a\n35,Ulm,b\n36,Ulm,a\n\
                      36,?,b\n20,?,a\n21,,b\n,,a\n?,NA,b\n";

fn job(age: &str, city: &str, more: &str) -> String {
    format!(
        "[input]\npath = \"people.csv\"\nmissing = [\"\", \"?\", \"NA\"]\n[columns.age]\nrole = \"quasi\"\n{age}\n\
         [columns.city]\nrole = \"quasi\"\n{city}\n[columns.disease]\nrole = \"sensitive\"\n[privacy]\n{more}\n"
    )
}

#[test]
fn markers_are_one_value_and_every_promise_holds() {
    let ages = [
        "",
        "hierarchy = { intervals = [10, 20] }",
        "hierarchy = { regions = 3 }",
        "hierarchy = \"age.csv\"",
    ];
    let cities =
        ["", "hierarchy = { mask = \"left\" }", "hierarchy = \"city.csv\"", "hierarchy = \"marked.csv\""];
    for (number, (age, city)) in ages.iter().flat_map(|age| cities.map(|city| (age, city))).enumerate() {
        let dir = Dir::new();
        dir.write("people.csv", PEOPLE)
            .write("age.csv", "20;20-29;*\n21;20-29;*\n35;30-39;*\n36;30-39;*\n")
            .write("city.csv", "Bonn;Rhine;*\nUlm;Danube;*\n")
            .write("marked.csv", "Bonn;Rhine;*\nUlm;Danube;*\n?;?;*\n");
        for privacy in
            ["k-anonymity = 1", "k-anonymity = 2", "k-anonymity = 3\nl-diversity = 2", "k-anonymity = 12"]
        {
            for share in ["0", "0.3"] {
                dir.write(
                    "job.toml",
                    job(age, city, &format!("{privacy}\n[search]\nsuppress-at-most = {share}")),
                );
                dir.expect(0, &["anonymize", "job.toml", "--force", "--quiet"]);
                dir.expect(0, &["verify", "release", "--quiet"]);
            }
        }
        // With nothing asked for, a marker of each quasi column is left, and all others have become it.
        dir.write("job.toml", job(age, city, "k-anonymity = 1"));
        dir.expect(0, &["anonymize", "job.toml", "--force", "--quiet"]);
        let data = dir.text("release/data.csv");
        let mut markers: Vec<&str> =
            data.lines().skip(1).map(|line| line.split(',').nth(1).unwrap()).collect();
        markers.retain(|cell| ["", "?", "NA"].contains(cell));
        assert_eq!(markers.len(), 5, "hierarchies {number}: {data}");
        assert!(markers.iter().all(|marker| marker == &markers[0]), "hierarchies {number}: {data}");
    }
}

#[test]
fn a_column_of_nothing_but_missing_values_can_be_published() {
    let dir = Dir::new();
    dir.write("people.csv", "age,city,disease\n,x,a\n?,x,b\nNA,y,a\n,y,b\n");
    for age in [
        "",
        "hierarchy = { intervals = [10] }",
        "hierarchy = { dates = [\"year\"] }",
        "hierarchy = { regions = 2 }",
    ] {
        dir.write("job.toml", job(age, "", "l-diversity = 2"));
        dir.expect(0, &["anonymize", "job.toml", "--force", "--quiet"]);
        dir.expect(0, &["verify", "release", "--quiet"]);
    }
}

#[test]
fn a_missing_sensitive_value_counts_as_a_value() {
    let dir = Dir::new();
    dir.write("people.csv", "age,city,disease\n1,x,a\n1,x,\n2,y,?\n2,y,b\n");
    dir.write("job.toml", job("", "", "l-diversity = 2"));
    dir.expect(0, &["anonymize", "job.toml"]);
    // Whichever marker it had, it comes out in one form.
    assert_eq!(dir.text("release/data.csv"), "age,city,disease\n1,x,a\n1,x,\n2,y,\n2,y,b\n");
    dir.expect(0, &["verify", "release"]);
}

/// All markers of a sensitive column are one value, also for distances.
#[test]
fn several_markers_in_a_sensitive_column() {
    let dir = Dir::new();
    let with_tree = |criterion: &str| {
        job("", "", criterion).replace(
            "role = \"sensitive\"",
            "role = \"sensitive\"\nhierarchy = { tree = { low = [\"a\"], high = [\"b\"] } }",
        )
    };
    dir.write("people.csv", "age,city,disease\n1,x,a\n1,x,\n1,x,?\n2,y,?\n2,y,b\n2,y,\n");
    for criterion in [
        "t-closeness = { kind = \"hierarchical\", t = 0.4 }",
        "t-closeness = { kind = \"ordered\", order = [\"?\", \"a\", \"never\", \"b\"], t = 0.4 }",
        "t-closeness = { kind = \"matrix\", costs = [[\"?\", \"a\", 0.1]], t = 0.4 }",
        "t-closeness = { kind = \"equal\", t = 0.4 }",
        "l-diversity = { kind = \"entropy\", l = 1.8 }",
        "delta-disclosure = 10",
    ] {
        dir.write("job.toml", with_tree(criterion));
        dir.expect(0, &["anonymize", "job.toml", "--force", "--quiet"]);
        dir.expect(0, &["verify", "release"]);
        let data = dir.text("release/data.csv");
        assert!(
            !data.contains('?') && data.lines().filter(|line| line.ends_with(',')).count() == 4,
            "{data}"
        );
    }
    // One value has one place, is at no distance from itself, and does not count three times.
    for (criterion, code, fragment) in [
        (
            "t-closeness = { kind = \"ordered\", order = [\"?\", \"a\", \"b\", \"\"], t = 0.4 }",
            2,
            "more than once",
        ),
        (
            "t-closeness = { kind = \"matrix\", costs = [[\"?\", \"\", 0.1]], t = 0.4 }",
            2,
            "to itself must be 0",
        ),
        ("l-diversity = { kind = \"entropy\", l = 3 }", 1, "no safe release exists"),
    ] {
        dir.write("job.toml", with_tree(criterion));
        dir.expect(code, &["anonymize", "job.toml", "--force", "--quiet"]).says(fragment);
    }
}

/// A marker that only the population has used to be published under another name than the table's own.
#[test]
fn a_population_with_other_markers_than_the_table() {
    let dir = Dir::new();
    dir.write("people.csv", "age,city,disease\n1,x,a\n1,?,b\n1,?,b\n");
    dir.write("all.csv", "age,city\n1,x\n1,x\n1,?\n1,\n1,NA\n1,?\n1,y\n");
    dir.write("job.toml", job("", "", "k-map = { k = 2, population = \"all.csv\" }"));
    dir.expect(0, &["anonymize", "job.toml"]);
    dir.expect(0, &["verify", "release", "--population", "all.csv"]);
}

#[test]
fn missing_numbers_do_not_make_a_column_text() {
    let dir = Dir::new();
    dir.write("people.csv", "age,city,disease\n1,x,10\n1,x,?\n1,x,30\n1,x,20\n");
    for criterion in [
        "proximity-diversity = { l = 2, width = 5 }",
        "proximity-diversity = { kind = \"neighbourhood\", l = 1.3, width = 5 }",
        "t-closeness = { kind = \"ordered\", t = 0.1 }",
    ] {
        dir.write("job.toml", job("", "", criterion));
        dir.expect(0, &["anonymize", "job.toml", "--force", "--quiet"]);
        dir.expect(0, &["verify", "release"]);
    }
}

/// No class can match more people than the population has: an impossible promise, not a search without a result.
#[test]
fn a_population_is_not_matched_more_often_than_it_has_people() {
    let dir = Dir::new();
    dir.write("people.csv", "age,city,disease\n1,x,a\n1,y,b\n1,y,b\n");
    dir.write("all.csv", "age,city\n1,x\n1,x\n1,y\n1,y\n");
    dir.write("job.toml", job("", "", "k-map = { k = 5, population = \"all.csv\" }"));
    dir.expect(2, &["anonymize", "job.toml"]).says("k may be at most 4");
}

/// Several markers of missing values are one to whoever reads the release: it is still known as that of its original.
#[test]
fn several_markers_are_one_missing_value() {
    let dir = Dir::new();
    let rows: String = (0..40)
        .map(|i| format!("{},{},{}\n", ["Ulm", "", "?", "Bonn"][i % 4], 20 + i % 7, ["a", "b", "c"][i % 3]))
        .collect();
    dir.write("t.csv", format!("town,age,ill\n{rows}"));
    let job = "[input]\npath = \"t.csv\"\nmissing = [\"\", \"?\"]\n[columns.town]\nrole = \"quasi\"\n[columns.age]\nrole = \
               \"quasi\"\n[columns.ill]\nrole = \"sensitive\"\n[privacy]\nl-diversity = 2\n[search]\nalgorithm = \
               \"anatomy\"\n[output]\nfolder = \"release\"\n";
    dir.write("job.toml", job);
    for format in ["csv", "parquet"] {
        let set = format!("output.format={format}");
        dir.expect(0, &["anonymize", "job.toml", "--force", "--set", &set]);
        dir.expect(0, &["verify", "release"]);
        dir.expect(0, &["attack", "release", "--original", "job.toml"]);
        dir.expect(0, &["measure", "job.toml", "release"]);
    }
}
