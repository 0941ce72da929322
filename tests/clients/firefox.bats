#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Firefox's profiler format, read by the profiler's command-line client: a
# server that is started with each file, and stopped.

load clients.bash

client=$modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js

setup() {
	need profiler-cli
	enter_test
	cp -p "$BATS_FILE_TMPDIR"/*.data .
	export HOME=$BATS_TEST_TMPDIR
}

teardown() {
	node "$client" stop s >/dev/null 2>&1 || true
}

ask() {
	timeout 60 node "$client" "$@" --session s
}

# On a busy machine the client does not wait long enough for its own server.
open_profile() {
	ask load "$1" || until_true ask profile info
}

@test "export: the Firefox Profiler shows every sample, in total and by function" {
	dwell export --format firefox -i demo.data -o out.json
	open_profile out.json
	ask profile info | tee info
	grep -q '^This profile contains 2 threads across 1 processes' info
	ask thread functions | tee functions
	grep -qF 'demo!beta - self: 30 (60.0%), total: 30 (60.0%)' functions
	grep -qF 'demo!mix - self: 20 (40.0%), total: 20 (40.0%)' functions
	grep -qF 'demo!alpha - self: 0 (0.0%), total: 50 (100.0%)' functions
	ask thread samples-top-down --json | grep -q '"totalSamples": 50'
	dwell report --json -i demo.data --tid 7 -s comm |
		grep -q '"samples": 50, '
}

@test "script: the Firefox Profiler reads the text in the format of perf script" {
	dwell export --format perf-script -i demo.data -o out.txt
	open_profile out.txt
	ask thread functions | tee functions
	grep -qF 'demo!beta - self: 30 (60.0%), total: 30 (60.0%)' functions
}

@test "export: the Firefox Profiler shows names with special characters as text" {
	dwell export --format firefox -i hostile.data -o hostile.json
	is_inert <hostile.json
	open_profile hostile.json
	ask thread functions | tee functions
	grep -q 'total: 50' functions
	absent grep -q $'\x01' functions
}

@test "export: the Firefox Profiler shows the off-CPU times of dwell report" {
	dwell export --format firefox --wall -i away.data -o out.json
	open_profile out.json
	ask thread functions | tee functions
	grep -qF '[blocked] - self: 1.300s (57.8%), total: 1.300s (57.8%)' functions
	grep -qF '[runnable] - self: 400ms (17.8%), total: 400ms (17.8%)' functions
	grep -qF '[preempted] - self: 300ms (13.3%), total: 300ms (13.3%)' functions
	grep -qF '[unknown] - self: 250ms (11.1%), total: 2.250s (100.0%)' functions
	dwell report --wall --json -i away.data |
		grep -qF '"event": "wall time", "samples": 5, "period": 2250000000, '
}
