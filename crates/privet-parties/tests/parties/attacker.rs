//! Processes that hold the right key and send what the protocol does not allow, or are gone in the middle of a task.

use std::time::Duration;

use privet_data::Silent;
use privet_parties::job::ReadJob;
use privet_parties::protocol::group::hash;
use privet_parties::protocol::sum::Sums;
use privet_parties::session::tls::Identity;
use privet_parties::session::wire::{HEADER, Header, MAX_FRAME, Tag};
use privet_parties::session::{Session, connect};

use crate::processes::{said, start};
use crate::setting::{NAMES, Setting};

/// A frame with the next number, of oblivious transfers, which come next in counts with a minimum.
fn frame(session: &Session<'_>, ahead: u64, payload: &[u8], id: Option<[u8; 8]>) -> Vec<u8> {
    let own = *session.id().first_chunk().unwrap();
    let header = Header {
        tag: Tag::BaseTransfer,
        is_last: true,
        length: payload.len(),
        sequence: session.frames_sent(0) + ahead,
        session: id.unwrap_or(own),
    };
    [&header.bytes()[..], payload].concat()
}

/// Takes part until masks are agreed on, and then attacks the first party.
pub fn attack(job: &ReadJob, name: &str, attack: &str) {
    let identity = Identity::read(&job.base.join(format!("{name}.key"))).unwrap();
    let me = job.party(name).unwrap();
    let mut session =
        connect(&job.endpoints(), me, &identity, job.hash, job.limits(), None, &Silent).unwrap();
    let _sums = Sums::new(&mut session).unwrap();
    let point = hash("attacker", b"").compress().to_bytes();
    let bytes = match attack {
        "duplicated" => [frame(&session, 0, &point, None), frame(&session, 0, &point, None)].concat(),
        "reordered" => [frame(&session, 1, &point, None), frame(&session, 0, &point, None)].concat(),
        "replayed" => frame(&session, 0, &point, Some([9; 8])),
        "oversized message" => frame(&session, 0, &[7; 1000], None),
        "oversized frame" => {
            let mut bytes = frame(&session, 0, &point, None);
            bytes[4..8].copy_from_slice(&(MAX_FRAME as u32 + 1).to_le_bytes());
            bytes
        }
        "malformed" => vec![0xee; HEADER],
        "short" => frame(&session, 0, &point[..31], None),
        "no element" => frame(&session, 0, &[0xff; 32], None),
        "half a frame" => frame(&session, 0, &point, None)[..HEADER + 10].to_vec(),
        other => panic!("{other}"),
    };
    session.send_raw(0, bytes);
    if attack == "half a frame" {
        // Gone in the middle, without a word.
        std::thread::sleep(Duration::from_millis(300));
        std::process::abort();
    }
    std::thread::sleep(Duration::from_secs(8));
    println!("\nERROR the attacker is done");
}

/// Every fault ends the session of the party that sees it, with the name of the other and the reason, and without a result.
#[test]
fn what_a_process_sends_against_the_protocol_is_named() {
    for (attack, reason) in [
        ("duplicated", "not next in the protocol"),
        ("reordered", "not next in the protocol"),
        ("replayed", "a message of another session"),
        ("oversized message", "more than the protocol allows"),
        ("oversized frame", "more than the protocol allows"),
        ("malformed", "does not have the form"),
        ("short", "does not have the form"),
        ("no element", "fails a check"),
        ("half a frame", "closed its connection"),
    ] {
        let setting = Setting::counts(2, "connect-seconds = 30\nsilence-seconds = 5\nstep-seconds = 6");
        let mut attacker = start(&setting.job, NAMES[1], &[("PRIVET_TEST_ATTACK", attack)]);
        let text = said(start(&setting.job, NAMES[0], &[]), Duration::from_secs(30));
        let _ = attacker.kill();
        let _ = attacker.wait();
        assert!(
            text.starts_with("ERROR") && text.contains("south") && text.contains(reason),
            "{attack}: {text}"
        );
        assert!(!setting.path("north-result").exists(), "{attack}: a result was written");
    }
}

/// The tasks, with the tables of both parties.
fn settings() -> Vec<(&'static str, Setting)> {
    let limits = "connect-seconds = 30\nsilence-seconds = 5\nstep-seconds = 10";
    let held = "[columns.age]\nrange = [0, 90]\nparty = \"north\"\n[columns.dose]\nrange = [0, 9]\nparty = \"south\"\n";
    let same = "[columns.sex]\nvalues = [\"f\", \"m\"]\n[columns.ill]\nvalues = [\"yes\", \"no\"]\n";
    let free = "[privacy]\nwithout-release = true\n";
    let id = "identifier = \"id\"\n";
    let mut tables = [String::from("id,age,code\n"), String::from("id,dose,code\n")];
    let mut people = String::from("sex,ill\n");
    for own in 0..24 {
        tables[0] += &format!("p{own},{},c{}\n", 20 + own, own % 5);
        tables[1] += &format!("p{},{},c{}\n", own + 4, own % 7, own % 3);
        people += ["f,yes\n", "m,no\n", "f,no\n"][own % 3];
    }
    let baskets = "a b c\na b\na c\nb c\na b c\na b\n".repeat(4);
    let of = |task: String, tables: [&str; 2]| {
        let setting = Setting::new(2, limits, &task);
        for (name, table) in NAMES.iter().zip(tables) {
            std::fs::write(setting.path(&format!("{name}.csv")), table).unwrap();
        }
        setting
    };
    let pair = [tables[0].as_str(), tables[1].as_str()];
    vec![
        ("union", of(format!("{free}[task]\ntype = \"union\"\ncolumn = \"code\"\nitems = 20\n"), pair)),
        ("intersection", of(format!("{free}[task]\ntype = \"intersection\"\n{id}"), pair)),
        ("sum", of(format!("{free}[task]\ntype = \"intersection\"\nsum = \"dose\"\n{id}"), pair)),
        (
            "correlation",
            of(
                format!("{held}{free}[task]\ntype = \"correlation\"\ncolumns = [\"age\", \"dose\"]\n{id}"),
                pair,
            ),
        ),
        (
            "tree",
            of(
                format!(
                    "{same}[task]\ntype = \"tree\"\nclass = \"ill\"\nattributes = [\"sex\"]\ndepth = 1\n"
                ),
                [&people, &people],
            ),
        ),
        (
            "rules",
            of(
                "[task]\ntype = \"rules\"\nsupport = 8\nconfidence = 0.5\nseparator = \" \"\nitems = 6\n"
                    .to_owned(),
                [&baskets, &baskets],
            ),
        ),
    ]
}

/// A party that is gone in the middle of a task leaves no wrong result and nobody waiting, whatever the task.
#[test]
fn a_party_that_is_gone_in_any_task_is_named() {
    for (task, setting) in settings() {
        let both = [0, 1].map(|party| start(&setting.job, NAMES[party], &[]));
        let whole = both.map(|own| said(own, Duration::from_secs(90)));
        assert!(whole[0].starts_with("RESULT") && whole[0] == whole[1], "{task}: {whole:?}");
        std::fs::remove_dir_all(setting.path("north-result")).unwrap();
        std::fs::remove_dir_all(setting.path("south-result")).unwrap();
        for dies_at in ["12", "25"] {
            let north = start(&setting.job, NAMES[0], &[]);
            let south = start(&setting.job, NAMES[1], &[("PRIVET_TEST_DIES", dies_at)]);
            let (north, south) = (said(north, Duration::from_secs(60)), said(south, Duration::from_secs(60)));
            if south == "GONE" {
                let is_named = north.starts_with("ERROR") && north.contains("south");
                assert!(is_named || north == whole[0], "{task} {dies_at}: {north}");
                assert_eq!(setting.path("north-result").exists(), north == whole[0], "{task} {dies_at}");
            }
            for name in &NAMES[..2] {
                let _ = std::fs::remove_dir_all(setting.path(&format!("{name}-result")));
            }
        }
    }
}
