//! Signals that end a server.

/// Returns when the program is told to stop: SIGINT or SIGTERM, or Ctrl-C on other systems.
#[cfg(unix)]
pub(super) async fn signal() -> std::io::Result<&'static str> {
    use std::task::Poll;
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let name = std::future::poll_fn(|context| {
        if interrupt.poll_recv(context).is_ready() {
            return Poll::Ready("SIGINT");
        }
        terminate.poll_recv(context).map(|_| "SIGTERM")
    });
    Ok(name.await)
}

#[cfg(not(unix))]
pub(super) async fn signal() -> std::io::Result<&'static str> {
    tokio::signal::ctrl_c().await.map(|()| "Ctrl-C")
}
