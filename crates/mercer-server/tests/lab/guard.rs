//! The page behind the guard: tokens, the cookie, files, and no way around.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use mercer::Compute;
use mercer_server::http::{Access, Limits, Log, Server, Silent, Token, TokenPlace};
use mercer_server::lab::{COOKIE, Lab, router};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A server that ends with the test program.
fn serve() -> SocketAddr {
    let token = Token::new(TOKEN).unwrap();
    let access = Access::loopback().with_token(token.clone(), TokenPlace::HeaderQueryOrCookie(COOKIE));
    let limits = Limits { body: 1 << 20, ..Limits::default() };
    let server = Server::bind(access, 0, limits.clone(), Log::to_standard_error(false)).unwrap();
    let address = server.address();
    let router = router(Arc::new(Lab::new(Compute::new())), token, limits);
    std::thread::spawn(move || server.run(router, Arc::new(Silent), 1));
    address
}

/// Sends a request as it is, and reads the whole answer.
fn send(address: SocketAddr, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let length = if body.is_empty() { String::new() } else { format!("content-length: {}\r\n", body.len()) };
    let request = format!("{head}\r\nhost: {address}\r\nconnection: close\r\n{length}\r\n{body}");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("no status: {answer}"))
}

#[test]
fn the_token_moves_from_the_address_into_a_cookie() {
    let address = serve();
    assert_eq!(status(&send(address, "GET / HTTP/1.1", "")), 401);
    assert_eq!(status(&send(address, "GET /app.js HTTP/1.1", "")), 401);
    let first = send(address, &format!("GET /?token={TOKEN} HTTP/1.1"), "");
    assert_eq!(status(&first), 303);
    let lower = first.to_lowercase();
    assert!(lower.contains("httponly; samesite=strict") && lower.contains("location: /\r\n"), "{first}");
    let page = send(address, &format!("GET / HTTP/1.1\r\ncookie: {COOKIE}={TOKEN}"), "");
    assert_eq!(status(&page), 200);
    assert!(page.contains("Mercer lab") && !page.contains(TOKEN) && !page.contains("{nonce}"));
    assert!(page.to_lowercase().contains("content-security-policy: default-src 'none'"), "{page}");
    let script = send(address, &format!("GET /app.js HTTP/1.1\r\nauthorization: Bearer {TOKEN}"), "");
    assert!(status(&script) == 200 && script.contains("text/javascript"));
    assert_eq!(status(&send(address, "GET /?token=ffffffffffffffffffffffffffffffff HTTP/1.1", "")), 401);
}

#[test]
fn questions_need_json_and_a_known_name() {
    let address = serve();
    let with = |head: &str, body: &str| send(address, &format!("{head}\r\nauthorization: Bearer {TOKEN}"), body);
    let json = "POST /api/kernel/look HTTP/1.1\r\ncontent-type: application/json";
    let answer = with(json, "{\"kernel\": \"linear()\"}");
    assert!(status(&answer) == 200 && answer.contains("\"normal\":\"linear()\""), "{answer}");
    assert_eq!(status(&with("POST /api/kernel/look HTTP/1.1\r\ncontent-type: text/plain", "{}")), 415);
    assert_eq!(status(&with(json, "{\"kernel\"")), 400);
    assert_eq!(status(&with(json, &"[".repeat(100_000))), 400);
    assert_eq!(status(&with("POST /api/nothing HTTP/1.1\r\ncontent-type: application/json", "{}")), 404);
    assert_eq!(status(&with("GET /api/start HTTP/1.1", "")), 405);
    for path in ["/../Cargo.toml", "/..%2f..%2fetc/passwd", "/assets/", "/index.html", "//etc/passwd"] {
        assert_eq!(status(&with(&format!("GET {path} HTTP/1.1"), "")), 404, "{path}");
    }
    assert_eq!(status(&with(json, &format!("{{\"kernel\": \"{}\"}}", "x".repeat(2 << 20)))), 413);
    let foreign = with(&format!("{json}\r\norigin: http://evil.example"), "{\"kernel\": \"linear()\"}");
    assert_eq!(status(&foreign), 403);
}
