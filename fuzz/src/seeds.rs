//! Files to begin with: few and small, and each in another way.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float64Array, Int32Array, Int64Array,
    LargeStringArray, RecordBatch, StringArray, StringViewArray, TimestampMillisecondArray, UInt8Array,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterVersion};
use privet_data::Silent;
use privet_data::io::{Dialect, Format, ReadOptions, View, ViewColumn, read_csv_bytes, write};
use privet_dp::ledger::{Ledger, Request, SqliteLedger};
use privet_dp::{Epsilon, Loss};
use privet_release::perturbed::{
    Amplification, Belief, Categories, CategoryLaw, Model, ModelColumn, ModelFile, Perturbation,
};
use privet_release::{Envelope, Promised, Randomness};

fn texts(all: &[&str]) -> Vec<Vec<u8>> {
    all.iter().map(|text| text.as_bytes().to_vec()).collect()
}

pub fn csv() -> Vec<Vec<u8>> {
    let mut all = texts(&[
        "name,age,zip,disease\nann,30,47011,flu\nbob,?,47012,\"a, b\"\ncid,41,,cancer\n",
        "born;sex;note\r\n1980-01-31;f;\"said \"\"x\"\"\"\r\n1991-12-01;m;\"two\r\nlines\"\r\n",
        "\u{feff}a\tb\n1\t2.5\n3\t-4e2\n",
        "'q','s'\n'x,y',1\n'z',2\n",
        "12,true\n13,false\n14,no",
        "a\n\n1\n",
    ]);
    // The first byte says that it is Latin-1; see the entry.
    all.push(b"a\xe9,x\nM\xfcller,1\n".to_vec());
    all
}

pub fn hierarchy() -> Vec<Vec<u8>> {
    texts(&[
        "20;20-29;*\n21;20-29;*\n35;30-39;*\n",
        "Bonn,Rhine,*\r\n\"Ulm, old\",\"Danube\",*\r\n",
        "\u{feff}x\tA\ny\tA\n\n\t\t\n",
        "a\nb\nc\n",
    ])
}

/// A job that settings change.
pub const A_JOB: &str = "[input]\npath = \"people.csv\"\n[columns.age]\nrole = \"quasi\"\n[privacy]\nk-anonymity = 2\n";

pub fn job() -> Vec<Vec<u8>> {
    let mut all = texts(&[
        A_JOB,
        include_str!("../../crates/privet-job/tests/golden/conditions/job.toml"),
        include_str!("../../crates/privet-job/tests/golden/voters/job.toml"),
        include_str!("../../crates/privet-job/tests/golden/visits/job.toml"),
        "[input]\npath = \"survey.csv\"\n[output]\nfolder = \"release\"\n[columns.age]\nrole = \"quasi\"\nperturb = { noise \
         = \"gaussian\", sd = 5.0 }\n[columns.drug]\nrole = \"sensitive\"\nperturb = { response = \"warner\", p = 0.8 }\n",
        "[purposes.research]\nweights = { age = 2.0 }\n[requesters]\nuniversity = 0.8\n",
        "columns.age.hierarchy={ intervals = [5, 10], top = 90 }",
    ]);
    all.push(all[0].iter().chain(b"\n[search]\nalgorithm = \"mondrian\"\n").copied().collect());
    // Comments before the first section, which would make a setting of it.
    all.iter_mut().for_each(|text| {
        let begins = text.iter().position(|&byte| byte == b'[').filter(|&at| !text[..at].contains(&b'='));
        text.drain(..begins.unwrap_or(0));
    });
    all
}

pub fn knowledge() -> Vec<Vec<u8>> {
    texts(&[
        "job = \"job.toml\"\n[people]\npath = \"people.csv\"\n[[releases]]\nfolder = \"other\"\n",
        "[[priors]]\ncolumn = \"disease\"\nshares = { flu = 0.25 }\n[[priors]]\ncolumn = \"disease\"\nat-least = { cancer = \
         0.1 }\nat-most = { cancer = 0.4, flu = 0.5 }\n",
        "[strength]\nstatements = 2\nthree-d = [[1, 2, 3]]\n",
    ])
}

pub fn sql() -> Vec<Vec<u8>> {
    texts(&[
        "select count(*) from data where age between 20 and 39 and sex = 'f'",
        "select zip, sum(cost), avg(cost) from data where not (age < 30 or town in ('Bonn', 'Ulm')) group by zip",
        "select count(*), median(age) from data where name like 'A%' and born >= date '1980-01-01'",
        "select disease, count(*) from data group by disease order by count(*) desc limit 3",
        "select quantile(age, 0.9) from people; select count(*) from people where \"x y\" is not null",
    ])
}

pub fn manifest() -> Vec<Vec<u8>> {
    let mut all = texts(&[
        include_str!("../../crates/privet-job/tests/golden/conditions/expected/manifest.json"),
        include_str!("../../crates/privet-job/tests/golden/voters/expected/manifest.json"),
        include_str!("../../crates/privet-job/tests/golden/visits/expected/manifest.json"),
    ]);
    // What differs from run to run is not in these files.
    for text in &mut all {
        let end = text.iter().rposition(|&byte| byte == b'}').expect("an object");
        let rest = b",\n\"files\": [{\"name\": \"data.csv\", \"bytes\": 7, \"sha256\": \"00\", \"blocks\": []}],\n\"seal\": \"00\"\n}\n";
        text.splice(end.., rest.iter().copied());
    }
    all
}

pub fn envelope() -> Vec<Vec<u8>> {
    let body = serde_json::json!({ "people": 12, "columns": ["age", "sex"], "nested": { "a": [1.5, null, true] } });
    let mut all: Vec<Envelope> = ["graph", "sets", "tables"].map(|kind| Envelope::new(kind, body.clone())).into();
    all[0].promises.push(Promised::new("k-degree").with("k", 3).reaching(4.0));
    all[1].randomness = Randomness::System;
    all[2].signer = Some("00".repeat(32));
    all[2].reproduce.push("privet anonymize job.toml".to_owned());
    all.iter().map(|own| serde_json::to_vec_pretty(own).expect("JSON")).collect()
}

pub fn model() -> Vec<Vec<u8>> {
    let categories = Categories {
        mechanism: "warner".to_owned(),
        values: vec!["no".to_owned(), "yes".to_owned()],
        domain: "declared".to_owned(),
        law: CategoryLaw::Matrix(vec![vec![0.8, 0.2], vec![0.2, 0.8]]),
        protects: Amplification { gamma: Some(4.0), beliefs: vec![Belief { prior: 0.1, posterior: 0.4 }] },
    };
    let kept = Categories { law: CategoryLaw::Retention(0.5), ..categories.clone() };
    let column = |name: &str, own: Option<Categories>| ModelColumn {
        name: name.to_owned(),
        role: "sensitive".to_owned(),
        perturbation: own.map(Perturbation::Categories),
    };
    let columns = vec![column("smokes", Some(categories)), column("drinks", Some(kept)), column("age", None)];
    let model = Model { missing: vec![String::new()], columns, gamma: Some(16.0) };
    vec![ModelFile::new("privet 0.1.0", model).to_json().expect("JSON").into_bytes()]
}

pub fn kind_job() -> Vec<Vec<u8>> {
    texts(&[
        "kind = \"graph\"\n[input]\nedges = \"e.csv\"\n[graph]\nmethod = \"clusters\"\nk = 10\n[adversary]\nmax-risk = 0.1\n[output]\n\
         folder = \"safe\"\nhome = \"home\"\n",
        "kind = \"series\"\n[input]\npath = \"q.csv\"\n[series]\nperson = \"p\"\nsensitive = \"d\"\nm = 3\n[series.columns]\nage = {}\n",
    ])
}

pub fn graphml() -> Vec<Vec<u8>> {
    texts(&[
        "<?xml version=\"1.0\"?><graphml><key id=\"d0\" for=\"node\" attr.name=\"age\"/><graph edgedefault=\"undirected\"><node id=\"a\">\
         <data key=\"d0\">31</data></node><node id=\"b\"><data key=\"d0\">x &amp; <![CDATA[y]]></data></node><edge source=\"a\" \
         target=\"b\"/></graph></graphml>",
        "<graphml><key id=\"age\" for=\"all\"/><graph edgedefault=\"directed\"><node id=\"1\"/><node id=\"2\"/><node id=\"3\"/>\
         <edge source=\"1\" target=\"2\"/><edge source=\"3\" target=\"1\" directed=\"true\"/></graph></graphml>",
    ])
}

pub fn geojson() -> Vec<Vec<u8>> {
    texts(&[
        "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[11.5,48.1]},\
         \"properties\":{\"object\":\"a\",\"time\":\"2024-05-01T08:00:00Z\"}},{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\
         \"coordinates\":[11.6,48.2]},\"properties\":{\"object\":\"a\",\"time\":\"2024-05-01T08:05:00Z\"}}]}",
    ])
}

pub fn baskets() -> Vec<Vec<u8>> {
    texts(&["bread milk\nbread  milk eggs\n\neggs\n", "\u{feff}a b\r\nb c\r\n", "x"])
}

pub fn sheet() -> Vec<Vec<u8>> {
    let input = read_csv_bytes(b"name,age,born\nann,30,1980-01-31\nbob,41,1991-12-01\n", &ReadOptions::default()).expect("a table");
    let columns: Vec<ViewColumn<'_>> = input.table.columns.iter().map(ViewColumn::unchanged).collect();
    let view = View { columns, rows: input.table.rows, kept: None };
    let mut bytes = Vec::new();
    write(&mut bytes, &view, Format::Xlsx, &Dialect::default(), &Silent).expect("a workbook");
    vec![bytes]
}

pub fn ledger() -> Vec<Vec<u8>> {
    let path = std::env::temp_dir().join(format!("privet-fuzz-seed-{}.ledger", std::process::id()));
    let loss = |epsilon: &str| Loss::new(epsilon.parse::<Epsilon>().expect("an epsilon").value().clone(), Default::default()).expect("a loss");
    {
        let mut ledger = SqliteLedger::open(&path).expect("a new ledger");
        ledger.open_account("people.csv", &loss("1")).expect("an account");
        for question in ["select count(*) from data", "select sum(age) from data"] {
            let request = Request::new("people.csv", "ann", question, &loss("0.25")).expect("a request");
            ledger.charge(&request).expect("a charge");
        }
    }
    let bytes = std::fs::read(&path).expect("the ledger");
    let _ = std::fs::remove_file(&path);
    vec![bytes]
}

fn table() -> RecordBatch {
    let names = ["ann", "bob", "cid", "dan"];
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("age", Arc::new(Int32Array::from(vec![Some(30), None, Some(41), Some(30)]))),
        ("name", Arc::new(StringArray::from(names.to_vec()))),
        ("town", Arc::new(DictionaryArray::<Int32Type>::from_iter([Some("Bonn"), None, Some("Ulm"), Some("Bonn")]))),
        ("cost", Arc::new(Float64Array::from(vec![2.5, -1.0, 0.0, 1e9]))),
        ("born", Arc::new(Date32Array::from(vec![Some(3652), Some(0), None, Some(-1)]))),
        ("seen", Arc::new(TimestampMillisecondArray::from(vec![0, 1, 2, 3]).with_timezone("UTC"))),
        ("ill", Arc::new(BooleanArray::from(vec![Some(true), Some(false), None, Some(true)]))),
        ("note", Arc::new(StringViewArray::from(vec!["short", "a text that is longer than twelve bytes", "", "x"]))),
        ("long", Arc::new(LargeStringArray::from(vec!["a", "b", "", "a"]))),
        ("paid", Arc::new(Decimal128Array::from(vec![100, 250, -1, 0]).with_precision_and_scale(10, 2).expect("scale"))),
        ("code", Arc::new(UInt8Array::from(vec![1, 2, 3, 255]))),
        ("id", Arc::new(Int64Array::from(vec![1, 2, 3, i64::MAX]))),
    ];
    RecordBatch::try_from_iter(columns).expect("columns of one length")
}

fn some_columns(columns: &[usize]) -> RecordBatch {
    table().project(columns).expect("columns of the table")
}

pub fn arrow() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    let tables = [table(), some_columns(&[0, 1]), some_columns(&[2, 7])];
    for (number, batch) in tables.iter().enumerate() {
        for compression in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)] {
            let options = || {
                IpcWriteOptions::default().try_with_compression(compression).expect("a compression that is there")
            };
            let mut file = FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options()).expect("memory");
            file.write(batch).expect("memory");
            if number == 1 {
                file.write(batch).expect("memory");
            }
            all.push(file.into_inner().expect("memory"));
            let mut stream =
                StreamWriter::try_new_with_options(Vec::new(), &batch.schema(), options()).expect("memory");
            stream.write(batch).expect("memory");
            all.push(stream.into_inner().expect("memory"));
        }
    }
    all
}

pub fn parquet() -> Vec<Vec<u8>> {
    let zstd = Compression::ZSTD(ZstdLevel::default());
    let mut all = Vec::new();
    // Parquet writers take no views.
    let tables = [some_columns(&[0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11]), some_columns(&[0, 1]), some_columns(&[2, 6])];
    for batch in &tables {
        for (compression, version, dictionary) in [
            (Compression::UNCOMPRESSED, WriterVersion::PARQUET_1_0, true),
            (Compression::SNAPPY, WriterVersion::PARQUET_2_0, true),
            (zstd, WriterVersion::PARQUET_1_0, false),
            (Compression::UNCOMPRESSED, WriterVersion::PARQUET_2_0, false),
        ] {
            let mut properties = WriterProperties::builder()
                .set_compression(compression)
                .set_writer_version(version)
                .set_dictionary_enabled(dictionary);
            if version == WriterVersion::PARQUET_2_0 && !dictionary {
                properties = properties
                    .set_column_encoding("name".into(), Encoding::DELTA_BYTE_ARRAY)
                    .set_column_encoding("age".into(), Encoding::DELTA_BINARY_PACKED);
            }
            let mut bytes = Vec::new();
            let mut writer =
                ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties.build())).expect("memory");
            writer.write(batch).expect("memory");
            writer.close().expect("memory");
            all.push(bytes);
        }
    }
    all
}

/// A frame of every tag with a message of that tag, and a job.
pub fn party() -> Vec<Vec<u8>> {
    use privet_parties::protocol::{group, parse_body, valid_sum};
    use privet_parties::session::wire::{Header, Tag};
    let shares = valid_sum::examples().expect("random numbers");
    let bodies = |tag: Tag| -> Vec<u8> {
        match tag {
            Tag::Hello => vec![1; 64],
            Tag::Confirm => vec![1; 32],
            Tag::PairSeed => vec![1; 16],
            Tag::Heartbeat | Tag::Goodbye => Vec::new(),
            Tag::Abort => vec![0, 1],
            Tag::BaseTransfer | Tag::BlindedSet | Tag::UnionSet => group::embed(b"item").expect("an element").to_vec(),
            Tag::PaillierKey => vec![0xff; 256],
            Tag::PaillierCiphertexts => vec![3; 512],
            Tag::Payload => vec![3; 544],
            Tag::ValidShare => shares[0].clone(),
            Tag::ValidityStep => shares[2].clone(),
            Tag::Published => vec![2, 0, 0, 0, b'a', b'b'],
            Tag::Verdict => [&[1][..], &[7; 32]].concat(),
            Tag::ExtensionMatrix | Tag::TransferItems => vec![5; 32],
            _ => vec![5; 24],
        }
    };
    let frame = |tag: Tag, body: Vec<u8>| {
        parse_body(tag, &body).expect("a message of its tag");
        let header = Header { tag, is_last: true, length: body.len(), sequence: 3, session: [7; 8] };
        [&header.bytes()[..], &body].concat()
    };
    let mut all: Vec<Vec<u8>> = Tag::ALL.iter().map(|&tag| frame(tag, bodies(tag))).collect();
    all.push(frame(Tag::ValidShare, shares[1].clone()));
    all.push(frame(Tag::ValidityStep, vec![5; 32]));
    let party = |name: &str, digit: &str| {
        format!("[[parties]]\nname = \"{name}\"\naddress = \"127.0.0.1:1\"\ncertificate = \"{}\"\ninput = \"a.csv\"\n", digit.repeat(64))
    };
    let job = "[columns.sex]\nvalues = [\"f\", \"m\"]\n[task]\ntype = \"counts\"\ncolumns = [\"sex\"]\n";
    all.push((party("a", "1") + &party("b", "2") + job).into_bytes());
    all
}
