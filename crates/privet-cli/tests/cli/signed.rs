//! Keys, signed releases, and what `verify --key` says of those that are not what they should be.

use std::fs;

use crate::dir::Dir;

const JOB: &str = "[input]\npath = \"t.csv\"\n[columns.age]\nrole = \"quasi\"\n[columns.disease]\nrole = \"sensitive\"\n\
                   [privacy]\nk-anonymity = 2\n[adversary]\nmax-risk = 1.0\n[output]\nsign = \"mine.key\"\n";

fn signed() -> Dir {
    let dir = Dir::new();
    dir.write("t.csv", "age,disease\n20,flu\n20,cancer\n30,flu\n30,asthma\n").write("job.toml", JOB);
    dir.expect(0, &["keys", "mine"]).prints("Fingerprint: ");
    dir.expect(0, &["keys", "other", "--quiet"]);
    dir.expect(0, &["anonymize", "job.toml", "--quiet"]);
    dir
}

#[test]
fn a_signed_release_is_told_from_every_other() {
    let dir = signed();
    assert_eq!(dir.bytes("release/manifest.sig").len(), 64);
    dir.expect(0, &["verify", "release", "--key", "mine.pub"]).prints("signed this manifest");
    dir.expect(0, &["verify", "release"]).prints("signature: not checked");
    let json = dir.expect(0, &["verify", "release", "--key", "mine.pub", "--json"]).json();
    assert_eq!((&json["signed"], &json["holds"]), (&true.into(), &true.into()), "{json}");
    assert!(json["on_trust"].as_array().unwrap().iter().any(|own| own["what"] == "search"), "{json}");
    assert!(dir.expect(0, &["verify", "release", "--json"]).json()["signed"].is_null());
    // Another key.
    dir.expect(1, &["verify", "release", "--key", "other.pub"]).prints("is not the key of the signer");
    // A manifest that somebody changed and sealed again.
    let manifest = dir.text("release/manifest.json");
    let changed = manifest.replace("\"input_rows\": 4", "\"input_rows\": 5");
    assert_ne!(manifest, changed);
    let seal = privet_release::Manifest::seal_of(changed.as_bytes()).unwrap();
    let old = dir.json("release/manifest.json")["seal"].as_str().unwrap().to_owned();
    dir.write("release/manifest.json", changed.replace(&old, &seal));
    dir.expect(1, &["verify", "release", "--key", "mine.pub"])
        .prints("signature: the signature does not fit");
    dir.write("release/manifest.json", &manifest);
    // A signature that was taken away, or put in place of another.
    let signature = dir.bytes("release/manifest.sig");
    fs::remove_file(dir.path("release/manifest.sig")).unwrap();
    dir.expect(1, &["verify", "release"]).prints("manifest.sig is missing");
    dir.write("release/manifest.sig", vec![7u8; 64]);
    dir.expect(1, &["verify", "release", "--key", "mine.pub"]).prints("does not fit");
    dir.write("release/manifest.sig", signature);
    dir.expect(0, &["verify", "release", "--key", "mine.pub", "--quiet"]);
    // The release is replaced as any other is.
    dir.expect(0, &["anonymize", "job.toml", "--force", "--quiet"]);
}

#[test]
fn an_unsigned_release_fails_where_a_signed_one_is_expected() {
    let dir = signed();
    dir.write("plain.toml", JOB.replace("sign = \"mine.key\"", "folder = \"plain\""));
    dir.expect(0, &["anonymize", "plain.toml", "--quiet"]);
    dir.expect(0, &["verify", "plain", "--quiet"]);
    dir.expect(1, &["verify", "plain", "--key", "mine.pub"]).prints("the release is not signed");
    // A signature beside a manifest that names no signer.
    fs::copy(dir.path("release/manifest.sig"), dir.path("plain/manifest.sig")).unwrap();
    dir.expect(1, &["verify", "plain"]).prints("put here afterwards");
}

#[test]
fn keys_are_never_overwritten_and_mistakes_are_told() {
    let dir = signed();
    let before = dir.bytes("mine.key");
    dir.expect(2, &["keys", "mine"]).says("never overwritten");
    assert_eq!(dir.bytes("mine.key"), before);
    fs::remove_file(dir.path("other.key")).unwrap();
    dir.expect(2, &["keys", "other"]).says("other.pub exists already");
    dir.expect(2, &["verify", "release", "--key", "mine.key"]).says("is a private key");
    dir.expect(2, &["verify", "release", "--key", "t.csv"]).says("is not an Ed25519 public key");
    dir.expect(2, &["verify", "release", "--key", "nothing.pub"]).says("nothing.pub");
    for (key, says) in [("mine.pub", "not an Ed25519 private key"), ("nothing.key", "nothing.key")] {
        let set = format!("output.sign={key}");
        dir.expect(2, &["anonymize", "job.toml", "--force", "--set", &set]).says(says);
    }
    // The release that was there is still there.
    dir.expect(0, &["verify", "release", "--key", "mine.pub", "--quiet"]);
    let json = dir.expect(0, &["keys", "third", "--json"]).json();
    assert_eq!(json["fingerprint"].as_str().unwrap().len(), 64);
}

#[test]
fn randomized_records_and_counts_are_signed_too() {
    let dir = signed();
    dir.write(
        "chance.toml",
        "[input]\npath = \"t.csv\"\n[columns.disease]\nrole = \"sensitive\"\nvalues = [\"flu\", \"cancer\", \"asthma\"]\n\
         perturb = { response = \"warner\", p = 0.6 }\n[output]\nfolder = \"chance\"\nsign = \"mine.key\"\n",
    );
    dir.expect(0, &["randomize", "chance.toml", "--quiet"]);
    dir.expect(0, &["verify", "chance", "--key", "mine.pub", "--quiet"]);
    dir.write(
        "counts.toml",
        JOB.replace("k-anonymity = 2", "k-anonymity = 1")
            .replace("[output]\n", "[output]\nfolder = \"counts\"\n")
            + "[[views]]\ncolumns = [\"disease\"]\n",
    );
    dir.expect(0, &["anonymize", "counts.toml", "--quiet"]);
    dir.expect(0, &["verify", "counts", "--key", "mine.pub", "--quiet"]);
    dir.expect(1, &["verify", "counts", "--key", "other.pub", "--quiet"]);
}
