//! The program from outside: words in, bytes and exit codes out.

mod api;
mod common;
mod conformal;
mod embed;
mod errors;
mod files;
mod fit;
mod fit_refusals;
mod formats;
mod gram;
mod kernel;
mod lab;
mod margins;
mod multiple;
mod objects;
mod pictures;
mod refusals;
mod settings;
mod sparse;
mod spectrum;
mod stream;
mod test;
mod tour;
mod views;
mod views_of_objects;
