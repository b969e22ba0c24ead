//! Security headers of every answer.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;

use super::answer::typed;
use super::token::random_text;

/// What answers have unless they set it themselves: a browser may run, embed or store nothing.
const STRICT: [(&str, &str); 6] = [
    ("content-security-policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-store"),
    ("cross-origin-resource-policy", "same-origin"),
    ("x-frame-options", "DENY"),
];

/// Adds the headers that an answer does not have yet.
pub(super) fn secure(headers: &mut HeaderMap) {
    for (name, value) in STRICT {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
}

/// A random word, new for each page, that marks the scripts and styles of the page.
#[derive(Clone, Debug)]
pub struct Nonce(String);

impl Nonce {
    /// A new one.
    ///
    /// # Errors
    /// The reason, where the system has no random numbers.
    pub fn random() -> Result<Self, String> {
        Ok(Self(random_text()?))
    }

    /// Its text, for `nonce="…"`.
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// An HTML page whose scripts and styles run only with the nonce, and that connects to this server
/// only.
pub fn page(html: String, nonce: &Nonce) -> Response {
    let mut response = typed(StatusCode::OK, "text/html; charset=utf-8", html);
    let nonce = nonce.text();
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src 'self' data: blob:; \
         font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}
