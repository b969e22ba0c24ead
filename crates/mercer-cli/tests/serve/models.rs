//! Models that change, drift, and the end of the server.

use std::fs;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;

use super::common::{Reply, Server, example, head, mercer, models, request};

const ROW: &str = "[[540, 0, 0, 162, 2.5, 1040, 676, 28]]";

/// Another model of the same data.
fn other_model(path: &str) {
    let concrete = example("concrete.csv");
    let words = ["fit", "ridge", &concrete, "--target", "strength", "--kernel", "linear()", "--lambda", "1"];
    mercer(&[&words[..], &["--scale", "standardize", "-o", path]].concat());
}

#[test]
fn a_file_that_changes_is_loaded_without_dropping_a_request() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (served, second) = (path("m.safetensors"), path("second.safetensors"));
    fs::copy(models().file("strength"), &served).unwrap();
    other_model(&second);
    let server = Server::start(&[&served, "--reload", "0.05", "--quiet"]);
    let first = server.post("/predict", ROW).json()["predictions"].clone();
    let (stop, answered) = (AtomicBool::new(false), AtomicUsize::new(0));
    let versions = std::thread::scope(|scope| {
        let ask = || {
            let one = request(&server.host(), "/predict", "application/json", "", ROW);
            let mut stream = server.connect();
            let mut seen = Vec::new();
            while !stop.load(Ordering::Relaxed) {
                stream.write_all(one.as_bytes()).unwrap();
                let found = Reply::read(&mut stream).expect("no request is dropped").json();
                seen.push((found["version"].as_u64().unwrap(), found["predictions"].clone()));
                answered.fetch_add(1, Ordering::Relaxed);
            }
            seen
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
        while answered.load(Ordering::Relaxed) < 100 {
            std::thread::sleep(Duration::from_millis(5));
        }
        // As a careful program replaces a file.
        fs::copy(&second, path("new")).unwrap();
        fs::rename(path("new"), &served).unwrap();
        server.wait_for("model_loaded");
        let before = answered.load(Ordering::Relaxed);
        while answered.load(Ordering::Relaxed) < before + 100 {
            std::thread::sleep(Duration::from_millis(5));
        }
        // A broken file changes nothing.
        fs::write(&served, b"not a model").unwrap();
        let failed = server.wait_for("model_load_failed");
        assert!(failed["error"].as_str().unwrap().contains("m.safetensors") && failed["kept"] == 2, "{failed}");
        std::thread::sleep(Duration::from_millis(100));
        stop.store(true, Ordering::Relaxed);
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    assert!(versions.iter().any(|(version, _)| *version == 1) && versions.iter().any(|(version, _)| *version == 2));
    let second = versions.iter().find(|(version, _)| *version == 2).unwrap().1.clone();
    assert_ne!(first, second);
    for (version, predictions) in versions {
        assert_eq!(predictions, if version == 1 { first.clone() } else { second.clone() });
    }
    assert_eq!(server.metric("mercer_model_loads_total{model=\"m\",result=\"failed\"}"), 1.0);
    assert_eq!(server.metric("mercer_model_last_load_failed{model=\"m\"}"), 1.0);
    assert_eq!(server.metric("mercer_model_version{model=\"m\"}"), 2.0);
    // A file that is gone changes nothing either, and a whole one is loaded again.
    fs::remove_file(&served).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(server.post("/predict", ROW).json()["version"], 2);
    fs::copy(models().file("strength"), &served).unwrap();
    let until = std::time::Instant::now() + Duration::from_secs(10);
    while server.post("/predict", ROW).json()["version"] != 3 {
        assert!(std::time::Instant::now() < until);
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn requests_that_have_begun_are_finished_after_a_signal() {
    for signal in ["TERM", "INT"] {
        let mut server = Server::start(&[&models().file("strength"), &models().file("species")]);
        let one = request(&server.host(), "/models/strength/predict", "application/json", "", ROW);
        // Half of a body is there when the signal comes.
        let (start, end) = one.split_at(one.len() - 10);
        let mut begun = server.connect();
        begun.write_all(start.as_bytes()).unwrap();
        // A computation is running.
        let body = head("iris.csv", 150);
        let mut running = server.connect();
        let drift = request(&server.host(), "/models/species/drift?permutations=199", "text/csv", "", &body);
        running.write_all(drift.as_bytes()).unwrap();
        let mut idle = server.connect();
        idle.write_all(format!("GET /v2 HTTP/1.1\r\nHost: {}\r\n\r\n", server.host()).as_bytes()).unwrap();
        assert_eq!(Reply::read(&mut idle).unwrap().status, 200);
        std::thread::sleep(Duration::from_millis(100));
        server.signal(signal);
        server.wait_for("stopping");
        assert!(std::net::TcpStream::connect(server.address).is_err(), "nobody listens any more");
        begun.write_all(end.as_bytes()).unwrap();
        let reply = Reply::read(&mut begun).expect("an answer");
        assert_eq!((reply.status, reply.header("connection")), (200, Some("close")));
        Reply::read(&mut running).expect("an answer").done();
        let status = server.wait();
        assert_eq!(status.code(), Some(0), "{:?}", server.log());
        assert_eq!(server.log().last().unwrap()["event"], "stopped");
    }
}

#[test]
fn drift_is_tested_against_the_training_sample() {
    let files = ["strength", "species", "species_svm"].map(|name| models().file(name));
    let [strength, species, svm] = &files;
    let training = format!("given={}", example("iris.csv"));
    let given = format!("given={svm}");
    let server = Server::start(&[strength, species, svm, &given, "--training", &training]);
    // Rows of the training sample, in an order without pattern.
    let text = fs::read_to_string(example("iris.csv")).unwrap();
    let (names, rows) = text.split_once('\n').unwrap();
    let mut rows: Vec<&str> = rows.lines().collect();
    rows.sort_by_key(|row| {
        row.bytes().fold(7_u64, |h, b| h.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(b.into()))
    });
    let body = |chosen: &[String]| format!("{names}\n{}\n", chosen.join("\n"));
    let same: Vec<String> = rows.iter().take(60).map(|row| row.to_string()).collect();
    let ask = "/models/species/drift?permutations=99&seed=1";
    let found = server.csv(ask, &body(&same)).json();
    assert_eq!((&found["drift"], &found["training_rows"], &found["rows"]), (&json!(false), &json!(150), &json!(60)));
    assert!(found["p_value"].as_f64().unwrap() > 0.05, "{found}");
    // The same request has the same answer.
    assert_eq!(server.csv(ask, &body(&same)).json(), found);
    let moved = |row: &&str| {
        let mut cells: Vec<String> = row.split(',').map(str::to_owned).collect();
        cells[0] = (cells[0].parse::<f64>().unwrap() + 2.0).to_string();
        cells.join(",")
    };
    let moved: Vec<String> = rows.iter().take(60).map(moved).collect();
    let found = server.csv(ask, &body(&moved)).json();
    assert_eq!((&found["drift"], &found["p_value"]), (&json!(true), &json!(1.0 / 100.0)));
    server.csv("/models/species_svm/drift", &head("iris.csv", 20)).refused(400, "unsupported", "--training NAME=FILE");
    let found = server.csv("/models/given/drift?permutations=99", &head("iris.csv", 50)).json();
    assert_eq!((&found["drift"], &found["training_rows"]), (&json!(true), &json!(150)));
    server.csv("/models/species/drift?level=2", &head("iris.csv", 20)).refused(400, "parameter", "level = 2");
    server.csv("/models/species/drift?permutations=10000", "a\n1\n").refused(400, "parameter", "1 to 9999");
    server.csv("/models/species/drift", &head("iris.csv", 1)).refused(400, "too_few", "2");
    server.csv("/models/species/drift", "a\n1\n2\n").refused(400, "column", "`a`");
}

#[test]
fn the_log_has_one_object_per_request() {
    let mut server = Server::start(&[&models().file("strength")]);
    server.post("/predict?interval=0.5", ROW).done();
    server.get("/nothing%0aat%20all");
    server.signal("TERM");
    assert!(server.wait().success());
    let log = server.log();
    let requests: Vec<_> = log.iter().filter(|line| line["event"] == "request").collect();
    assert_eq!(requests.len(), 2, "{log:?}");
    let first = requests[0];
    assert_eq!((&first["method"], &first["path"], &first["status"]), (&json!("POST"), &json!("/predict"), &json!(200)));
    assert_eq!((&first["model"], &first["rows"]), (&json!("strength"), &json!(1)));
    assert!(first["milliseconds"].as_f64().unwrap() > 0.0 && first["bytes"].as_u64().unwrap() > 0);
    assert_eq!((&requests[1]["path"], &requests[1]["status"]), (&json!("/nothing%0aat%20all"), &json!(404)));
    assert!(log.iter().all(|line| line["time"].as_str().unwrap().ends_with('Z') && line["level"].is_string()));
}
