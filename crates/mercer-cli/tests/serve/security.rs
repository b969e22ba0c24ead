//! Who may ask what: hosts, origins, tokens, content types, addresses.

use std::process::Output;

use super::attacks;
use super::common::{Server, models, program};
use super::limits::target;

const ROW: &str = "[[5.1, 3.5, 1.4, 0.2]]";

#[test]
fn only_the_own_host_with_its_port_is_answered() {
    attacks::wrong_hosts(&target(&[]));
}

#[test]
fn requests_of_other_pages_are_refused_without_cors() {
    attacks::foreign_origins(&target(&[]));
}

#[test]
fn content_types_of_forms_are_refused() {
    let server = Server::start(&[&models().file("species")]);
    for kind in
        ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", "application/jsonx"]
    {
        server.post_with("/predict", kind, "", ROW).refused(415, "wrong_content_type", "application/json or text/csv");
    }
    let without = format!("POST /predict HTTP/1.1\r\nHost: {}\r\nContent-Length: 2\r\n\r\n[]", server.host());
    server.raw(without.as_bytes()).refused(415, "wrong_content_type", "");
    let infer = "/v2/models/species/infer";
    server.post_with(infer, "text/csv", "", "a\n1\n").refused(415, "wrong_content_type", "application/json");
    let packed = server.post_with("/predict", "application/json", "Content-Encoding: gzip\r\n", ROW);
    packed.refused(415, "encoded_body", "compressed");
    assert_eq!(server.post_with("/predict", "application/json; charset=utf-8", "", ROW).status, 200);
}

#[test]
fn answers_carry_strict_headers() {
    let server = Server::start(&[&models().file("species")]);
    for reply in [server.get("/v2"), server.get("/nowhere"), server.post("/predict", ROW), server.post("/predict", "x")]
    {
        for (name, words) in [
            ("content-security-policy", "default-src 'none'"),
            ("content-security-policy", "frame-ancestors 'none'"),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cache-control", "no-store"),
            ("x-frame-options", "deny"),
        ] {
            assert!(reply.header(name).is_some_and(|v| v.contains(words)), "{name}: {}", reply.head);
        }
        assert_eq!(reply.header("server"), None);
    }
}

#[test]
fn a_token_is_needed_everywhere_and_never_logged() {
    let secret = "correct-horse-battery-staple";
    let mut server = Server::start(&[&models().file("species"), "--token", secret]);
    for path in ["/", "/v2", "/v2/health/live", "/metrics", "/openapi.json", "/nowhere"] {
        let reply = server.get(path);
        assert_eq!(reply.header("www-authenticate"), Some("bearer"));
        reply.refused(401, "token_missing", "Authorization: Bearer");
        server.get_with(path, "Authorization: Bearer correct-horse-battery-stapl\r\n").refused(401, "wrong_token", "");
        // The token of a prediction server is no part of an address.
        server.get(&format!("{path}?token={secret}")).refused(401, "token_missing", "");
    }
    server.post("/predict", ROW).refused(401, "token_missing", "");
    let right = format!("Authorization: Bearer {secret}\r\n");
    assert_eq!(server.get_with("/v2", &right).status, 200);
    assert_eq!(server.post_with("/predict", "application/json", &right, ROW).status, 200);
    let described = server.get_with("/openapi.json", &right).json();
    assert_eq!(described["components"]["securitySchemes"]["token"]["scheme"], "bearer");
    server.signal("TERM");
    assert!(server.wait().success());
    let log = serde_json::to_string(&server.log()).unwrap();
    assert!(log.contains("\"status\":401") && !log.contains("staple"), "{log}");
}

#[test]
fn paths_lead_nowhere_but_to_the_models() {
    let server = Server::start(&[&models().file("species")]);
    let folder = models().folder().display().to_string();
    let paths = [
        "/../../../../etc/passwd".to_owned(),
        "/%2e%2e/%2e%2e/etc/passwd".to_owned(),
        "/v2/models/..%2f..%2f..%2fetc%2fpasswd".to_owned(),
        "/v2/models/../../../etc/passwd".to_owned(),
        format!("/v2/models/{}", models().file("species").replace('/', "%2f")),
        format!("{folder}/species.safetensors"),
        "/v2/models/species.safetensors".to_owned(),
        "/v2/models/".to_owned(),
        "/models".to_owned(),
        "//etc/passwd".to_owned(),
        "/species.safetensors".to_owned(),
        "/v2/models/species%00".to_owned(),
    ];
    for path in paths {
        let reply = server.get(&path);
        assert_eq!(reply.status, 404, "{path}: {}", reply.body);
        assert!(!reply.body.contains("root:") && !reply.body.contains(&folder), "{}", reply.body);
    }
    server.post("/models/..%2fspecies/predict", ROW).refused(404, "unknown_model", "species");
    server.post("/predict?model=%2fetc%2fpasswd", ROW).refused(404, "unknown_model", "there are species");
    // A path is no option.
    server.post("/predict?path=/etc/passwd", ROW).refused(400, "unknown_option", "path");
}

fn serve(words: &[&str]) -> Output {
    program().arg("serve").args(words).output().unwrap()
}

fn fails(words: &[&str], code: i32, message: &str) {
    let output = serve(words);
    let found = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{found}");
    assert!(found.contains(message), "`{message}` is not in {found}");
    assert!(output.stdout.is_empty());
}

#[test]
fn wrong_words_are_refused_before_anything_listens() {
    let model = models().file("species");
    fails(
        &[&model, "--bind", "0.0.0.0"],
        1,
        "--bind: 0.0.0.0 can be reached from other computers, which needs a token",
    );
    fails(&[&model, "--bind", "::"], 1, "needs a token");
    fails(&[&model, "--bind", "nowhere"], 1, "--bind");
    fails(&[&model, "--token", "short"], 1, "--token: a token has at least 16 characters; this one has 5");
    fails(&[&model, "--token-file", "/no/such/file"], 1, "/no/such/file");
    fails(&[&model, &model], 1, "two models have the name species");
    fails(&["/no/such/model.safetensors"], 1, "/no/such/model.safetensors");
    fails(&[&super::common::example("iris.csv")], 1, "iris.csv");
    fails(&["a b=x"], 1, "cannot be the name of a model");
    fails(&[&model, "--port", "99999"], 1, "--port");
    fails(&[&model, "--max-body", "0"], 1, "--max-body");
    fails(&[&model, "--training", "other=x.csv"], 1, "no model of this name");
    fails(&[], 1, "MODEL");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    fails(&[&model, "--port", &port], 1, "choose another --port");
}
