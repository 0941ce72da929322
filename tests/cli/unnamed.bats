# SPDX-License-Identifier: GPL-2.0-or-later
# Tests that the summary of the recorder and the head of the report name the
# processes with many samples in code whose functions have no names.

load common.bash

# record_unnamed COMMAND...: records COMMAND. Sets $stderr to the summary.
record_unnamed() {
	run -0 --separate-stderr "$record" -e cpu-clock -F 1000 -o in.data \
		-- "$@"
	echo "$stderr"
}

# reports PATTERN: succeeds if a line of the summary and a line of the report's
# head match "N % of the samples of PATTERN", with 50 <= N <= 100.
reports() {
	local share='([5-9][0-9]|100) % of the samples of'

	grep -xE "dwell record: $share $1" <<<"$stderr"
	dwell report --stdio -i in.data >shown
	grep -xE "# Code Without Names: $share $1" shown
	dwell report --header-only -i in.data | grep -xE "# unnamed_code : $share $1"
	dwell report --header-only --json -i in.data >facts
	grep -E "\"name\": \"unnamed_code\", \"value\": \"$share $1\"" facts
}

# reports_nothing: succeeds if neither the summary nor the report has such a line.
reports_nothing() {
	[[ $stderr != *"of the samples of"* ]]
	dwell report --stdio -i in.data >shown
	absent grep -F 'Without Names' shown
}

# Writes programs that call a function in a loop, in three languages.
write_loops() {
	cat >loop.py <<-'END'
		import time
		def spin(n):
		    x = 0
		    for i in range(n):
		        x += i * i
		    return x
		while time.process_time() < 0.5:
		    spin(1000)
	END
	cat >loop.js <<-'END'
		function spin(n) {
			let x = 0;
			for (let i = 0; i < n; i++)
				x = (x * 31 + i) | 0;
			return x;
		}
		while (process.cpuUsage().user < 1e6)
			spin(1000000);
	END
	cat >loop.pl <<-'END'
		sub spin {
			my ($n) = @_;
			my $x = 0;
			$x += $_ * $_ for 1 .. $n;
			return $x;
		}
		spin(1000) while (times)[0] < 0.5;
	END
}

# Compiles ./plain, which uses half a second of CPU time.
build_plain() {
	cat >plain.c <<-'END'
		#include <time.h>
		int main(void)
		{
			while (clock() < CLOCKS_PER_SEC / 2)
				;
			return 0;
		}
	END
	cc -O1 plain.c -o plain
}

# Removes the perf map of the recorded process.
remove_map() {
	rm -f /tmp/perf-"$(dwell script -i in.data -F pid | head -n 1 |
		tr -d ' ')".map
}

@test "live: record: a message reports samples in the Python interpreter, and suggests -g" {
	need python3
	write_loops
	version=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
	record_unnamed python3 loop.py
	reports "python3?(\.[0-9]+)? \(PID [0-9]+\) are in the interpreter of Python ${version/./\\.}: the functions that it runs have no names\. Record it with -g"
	run -0 --separate-stderr "$record" -e cpu-clock -F 1000 -o in.data \
		--call-graph dwarf -- python3 loop.py
	reports_nothing
}

@test "live: record: without -g, a message states that names of perf trampolines of Python need call chains" {
	need python-perf
	write_loops
	python=$(perf_python perf)
	export PYTHONPERFSUPPORT=1
	record_unnamed "$python" loop.py
	[[ $stderr == *"are in the interpreter of Python"* ]]
	remove_map
	run -0 --separate-stderr "$record" -e cpu-clock -F 1000 -o in.data \
		--call-graph dwarf --lang none -- "$python" loop.py
	reports_nothing
	remove_map
}

@test "live: record: a message reports samples in the Perl interpreter, and suggests -g" {
	need perl
	write_loops
	record_unnamed perl loop.pl
	reports "perl \(PID [0-9]+\) are in the interpreter of Perl( [0-9.]+)?: the functions that it runs have no names\. Record it with -g"
	# With -q, only errors are printed.
	run -0 --separate-stderr "$record" -q -e cpu-clock -- perl loop.pl
	[ -z "$stderr" ]
}

@test "live: record: a message reports JIT code of Node.js without a perf map, with the option for it" {
	need node
	write_loops
	record_unnamed node loop.js
	reports ".* \(PID [0-9]+\) are in code without names: Node\.js( [0-9.]+)? compiles it at run time\. Record it with -g, or start it with --perf-basic-prof"
	record_unnamed node --perf-basic-prof loop.js
	reports_nothing
	remove_map
}

@test "live: record: a message reports JIT code of an unknown compiler, unless a perf map names it" {
	cc -O1 "$DWELL_SOURCE/tests/cli/made.c" -o made
	record_unnamed ./made none
	reports "made \(PID [0-9]+\) are in code without names: it is in memory without a file\. dwell names it if the program writes a perf map or a jitdump"
	record_unnamed ./made map
	reports_nothing
	remove_map
}

@test "live: record: no message reports a compiled program, with or without symbols" {
	build_plain
	record_unnamed ./plain
	reports_nothing
	# A program without symbols is not reported either: its file is known.
	strip plain
	record_unnamed ./plain
	reports_nothing
}

has_parts() {
	[ "$(echo in.data.2*)" != "in.data.2*" ] &&
		[ "$(echo in.data.2* | wc -w)" -ge "$1" ]
}

@test "live: record: with --switch-output, messages name only processes with samples in that file" {
	need perl
	write_loops
	build_plain
	"$record" -e cpu-clock -F 1000 -o in.data --switch-output -- \
		sh -c 'perl loop.pl; touch switch
			until [ -e go ]; do sleep 0.1; done; ./plain' \
		2>said 3>&- &
	started=$!
	until_true [ -e switch ]
	kill -USR2 "$started"
	until_true has_parts 1
	touch go
	wait "$started"
	cat said
	[ "$(grep -c 'of the samples of' said)" = 0 ]
	files=(in.data.2*)
	[ "${#files[@]}" = 2 ]
	dwell report --header-only -i "${files[0]}" | grep '^# unnamed_code : .*Perl'
	dwell report --header-only -i "${files[1]}" >facts
	run ! grep unnamed_code facts
}
