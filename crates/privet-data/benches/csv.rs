//! How fast a CSV is read into codes and written from them. The table is the census of the shared data if
//! it is there, else a generated one of the same shape. The floor is a plain copy of the file's bytes.

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use privet_data::Silent;
use privet_data::io::{Format, ReadOptions, View, ViewColumn, read, write};

fn generated() -> Vec<u8> {
    let mut text = b"age;class;education;status;sex;country;occupation\n".to_vec();
    let mut state = 1_u64;
    for _ in 0..300_000 {
        let mut draw = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        let line = format!(
            "{};class of worker {};education {};status {};{};country number {};an occupation of kind {}\n",
            draw(90),
            draw(9),
            draw(17),
            draw(7),
            if draw(2) == 0 { "Male" } else { "Female" },
            draw(42),
            draw(15),
        );
        text.extend_from_slice(line.as_bytes());
    }
    text
}

fn csv(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let census = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/census9/census9.csv");
    let large = folder.path().join("large.csv");
    let bytes = std::fs::read(census).unwrap_or_else(|_| generated());
    std::fs::write(&large, &bytes).expect("a file");
    let end = bytes[..2_500_000].iter().rposition(|&b| b == b'\n').expect("a line") + 1;
    let small = folder.path().join("small.csv");
    std::fs::write(&small, &bytes[..end]).expect("a file");
    let quoted = folder.path().join("quoted.csv");
    std::fs::write(&quoted, quote_all(&bytes)).expect("a file");
    drop(bytes);

    let mut group = criterion.benchmark_group("csv");
    group.sample_size(20);
    for (name, path) in [("large", &large), ("small", &small), ("quoted", &quoted)] {
        let size = std::fs::metadata(path).expect("a file").len();
        group.throughput(Throughput::Bytes(size));
        group.bench_function(format!("floor/{name}"), |b| b.iter(|| black_box(std::fs::read(path)).is_ok()));
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            let options = ReadOptions::default();
            group.bench_function(format!("read/{name}/threads-{threads}"), |b| {
                pool.install(|| b.iter(|| black_box(read(path, &options, &Silent)).is_ok()));
            });
        }
        let input = read(path, &ReadOptions::default(), &Silent).expect("a table");
        let columns = input.table.columns.iter().map(ViewColumn::unchanged).collect();
        let view = View { columns, rows: input.table.rows, kept: None };
        let dialect = input.dialect.clone().unwrap_or_default();
        group.bench_function(format!("write/{name}"), |b| {
            b.iter(|| write(std::io::sink(), &view, Format::Csv, &dialect, &Silent).is_ok());
        });
    }
    group.finish();
}

/// The same table with quotation marks around every cell.
fn quote_all(text: &[u8]) -> Vec<u8> {
    let mut quoted = Vec::with_capacity(2 * text.len());
    for line in text.split(|&b| b == b'\n').filter(|line| !line.is_empty()) {
        for (i, cell) in line.split(|&b| b == b';').enumerate() {
            quoted.extend_from_slice(if i == 0 { b"\"" } else { b";\"" });
            quoted.extend_from_slice(cell);
            quoted.push(b'"');
        }
        quoted.push(b'\n');
    }
    quoted
}

criterion_group!(benches, csv);
criterion_main!(benches);
