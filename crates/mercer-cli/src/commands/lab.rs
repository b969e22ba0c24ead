//! `mercer lab`.

use std::io::{IsTerminal, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use mercer_server::http::{Access, Limits, Log, Server, Silent, Token, TokenPlace};
use mercer_server::lab::{COOKIE, LARGEST_BODY, Lab, router};

use crate::arguments::LabArguments;
use crate::data::{is_standard_input, read_table, shown};
use crate::failure::Failure;
use crate::report::Report;
use crate::session::Session;

/// Threads that read requests and write answers.
const THREADS: usize = 2;

/// Serves the page until Ctrl-C.
pub fn lab(words: &LabArguments, session: &Session) -> Result<Report, Failure> {
    let mut lab = Lab::new(session.compute.clone());
    if let Some(path) = &words.data {
        if is_standard_input(path) {
            return Err(Failure::request("DATA: the lab reads a file or a folder, not standard input"));
        }
        lab = lab.with_data(&shown(path), read_table(path, session)?);
    }
    let lab = Arc::new(lab);
    let token = Token::random().map_err(Failure::request)?;
    let access = Access::loopback().with_token(token.clone(), TokenPlace::HeaderQueryOrCookie(COOKIE));
    let limits = Limits { body: LARGEST_BODY, connections: 64, jobs: 32, ..Limits::default() };
    let limits = Limits { stop_time: Duration::from_secs(2), ..limits };
    let server = Server::bind(access, words.port, limits.clone(), Log::to(std::io::sink(), true));
    let server = server.map_err(|error| Failure::request(format!("--port: {error}")))?;
    let address = format!("http://{}/?token={}", server.address(), token.text());
    announce(&address, session)?;
    if !words.no_browser && std::io::stdout().is_terminal() {
        open(&address);
    }
    let served = server.run(router(lab.clone(), token, limits), Arc::new(Silent), THREADS);
    lab.stop();
    served.map_err(|error| Failure::request(error.to_string()))?;
    Ok(Report::new(""))
}

/// The address is there before the first request.
fn announce(address: &str, session: &Session) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let line = if session.common.json {
        format!("{}\n", serde_json::json!({ "address": address }))
    } else {
        format!("Mercer lab: {address}\nCtrl-C ends it.\n")
    };
    out.write_all(line.as_bytes()).and_then(|()| out.flush()).map_err(Failure::Output)
}

/// Opens the browser of the desktop; without one the address is enough.
fn open(address: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(program);
    let _ = command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}
