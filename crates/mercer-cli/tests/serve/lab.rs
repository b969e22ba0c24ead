//! `mercer lab` from outside: its listener under the attacks on `mercer serve`.

use super::attacks::{self, Target};
use super::common::Server;

fn lab() -> Target {
    let (server, headers) = Server::lab();
    Target { server, get: "/", post: ("/api/kernel/look", "{\"kernel\": \"linear()\"}"), headers }
}

#[test]
fn slow_heads_get_408() {
    attacks::slow_heads(&lab(), 10.0);
}

#[test]
fn a_thousand_half_open_connections_do_not_keep_others_out() {
    attacks::half_open(&lab());
}

#[test]
fn only_the_own_host_with_its_port_is_answered() {
    attacks::wrong_hosts(&lab());
}

#[test]
fn requests_of_other_pages_are_refused_without_cors() {
    attacks::foreign_origins(&lab());
}

#[test]
fn oversized_heads_get_431() {
    attacks::oversized_heads(&lab());
}

#[test]
fn malformed_requests_get_400() {
    attacks::malformed(&lab());
}

#[test]
fn a_token_is_needed_and_a_body_is_limited() {
    let target = lab();
    for path in ["/", "/app.js", "/?token=", "/?token=ffffffffffffffffffffffffffffffff"] {
        assert_eq!(target.server.get(path).status, 401, "{path}");
    }
    assert_eq!(target.server.post(target.post.0, target.post.1).status, 401);
    let host = target.server.host();
    let head = format!("POST {} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n", target.post.0);
    let bytes = format!("{head}{}Content-Length: 1000000000000000000\r\n\r\n", target.headers);
    target.server.raw(bytes.as_bytes()).refused(413, "body_too_large", "");
    assert_eq!(target.post_with("").status, 200);
}
