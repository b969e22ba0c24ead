//! `mercer completions` and `mercer man`: texts made from the description of the command line.

use std::path::Path;

use clap_complete::Shell;
use clap_mangen::Man;
use mercer::Error;
use mercer::io::atomic_write;
use serde_json::json;

use crate::arguments::{ManArguments, description};
use crate::failure::Failure;
use crate::report::{Block, Report};

/// The completion script of a shell.
pub fn completions(shell: Shell) -> Result<Report, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut description(), "mercer", &mut script);
    Ok(plain(&script, json!({ "shell": shell.to_string(), "script": String::from_utf8_lossy(&script) })))
}

/// The manual page, or a page per command in a folder.
pub fn manual(words: &ManArguments) -> Result<Report, Failure> {
    let Some(folder) = &words.output else {
        let page = page(description())?;
        return Ok(plain(&page, json!({ "page": String::from_utf8_lossy(&page) })));
    };
    std::fs::create_dir_all(folder).map_err(|source| Error::File { path: folder.clone(), source })?;
    let mut command = description().disable_help_subcommand(true);
    command.build();
    let mut written = Vec::new();
    write_pages(&command, "mercer", folder, &mut written)?;
    let mut report = Report::new("Manual pages");
    report.text(format!("{} pages in {}:", written.len(), folder.display()));
    report.push(Block::Verbatim(written.join("\n")));
    report.json = json!({ "folder": folder.display().to_string(), "pages": written });
    Ok(report)
}

fn write_pages(command: &clap::Command, name: &str, folder: &Path, written: &mut Vec<String>) -> Result<(), Failure> {
    let bytes = page(command.clone())?;
    let file = format!("{name}.1");
    atomic_write(&folder.join(&file), |out| out.write_all(&bytes))?;
    written.push(file);
    for inner in command.get_subcommands() {
        write_pages(inner, &format!("{name}-{}", inner.get_name()), folder, written)?;
    }
    Ok(())
}

fn page(command: clap::Command) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    Man::new(command).render(&mut bytes).map_err(Failure::Output)?;
    Ok(bytes)
}

/// Bytes that go to standard output as they are.
fn plain(bytes: &[u8], json: serde_json::Value) -> Report {
    let mut report = Report { json, ..Report::new("mercer") };
    report.push(Block::Raw(String::from_utf8_lossy(bytes).into_owned()));
    report
}
