//! `mercer serve` from outside: raw sockets in, bytes out.

mod common;
mod infer;
mod limits;
mod load;
mod models;
mod predictions;
mod security;
