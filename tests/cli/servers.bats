#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Debug files from debuginfod servers: a real one, and those that hang or lie.

load common.bash

setup() {
	enter_test
	need debuginfod
	need python3
	need curl
	grep -q '^DEBUGINFOD_LIBS = .*debuginfod' "$DWELL_BUILD/Makefile" ||
		skip "built without libdebuginfod"
	export HOME=$PWD/home DEBUGINFOD_CACHE_PATH=$PWD/cache
	unset DEBUGINFOD_URLS DEBUGINFOD_PROGRESS DEBUGINFOD_VERBOSE
	mkdir -p home bin served
	server=
	cp "$DWELL_SOURCE/tests/cli/spin.c" .
	cc -O1 -g spin.c -o bin/spin
	objcopy --only-keep-debug bin/spin served/spin.debug
	objcopy --strip-all bin/spin
	id=$(readelf -n bin/spin | sed -n 's/.*Build ID: //p')
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

# Sets url to a real server's that has what is in "served".
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

# Sets url to a made server's, whose handler does what the Python text on
# standard input says with the request in "self"; it notes paths in "asked".
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

@test "live: --debuginfod fetches debug files by build ID" {
	serve
	report --debuginfod="$url" >rows
	grep -F '[.] spin_here' rows
	# What came is in the cache of all such programs.
	[ -s "cache/$id/debuginfo" ]
	kill "$server"
	report --debuginfod="$url" | grep -F '[.] spin_here'
	dwell report --dsos --debuginfod="$url" spin.data |
		grep -F "debug file $PWD/cache/$id/debuginfo"
}

@test "live: --debuginfod takes its servers from DEBUGINFOD_URLS" {
	serve
	DEBUGINFOD_URLS=$url report --debuginfod | grep -F '[.] spin_here'
}

@test "live: a debug file from a server names a program that isn't here" {
	serve
	rm bin/spin
	report --debuginfod="$url" | grep -F '[.] spin_here'
}

@test "live: a program comes from a server to unwind copies of its stacks" {
	dwell record -q --call-graph dwarf --keep-stacks -e cpu-clock -F 2000 \
		-o spin.data bin/spin
	mv bin/spin served/spin
	serve
	report -g caller --debuginfod="$url" >rows
	[ -s "cache/$id/executable" ]
	grep -F '[.] spin_here' rows
	grep -F '[.] main' rows
}

@test "live: nobody is asked without the option" {
	serve_made <<<'self.send_error(404)'
	DEBUGINFOD_URLS=$url report >/dev/null
	[ ! -e asked ]
	DEBUGINFOD_URLS=$url report --debuginfod --no-debuginfod >/dev/null
	[ ! -e asked ]
}

@test "live: what no server has isn't asked for again" {
	serve_made <<<'self.send_error(404)'
	report --debuginfod="$url" >rows 2>notes
	grep "/buildid/$id/debuginfo" asked
	run ! grep -F spin_here rows
	[ ! -s notes ]
	dwell report --dsos --debuginfod="$url" spin.data >vain
	grep -A2 '/bin/spin$' vain | grep 'no server for debug files has more'
	run ! grep 'try --debuginfod' vain
	rm asked
	report --debuginfod="$url" >/dev/null
	[ ! -e asked ] || run ! grep "/buildid/$id/debuginfo" asked
}

@test "live: the heaviest file is asked for first" {
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
	need_perf
	perf_record -N -e cpu-clock -F 2000 -o spin.data ./heavy
	rm liblight.so libheavy.so
	serve_made <<<'self.send_error(404)'
	report --debuginfod="$url" >/dev/null
	# What each is called is in the recording.
	dwell buildid-list -i spin.data | grep -E 'lib(heavy|light).so' |
		while read -r id path; do
			echo "$(grep -n "$id" asked | head -n 1 | cut -d: -f1) \
${path##*/}"
		done | sort -n >order
	[ "$(awk '{ print $2 }' order | paste -sd ' ')" = \
		"libheavy.so liblight.so" ]
}

@test "live: a server that hangs is given up, which is said" {
	serve_made <<<'time.sleep(600)'
	DEBUGINFOD_TIMEOUT=1 report --debuginfod="$url" >rows 2>notes
	grep 'take too long (DEBUGINFOD_TIMEOUT is 1 s)' notes
	[ "$(wc -l <notes)" = 1 ]
	# Of the files that lack names only the heaviest was waited for.
	[ "$(sort -u asked | wc -l)" = 1 ]
	grep ' spin ' rows
}

@test "live: what a server that hung didn't send is asked for again" {
	serve_made <<<'time.sleep(600)'
	DEBUGINFOD_TIMEOUT=1 report --debuginfod="$url" >/dev/null 2>notes
	grep 'take too long' notes
	[ ! -e "cache/$id/debuginfo" ]
	kill "$server"
	wait "$server" || :
	serve
	report --debuginfod="$url" | grep -F '[.] spin_here'
}

@test "live: what a server in trouble can't tell is said, and asked for again" {
	serve_made <<<'self.send_error(500)'
	report --debuginfod="$url" >rows 2>notes
	grep "bin/spin: the servers for debug files can't be asked (HTTP error 500)" notes
	grep ' spin ' rows
	[ ! -e "cache/$id/debuginfo" ]
	dwell report --dsos --debuginfod="$url" spin.data >table
	run ! grep 'no server for debug files has more' table
	kill "$server"
	wait "$server" || :
	serve
	report --debuginfod="$url" | grep -F '[.] spin_here'
}

@test "live: that one server hasn't a file doesn't tell what another in trouble has" {
	serve_made <<<'self.send_error(404 if self.path.startswith("/first") else 503)'
	report --debuginfod="$url/first $url/second" >rows 2>notes
	grep "the servers for debug files can't be asked (HTTP error 503)" notes
	[ ! -e "cache/$id/debuginfo" ]
	# Other errors are answers: of what isn't there some say that nobody may see it.
	kill "$server"
	wait "$server" || :
	rm port
	serve_made <<<'self.send_error(404 if self.path.startswith("/first") else 403)'
	report --debuginfod="$url/first $url/second" >rows 2>notes
	[ ! -s notes ]
	[ -e "cache/$id/debuginfo" ]
}

@test "live: a server that sends for ever is given up, which is said" {
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
	grep 'take too long' notes
	grep ' spin ' rows
}

@test "live: a server that lies is found out, and poisons nothing" {
	echo 'int spin_elsewhere(void) { return 0; }' >lie.c
	cc -g -shared lie.c -o lie
	serve_made <<'END'
self.send_response(200)
self.end_headers()
self.wfile.write(open("lie", "rb").read())
END
	report --debuginfod="$url" >rows 2>notes
	grep "bin/spin: what a server for debug files sent is another file" notes
	run ! grep -E 'spin_(here|elsewhere)' rows
	[ ! -s "cache/$id/debuginfo" ]
	# Nor does what isn't a file of its kind at all.
	head -c 100000 /dev/urandom >lie
	report --debuginfod="$url" >rows
	[ ! -s "cache/$id/debuginfo" ]
}

@test "live: a server that isn't there is said, and the rest is shown" {
	url=http://127.0.0.1:$(free_port)
	report --debuginfod="$url" >rows 2>notes
	grep "the servers for debug files can't be asked" notes
	grep ' spin ' rows
}

@test "--debuginfod needs a server" {
	refuses 2 dwell report --debuginfod -i spin.data
	[[ $line == *"--debuginfod: no server is named"* ]]
	refuses 2 dwell script --debuginfod= -i spin.data
	refuses 2 dwell report --debuginfod="http://a ftp://b" -i spin.data
	[[ $line == *"--debuginfod: 'ftp://b' is no URL that can be asked"* ]]
}
