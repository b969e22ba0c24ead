//! The program from outside: words in, bytes and exit codes out.

mod common;
mod embed;
mod fit;
mod fit_refusals;
mod gram;
mod kernel;
mod margins;
mod refusals;
mod spectrum;
mod stream;
mod test;
mod tour;
