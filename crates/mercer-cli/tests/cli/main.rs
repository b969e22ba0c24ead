//! The program from outside: words in, bytes and exit codes out.

mod common;
mod gram;
mod kernel;
mod refusals;
mod tour;
