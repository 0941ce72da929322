#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Debug files from debuginfod servers: a real one, and servers that do not
# answer or send wrong files.

load common.bash

setup() {
	enter_test
	need debuginfod
	need python3
	need curl
	need libdebuginfod
	# All tests have one folder, whose program and recording are made by the first.
	rm -rf "$BATS_FILE_TMPDIR/here"
	mkdir "$BATS_FILE_TMPDIR/here"
	cd "$BATS_FILE_TMPDIR/here"
	export HOME=$PWD/home DEBUGINFOD_CACHE_PATH=$PWD/cache
	unset DEBUGINFOD_URLS DEBUGINFOD_PROGRESS DEBUGINFOD_VERBOSE
	server=
	if [ -e ../made ]; then
		cp -a ../made/. .
	else
		make_spin
		cp -a . ../made
	fi
	id=$(readelf -n bin/spin | sed -n 's/.*Build ID: //p')
}

make_spin() {
	mkdir -p home bin served
	cp "$DWELL_SOURCE/tests/cli/spin.c" .
	cc -O1 -g spin.c -o bin/spin
	objcopy --only-keep-debug bin/spin served/spin.debug
	objcopy --strip-all bin/spin
	dwell record -q -e cpu-clock -F 2000 -o spin.data bin/spin
}

teardown() {
	[ -z "$server" ] || kill "$server" 2>/dev/null || :
	[ -z "$server" ] || wait "$server" 2>/dev/null || :
	leave_test
}

free_port() {
	python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

# serve: starts a real server of the files in "served", and sets url.
serve() {
	local port
	port=$(free_port)
	url=http://127.0.0.1:$port
	debuginfod -p "$port" -d :memory: -F served >server.log 2>&1 3>&- &
	server=$!
	until_true curl -sf -o /dev/null "$url/buildid/$id/debuginfo" || {
		tail -n 5 server.log
		return 1
	}
}

# serve_made: starts a made server, and sets url. Its handler runs the Python
# text on standard input with the request in "self", and writes paths to
# "asked".
serve_made() {
	cat >handler.py
	python3 - 3>&- >port <<'END' &
import http.server, sys, time
source = open("handler.py").read()
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with open("asked", "a") as asked:
            print(self.path, file=asked)
        exec(source)
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_port, flush=True)
server.serve_forever()
END
	server=$!
	until [ -s port ]; do
		sleep 0.05
	done
	url=http://127.0.0.1:$(cat port)
}

report() {
	timeout 60 dwell report --stdio -s dso,sym -i spin.data "$@"
}

@test "live: report: --debuginfod downloads debug files by build ID" {
	serve
	report --debuginfod="$url" >rows
	grep -F '[.] spin_here' rows
	# The download is in the common cache of debuginfod clients.
	[ -s "cache/$id/debuginfo" ]
	kill "$server"
	report --debuginfod="$url" | grep -F '[.] spin_here'
	dwell report --dsos --debuginfod="$url" spin.data |
		grep -F "debug file $PWD/cache/$id/debuginfo"
}

@test "live: report: --debuginfod without a value uses the servers of DEBUGINFOD_URLS" {
	serve
	DEBUGINFOD_URLS=$url report --debuginfod | grep -F '[.] spin_here'
}

@test "live: report: --debuginfod: a downloaded debug file gives names of a missing program" {
	serve
	rm bin/spin
	report --debuginfod="$url" | grep -F '[.] spin_here'
}

@test "live: report: --debuginfod: stack copies are unwound with a downloaded program" {
	dwell record -q --call-graph dwarf --keep-stacks -e cpu-clock -F 2000 \
		-o spin.data bin/spin
	mv bin/spin served/spin
	serve
	report -g caller --debuginfod="$url" >rows
	[ -s "cache/$id/executable" ]
	grep -F '[.] spin_here' rows
	grep -F '[.] main' rows
}

@test "live: report: no server is contacted without --debuginfod" {
	serve_made <<<'self.send_error(404)'
	DEBUGINFOD_URLS=$url report >/dev/null
	[ ! -e asked ]
	DEBUGINFOD_URLS=$url report --debuginfod --no-debuginfod >/dev/null
	[ ! -e asked ]
}

@test "live: report: --debuginfod does not request a file again that no server has" {
	serve_made <<<'self.send_error(404)'
	report --debuginfod="$url" >rows 2>notes
	grep "/buildid/$id/debuginfo" asked
	run ! grep -F spin_here rows
	[ ! -s notes ]
	dwell report --dsos --debuginfod="$url" spin.data >vain
	grep -A2 '/bin/spin$' vain | grep 'no debuginfod server has its debug information'
	run ! grep 'try --debuginfod' vain
	rm asked
	report --debuginfod="$url" >/dev/null
	[ ! -e asked ] || run ! grep "/buildid/$id/debuginfo" asked
}

@test "live: report: --debuginfod requests the file with the most samples first" {
	cat >heavy.c <<'END'
#define _GNU_SOURCE
void light(unsigned long n);
void heavy(unsigned long n);
int main(void)
{
	for (int i = 0; i < 30; i++) {
		light(2000000);
		heavy(20000000);
	}
	return 0;
}
END
	for name in light heavy; do
		echo "static void f(unsigned long n)
{ while (n--) __asm__ volatile(\"\"); }
void $name(unsigned long n) { f(n); }" >lib.c
		cc -O1 -g -shared -fPIC lib.c -o lib$name.so
		objcopy --strip-all lib$name.so
	done
	cc heavy.c -o heavy -L. -llight -lheavy -Wl,-rpath,"$PWD"
	need perf
	perf_record -N -e cpu-clock -F 2000 -o spin.data ./heavy
	rm liblight.so libheavy.so
	serve_made <<<'self.send_error(404)'
	report --debuginfod="$url" >/dev/null
	# The recording has the path of each build ID.
	dwell buildid-list -i spin.data | grep -E 'lib(heavy|light).so' |
		while read -r id path; do
			echo "$(grep -n "$id" asked | head -n 1 | cut -d: -f1) \
${path##*/}"
		done | sort -n >order
	[ "$(awk '{ print $2 }' order | paste -sd ' ')" = \
		"libheavy.so liblight.so" ]
}

@test "live: report: --debuginfod stops asking a server that does not answer, and a message states it" {
	serve_made <<<'time.sleep(600)'
	DEBUGINFOD_TIMEOUT=1 report --debuginfod="$url" >rows 2>notes
	grep 'did not answer in 1 s (DEBUGINFOD_TIMEOUT)' notes
	[ "$(wc -l <notes)" = 1 ]
	# Only the heaviest of the files without names was waited for.
	[ "$(sort -u asked | wc -l)" = 1 ]
	grep ' spin ' rows
}

@test "live: report: --debuginfod requests a file again if its server did not answer before" {
	serve_made <<<'time.sleep(600)'
	DEBUGINFOD_TIMEOUT=1 report --debuginfod="$url" >/dev/null 2>notes
	grep 'did not answer in 1 s' notes
	[ ! -e "cache/$id/debuginfo" ]
	kill "$server"
	wait "$server" || :
	serve
	report --debuginfod="$url" | grep -F '[.] spin_here'
}

@test "live: report: --debuginfod prints the error of a server, and requests the file again later" {
	serve_made <<<'self.send_error(500)'
	report --debuginfod="$url" >rows 2>notes
	grep "bin/spin: cannot request it from debuginfod servers (HTTP error 500)" notes
	grep ' spin ' rows
	[ ! -e "cache/$id/debuginfo" ]
	dwell report --dsos --debuginfod="$url" spin.data >table
	run ! grep 'no debuginfod server has its debug information' table
	kill "$server"
	wait "$server" || :
	serve
	report --debuginfod="$url" | grep -F '[.] spin_here'
}

@test "live: report: --debuginfod prints the error of a server although another server lacks the file" {
	serve_made <<<'self.send_error(404 if self.path.startswith("/first") else 503)'
	report --debuginfod="$url/first $url/second" >rows 2>notes
	grep "cannot request it from debuginfod servers (HTTP error 503)" notes
	[ ! -e "cache/$id/debuginfo" ]
	# Other errors count as answers: some servers refuse access to a file
	# that does not exist.
	kill "$server"
	wait "$server" || :
	rm port
	serve_made <<<'self.send_error(404 if self.path.startswith("/first") else 403)'
	report --debuginfod="$url/first $url/second" >rows 2>notes
	[ ! -s notes ]
	[ -e "cache/$id/debuginfo" ]
}

@test "live: report: --debuginfod ends a download that is too slow, and a message states it" {
	serve_made <<'END'
self.send_response(200)
self.send_header("Content-Length", "1000000")
self.end_headers()
while True:
    self.wfile.write(b"x")
    self.wfile.flush()
    time.sleep(0.2)
END
	DEBUGINFOD_TIMEOUT=1 report --debuginfod="$url" >rows 2>notes
	grep 'did not answer in 1 s' notes
	grep ' spin ' rows
}

@test "live: report: --debuginfod ends a download that is too large, and a message states it" {
	local length
	for length in 1000000000000 ''; do
		export length
		serve_made <<'END'
import os
self.send_response(200)
if os.environ["length"]:
    self.send_header("Content-Length", os.environ["length"])
self.end_headers()
while True:
    self.wfile.write(bytes(100000))
END
		DEBUGINFOD_MAXSIZE=2000000 report --debuginfod="$url" >rows 2>notes
		cat notes
		grep "bin/spin: cannot request it from debuginfod servers (it exceeds 1.9 MiB, the limit of DEBUGINFOD_MAXSIZE)" notes
		grep ' spin ' rows
		# No part of the file remains.
		[ -z "$(find cache -type f -size +2k)" ]
		kill "$server"
		wait "$server" || :
		rm port
	done
}

@test "live: report: --debuginfod ends a download that takes too long, and a message states it" {
	serve_made <<'END'
self.send_response(200)
self.send_header("Content-Length", "1000000000")
self.end_headers()
while True:
    self.wfile.write(bytes(50000))
    time.sleep(0.1)
END
	DEBUGINFOD_MAXTIME=2 report --debuginfod="$url" >rows 2>notes
	cat notes
	grep 'bin/spin: debuginfod servers did not send it in 2 s (DEBUGINFOD_MAXTIME); no more files are requested' notes
	[ "$(wc -l <notes)" = 1 ]
	grep ' spin ' rows
	[ -z "$(find cache -type f -size +2k)" ]
}

@test "live: report: --debuginfod reports that the cache cannot be written, with the room on its disk" {
	serve_made <<'END'
self.send_response(200)
self.send_header("Content-Length", "10000000")
self.end_headers()
self.wfile.write(bytes(10000000))
END
	(
		ulimit -f 1000
		report --debuginfod="$url" >rows 2>notes
	)
	cat notes
	grep -E "bin/spin: cannot request it from debuginfod servers \(it cannot be written to $PWD/cache, whose disk has room for [0-9.]+ [KMGTi]*B\)" notes
	grep ' spin ' rows
}

@test "live: report: --debuginfod rejects a file with a wrong build ID, and does not cache it" {
	echo 'int spin_elsewhere(void) { return 0; }' >lie.c
	cc -g -shared lie.c -o lie
	serve_made <<'END'
self.send_response(200)
self.end_headers()
self.wfile.write(open("lie", "rb").read())
END
	report --debuginfod="$url" >rows 2>notes
	grep "bin/spin: ignored the file from a debuginfod server" notes
	run ! grep -E 'spin_(here|elsewhere)' rows
	[ ! -s "cache/$id/debuginfo" ]
	# A file of another type is not cached either.
	head -c 100000 /dev/urandom >lie
	report --debuginfod="$url" >rows
	[ ! -s "cache/$id/debuginfo" ]
}

@test "live: report: --debuginfod prints that a server cannot be reached, and then the report" {
	url=http://127.0.0.1:$(free_port)
	report --debuginfod="$url" >rows 2>notes
	grep "cannot request it from debuginfod servers" notes
	grep ' spin ' rows
}

@test "report: --debuginfod without a server, or with an unsupported URL, is refused" {
	refuses 2 dwell report --debuginfod -i spin.data
	[[ $line == *"--debuginfod: no server given"* ]]
	refuses 2 dwell script --debuginfod= -i spin.data
	refuses 2 dwell report --debuginfod="http://a ftp://b" -i spin.data
	[[ $line == *"--debuginfod: 'ftp://b' is not a supported URL"* ]]
}
