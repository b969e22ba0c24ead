//! `mercer serve`: models over HTTP.

use std::path::PathBuf;
use std::time::Duration;

use mercer::{Cancel, Error};
use mercer_server::http::{Access, Limits, StartError, Token, TokenPlace};
use mercer_server::serve::{ModelFile, ServeError, Settings, Summary, run};

use crate::arguments::ServeArguments;
use crate::failure::Failure;
use crate::numbers::grouped;
use crate::report::Report;
use crate::session::Session;

/// Serves until a signal.
pub fn serve(words: &ServeArguments, session: &Session) -> Result<Report, Failure> {
    let token = token(words)?;
    let settings = Settings {
        models: models(words)?,
        has_token: token.is_some(),
        access: access(words, token)?,
        port: words.port,
        limits: limits(words)?,
        threads: session.compute.threads(),
        reload: duration(words.reload)?,
        quiet: session.common.quiet,
    };
    // Ctrl-C lets the requests that run finish, instead of canceling them.
    let compute = session.compute.silent().with_cancel(Cancel::default());
    run(settings, compute, |_| ()).map(summary).map_err(failure)
}

fn models(words: &ServeArguments) -> Result<Vec<ModelFile>, Failure> {
    let parse = |word: &String| ModelFile::parse(word).map_err(|e| Failure::request(format!("MODEL: {e}")));
    let mut models = words.models.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
    for word in &words.training {
        let (slot, path) = match word.split_once('=') {
            Some((name, path)) => (models.iter_mut().find(|model| model.name == name), path),
            None if models.len() == 1 => (models.first_mut(), word.as_str()),
            None => return Err(Failure::request("--training: write NAME=DATA, as there are several models")),
        };
        let slot =
            slot.ok_or_else(|| Failure::request(format!("--training {word}: there is no model of this name")))?;
        slot.reference = Some(PathBuf::from(path));
    }
    Ok(models)
}

fn token(words: &ServeArguments) -> Result<Option<Token>, Failure> {
    let (flag, text) = match (&words.token, &words.token_file) {
        (Some(text), _) => ("--token", text.clone()),
        (None, Some(path)) => {
            let text = std::fs::read_to_string(path);
            let text = text.map_err(|source| Failure::Library(Error::File { path: path.clone(), source }))?;
            ("--token-file", text.lines().next().unwrap_or("").trim().to_owned())
        }
        (None, None) => return Ok(None),
    };
    Token::new(&text).map(Some).map_err(|e| Failure::request(format!("{flag}: {e}")))
}

fn access(words: &ServeArguments, token: Option<Token>) -> Result<Access, Failure> {
    let mut access = Access::loopback();
    if let Some(token) = token {
        access = access.with_token(token, TokenPlace::Header);
    }
    let address = words.bind.unwrap_or_else(|| access.address());
    let refused = |e| Failure::request(format!("--bind: {e} (--token or --token-file)"));
    access.with_address(address, words.host.clone()).map_err(refused)
}

fn limits(words: &ServeArguments) -> Result<Limits, Failure> {
    let words = &words.limits;
    Ok(Limits {
        body: usize::try_from(words.max_body).unwrap_or(usize::MAX),
        rows: words.max_rows,
        jobs: words.max_jobs,
        connections: words.max_connections,
        head_time: duration(words.head_timeout)?,
        body_time: duration(words.body_timeout)?,
        work_time: duration(words.work_timeout)?,
        ..Limits::default()
    })
}

fn duration(seconds: f64) -> Result<Duration, Failure> {
    Duration::try_from_secs_f64(seconds).map_err(|_| Failure::request(format!("{seconds} seconds are too many")))
}

fn failure(error: ServeError) -> Failure {
    match error {
        ServeError::Load(error) => error.into(),
        ServeError::Start(StartError::System(source)) => {
            Failure::Library(Error::File { path: "the server".into(), source })
        }
        ServeError::Start(address) => Failure::request(format!("{address}; choose another --port or --bind")),
        ServeError::Models(message) => Failure::request(message),
    }
}

fn summary(found: Summary) -> Report {
    let mut report = Report::new("Server");
    report.heading("Server").fields([("address", found.address.to_string()), ("requests", grouped(found.requests))]);
    report.json = serde_json::json!({
        "command": "serve",
        "address": found.address.to_string(),
        "requests": found.requests,
    });
    report
}
