//! Arguments of `mercer serve`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;

use super::common::{bytes, positive, seconds};

/// Arguments of `mercer serve`.
#[derive(Clone, Debug, Args)]
pub struct ServeArguments {
    /// Model files; NAME=MODEL chooses the name in addresses (default: the name of the file)
    #[arg(value_name = "MODEL", required = true)]
    pub models: Vec<String>,
    /// Port; 0 for any free one, which the first line of the log names
    #[arg(long, value_name = "N", default_value_t = 8080)]
    pub port: u16,
    /// Address to listen on (default: 127.0.0.1); other addresses than loopback need a token
    #[arg(long, value_name = "ADDRESS")]
    pub bind: Option<IpAddr>,
    /// Further name of this computer that requests may have in their Host header; may be repeated
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
    /// Token of at least 16 characters that every request must carry (Authorization: Bearer TOKEN);
    /// other users of this computer can read it in the list of processes
    #[arg(long, value_name = "TOKEN", conflicts_with = "token_file")]
    pub token: Option<String>,
    /// File whose first line is the token
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Table that /drift compares with, for a model that does not keep its training sample; may be
    /// repeated; NAME= may be left out for a single model
    #[arg(long, value_name = "NAME=DATA")]
    pub training: Vec<String>,
    /// Seconds between two looks at the model files; 0 never loads them again
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = pause)]
    pub reload: f64,
    /// Limits.
    #[command(flatten)]
    pub limits: LimitWords,
}

/// Limits of requests.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Limits")]
pub struct LimitWords {
    /// Size of a request body
    #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = bytes)]
    pub max_body: u64,
    /// Rows of a request
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = positive)]
    pub max_rows: usize,
    /// Computations that run or wait
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = positive)]
    pub max_jobs: usize,
    /// Open connections
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = positive)]
    pub max_connections: usize,
    /// Seconds in which the head of a request must arrive
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub head_timeout: f64,
    /// Seconds in which the body of a request must arrive
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub body_timeout: f64,
    /// Seconds of computation of a request
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub work_timeout: f64,
}

fn pause(text: &str) -> Result<f64, String> {
    if text == "0" { Ok(0.0) } else { seconds(text) }
}
