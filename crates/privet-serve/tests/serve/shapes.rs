//! Data of other shapes than a table, and hierarchies of several levels.

use crate::client::{Server, between, people};

/// Who knows whom, as GraphML.
fn graph(nodes: usize) -> String {
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n\
        <graph id=\"g\" edgedefault=\"undirected\">\n"
        .to_owned();
    for node in 0..nodes {
        text.push_str(&format!("<node id=\"person-{node}\"/>\n"));
    }
    for node in 0..nodes {
        for step in [1, 2, 3 + node % 5] {
            text.push_str(&format!(
                "<edge source=\"person-{node}\" target=\"person-{}\"/>\n",
                (node + step) % nodes
            ));
        }
    }
    text.push_str("</graph>\n</graphml>\n");
    text
}

/// Who rated what.
fn ratings(users: usize) -> String {
    let mut text = "user,item,rating\n".to_owned();
    for user in 0..users {
        for step in 0..8 {
            text.push_str(&format!(
                "u{user},film {},{}\n",
                (user * 3 + step * 7) % 60,
                1 + (user + step) % 5
            ));
        }
    }
    text
}

/// What was done, what attacks found, and that the release can be attacked and verified again.
#[test]
fn releases_of_other_shapes_show_their_attacks_and_can_be_attacked_again() {
    let server = Server::start();
    let client = server.client();
    for (name, bytes, kind) in
        [("people.graphml", graph(60), "graph"), ("ratings.csv", ratings(120), "ratings")]
    {
        let project = client.upload(name, bytes.as_bytes());
        let data = client.get(&format!("{project}/data")).text();
        assert!(data.contains(&format!("<code>{kind}</code>")), "{data}");
        assert!(!data.contains("/roles\""), "steps about tables of people are left out");
        let made = client.work(&project, "run");
        assert!(made.contains("class=\"task done\""), "{made}");
        let check = |page: &str| {
            assert!(!page.contains("No attack was made."), "{kind}: {page}");
            assert!(
                page.contains("The adversary is sure") && page.contains("<article class=\"attack\">"),
                "{page}"
            );
        };
        check(&made);
        let attacked = client.work(&project, "attack");
        assert!(!attacked.contains("class=\"task failed\""), "{kind}: {attacked}");
        check(&attacked);
        client.work(&project, "verify");
        assert!(client.get(&format!("{project}/handover")).text().contains("All promises hold."), "{kind}");
        let archive = client.get(&format!("{project}/file/project.zip"));
        let mut archive = zip::ZipArchive::new(std::io::Cursor::new(archive.body)).unwrap();
        assert!(archive.by_name(name).is_ok(), "{kind}");
    }
}

/// Four levels above the value, none of them lost by saving the form as it is shown.
#[test]
fn saving_groups_keeps_every_level_of_a_hierarchy() {
    let server = Server::start();
    let client = server.client();
    let project = client.upload("patients.csv", people(200).as_bytes());
    let job = client.get(&format!("{project}/file/job.toml")).text();
    let tree = "{ tree = { inside = { chest = { \"in the chest\" = [\"asthma\", \"angina\"] }, belly = { \"in the belly\" = \
                [\"gastritis\", \"cancer\"] } }, elsewhere = [\"flu\"] } }";
    let sections: String = ["age", "zip", "sex", "name", "note"]
        .iter()
        .map(|own| format!("[columns.{own}]\nrole = \"identifier\"\n"))
        .collect();
    let input = between(&job, "[input]", "[columns");
    let own = format!(
        "[input]{input}{sections}[columns.diagnosis]\nrole = \"quasi\"\nhierarchy = {tree}\n[privacy]\nk-anonymity = 2\n[output]\n\
         folder = \"release\"\nhome = \"home\"\nreplace = true\n"
    );
    let answer = client.post(&format!("{project}/job"), &[("job", &own)]);
    assert_eq!(answer.status, 303, "{}", answer.text());
    let address = format!("{project}/hierarchies?column=4");
    let page = client.get(&address).text();
    assert!(page.contains("Groups of the job file, below") && page.contains("Groups of level 3"), "{page}");

    // What a browser sends when nothing is changed.
    let fields = |page: &str| -> Vec<(String, String)> {
        let form = between(page, "id=\"groups\"", "</form>");
        form.split("<input ")
            .skip(1)
            .map(|field| {
                let of = |name: &str| match field.split_once(&format!(" {name}=\"")) {
                    Some((_, rest)) => rest.split('"').next().unwrap().to_owned(),
                    None => String::new(),
                };
                (of("name"), of("value"))
            })
            .filter(|(name, _)| name != "csrf")
            .collect()
    };
    let save = |fields: &[(String, String)]| {
        let fields: Vec<(&str, &str)> = fields.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        client.post(&format!("{project}/groups"), &fields)
    };
    let before = fields(&page);
    assert!(before.iter().any(|(name, value)| name == "g3:chest" && value == "inside"), "{before:?}");
    let answer = save(&before);
    assert_eq!(answer.status, 303, "{}", answer.text());
    let saved = client.get(&address).text();
    assert!(saved.contains("hierarchies/column-4.csv") && saved.contains("Covers every value"), "{saved}");
    assert_eq!(fields(&saved), before, "nothing changed");

    // A form that was made from an earlier hierarchy changes nothing.
    let mut renamed = before.clone();
    renamed.iter_mut().filter(|own| own.1 == "in the chest").for_each(|own| own.1 = "thorax".to_owned());
    assert_eq!(save(&renamed).status, 303);
    let after = client.get(&address).text();
    assert!(
        after.contains("g2:thorax")
            && fields(&after).iter().any(|own| *own == ("g2:thorax".into(), "chest".into()))
    );
    let stale = save(&before);
    assert!(stale.status == 422 && stale.text().contains("load the page again"), "{}", stale.text());
}

/// Every promise has a form that gives what the job file says, and a form that is saved again changes nothing.
#[test]
fn every_promise_has_a_form() {
    let server = Server::start();
    let client = server.client();
    let project = client.upload("patients.csv", people(100).as_bytes());
    let roles = ["identifier", "quasi", "quasi", "quasi", "sensitive", "identifier"];
    let fields: Vec<(String, &str)> =
        roles.iter().enumerate().map(|(number, role)| (format!("role-{number}"), *role)).collect();
    let fields: Vec<(&str, &str)> = fields.iter().map(|(name, role)| (name.as_str(), *role)).collect();
    assert_eq!(client.post(&format!("{project}/roles"), &fields).status, 303);
    let page = || client.get(&format!("{project}/promises")).text();
    for key in privet_criteria::KEYS {
        assert!(page().contains(&format!("type=\"checkbox\" name=\"{key}\"")), "{key}");
    }
    assert!(page().contains("Needs the file of a population"));
    let address = format!("{project}/population");
    let request = client.upload_to(&address, &client.csrf, "everybody.csv", people(400).as_bytes());
    assert_eq!(crate::client::send(&client.host, &request).unwrap().status, 303);
    let form = [
        ("suppress", "50"),
        ("k-map", "yes"),
        ("k-map.k", "3"),
        ("k-map.population", "population.csv"),
        ("delta-presence", "yes"),
        ("delta-presence.max", "0.9"),
        ("delta-presence.population", "population.csv"),
        ("three-d", "yes"),
        ("three-d.c", "0.95"),
        ("three-d.l", "1"),
        ("concept-diversity", "yes"),
        ("concept-diversity.l", "2"),
        ("concept-diversity.kind", "distinct"),
        ("concept-diversity.concepts", "lung = asthma; flu\nrest = cancer; angina; gastritis"),
    ];
    let answer = client.post(&format!("{project}/promises"), &form);
    assert_eq!(answer.status, 303, "{}", answer.text());
    let job = || client.get(&format!("{project}/file/job.toml")).text();
    let first = job();
    assert!(
        first.contains("population = \"population.csv\"") && first.contains("lung = [\"asthma\", \"flu\"]"),
        "{first}"
    );
    assert!(page().contains("lung = asthma; flu\n"));
    assert_eq!(client.post(&format!("{project}/promises"), &form).status, 303);
    assert_eq!(job(), first);
    let elsewhere =
        [("suppress", "0"), ("k-map", "yes"), ("k-map.k", "3"), ("k-map.population", "/etc/passwd")];
    assert_eq!(client.post(&format!("{project}/promises"), &elsewhere).status, 422);
    assert_eq!(job(), first);

    // What lines of a form cannot hold is left as the job file says.
    let odd = first.replace("[\"asthma\", \"flu\"]", "[\"asthma\", \"flu; mild\"]");
    assert_eq!(client.post(&format!("{project}/job"), &[("job", &odd)]).status, 303);
    assert!(page().contains("Set in the job file."));
    assert_eq!(client.post(&format!("{project}/promises"), &form).status, 303);
    assert!(job().contains("flu; mild"));
}
