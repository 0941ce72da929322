// SPDX-License-Identifier: GPL-2.0-or-later
// deep.c in Rust: `deep DEPTH SECONDS`, in the main thread and in another one.
use std::hint::black_box;

extern "C" { fn clock() -> std::os::raw::c_long; }

// The CPU time of the process.
fn used() -> f64 { unsafe { clock() as f64 / 1e6 } }

#[inline(never)]
fn spin(until: f64, n: &mut u64) {
    while used() < until {
        for i in 0..1000000u64 { *n = black_box(*n ^ i); }
    }
}

#[inline(never)]
fn recurse(depth: usize, until: f64, n: &mut u64) -> u64 {
    let mut room = [0u8; 96];
    room[depth % 96] = black_box(depth as u8);
    if depth > 1 { recurse(depth - 1, until, n); } else { spin(until, n); }
    black_box(room)[depth % 96] as u64
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let depth: usize = args[1].parse().unwrap();
    let until = 2.0 * args[2].parse::<f64>().unwrap();
    let other = std::thread::spawn(move || { let mut n = 0; recurse(depth, until, &mut n) });
    let mut n = 0;
    recurse(depth, until, &mut n);
    other.join().unwrap();
}
