//! The listener: connections, requests, the end.

use std::fmt;
use std::future::Future;
use std::net::{SocketAddr, TcpListener};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::Router;
use serde_json::json;
use tokio::net::TcpStream;
use tokio::sync::watch;

use super::access::Guard;
use super::connection::{connection, refuse};
use super::connections::Connections;
use super::{Access, Limits, Log, Observer, shutdown};

/// How often connections that wait too long are looked for.
const SWEEP: Duration = Duration::from_millis(250);
/// A pause after an error of `accept`, such as too many open files.
const REST: Duration = Duration::from_millis(20);

/// Why a server does not start, or ends early.
#[derive(Debug)]
pub enum StartError {
    /// The address cannot be listened on: choose another.
    Address(SocketAddr, std::io::Error),
    /// The system refuses threads, timers or signals.
    System(std::io::Error),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(address, error) => write!(f, "cannot listen on {address}: {error}"),
            Self::System(error) => write!(f, "the server cannot run: {error}"),
        }
    }
}

impl std::error::Error for StartError {}

/// A server that listens, but does not answer yet.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    guard: Guard,
    limits: Limits,
    log: Log,
}

/// What all connections share.
pub(super) struct Shared {
    pub guard: Guard,
    pub limits: Limits,
    pub log: Log,
    pub router: Router,
    pub observer: Arc<dyn Observer>,
}

impl Server {
    /// Listens on a port of the address; 0 stands for any free port.
    ///
    /// # Errors
    /// [`StartError::Address`] where that is not possible.
    pub fn bind(access: Access, port: u16, limits: Limits, log: Log) -> Result<Self, StartError> {
        let wanted = SocketAddr::new(access.address(), port);
        let failed = |error| StartError::Address(wanted, error);
        let listener = TcpListener::bind(wanted).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address, guard: access.guard(address.port()), limits, log })
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests on this many threads until SIGINT or SIGTERM; requests that have begun are
    /// finished then.
    ///
    /// # Errors
    /// [`StartError::System`] where the system refuses threads, timers or signals.
    pub fn run(self, router: Router, observer: Arc<dyn Observer>, threads: usize) -> Result<(), StartError> {
        self.run_with(router, observer, threads, async {})
    }

    /// The same, with a task beside it that ends with the server.
    ///
    /// # Errors
    /// As [`Server::run`].
    pub fn run_with(
        self,
        router: Router,
        observer: Arc<dyn Observer>,
        threads: usize,
        beside: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), StartError> {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(threads.max(1)).enable_all().thread_name("mercer-http");
        let runtime = runtime.build().map_err(StartError::System)?;
        let Self { listener, guard, limits, log, address } = self;
        let stop_time = limits.stop_time;
        let shared = Arc::new(Shared { guard, limits, log: log.clone(), router, observer });
        let served = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            tokio::spawn(beside);
            serve(listener, shared, &log).await
        });
        log.event("info", "stopped", [("address", json!(address.to_string()))]);
        log.close();
        // Computations of requests that were given up stop at their next check.
        runtime.shutdown_timeout(stop_time);
        served.map_err(StartError::System)
    }
}

/// Accepts connections until the signal, then waits for the open ones.
async fn serve(listener: tokio::net::TcpListener, shared: Arc<Shared>, log: &Log) -> std::io::Result<()> {
    let table = Connections::new(shared.limits.connections);
    let (stop, stopped) = watch::channel(false);
    let mut signal = pin!(shutdown::signal());
    let mut sweep = tokio::time::interval(SWEEP);
    loop {
        // The signal first, then the sweep, then a connection.
        let next = std::future::poll_fn(|context| {
            if let Poll::Ready(name) = signal.as_mut().poll(context) {
                return Poll::Ready(Next::Signal(name));
            }
            if sweep.poll_tick(context).is_ready() {
                return Poll::Ready(Next::Sweep);
            }
            listener.poll_accept(context).map(Next::Connection)
        });
        match next.await {
            Next::Signal(name) => {
                log.event("info", "stopping", [("signal", json!(name?)), ("connections", json!(table.count()))]);
                break;
            }
            Next::Sweep => table.end_waiting(shared.limits.head_time, shared.limits.idle_time),
            Next::Connection(Ok((stream, peer))) => {
                // Answers are written at once.
                let _ = stream.set_nodelay(true);
                match table.enter() {
                    Some(place) => drop(tokio::spawn(connection(stream, peer, place, shared.clone(), stopped.clone()))),
                    None => drop(tokio::spawn(refuse(stream, shared.limits.connections))),
                }
            }
            Next::Connection(Err(error)) => {
                log.event("error", "accept_failed", [("error", json!(error.to_string()))]);
                tokio::time::sleep(REST).await;
            }
        }
    }
    drop((listener, stopped));
    let _ = stop.send(true);
    // All connections have ended when nobody listens to the channel any more.
    if tokio::time::timeout(shared.limits.stop_time, stop.closed()).await.is_err() {
        log.event("warn", "connections_cut", [("connections", json!(table.count()))]);
    }
    Ok(())
}

enum Next {
    Signal(std::io::Result<&'static str>),
    Sweep,
    Connection(std::io::Result<(TcpStream, SocketAddr)>),
}
