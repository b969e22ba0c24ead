//! `mercer lab` from outside: the address, the page, the end.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value;

use crate::common::mercer;

/// A server that is killed at the end, whatever happens.
struct Server(Child, #[allow(dead_code, reason = "closed output is a failure")] BufReader<ChildStdout>);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(words: &[&str]) -> (Server, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_mercer"))
        .args(["lab", "--json"])
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    let told: Value = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"));
    (Server(child, output), told["address"].as_str().unwrap().to_owned())
}

fn request(address: &str, head: &str, body: &str) -> String {
    let host = address.strip_prefix("http://").unwrap().split('/').next().unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    let length = body.len();
    write!(stream, "{head}\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn the_address_opens_the_page_with_the_data() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/data/iris.csv");
    // Without a terminal no browser is opened.
    let (_server, address) = start(&[data]);
    assert!(address.starts_with("http://127.0.0.1:"), "{address}");
    let token = address.split("token=").nth(1).unwrap();
    let first = request(&address, &format!("GET /?token={token} HTTP/1.1"), "");
    assert!(first.starts_with("HTTP/1.1 303") && first.contains("mercer_lab="), "{first}");
    let head = format!("POST /api/start HTTP/1.1\r\nauthorization: Bearer {token}\r\ncontent-type: application/json");
    let answer = request(&address, &head, "{}");
    assert!(answer.contains("\"opening\":\"data\"") && answer.contains("iris.csv"), "{answer}");
    assert!(request(&address, "GET / HTTP/1.1", "").starts_with("HTTP/1.1 401"));
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it() {
    let (mut server, address) = start(&["--no-browser"]);
    assert!(request(&address, "GET / HTTP/1.1", "").starts_with("HTTP/1.1 401"));
    let killed = Command::new("kill").args(["-TERM", &server.0.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(server.0.wait().unwrap().code(), Some(0));
}

#[test]
fn wrong_words_are_refused_before_it_listens() {
    mercer(&["lab", "nothing.csv"]).fails(1, &["nothing.csv"]);
    mercer(&["lab", "-"]).fails(1, &["DATA", "standard input"]);
    let (_server, address) = start(&[]);
    let port = address.split(':').nth(2).unwrap().split('/').next().unwrap();
    mercer(&["lab", "--port", port]).fails(1, &["--port", port]);
}
