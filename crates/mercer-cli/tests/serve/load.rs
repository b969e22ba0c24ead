//! Ten minutes of requests (with `MERCER_FULL`): no error, no growth of memory.

use std::io::Write;
use std::time::{Duration, Instant};

use super::common::{Reply, Server, models, request};

/// Kilobytes that the program holds, from the system's own count.
#[cfg(target_os = "linux")]
fn resident(server: &Server) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
    let line = text.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Sends requests of every kind on four connections; returns how many were answered.
fn requests(server: &Server, time: Duration) -> u64 {
    let until = Instant::now() + time;
    let one = |k: usize| {
        let host = server.host();
        let rows = |n: usize| format!("[{}]", vec!["[540, 0, 0, 162, 2.5, 1040, 676, 28]"; n].join(","));
        let json = |path: &str, body: &str| request(&host, path, "application/json", "", body);
        let all = [
            (json("/predict", &rows(1)), 200),
            (json("/predict", &rows(40)), 200),
            (json("/predict?model=strength", &rows(2)), 200),
            (json("/predict", "[[1]]"), 400),
            (json("/nowhere", "[]"), 404),
            (format!("GET /metrics HTTP/1.1\r\nHost: {host}\r\n\r\n"), 200),
        ];
        let mut stream = server.connect();
        let mut count = 0;
        while Instant::now() < until {
            let (bytes, status) = &all[(count as usize + k) % all.len()];
            stream.write_all(bytes.as_bytes()).unwrap();
            let reply = Reply::read(&mut stream).expect("an answer");
            assert_eq!(reply.status, *status, "{}", reply.body);
            count += 1;
            // New connections from time to time.
            if count % 500 == 0 {
                stream = server.connect();
            }
        }
        count
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|k| scope.spawn(move || one(k))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    })
}

#[test]
#[cfg(target_os = "linux")]
fn a_soak_leaves_no_trace() {
    let full = std::env::var_os("MERCER_FULL").is_some();
    let server = Server::start(&[&models().file("strength"), "--quiet"]);
    // Threads, caches and the allocator take what they need in the beginning.
    let (warm, time) = if full { (60, 600) } else { (1, 2) };
    requests(&server, Duration::from_secs(warm));
    let before = resident(&server);
    let count = requests(&server, Duration::from_secs(time));
    let after = resident(&server);
    assert!(count > 20 * time, "{count} requests in {time} s");
    // A leak of 100 bytes per request would show after ten minutes.
    let allowed = before / 10 + 8 * 1024;
    assert!(after <= before + allowed, "{before} kB, and {after} kB after {count} requests");
}
