# SPDX-License-Identifier: GPL-2.0-or-later
# What every bats file here and in tests/peer begins with: the built programs,
# a folder of its own for each test, what a test needs to run at all, and
# processes that end with it.

bats_require_minimum_version 1.5.0

: "${DWELL_BUILD:=$PWD}"
: "${DWELL_SOURCE:=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}"
PATH=$DWELL_BUILD:$PATH
dwell=$DWELL_BUILD/dwell
record=$DWELL_BUILD/dwell-record
report=$DWELL_BUILD/dwell-report
# Nothing is left in the user's own, nor found there.
export XDG_CACHE_HOME=${BATS_RUN_TMPDIR:-/nonexistent}/cache
export XDG_DATA_HOME=${BATS_RUN_TMPDIR:-/nonexistent}/data

# Files with more to do define these anew, and call what they call.
setup() {
	enter_test
}

teardown() {
	leave_test
}

enter_test() {
	if [[ $BATS_TEST_DESCRIPTION == live:* ]]; then
		need_live
	fi
	# Root shows only source files that all users can open.
	chmod o+x "$BATS_RUN_TMPDIR"
	if is_sanitized; then
		collect_findings
	fi
	cd "$BATS_TEST_TMPDIR"
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
	findings=$BATS_RUN_TMPDIR/findings.$BATS_TEST_NUMBER
	mkdir -m 1777 "$findings"
	export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}log_path=$findings/asan
	export UBSAN_OPTIONS=${UBSAN_OPTIONS:+$UBSAN_OPTIONS:}log_path=$findings/ubsan
	export TSAN_OPTIONS=${TSAN_OPTIONS:+$TSAN_OPTIONS:}log_path=$findings/tsan
}

# Prints the reports of the test's sanitizers. False if there is one.
no_findings() {
	if cat "${findings:-/nonexistent}"/* 2>/dev/null; then
		return 1
	fi
}

# not_under_sanitizers REASON: skips the test if the programs are built with one.
not_under_sanitizers() {
	! is_sanitized || skip "$1"
}

# limit_memory KIB: the address space of this shell and its commands. A sanitizer
# reserves terabytes of address space, so there is no limit with one.
limit_memory() {
	is_sanitized || ulimit -v "$1"
}

### perf ########################################################################

# With a cache of its own: beside another perf that fills the same one it reads
# build IDs that aren't there, of which it dies then.
perf() {
	command perf --buildid-dir "$BATS_FILE_TMPDIR/build-ids" "$@"
}

# perf 6.1 now and then dies of a build ID, again and again as long as whatever
# has it is there. Then it does without.
perf_record() {
	perf record -q "$@" || perf record -q "$@" || perf record -q -B "$@"
}

### A browser #################################################################

chromium=

need_browser() {
	need node
	for chromium in chromium chromium-browser google-chrome; do
		command -v "$chromium" >/dev/null && break
		chromium=
	done
	[ -n "$chromium" ] || skip "chromium is not installed"
}

# browse FILE[#STATE] COMMAND...: what they print (browse.js).
browse() {
	CHROMIUM=$chromium node "$DWELL_SOURCE/tests/cli/browse.js" "$@"
}

### What a test needs ##########################################################

# perf_event_open works for us, and DWELL_TEST_LIVE isn't "no".
need_live() {
	local reason status=0

	[ "${DWELL_TEST_LIVE:-}" != no ] || skip "DWELL_TEST_LIVE=no"
	reason=$("$DWELL_BUILD/tests/probe") || status=$?
	[ "$status" != 77 ] || skip "$reason"
	[ "$status" = 0 ]
}

need_perf() {
	need perf
	perf --version >/dev/null 2>&1 || skip "perf does not run here"
}

need_root() {
	[ "$(id -u)" = 0 ] || skip "only root may do this"
}

# need PROGRAM: in PATH.
need() {
	type -P "$1" >/dev/null || skip "$1 is not installed"
}

# Behind the system's own: Debian's gcc-multilib, which has a link to these, can't
# be installed beside a compiler for another machine, and gcc-12-multilib lacks it.
i386=(-m32 -idirafter /usr/include/x86_64-linux-gnu)

# i386_gcc ...: gcc for 32 bits, or the reason why the test is skipped.
i386_gcc() {
	case "$(uname -m)" in
	x86_64 | i?86) ;;
	*) skip "i386 programs are for x86" ;;
	esac
	gcc "${i386[@]}" "$@" ||
		skip "gcc makes no 32-bit programs (Debian: gcc-12-multilib)"
}

# each_frame FILE: what is compressed in it.
each_frame() {
	local at

	LC_ALL=C grep -obUaP '\x28\xb5\x2f\xfd' "$1" | cut -d: -f1 |
		while read -r at; do
			tail -c "+$((at + 1))" "$1" | zstd -dcq 2>/dev/null ||
				true
		done
}

# made_lock [-s]: until the test's end nobody else makes code at run time (-s)
# or records the whole machine: perf doesn't know what dwell knows about it.
made_lock() {
	exec 8>"$DWELL_BUILD/tests/made.lock"
	command -v flock >/dev/null && flock "$@" 8 || true
}

# A copy of the recorder in a folder that is open to all; as_user runs things.
enter_users_folder() {
	need_root
	mkdir own
	chmod 777 own .
	cp "$record" own/
	cd own
	as_user test -x ./dwell-record -a -w . ||
		skip "this folder is not open to other users"
}

as_user() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

### Processes ##################################################################

# background COMMAND...: its pid in $last, ended with the test. It has become
# COMMAND then.
background() {
	"$@" 3>&- &
	last=$!
	started="${started:-} $last"
	until_true has_executed "$last"
}

# A process that is busy until the test ends; its pid in $last.
start_busy() {
	background awk 'BEGIN { while (1) n++ }'
}

# The shell's child is a shell until then.
has_executed() {
	[ ! -e "/proc/$1" ] ||
		! [ "/proc/$1/exe" -ef "/proc/$$/exe" ]
}

# A process that is nobody's child here; a child must be waited for.
has_ended() {
	! kill -0 "$1" 2>/dev/null
}

# Whatever is in $started, one pid or several.
end_started() {
	local pid

	for pid in ${started:-}; do
		kill -KILL "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
}

# Builds ./calls, which calls getppid(2) in three phases of N calls each:
# make_calls N. After each phase it prints a line and waits for a line.
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
# is stopped in the second, in which no ring buffer is emptied, and runs again in
# the third. What it prints is in "said".
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

# until_true COMMAND...: for at most a minute.
until_true() {
	local end=$((SECONDS + 60))

	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.05
	done
}

# The one process that $1 has started, whichever of its threads did.
child_of() {
	cat /proc/"$1"/task/*/children | tr -d ' '
}

has_child() {
	[ -n "$(child_of "$1")" ]
}

# True if process $1 has ended. Its parent may not have waited for it.
has_exited() {
	! grep -q '^State:.[^ZX]' "/proc/$1/status" 2>/dev/null
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

# How many ms process $1 and its ended children were in user space.
user_ms() {
	local stat fields

	stat=$(cat "/proc/$1/stat") || return
	# Behind its name, which may have spaces: fields 14 and 16 of proc(5).
	read -ra fields <<<"${stat##*) }"
	echo $(((fields[11] + fields[13]) * 1000 / $(getconf CLK_TCK)))
}

# until_ran PID MS: so long in user space from now on; for at most a minute.
until_ran() {
	local i now start

	start=$(user_ms "$1") || return
	for ((i = 0; i < 1200; i++)); do
		now=$(user_ms "$1") || return
		if [ "$((now - start))" -ge "$2" ]; then
			return 0
		fi
		sleep 0.05
	done
	return 1
}

### What programs say ##########################################################

# One line on stderr, nothing on stdout, the status: refuses STATUS WORD...
# leaves the line in $line.
refuses() {
	local status=$1
	shift
	run -"$status" --separate-stderr "$@"
	[ -z "$output" ]
	line=$stderr
	echo "$line"
	[ "${#stderr_lines[@]}" = 1 ]
}

# "N samples, N lost, ..." of a recording's summary, in FILE or standard input.
told_samples() {
	sed -n 's/^dwell record: \([0-9]*\) samples, .*/\1/p' "$@"
}

told_lost() {
	sed -n 's/^dwell record: .* samples, \([0-9]*\) lost.*/\1/p' "$@"
}
