//! Which requests may enter: host, origin, content type, token.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::http::{HeaderMap, Method, Request, StatusCode, Version, header};

use super::{Refusal, Token};

/// Where a request may carry its token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenPlace {
    /// `Authorization: Bearer …` only.
    Header,
    /// There, in the query as `?token=…`, or in the cookie of this name: for pages.
    HeaderQueryOrCookie(&'static str),
}

/// Who may send which requests.
#[derive(Clone, Debug)]
pub struct Access {
    address: IpAddr,
    token: Option<Token>,
    place: TokenPlace,
    names: Vec<String>,
    types: &'static [&'static str],
}

impl Access {
    /// This computer alone, by 127.0.0.1.
    pub fn loopback() -> Self {
        Self {
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            token: None,
            place: TokenPlace::Header,
            names: Vec::new(),
            types: &["application/json"],
        }
    }

    /// Every request needs this token.
    pub fn with_token(mut self, token: Token, place: TokenPlace) -> Self {
        (self.token, self.place) = (Some(token), place);
        self
    }

    /// Content types of requests that change or compute something; `application/json` alone unless
    /// it is called. The types that a form of any web page can send are never allowed.
    pub fn with_types(mut self, types: &'static [&'static str]) -> Self {
        const OF_FORMS: [&str; 3] = ["text/plain", "multipart/form-data", "application/x-www-form-urlencoded"];
        debug_assert!(!types.iter().any(|t| OF_FORMS.contains(t)));
        self.types = types;
        self
    }

    /// Another address to listen on, and more names of this computer that `Host` may hold.
    ///
    /// # Errors
    /// The reason, for an address other than loopback without a token.
    pub fn with_address(mut self, address: IpAddr, names: Vec<String>) -> Result<Self, String> {
        if !address.is_loopback() && self.token.is_none() {
            return Err(format!("{address} can be reached from other computers, which needs a token"));
        }
        (self.address, self.names) = (address, names);
        Ok(self)
    }

    /// The address to listen on.
    pub fn address(&self) -> IpAddr {
        self.address
    }

    /// The checks for a server that listens on this port.
    pub(super) fn guard(self, port: u16) -> Guard {
        let mut hosts: Vec<String> = self.names.iter().map(|name| format!("{}:{port}", name.to_lowercase())).collect();
        if self.address.is_loopback() {
            hosts.extend(["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}")));
        }
        if !self.address.is_unspecified() {
            hosts.push(SocketAddr::new(self.address, port).to_string());
        }
        // Browsers leave out the port of HTTP.
        if port == 80 {
            let short: Vec<String> = hosts.iter().filter_map(|h| Some(h.strip_suffix(":80")?.to_owned())).collect();
            hosts.extend(short);
        }
        Guard { hosts, port, any_literal: self.address.is_unspecified(), access: self }
    }
}

/// [`Access`] on a known port.
#[derive(Debug)]
pub(super) struct Guard {
    access: Access,
    hosts: Vec<String>,
    port: u16,
    /// All addresses of this computer: every IP address in `Host` will do, as no foreign name can
    /// point to one. Names have to be listed.
    any_literal: bool,
}

impl Guard {
    /// Whether the request may enter.
    pub fn check<B>(&self, request: &Request<B>) -> Result<(), Refusal> {
        self.check_host(request)?;
        self.check_origin(request.method(), request.headers())?;
        self.check_token(request)?;
        self.check_type(request.method(), request.headers())
    }

    fn check_host<B>(&self, request: &Request<B>) -> Result<(), Refusal> {
        let mut hosts = request.headers().get_all(header::HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return Err(Refusal::bad_request("host_missing", "a request has exactly one Host header"));
        };
        let host = host.to_str().unwrap_or("");
        // A request line with a whole address names the host a second time.
        let named = request.uri().authority().map(|a| a.as_str());
        if self.is_own(host) && named.is_none_or(|named| self.is_own(named)) && request.version() != Version::HTTP_09 {
            return Ok(());
        }
        let message = format!("this server is not the host that the request names: use {}", self.hosts_text());
        Err(Refusal::new(StatusCode::MISDIRECTED_REQUEST, "wrong_host", message))
    }

    fn hosts_text(&self) -> String {
        self.hosts.first().cloned().unwrap_or_else(|| format!("an IP address and port {}", self.port))
    }

    fn is_own(&self, host: &str) -> bool {
        self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
            || (self.any_literal && host.parse::<SocketAddr>().is_ok_and(|a| a.port() == self.port))
    }

    /// Browsers send `Origin` with every request that a page of another site makes, and `null` from
    /// files and sandboxes; programs send none.
    fn check_origin(&self, method: &Method, headers: &HeaderMap) -> Result<(), Refusal> {
        let refused =
            || Err(Refusal::new(StatusCode::FORBIDDEN, "foreign_origin", "requests of other pages are refused"));
        for origin in headers.get_all(header::ORIGIN) {
            let own = origin.to_str().ok().and_then(|o| o.strip_prefix("http://")).is_some_and(|o| self.is_own(o));
            if !own {
                return refused();
            }
        }
        let site = headers.get("sec-fetch-site").map(|v| v.as_bytes());
        if is_change(method) && matches!(site, Some(b"cross-site" | b"same-site")) {
            return refused();
        }
        Ok(())
    }

    fn check_token<B>(&self, request: &Request<B>) -> Result<(), Refusal> {
        let Some(token) = &self.access.token else { return Ok(()) };
        let found = bearer(request.headers()).or_else(|| match self.access.place {
            TokenPlace::Header => None,
            TokenPlace::HeaderQueryOrCookie(name) => {
                in_query(request.uri().query()).or(cookie(request.headers(), name))
            }
        });
        match found {
            Some(found) if token.is(found) => Ok(()),
            Some(_) => {
                Err(Refusal::new(StatusCode::UNAUTHORIZED, "wrong_token", "the token is not the one of this server"))
            }
            None => {
                let message = "a token is needed: send the header Authorization: Bearer TOKEN";
                Err(Refusal::new(StatusCode::UNAUTHORIZED, "token_missing", message))
            }
        }
    }

    fn check_type(&self, method: &Method, headers: &HeaderMap) -> Result<(), Refusal> {
        let refused = |code, message: String| Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, code, message));
        if !is_change(method) {
            return Ok(());
        }
        if headers.get(header::CONTENT_ENCODING).is_some_and(|v| v.as_bytes() != b"identity") {
            return refused("encoded_body", "compressed bodies are refused: send the body as it is".into());
        }
        // Two statements of the length are the beginning of request smuggling.
        if headers.contains_key(header::CONTENT_LENGTH) && headers.contains_key(header::TRANSFER_ENCODING) {
            let message = "a request has Content-Length or Transfer-Encoding, not both";
            return Err(Refusal::bad_request("ambiguous_length", message));
        }
        match content_type(headers) {
            Some(found) if self.access.types.iter().any(|t| found.eq_ignore_ascii_case(t)) => Ok(()),
            _ => refused("wrong_content_type", format!("the content type must be {}", self.access.types.join(" or "))),
        }
    }
}

/// Whether a method can change or compute something.
fn is_change(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// The content type without its parameters.
pub(crate) fn content_type(headers: &HeaderMap) -> Option<&str> {
    let text = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    Some(text.split(';').next().unwrap_or("").trim())
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn in_query(query: Option<&str>) -> Option<&str> {
    query?.split('&').find_map(|pair| pair.strip_prefix("token="))
}

fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|v| v.to_str().ok());
    all.flat_map(|text| text.split(';')).find_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv6Addr;

    fn request(method: &str, headers: &[(&str, &str)]) -> Request<()> {
        let mut request = Request::builder().method(method).uri("/predict?token=0123456789abcdef");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).unwrap()
    }

    fn code(access: &Access, method: &str, headers: &[(&str, &str)]) -> &'static str {
        access.clone().guard(8080).check(&request(method, headers)).map_or_else(|refusal| refusal.code, |()| "entered")
    }

    const HOST: (&str, &str) = ("host", "127.0.0.1:8080");

    #[test]
    fn only_the_own_names_with_the_port_enter() {
        let access = Access::loopback();
        for host in ["127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080", "[::1]:8080"] {
            assert_eq!(code(&access, "GET", &[("host", host)]), "entered", "{host}");
        }
        for host in
            ["127.0.0.1", "127.0.0.1:80", "evil.example:8080", "localhost.evil.example:8080", "10.0.0.1:8080", ""]
        {
            assert_eq!(code(&access, "GET", &[("host", host)]), "wrong_host", "{host}");
        }
        assert_eq!(code(&access, "GET", &[]), "host_missing");
        assert_eq!(code(&access, "GET", &[HOST, HOST]), "host_missing");
        let absolute = Request::builder().uri("http://evil.example/").header("host", HOST.1).body(()).unwrap();
        assert_eq!(access.guard(8080).check(&absolute).unwrap_err().code, "wrong_host");
    }

    #[test]
    fn foreign_origins_do_not_enter() {
        let access = Access::loopback();
        let with = |origin| code(&access, "GET", &[HOST, ("origin", origin)]);
        assert_eq!(with("http://localhost:8080"), "entered");
        for origin in ["null", "http://evil.example", "https://127.0.0.1:8080", "http://127.0.0.1", ""] {
            assert_eq!(with(origin), "foreign_origin", "{origin}");
        }
        let json = ("content-type", "application/json");
        assert_eq!(code(&access, "POST", &[HOST, json, ("sec-fetch-site", "cross-site")]), "foreign_origin");
        assert_eq!(code(&access, "POST", &[HOST, json, ("sec-fetch-site", "same-origin")]), "entered");
    }

    #[test]
    fn changes_need_a_content_type_that_no_form_has() {
        let access = Access::loopback().with_types(&["application/json", "text/csv"]);
        let with = |kind| code(&access, "POST", &[HOST, ("content-type", kind)]);
        assert_eq!((with("Application/JSON; charset=utf-8"), with("text/csv")), ("entered", "entered"));
        for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a", ""] {
            assert_eq!(with(kind), "wrong_content_type", "{kind}");
        }
        assert_eq!(code(&access, "DELETE", &[HOST]), "wrong_content_type");
        let packed = [HOST, ("content-type", "text/csv"), ("content-encoding", "gzip")];
        assert_eq!(code(&access, "POST", &packed), "encoded_body");
    }

    #[test]
    fn tokens_are_taken_where_they_may_be() {
        let token = || Token::new("0123456789abcdef").unwrap();
        let header = Access::loopback().with_token(token(), TokenPlace::Header);
        assert_eq!(code(&header, "GET", &[HOST]), "token_missing");
        assert_eq!(code(&header, "GET", &[HOST, ("authorization", "Bearer 0123456789abcdef")]), "entered");
        assert_eq!(code(&header, "GET", &[HOST, ("authorization", "Bearer 0123456789abcdee")]), "wrong_token");
        assert_eq!(code(&header, "GET", &[HOST, ("authorization", "Basic 0123456789abcdef")]), "token_missing");
        let page = Access::loopback().with_token(token(), TokenPlace::HeaderQueryOrCookie("mercer"));
        assert_eq!(code(&page, "GET", &[HOST]), "entered");
        let cookies = Request::builder().header("host", HOST.1).header("cookie", "a=b; mercer=0123456789abcdef");
        assert!(page.guard(8080).check(&cookies.body(()).unwrap()).is_ok());
    }

    #[test]
    fn other_addresses_need_a_token() {
        let any = IpAddr::V6(Ipv6Addr::UNSPECIFIED);
        assert!(Access::loopback().with_address(any, Vec::new()).unwrap_err().contains("token"));
        let token = Token::new("0123456789abcdef").unwrap();
        let access = Access::loopback().with_token(token, TokenPlace::HeaderQueryOrCookie("t"));
        let access = access.with_address(any, vec!["models.example".into()]).unwrap();
        let with = |host| code(&access, "GET", &[("host", host)]);
        assert_eq!((with("10.1.2.3:8080"), with("models.example:8080")), ("entered", "entered"));
        assert_eq!((with("evil.example:8080"), with("10.1.2.3:81")), ("wrong_host", "wrong_host"));
    }
}
