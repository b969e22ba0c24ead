//! Limits of size, time and number: every client gets an answer, and the others theirs.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use super::attacks::{self, Target};
use super::common::{Reply, Server, head, models, request};

const ROW: &str = "[[5.1, 3.5, 1.4, 0.2]]";

/// A server of a model with these words.
pub fn target(words: &[&str]) -> Target {
    let server = Server::start(&[&[models().file("species").as_str()], words].concat());
    Target { server, get: "/v2", post: ("/predict", ROW), headers: String::new() }
}

#[test]
fn heads_that_come_slowly_get_408() {
    attacks::slow_heads(&target(&["--head-timeout", "0.6"]), 0.6);
}

#[test]
fn bodies_that_come_slowly_get_408() {
    let server = Server::start(&[&models().file("species"), "--body-timeout", "0.4"]);
    let mut stream = server.connect();
    let bytes = request(&server.host(), "/predict", "application/json", "", ROW);
    let (start, end) = bytes.split_at(bytes.len() - 5);
    stream.write_all(start.as_bytes()).unwrap();
    for byte in end.bytes().take(4) {
        std::thread::sleep(Duration::from_millis(150));
        let _ = stream.write_all(&[byte]);
    }
    Reply::read(&mut stream).expect("an answer").refused(408, "body_timeout", "within 0.4 s");
    assert_eq!(server.post("/predict", ROW).status, 200);
}

#[test]
fn oversized_bodies_get_413() {
    let server = Server::start(&[&models().file("species"), "--max-body", "10KB", "--max-rows", "20"]);
    let large = format!("[{}]", vec!["[5.1, 3.5, 1.4, 0.2]"; 1000].join(", "));
    server.post("/predict", &large).refused(413, "body_too_large", "9.77 KiB");
    // A body without a stated length.
    let chunk = format!("{:x}\r\n{large}\r\n0\r\n\r\n", large.len());
    let head = format!("POST /predict HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n", server.host());
    let chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\n{chunk}");
    server.raw(chunked.as_bytes()).refused(413, "body_too_large", "");
    // A length that is not meant.
    server.raw(format!("{head}Content-Length: 1000000000000000000\r\n\r\n").as_bytes()).refused(
        413,
        "body_too_large",
        "",
    );
    let rows = format!("[{}]", vec!["[5.1, 3.5, 1.4, 0.2]"; 21].join(", "));
    server.post("/predict", &rows).refused(413, "too_many_rows", "more than 20 rows");
    server.csv("/predict", &super::common::head("iris.csv", 21)).refused(413, "too_many_rows", "more than 20 rows");
    let tensor = r#"{"inputs": [{"name": "x", "shape": [21, 4], "datatype": "FP64", "data": []}]}"#;
    server.post("/v2/models/species/infer", tensor).refused(413, "too_many_rows", "the limit is 20");
    let small = format!("{head}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{ROW}\r\n0\r\n\r\n", ROW.len());
    assert_eq!(server.raw(small.as_bytes()).status, 200);
}

#[test]
fn oversized_heads_get_431() {
    attacks::oversized_heads(&target(&[]));
}

#[test]
fn malformed_requests_get_400() {
    attacks::malformed(&target(&[]));
}

#[test]
fn deep_json_is_refused() {
    let server = Server::start(&[&models().file("species")]);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    server.post("/predict", &deep).refused(400, "invalid_json", "expected");
    let objects = format!("{}1{}", "{\"rows\":".repeat(100_000), "}".repeat(100_000));
    server.post("/predict", &objects).refused(400, "invalid_json", "expected");
    let infer = "/v2/models/species/infer";
    server.post(infer, &deep).refused(400, "invalid_json", "recursion limit");
    let inside = format!("{{\"inputs\": [{{\"name\": \"x\", \"data\": {deep}}}]}}");
    server.post(infer, &inside).refused(400, "invalid_json", "recursion limit");
    assert_eq!(server.post("/predict", ROW).status, 200);
}

#[test]
fn a_thousand_half_open_connections_do_not_keep_others_out() {
    attacks::half_open(&target(&["--quiet"]));
}

#[test]
fn computations_over_the_limits_get_408_and_429() {
    let strength = models().file("strength");
    let server = Server::start(&[&strength, "--work-timeout", "0.2", "--max-jobs", "1"]);
    let body = head("concrete.csv", 1000);
    // A test with many permutations takes seconds; it is stopped when its time is over.
    let slow = "/drift?permutations=9999";
    let replies: Vec<Reply> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| server.csv(slow, &body))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let count = |status: u16| replies.iter().filter(|reply| reply.status == status).count();
    assert_eq!((count(408) + count(429), count(408) > 0, count(429) > 0), (4, true, true), "{replies:?}");
    for reply in replies {
        match reply.status {
            429 => {
                assert_eq!(reply.header("retry-after"), Some("1"));
                reply.refused(429, "too_many_jobs", "try again later");
            }
            _ => reply.refused(408, "time_limit", "longer than 0.2 s"),
        }
    }
    // The place is free again as soon as the computation has noticed.
    let until = Instant::now() + Duration::from_secs(10);
    while server.metric("mercer_jobs ") > 0.0 {
        assert!(Instant::now() < until);
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(server.csv("/predict", &head("concrete.csv", 40)).status, 200);
}

#[test]
fn connections_beyond_the_limit_replace_those_that_wait() {
    let server = Server::start(&[&models().file("species"), "--max-connections", "4"]);
    let mut waiting: Vec<_> = (0..4).map(|_| server.connect()).collect();
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(server.get("/v2").status, 200);
    // The first was closed for it; the last is still there.
    assert_eq!(waiting[0].read(&mut [0; 16]).unwrap_or(0), 0);
    let mut last = waiting.pop().unwrap();
    last.write_all(format!("GET /v2 HTTP/1.1\r\nHost: {}\r\n\r\n", server.host()).as_bytes()).unwrap();
    assert_eq!(Reply::read(&mut last).unwrap().status, 200);
}

#[test]
fn a_connection_serves_many_requests_also_at_once() {
    let server = Server::start(&[&models().file("species")]);
    let one = request(&server.host(), "/predict", "application/json", "", ROW);
    let mut stream = server.connect();
    for _ in 0..50 {
        stream.write_all(one.as_bytes()).unwrap();
        assert_eq!(Reply::read(&mut stream).unwrap().status, 200);
    }
    // Requests that are sent before the first answer are answered in order.
    stream.write_all(one.repeat(10).as_bytes()).unwrap();
    let mut all = String::new();
    let mut buffer = [0; 1 << 14];
    while all.matches("HTTP/1.1 200").count() < 10 || !all.ends_with('}') {
        let n = stream.read(&mut buffer).unwrap();
        assert!(n > 0, "{all}");
        all += std::str::from_utf8(&buffer[..n]).unwrap();
    }
}
