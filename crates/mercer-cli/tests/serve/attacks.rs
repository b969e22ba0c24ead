//! Attacks that every listener must survive, whatever it serves. Others are answered meanwhile.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use super::common::{Reply, Server, request};

/// A listener and what it answers.
pub struct Target {
    pub server: Server,
    /// A path that GET is answered at.
    pub get: &'static str,
    /// A path that POST of JSON is answered at, and a body for it.
    pub post: (&'static str, &'static str),
    /// Headers of every request, such as a token.
    pub headers: String,
}

impl Target {
    /// GET with this host.
    fn with_host(&self, host: &str) -> Reply {
        self.server.raw(format!("GET {} HTTP/1.1\r\nHost: {host}\r\n{}\r\n", self.get, self.headers).as_bytes())
    }

    /// GET with more headers.
    pub fn get_with(&self, more: &str) -> Reply {
        self.server.get_with(self.get, &format!("{}{more}", self.headers))
    }

    /// POST with more headers.
    pub fn post_with(&self, more: &str) -> Reply {
        self.server.post_with(self.post.0, "application/json", &format!("{}{more}", self.headers), self.post.1)
    }

    /// Whether others are answered, soon.
    fn assert_answers(&self, when: &str) {
        let started = Instant::now();
        assert_eq!(self.post_with("").status, 200, "{when}");
        assert!(started.elapsed() < Duration::from_secs(3), "{when}: {:?}", started.elapsed());
    }
}

/// Heads that come slowly get 408 after the limit in seconds.
pub fn slow_heads(target: &Target, limit: f64) {
    let started = Instant::now();
    let server = &target.server;
    let mut slow: Vec<_> = (0..20).map(|_| server.connect()).collect();
    let mut mute = server.connect();
    for stream in &mut slow {
        stream.write_all(format!("POST {} HTTP/1.1\r\nHo", target.post.0).as_bytes()).unwrap();
    }
    // One more byte from time to time keeps no connection open.
    for byte in b"st: x" {
        std::thread::sleep(Duration::from_secs_f64(limit * 0.13));
        slow.iter_mut().for_each(|stream| drop(stream.write_all(&[*byte])));
        target.assert_answers("with slow heads");
    }
    for stream in &mut slow {
        Reply::read(stream).expect("an answer").refused(408, "head_timeout", &format!("within {limit} s"));
    }
    assert!(started.elapsed() < Duration::from_secs_f64(limit + 8.0));
    // A connection without a request is closed without an answer.
    assert_eq!(mute.read(&mut [0; 16]).unwrap_or(0), 0);
}

/// A thousand connections that send nothing, half of a head, or a head without its body.
pub fn half_open(target: &Target) {
    let server = &target.server;
    let mut half_open = Vec::new();
    let body = request(&server.host(), target.post.0, "application/json", &target.headers, target.post.1);
    for i in 0..1000 {
        let mut stream = server.connect();
        let beginning = ["", "GET /v2 HTTP/1.1\r\nHost: 127", &body[..body.len() - 4]][i % 3];
        stream.write_all(beginning.as_bytes()).unwrap();
        half_open.push(stream);
        if i % 50 == 0 {
            target.assert_answers(&format!("with {i} connections"));
        }
    }
    let started = Instant::now();
    for _ in 0..100 {
        assert_eq!(target.post_with("").status, 200);
    }
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}

/// Only the own host with its port is answered.
pub fn wrong_hosts(target: &Target) {
    let server = &target.server;
    let (port, headers, path) = (server.address.port(), &target.headers, target.get);
    for host in ["127.0.0.1", "localhost", "LocalHost", "[::1]"] {
        assert_eq!(target.with_host(&format!("{host}:{port}")).status, 200, "{host}");
    }
    let wrong = [
        "127.0.0.1".to_owned(),
        "localhost".to_owned(),
        "127.0.0.1:1".to_owned(),
        format!("evil.example:{port}"),
        format!("localhost.evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        format!("10.0.0.1:{port}"),
        format!("127.0.0.1:{port}, localhost:{port}"),
        String::new(),
    ];
    for host in wrong {
        target.with_host(&host).refused(421, "wrong_host", "host");
    }
    for version in ["1.1", "1.0"] {
        let without = format!("GET {path} HTTP/{version}\r\n{headers}\r\n");
        server.raw(without.as_bytes()).refused(400, "host_missing", "Host");
    }
    let twice = format!("GET {path} HTTP/1.1\r\nHost: {0}\r\nHost: {0}\r\n{headers}\r\n", server.host());
    server.raw(twice.as_bytes()).refused(400, "host_missing", "exactly one");
    let absolute = format!("GET http://evil.example{path} HTTP/1.1\r\nHost: {}\r\n{headers}\r\n", server.host());
    server.raw(absolute.as_bytes()).refused(421, "wrong_host", "host");
}

/// Requests of other pages are refused without CORS.
pub fn foreign_origins(target: &Target) {
    let host = target.server.host();
    assert_eq!(target.post_with(&format!("Origin: http://{host}\r\n")).status, 200);
    for origin in ["null", "http://evil.example", "https://evil.example", "http://127.0.0.1", "file://", ""] {
        let reply = target.post_with(&format!("Origin: {origin}\r\n"));
        assert_eq!(reply.header("access-control-allow-origin"), None);
        reply.refused(403, "foreign_origin", "other pages");
        target.get_with(&format!("Origin: {origin}\r\n")).refused(403, "foreign_origin", "");
    }
    target.post_with("Sec-Fetch-Site: cross-site\r\n").refused(403, "foreign_origin", "");
    // A question of a browser before a request of another page gets no permission.
    let (path, headers) = (target.post.0, &target.headers);
    let asked = format!("OPTIONS {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n{headers}\r\n");
    let reply = target.server.raw(asked.as_bytes());
    assert!(!reply.head.contains("access-control"), "{}", reply.head);
    assert_eq!(reply.status, 405, "{}", reply.body);
}

/// Long and many headers, and long paths.
pub fn oversized_heads(target: &Target) {
    let (host, headers, path) = (target.server.host(), &target.headers, target.get);
    let status = |bytes: &str| target.server.raw(bytes.as_bytes()).status;
    let long = "a".repeat(100_000);
    assert_eq!(status(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{headers}X-Long: {long}\r\n\r\n")), 431);
    let many: String = (0..500).map(|i| format!("X-{i}: 1\r\n")).collect();
    assert_eq!(status(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{headers}{many}\r\n")), 431);
    let found = status(&format!("GET /{long} HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n"));
    assert!(found == 414 || found == 431, "{found}");
    target.assert_answers("after oversized heads");
}

/// What is no HTTP, or two readings of one request.
pub fn malformed(target: &Target) {
    let (host, path, get) = (target.server.host(), target.post.0, target.get);
    let headers = &target.headers;
    let json = format!("Host: {host}\r\nContent-Type: application/json\r\n{headers}");
    for bytes in [
        "hello\r\n\r\n".to_owned(),
        "GET\r\n\r\n".to_owned(),
        "GET / HTTP/9.9\r\n\r\n".to_owned(),
        "\0\0\0\0\r\n\r\n".to_owned(),
        "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\r\n\r\n".to_owned(),
        format!("GET {get} HTTP/1.1\r\nHost: {host}\r\nbad header\r\n\r\n"),
        format!("GET {get} HTTP/1.1\r\nHost: {host}\r\nX: a\0b\r\n\r\n"),
        format!("POST {path} HTTP/1.1\r\n{json}Content-Length: x\r\n\r\n[]"),
        format!("POST {path} HTTP/1.1\r\n{json}Content-Length: 2\r\nContent-Length: 3\r\n\r\n[]"),
        format!("POST {path} HTTP/1.1\r\n{json}Content-Length: -1\r\n\r\n[]"),
        format!("POST {path} HTTP/1.1\r\n{json}Transfer-Encoding: chunked\r\n\r\nzz\r\n[]\r\n0\r\n\r\n"),
        // Two lengths at once are the beginning of request smuggling.
        format!("POST {path} HTTP/1.1\r\n{json}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ] {
        let reply = target.server.raw(bytes.as_bytes());
        assert_eq!(reply.status, 400, "{bytes:?}: {}", reply.body);
    }
    target.assert_answers("after malformed requests");
}
