//! Imports between rooms go one way: a room may use only the rooms before it.

use std::fs;
use std::path::{Path, PathBuf};

/// The rooms in the order of a textbook. `lib.rs` is the map and may name all of them.
const ROOMS: &[&str] = &[
    "close",
    "wording",
    "counterexample",
    "error",
    "seed",
    "compute",
    "real",
    "points",
    "kernel",
    "settings",
    "record",
    "gram",
    "operator",
    "solve",
    "definiteness",
    "conformance",
    "function",
    "features",
    "learner",
    "learn",
    "view",
    "measure",
    "hypothesis",
    "select",
    "conformal",
    "model",
    "io",
    "prelude",
];
/// Names at the crate root that belong to a room.
const ROOT_NAMES: &[(&str, &str)] = &[
    ("assert_close", "close"),
    ("Error", "error"),
    ("Result", "error"),
    ("SyntaxError", "error"),
    ("Seed", "seed"),
    ("Stream", "seed"),
    ("Compute", "compute"),
    ("Cancel", "compute"),
    ("Precision", "compute"),
    ("Progress", "compute"),
    ("Points", "points"),
    ("Sample", "points"),
    ("Kernel", "kernel"),
    ("Expansion", "function"),
    ("Counterexample", "counterexample"),
];
/// The error type names what callers get back, and the limits are checked by it: these two refer to
/// each other.
const EXCEPTIONS: &[(&str, &str)] = &[("error", "compute")];

/// The parts of `learn/`, in their order; every one may use only those before it.
const LEARN: &[&str] = &[
    "observations",
    "stopped",
    "conditional",
    "linear",
    "additive",
    "parameter_space",
    "loss",
    "centers",
    "binned",
    "ridge",
    "smoother",
    "spline",
    "gaussian_process",
    "svm",
    "machine",
    "logistic",
    "multiple",
    "streamed",
    // A test of all of them.
    "every_operator",
];

#[test]
fn imports_within_learn_go_one_way() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/learn");
    let map = fs::read_to_string(source.join("mod.rs")).unwrap();
    // What `learn` exports under its own name belongs to the part that it comes from.
    let exported: Vec<(String, String)> = map
        .split("pub use ")
        .skip(1)
        .flat_map(|after| {
            let (part, list) = after.split_once("::").unwrap();
            let list = list.split(';').next().unwrap();
            let names: Vec<&str> = list.trim_matches(['{', '}', '\n', ' ']).split(',').map(str::trim).collect();
            names
                .into_iter()
                .filter(|name| !name.is_empty())
                .map(|name| (name.to_string(), part.to_string()))
                .collect::<Vec<_>>()
        })
        .collect();
    let place = |name: &str| {
        let part = exported.iter().find(|(n, _)| n == name).map_or(name, |(_, part)| part);
        LEARN.iter().position(|p| *p == part)
    };
    let mut looked_at = 0;
    for file in rust_files(&source) {
        let relative = file.strip_prefix(&source).unwrap();
        let part = relative.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
        if part == "mod" {
            continue;
        }
        let own = place(part).unwrap_or_else(|| panic!("{part} is not in the list of parts"));
        // In the first file of a part, `super` is `learn`.
        let first = relative.iter().count() == 1 || relative.ends_with(Path::new(part).join("mod.rs"));
        for (number, line) in fs::read_to_string(&file).unwrap().lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let direct = code.split("crate::learn::").skip(1);
            let above = code.split("super::").skip(1).filter(|_| first && !code.contains("in super::"));
            for name in direct.chain(above).flat_map(names) {
                let Some(other) = place(&name) else { continue };
                assert!(other <= own, "{}:{}: {part} must not use {name}", relative.display(), number + 1);
                looked_at += 1;
            }
        }
    }
    assert!(looked_at > 60, "only {looked_at} imports were found");
}

#[test]
fn imports_go_one_way() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut looked_at = 0;
    for file in rust_files(&source) {
        let relative = file.strip_prefix(&source).unwrap();
        let room = relative.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
        if room == "lib" {
            continue;
        }
        let own = position(room).unwrap_or_else(|| panic!("{room} is not in the list of rooms"));
        for (line, used) in used_rooms(&fs::read_to_string(&file).unwrap()) {
            let Some(other) = position(&used) else { panic!("{}:{line}: unknown room {used}", relative.display()) };
            let excepted = EXCEPTIONS.contains(&(room, used.as_str()));
            assert!(other <= own || excepted, "{}:{line}: {room} must not use {used}", relative.display());
            looked_at += 1;
        }
    }
    assert!(looked_at > 100, "only {looked_at} imports were found");
}

fn position(room: &str) -> Option<usize> {
    ROOMS.iter().position(|r| *r == room)
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files
}

/// The rooms named after `crate::` in code, with line numbers.
fn used_rooms(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        for after in code.split("crate::").skip(1) {
            for name in names(after) {
                let room = ROOT_NAMES.iter().find(|(n, _)| *n == name).map_or(name.clone(), |(_, room)| (*room).into());
                found.push((number + 1, room));
            }
        }
    }
    found
}

/// The first names after `crate::`: one, or those of a braced list at the top level.
fn names(after: &str) -> Vec<String> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let Some(list) = after.strip_prefix('{') else { return vec![word(after)] };
    let (mut depth, mut start, mut found) = (0, true, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => start = true,
            c if c.is_alphanumeric() && start => {
                found.push(word(&list[at..]));
                start = false;
            }
            _ => {}
        }
    }
    found
}
