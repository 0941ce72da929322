// SPDX-License-Identifier: GPL-2.0-or-later
// deep.c in Rust: `deep DEPTH SECONDS`, in the main thread and in another one.
use std::time::{Duration, Instant};
use std::hint::black_box;

#[inline(never)]
fn spin(until: Instant, n: &mut u64) {
    while Instant::now() < until {
        for i in 0..1000000u64 { *n = black_box(*n ^ i); }
    }
}

#[inline(never)]
fn recurse(depth: usize, until: Instant, n: &mut u64) -> u64 {
    let mut room = [0u8; 96];
    room[depth % 96] = black_box(depth as u8);
    if depth > 1 { recurse(depth - 1, until, n); } else { spin(until, n); }
    black_box(room)[depth % 96] as u64
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let depth: usize = args[1].parse().unwrap();
    let until = Instant::now() + Duration::from_secs_f64(args[2].parse().unwrap());
    let other = std::thread::spawn(move || { let mut n = 0; recurse(depth, until, &mut n) });
    let mut n = 0;
    recurse(depth, until, &mut n);
    other.join().unwrap();
}
