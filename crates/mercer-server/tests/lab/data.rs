//! The panel of data.

use serde_json::{Value, json};

use super::{ask, lab, refused};

pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0_u32, |bits, b| bits << 8 | u32::from(*b)) << (8 * (3 - group.len()));
        for i in 0..=group.len() {
            text.push(LETTERS[(bits >> (18 - 6 * i)) as usize & 63] as char);
        }
        text.push_str(&"==="[..3 - group.len()]);
    }
    text
}

fn upload(name: &str, bytes: &[u8]) -> Value {
    ask(&lab(), "data/upload", json!({ "name": name, "base64": base64(bytes) }))
}

fn repository(path: &str) -> Vec<u8> {
    let path = format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

#[test]
fn five_kinds_of_data_are_bundled() {
    let lab = lab();
    let kinds: Vec<String> =
        ask(&lab, "data/list", json!({})).as_array().unwrap().iter().map(|s| s["kind"].to_string()).collect();
    for kind in ["numbers", "classes", "text", "graphs", "two samples"] {
        assert!(kinds.iter().any(|k| k.contains(kind)), "{kind}");
    }
    let co2 = ask(&lab, "data/describe", json!({ "id": "co2" }));
    assert_eq!((&co2["rows"], &co2["columns"][1]["missing"]), (&json!(2284), &json!(59)));
    let rings = ask(&lab, "data/describe", json!({ "id": "rings" }));
    assert_eq!((&rings["rows"], &rings["target"]), (&json!(120), &json!("label")));
}

#[test]
fn tables_sequences_and_columns_are_read() {
    let csv = upload("weather.csv", b"t;sky\n1.5;gray\n;blue\n");
    assert_eq!(
        (&csv["rows"], &csv["columns"][0]["missing"], &csv["columns"][1]["kind"]),
        (&json!(2), &json!(1), &json!("categories"))
    );
    let parquet = upload("frame.parquet", &repository("crates/mercer/tests/fixtures/pandas.parquet"));
    assert_eq!(parquet["rows"], 4);
    let fasta = upload("genes.fasta", b">a|up\nACGT\n>b|down\nGGT\n");
    assert_eq!((&fasta["rows"], &fasta["target"]), (&json!(2), &json!("label")));
}

/// An archive of the tar format.
fn tar(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, bytes) in files {
        let mut header = vec![0_u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..135].copy_from_slice(format!("{:011o}", bytes.len()).as_bytes());
        header[156] = b'0';
        header[257..262].copy_from_slice(b"ustar");
        out.extend(header);
        out.extend(bytes);
        out.resize(out.len().div_ceil(512) * 512, 0);
    }
    out.extend([0; 1024]);
    out
}

/// An archive of the zip format, nothing compressed.
fn zip(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    let two = |v: usize| (v as u16).to_le_bytes();
    let four = |v: usize| (v as u32).to_le_bytes();
    for (name, bytes) in files {
        let start = out.len();
        out.extend(
            [b"PK\x03\x04".as_slice(), &[0; 14], &four(bytes.len()), &four(bytes.len()), &two(name.len()), &two(0)]
                .concat(),
        );
        out.extend(name.as_bytes());
        out.extend(bytes);
        directory.extend(
            [
                b"PK\x01\x02".as_slice(),
                &[0; 16],
                &four(bytes.len()),
                &four(bytes.len()),
                &two(name.len()),
                &[0; 12],
                &four(start),
            ]
            .concat(),
        );
        directory.extend(name.as_bytes());
    }
    let at = out.len();
    out.extend(&directory);
    out.extend(
        [
            b"PK\x05\x06".as_slice(),
            &[0; 4],
            &two(files.len()),
            &two(files.len()),
            &four(directory.len()),
            &four(at),
            &two(0),
        ]
        .concat(),
    );
    out
}

fn rings() -> Vec<(&'static str, Vec<u8>)> {
    ["A", "graph_indicator", "graph_labels", "node_labels"]
        .into_iter()
        .map(|part| {
            let name: &'static str = match part {
                "A" => "rings/rings_A.txt",
                "graph_indicator" => "rings/rings_graph_indicator.txt",
                "graph_labels" => "rings/rings_graph_labels.txt",
                _ => "rings/rings_node_labels.txt",
            };
            (name, repository(&format!("examples/data/{name}")))
        })
        .collect()
}

#[test]
fn archives_of_graphs_are_read() {
    for (name, bytes) in [("rings.tar", tar(&rings())), ("rings.zip", zip(&rings()))] {
        let set = upload(name, &bytes);
        assert_eq!((&set["rows"], &set["target"]), (&json!(120), &json!("label")), "{name}");
    }
}

#[test]
fn paths_in_archives_and_names_lead_nowhere() {
    let mut files = rings();
    files.push(("../../../../tmp/mercer-escaped.txt", b"x".to_vec()));
    upload("rings.tar", &tar(&files));
    assert!(!std::path::Path::new("/tmp/mercer-escaped.txt").exists());
    let set = upload("../../etc/passwd", b"a,b\n1,2\n");
    assert_eq!(set["file"], "passwd");
}

#[test]
fn wrong_uploads_are_refused() {
    let lab = lab();
    let upload = |name: &str, text: &str| refused(&lab, "data/upload", json!({ "name": name, "base64": text }));
    assert!(upload("a.csv", "***").message.contains("base 64"));
    assert_eq!(upload("a.zip", &base64(b"PK\x03\x04damaged")).status, 400);
    assert_eq!(upload("a.parquet", &base64(b"PAR1 nothing PAR1")).status, 400);
    assert_eq!(upload("empty.csv", "").status, 400);
    let gzip = base64(b"\x1f\x8b\x08\x00damaged");
    assert_eq!(upload("a.tar.gz", &gzip).status, 400);
    assert_eq!(refused(&lab, "data/describe", json!({ "id": "/etc/passwd" })).status, 404);
}

/// A zip archive with one deflated file.
fn deflated(name: &str, packed: &[u8], size: usize) -> Vec<u8> {
    let two = |v: usize| (v as u16).to_le_bytes();
    let four = |v: usize| (v as u32).to_le_bytes();
    let (length, sizes) = (two(name.len()), [four(packed.len()), four(size)].concat());
    let local = [b"PK\x03\x04".as_slice(), &[20, 0, 0, 0, 8, 0], &[0; 8], &sizes, &length, &two(0)].concat();
    let listed =
        [b"PK\x01\x02".as_slice(), &[20, 0, 20, 0, 0, 0, 8, 0], &[0; 8], &sizes, &length, &[0; 12], &four(0)].concat();
    let at = local.len() + name.len() + packed.len();
    let directory = listed.len() + name.len();
    let end = [b"PK\x05\x06".as_slice(), &[0; 4], &two(1), &two(1), &four(directory), &four(at), &two(0)].concat();
    [&local, name.as_bytes(), packed, &listed, name.as_bytes(), &end].concat()
}

/// Zeros by the million, compressed.
fn packed(level: flate2::Compression, gzip: bool, millions: usize) -> Vec<u8> {
    use std::io::Write;
    let zeros = vec![0_u8; 1 << 20];
    if gzip {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), level);
        (0..millions).for_each(|_| out.write_all(&zeros).unwrap());
        return out.finish().unwrap();
    }
    let mut out = flate2::write::DeflateEncoder::new(Vec::new(), level);
    (0..millions).for_each(|_| out.write_all(&zeros).unwrap());
    out.finish().unwrap()
}

#[test]
fn decompression_bombs_are_refused() {
    let lab = lab();
    let refused = |name: &str, bytes: &[u8]| {
        let refusal = refused(&lab, "data/upload", json!({ "name": name, "base64": base64(bytes) }));
        assert_eq!(refusal.status, 413, "{name}: {}", refusal.message);
        assert!(refusal.message.contains("256 MiB"), "{name}: {}", refusal.message);
    };
    let level = flate2::Compression::best();
    // A thousand to one: 300 KB that would be 300 MB.
    let bomb = packed(level, false, 300);
    assert!(bomb.len() < 1 << 20);
    refused("a.zip", &deflated("a/a_A.txt", &bomb, 300 << 20));
    // A directory that states less than there is.
    refused("b.zip", &deflated("a/a_A.txt", &bomb, 10));
    refused("a.tar.gz", &packed(level, true, 300));
}

#[test]
fn archives_of_many_files_and_large_tables_are_refused() {
    let lab = lab();
    let refused = |name: &str, bytes: &[u8], words: &str| {
        let refusal = refused(&lab, "data/upload", json!({ "name": name, "base64": base64(bytes) }));
        assert_eq!(refusal.status, 413, "{name}: {}", refusal.message);
        assert!(refusal.message.contains(words), "{name}: {}", refusal.message);
    };
    let names: Vec<String> = (0..201).map(|i| format!("rings/extra_{i}.txt")).collect();
    let files: Vec<(&str, Vec<u8>)> = names.iter().map(|name| (name.as_str(), b"1".to_vec())).collect();
    refused("many.tar", &tar(&files), "200 files");
    refused("many.zip", &zip(&files), "200 files");
    let long = format!("a,b\n{}", "1,2\n".repeat(200_001));
    refused("long.csv", long.as_bytes(), "200001 rows and 2 columns: here 200000 and 2000 are allowed");
    let line = |cell: &dyn Fn(usize) -> String| (0..2_001).map(cell).collect::<Vec<_>>().join(",");
    let wide = format!("{}\n{}\n", line(&|i| format!("c{i}")), line(&|i| i.to_string()));
    refused("wide.csv", wide.as_bytes(), "2001 columns");
    // At the limits they are read.
    let set =
        ask(&lab, "data/upload", json!({ "name": "long.csv", "base64": base64(&long.as_bytes()[..long.len() - 4]) }));
    assert_eq!(set["rows"], 200_000);
}

#[test]
fn what_the_panel_copies_reads_the_format() {
    let python = |name: &str, bytes: &[u8]| upload(name, bytes)["snippet"]["python"].as_str().unwrap().to_owned();
    assert!(python("t.csv", b"a,b\n1,2\n").contains("pd.read_csv(\"t.csv\")"));
    assert!(python("t.tsv", b"a\tb\n1\t2\n").contains("sep=\"\\t\""));
    assert!(python("g.fasta", b">a|up\nACGT\n").contains("mercer.read_fasta(\"g.fasta\")"));
    assert!(python("d.libsvm", b"1 1:2 3:4\n-1 2:1\n").contains("load_svmlight_file(\"d.libsvm\")"));
    let parquet = python("frame.parquet", &repository("crates/mercer/tests/fixtures/pandas.parquet"));
    assert!(parquet.contains("pd.read_parquet(\"frame.parquet\")"), "{parquet}");
}

#[test]
fn rows_are_exported_as_csv() {
    let lab = lab();
    let found = ask(&lab, "data/export", json!({ "id": "iris", "rows": [0, 149] }));
    let csv = found["csv"].as_str().unwrap();
    assert_eq!(csv.lines().count(), 3);
    assert!(csv.starts_with("sepal_length,") && csv.contains("virginica"), "{csv}");
    assert_eq!(refused(&lab, "data/export", json!({ "id": "iris", "rows": [150] })).status, 400);
}
