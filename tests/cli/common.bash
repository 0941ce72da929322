# SPDX-License-Identifier: GPL-2.0-or-later
# The common part of every bats file here and in tests/peer: the built programs,
# a separate folder for each test, and processes that end with the test. What a
# test needs is in tests/needs.bash.

bats_require_minimum_version 1.5.0

: "${DWELL_BUILD:=$PWD}"
: "${DWELL_SOURCE:=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}"
PATH=$DWELL_BUILD:$PATH
# shellcheck source=tests/needs.bash
. "$DWELL_SOURCE/tests/needs.bash"
dwell=$DWELL_BUILD/dwell
record=$DWELL_BUILD/dwell-record
report=$DWELL_BUILD/dwell-report
# Tests neither write to nor read from the user's folders.
export XDG_CACHE_HOME=${BATS_RUN_TMPDIR:-/nonexistent}/cache
export XDG_DATA_HOME=${BATS_RUN_TMPDIR:-/nonexistent}/data

# python3 can be a script that starts many shells at each call, as that of pyenv: the folder
# python has a link to the program itself.
python=${BATS_RUN_TMPDIR:-/nonexistent}/python
if mkdir "$python" 2>/dev/null; then
	ln -s "$(python3 -c 'import sys; print(sys.executable)')" "$python/python3" ||
		true
fi
[ ! -e "$python/python3" ] || PATH=$python:$PATH

# Files that need more redefine setup() and teardown(), and call enter_test()
# and leave_test() there.
setup() {
	enter_test
}

teardown() {
	leave_test
}

enter_test() {
	if [[ $BATS_TEST_DESCRIPTION == live:* ]]; then
		need live
	fi
	# As root, only source files that all users can open are shown.
	chmod o+x "$BATS_RUN_TMPDIR"
	if is_sanitized; then
		collect_findings
	fi
	cd "$BATS_TEST_TMPDIR"
}

teardown_file() {
	end_browser
}

leave_test() {
	end_started
	no_findings
}

### Sanitizers ##################################################################

# True if the tested programs were built with --enable-sanitize.
is_sanitized() {
	grep -qs '^S\["SANITIZE_FLAGS"\]="-f' "$DWELL_BUILD/config.status"
}

# The sanitizers write their reports into the folder $findings: a test may not
# show or check the standard error of a program. Any user may write there.
collect_findings() {
	findings=$BATS_RUN_TMPDIR/findings.$BATS_SUITE_TEST_NUMBER
	mkdir -m 1777 "$findings"
	export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}log_path=$findings/asan
	export UBSAN_OPTIONS=${UBSAN_OPTIONS:+$UBSAN_OPTIONS:}log_path=$findings/ubsan
	# By default TSan waits for a second at the end of a program with threads.
	export TSAN_OPTIONS=${TSAN_OPTIONS:+$TSAN_OPTIONS:}atexit_sleep_ms=0:log_path=$findings/tsan
}

# Prints the reports of the test's sanitizers. Fails if there is one.
no_findings() {
	if cat "${findings:-/nonexistent}"/* 2>/dev/null; then
		return 1
	fi
}

# limit_memory KIB: limits the address space of this shell and its commands.
# There is no limit with a sanitizer, which reserves terabytes of address space.
limit_memory() {
	is_sanitized || ulimit -v "$1"
}

### perf ########################################################################

# With a build-ID cache of its own: perf reads invalid build IDs from a cache
# that another perf fills at the same time, and then crashes.
perf() {
	command perf --buildid-dir "$BATS_FILE_TMPDIR/build-ids" "$@"
}

# Each mapping has its build ID. Otherwise the kernel marks inode numbers as a
# build ID while another recorder, such as that of another test, gets build IDs
# of the same mapping: perf 6.1 then crashes, or has no names. The header then
# has no list of build IDs, and no times of the first and last sample.
perf_record() {
	if perf record -h 2>&1 | grep -q -e --buildid-mmap; then
		perf record -q --buildid-mmap "$@"
	else
		perf record -q "$@"
	fi
}

### Browser ####################################################################

# browse FILE[#STATE] COMMAND...: runs commands of browse.js. All calls of a file of
# tests share one browser, which the first call starts.
browse() {
	local server secret output fault status

	connects_browser || starts_browser
	printf '%s\0' "$secret" $(($# + 1)) "$PWD" "$@" >&"$server"
	if ! { IFS= read -r -d '' -t 120 output && IFS= read -r -d '' fault &&
		read -r -d '' status; } <&"$server"; then
		fault="the browser has ended, or it takes too long" status=1
	fi
	exec {server}>&-
	printf %s "$output"
	[ -z "$fault" ] || echo "$fault" >&2
	return "$status"
}

# Connects $server to the browser of this file, and sets $secret.
connects_browser() {
	local port

	read -r port secret <"$BATS_FILE_TMPDIR/browser" &&
		exec {server}<>"/dev/tcp/127.0.0.1/$port"
} 2>/dev/null

# Starts the browser, and connects $server to it. $PPID is the process of bats that runs
# the file's tests.
starts_browser() {
	(
		cd "$BATS_FILE_TMPDIR"
		CHROMIUM=$(chromium_path) node "$DWELL_SOURCE/tests/cli/browse.js" \
			--serve "$PPID" 2>/dev/null 3>&- &
	) | {
		read -r line
		echo "$line" >"$BATS_FILE_TMPDIR/browser"
	}
	connects_browser
}

end_browser() {
	local server secret

	if connects_browser; then
		printf '%s\0' "$secret" 0 >&"$server"
		cat <&"$server" >/dev/null
	fi
}

### Other programs #############################################################

# each_frame FILE: prints the decompressed content of all zstd frames in FILE.
each_frame() {
	local at

	LC_ALL=C grep -obUaP '\x28\xb5\x2f\xfd' "$1" | cut -d: -f1 |
		while read -r at; do
			tail -c "+$((at + 1))" "$1" | zstd -dcq 2>/dev/null ||
				true
		done
}

# Copies the recorder to a folder that all users can access. as_user runs
# commands as another user.
enter_users_folder() {
	need root user-folder
	mkdir own
	chmod 777 own .
	cp "$record" own/
	cd own
	as_user test -x ./dwell-record -a -w .
}

# No other test has this user, whose processes share the limit of locked memory.
user=$((200000000 + $$))

as_user() {
	setpriv --reuid="$user" --regid="$user" --clear-groups "$@"
}

### Processes ##################################################################

# background COMMAND...: runs COMMAND until the test ends, with its pid in
# $last. Returns after the exec.
background() {
	"$@" 3>&- &
	last=$!
	started="${started:-} $last"
	until_true has_executed "$last"
}

# Starts a process that is busy until the test ends, with its pid in $last.
start_busy() {
	background awk 'BEGIN { while (1) n++ }'
}

# has_executed PID: succeeds if PID, a child of the shell, has called exec.
has_executed() {
	[ ! -e "/proc/$1" ] ||
		[ ! "/proc/$1/exe" -ef "/proc/$$/exe" ]
}

# has_ended PID: succeeds if PID has ended. Not for children of this shell,
# which must be waited for.
has_ended() {
	absent kill -0 "$1" 2>/dev/null
}

# Ends the processes in $started, one pid or several.
end_started() {
	local pid

	for pid in ${started:-}; do
		kill -KILL "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
}

# make_calls N: compiles ./calls, which calls getppid(2) in three phases of N
# calls each. After each phase it prints a line and waits for a line.
make_calls() {
	cat >calls.c <<-EOF
		#include <stdio.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		int main(void)
		{
			char line[8];

			for (int phase = 0; phase < 3; phase++) {
				for (int i = 0; i < $1; i++)
					syscall(SYS_getppid);
				if (puts("called") < 0 || fflush(stdout) ||
					!fgets(line, sizeof(line), stdin))
					return 1;
			}
			return 0;
		}
	EOF
	"${CC:-cc}" -O2 calls.c -o calls
}

# record_calls OPTION...: records ./calls. The recorder runs in the first phase,
# is stopped in the second, in which no ring buffer is emptied, and runs again
# in the third. Its output is in "said".
record_calls() {
	local go called

	mkfifo go called
	exec {go}<>go {called}<>called
	"$record" -c 1 -e syscalls:sys_enter_getppid "$@" -- ./calls \
		<go >called 2>said 3>&- &
	started="${started:-} $!"
	read -r -t 60 -u "$called" _
	kill -STOP $!
	echo >&"$go"
	read -r -t 60 -u "$called" _
	kill -CONT $!
	echo >&"$go"
	read -r -t 60 -u "$called" _
	echo >&"$go"
	exec {go}>&- {called}>&-
	wait $!
	cat said
}

# Options of a recording whose stacks are counted: while the recorder waits for a CPU, stacks
# are copied into the ring buffers, and a stack that does not fit is incomplete. Users other
# than root may have less locked memory.
large=(-m 2M)
[ "$EUID" != 0 ] || large=(-m 16M)

# until_true COMMAND...: waits until COMMAND succeeds, for at most four minutes,
# because the machine may be loaded. Then it fails with the status of timeout(1), as do
# until_ran and until_blocked: a hang has no second try.
until_true() {
	local end=$((SECONDS + 240))

	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 124
		sleep 0.05
	done
}

# child_of PID: prints the only child of any thread of PID.
child_of() {
	cat /proc/"$1"/task/*/children | tr -d ' '
}

has_child() {
	[ -n "$(child_of "$1")" ]
}

# True if process $1 has ended. Its parent may not have waited for it.
has_exited() {
	if grep -q '^State:.[^ZX]' "/proc/$1/status" 2>/dev/null; then
		return 1
	fi
}

# True if process $1 has read all signals that were sent to it.
has_read_signals() {
	grep -Eq '^ShdPnd:.0+$' "/proc/$1/status"
}

# True if a thread of process $1 waits for the reader of a full pipe.
waits_for_reader() {
	grep -q pipe_write /proc/"$1"/task/*/wchan
}

# True if FILE, which may still grow, has at least N samples: has_recorded FILE N.
has_recorded() {
	[ "$("$report" script -i "$1" -G -F ip 2>/dev/null | wc -l)" -ge "$2" ]
}

# user_ms PID: prints the user CPU time of PID and its ended children in ms.
user_ms() {
	local stat fields

	stat=$(cat "/proc/$1/stat") || return
	# The fields behind the name, which may contain blanks: fields 14 and 16
	# of proc(5).
	read -ra fields <<<"${stat##*) }"
	echo $(((fields[11] + fields[13]) * 1000 / $(getconf CLK_TCK)))
}

# until_ran PID MS: waits until PID has run MS more in user space, for at most
# four minutes.
until_ran() {
	local i now start

	start=$(user_ms "$1") || return
	for ((i = 0; i < 4800; i++)); do
		now=$(user_ms "$1") || return
		if [ "$((now - start))" -ge "$2" ]; then
			return 0
		fi
		sleep 0.05
	done
	return 124
}

# Prints how many times process $1 has given up its CPU to wait.
blocks_of() {
	sed -n 's/^voluntary_ctxt_switches:[^0-9]*//p' "/proc/$1/status"
}

# until_blocked PID N: waits until PID has waited N more times, for at most four
# minutes.
until_blocked() {
	local i now start

	start=$(blocks_of "$1")
	for ((i = 0; i < 4800; i++)); do
		now=$(blocks_of "$1")
		if [ "$((now - start))" -ge "$2" ]; then
			return 0
		fi
		sleep 0.05
	done
	return 124
}

# The command of a recording of other processes: "${while_run[@]}" PID... ends
# when each of these has run in user space for 300 ms.
export -f until_ran user_ms
while_run=(bash -c 'for pid; do until_ran "$pid" 300 || exit; done' while_run)

# "${while_blocked[@]}" PID ends when this process has waited 20 times.
export -f until_blocked blocks_of
while_blocked=(bash -c 'until_blocked "$1" 20' while_blocked)

### Comparison of recordings ####################################################

# Lines of code that is not a test's own: the kernel, the dynamic loader, the C library,
# PLT entries, start code, and code without a name. For a few addresses of it two
# programs print other names, lines or callers, and which of them a recording contains
# is by chance.
elsewhere='\[(kernel|unknown|vdso|guest)'
elsewhere+='|(^|[/|(, "])(ld-linux|ld-[0-9]|ld64|lib(c|m|pthread|gcc_s)[.-])'
elsewhere+='|@plt|(^|[] |;+-])(_start|_init|_fini|__libc_start[a-z0-9_]*|_dl_[a-z_]*|'
elsewhere+='(de)?register_tm_clones|__do_global_dtors_aux|frame_dummy|call_init)'
elsewhere+='([+ |;]|$)'

# same_own WANTED GOT [OWN]: compares two texts of one live recording: samples of
# `script` that are separated by empty lines, or else lines in any order, such as rows
# that begin with their share in percent. Succeeds if all lines of the test's own
# functions are equal, which are those that do not match $elsewhere, or the frames that
# match the regular expression OWN. Other lines may differ in 1 % of the samples, or in
# one sample; the differences are printed. In a test that does not record, both texts are
# equal.
same_own() {
	[ -s "$1" ] || return
	if [[ $BATS_TEST_DESCRIPTION != live:* ]]; then
		diff "$1" "$2"
	elif grep -q '^$' "$1"; then
		same_own_samples "$@"
	else
		same_own_lines "$@"
	fi
}

same_own_samples() {
	LC_ALL=C own=${3:-} elsewhere=$elsewhere awk '
		function is_own(line) {
			return ENVIRON["own"] == "" ? line !~ ENVIRON["elsewhere"] \
				: line !~ /^[ \t]+[0-9a-f]+ / || line ~ ENVIRON["own"]
		}
		function own_lines(sample,   lines, n, i, text) {
			n = split(sample, lines, "\n")
			for (i = 1; i <= n; i++)
				if (is_own(lines[i]))
					text = text lines[i] "\n"
			return text
		}
		BEGIN { RS = "" }
		NR == FNR { wanted[FNR] = $0; all = FNR; next }
		{ got = FNR }
		wanted[FNR] == $0 { next }
		{
			bad += own_lines(wanted[FNR]) != own_lines($0)
			if (++differ <= 5)
				print "wanted:\n" substr(wanted[FNR], 1, 2000) \
					"\ngot:\n" substr($0, 1, 2000)
		}
		END {
			if (got != all || differ)
				print all + 0 " samples wanted, " got + 0 " got, " \
					differ + 0 " differ, " bad + 0 \
					" of them in own functions"
			exit got != all || bad || differ > 1 && differ * 100 > all
		}' "$1" "$2"
}

same_own_lines() {
	LC_ALL=C own=${3:-} elsewhere=$elsewhere awk '
		function is_own(line) {
			return ENVIRON["own"] == "" ? line !~ ENVIRON["elsewhere"] \
				: line ~ ENVIRON["own"]
		}
		# Adds the shares of LINE, which are its first numbers, to those of the
		# rest of the line.
		function add(line, sign,   fields, n, i, j, key, self) {
			sub(/^ +/, "", line)
			n = split(line, fields, / *[|,] *|  +/)
			for (i = 1; i <= n && i <= 3 && fields[i] ~ /^[0-9.]+%?$/; i++)
				;
			if (i == 1) {
				others++
				return
			}
			key = ""
			for (j = i; j <= n; j++)
				key = key "|" fields[j]
			self = i > 2 && fields[2] ~ /[.]/ ? fields[2] : fields[1]
			total[key] += sign * fields[1]
			selves[key] += sign * self
		}
		function size(x) { return x < 0 ? -x : x }
		NR == FNR { n[$0]++; all++; next }
		{ n[$0]-- }
		END {
			for (line in n)
				for (i = size(n[line]); i > 0; i--) {
					print (n[line] < 0 ? "> " : "< ") line
					if (is_own(line))
						bad++
					else
						add(line, n[line] < 0 ? -1 : 1)
				}
			for (key in total) {
				moved += size(selves[key]) / 2
				if (size(total[key]) > most)
					most = size(total[key])
			}
			if (bad || others || moved || most)
				printf("%d own lines differ; of %d other lines %d, " \
					"%.2f %% of the samples\n", bad, all, others,
					moved > most ? moved : most)
			exit (bad || others > 2 && others * 50 > all || moved > 1 ||
				most > 1)
		}' "$1" "$2"
}

### Output of programs #########################################################

# absent COMMAND...: succeeds if COMMAND exits with status 1, such as grep if no
# line matches. It fails if COMMAND succeeds, and if the status is above 1, such
# as that of grep if a file is missing. A line "! COMMAND" would fail a test only
# if it is the last command.
absent() {
	if "$@"; then
		return 1
	else
		[ "$?" = 1 ]
	fi
}

# refuses STATUS WORD...: succeeds if the command exits with STATUS, prints one
# line to stderr and nothing to stdout. The line is left in $line.
refuses() {
	local status=$1
	shift
	run -"$status" --separate-stderr "$@"
	[ -z "$output" ]
	line=$stderr
	echo "$line"
	[ "${#stderr_lines[@]}" = 1 ]
}

# prints NAME [COMMAND...]: succeeds if COMMAND succeeds and its standard output, or else
# the text on standard input, is that in expected/FILE/NAME.txt for a test in FILE.bats.
# With DWELL_UPDATE_EXPECTED=1 (`make update-expected`) it writes that file, whose change
# is then reviewed.
prints() {
	local expected

	expected=$(expected_file "$1")
	shift
	if [ $# = 0 ]; then
		cat >printed
	else
		"$@" >printed
	fi
	if [ -n "${DWELL_UPDATE_EXPECTED:-}" ]; then
		mkdir -p "${expected%/*}"
		cp printed "$expected"
	fi
	diff "$expected" printed
}

# expected_file NAME: prints the path of the expected text NAME of this bats file.
expected_file() {
	echo "$BATS_TEST_DIRNAME/expected/$(basename "$BATS_TEST_FILENAME" .bats)/$1.txt"
}

# Prints N of "N samples, N lost, ..." in a recording's summary, from FILE or
# standard input.
told_samples() {
	sed -n 's/^dwell record: \([0-9]*\) samples, .*/\1/p' "$@"
}

told_lost() {
	sed -n 's/^dwell record: .* samples, \([0-9]*\) lost.*/\1/p' "$@"
}
