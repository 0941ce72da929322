#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Names of code whose file is deleted, replaced or out of reach when the
# recording ends; and files that a hostile process must not have read.

load common.bash

setup() {
	enter_test
	cp "$DWELL_SOURCE/tests/cli/spin.c" .
}

# build NAME FILE FLAG...: compiles a program that spends its time in function
# NAME.
build() {
	local name=$1 file=$2
	shift 2
	cc -O1 -fno-omit-frame-pointer -DSPIN="$name" spin.c -o "$file" "$@"
}

# Records the last command's process. Its files are removed before the end.
record() {
	timeout 60 dwell record -q -e cpu-clock:u -F 2000 -o spin.data "$@"
}

# shows NAME: succeeds if function NAME has samples, and more of them than code
# without a name in user space.
shows() {
	dwell report --stdio -n -s dso,sym -i spin.data >shown
	cat shown
	awk -v name="$1" '
		/^ .*% .*\[\.\]/ {
			count = $1 ~ /%$/ && $2 ~ /%$/ ? $3 : $2
			if ($NF == name) named += count
			if ($NF ~ /^(0x[0-9a-f]+|\[unknown\])$/) lost += count
		}
		END { print named + 0 " named, " lost + 0 " without a name"
			exit named < 10 || named <= lost }' shown
}

@test "live: record: a program that deletes itself keeps its names" {
	build spin_gone spin
	record ./spin and go
	[ ! -e spin ]
	shows spin_gone
}

@test "live: record: a program without a build ID that deletes itself keeps its names" {
	need root
	build spin_gone spin -Wl,--build-id=none
	record ./spin and go
	[ ! -e spin ]
	shows spin_gone
}

@test "live: record: a program that is built and deleted during the recording has names" {
	build spin_first spin -Wl,--build-id=none
	record sh -c 'cp spin other; ./other; rm other spin'
	shows spin_first
}

@test "live: record: two builds with the same path have their own names" {
	build spin_first spin
	build spin_second other
	record sh -c './spin; mv other spin; ./spin; rm spin'
	shows spin_first
	shows spin_second
}

@test "live: record: two builds with the same path and without build IDs have their own names" {
	build spin_first spin -Wl,--build-id=none
	build spin_second other -Wl,--build-id=none
	record sh -c './spin; mv other spin; ./spin; rm spin'
	shows spin_first
	shows spin_second
}

@test "live: record: a process whose program was deleted before the recording has names" {
	build spin_gone spin -DSECONDS=60
	background ./spin
	rm spin
	record -p "$last" -- "${while_run[@]}" "$last"
	shows spin_gone
}

@test "live: record: a program in a chroot that is deleted at the end has names" {
	need root
	mkdir inner
	build spin_inside inner/spin -static
	record sh -c 'chroot inner /spin; rm -r inner'
	shows spin_inside
}

@test "live: record: a program on a private mount has names" {
	need root
	need mount-namespace
	mkdir inner
	build spin_inside spin
	record unshare -m sh -c \
		'mount -t tmpfs none inner && cp spin inner/ && inner/spin'
	[ ! -e inner/spin ]
	rm spin
	shows spin_inside
}

### JIT code ###################################################################

# Compiles the program that makes code, statically linked.
build_made() {
	cc -O1 -static "$DWELL_SOURCE/tests/cli/made.c" -o "$1"
}

# Makes a root folder inner/, with the program as /made.
build_root() {
	need root
	mkdir -p inner/tmp
	build_made inner/made
}

# start_made KIND: starts that program in that root until the test ends. $map is
# the path of its perf map.
start_made() {
	build_root
	background chroot inner /made "$1" 60
	map=inner/tmp/perf-$last.map
}

# jit_rows: prints the number of samples and the name of each function of JIT code. Code
# without a name has its address as the name.
jit_rows() {
	dwell report --stdio -n --no-children -s dso,sym -i spin.data >shown
	sed -nE 's/^ *[0-9.]+% +([0-9]+) .*(\[JIT\] tid [0-9]+.*\[\.\] |\[\.\] (0x00000000100[0-2][0-9a-f]{3}))/\1\t\3/p' \
		shown
}

# share PATTERN PERCENT: succeeds if the functions that match have this share of the
# samples in JIT code, with an error of at most 5 standard deviations and 2 %. Other
# samples are not counted: their number depends on the machine.
share() {
	jit_rows | awk -F '\t' -v name="$1" -v percent="$2" '
		{ all += $1 }
		$2 ~ name { n += $1 }
		END {
			if (!all)
				exit 1
			p = percent / 100
			error = 5 * sqrt(p * (1 - p) / all) + 0.02
			difference = n / all - p
			printf "%s: %d of %d, %d %% expected\n", name, n, all, percent
			exit all < 20 || difference > error || -difference > error
		}'
}

# Prints the pid of the process with the JIT code.
made_pid() {
	dwell report --stdio -s dso -i spin.data |
		sed -n 's/.*\[JIT\] tid \([0-9]*\).*/\1/p'
}

# Succeeds if a half of the JIT code has a name.
shows_made_name() {
	dwell report --stdio -n -s dso,sym -i spin.data >shown
	cat shown
	grep -E '\[\.\] (first|second|stale)' shown
}

# Succeeds if no half of the JIT code has a name.
shows_no_made_name() {
	absent shows_made_name
	grep -F '[.] 0x000000001000' shown
}

@test "live: record: names from a perf map are stored in the recording" {
	build_made made
	record ./made again
	rm "/tmp/perf-$(made_pid).map"
	share '^first_made$' 33
	share '^second_made' 67
	grep -E '\[JIT\] tid [0-9]+ +\[\.\] second_made\(int, char \*\)$' shown
	run ! grep stale shown
}

@test "live: record: the perf map of a process in a PID namespace and a chroot is read" {
	build_root
	need pid-namespace
	record sh -c 'unshare -fp chroot inner /made map; ls inner/tmp;
		rm -r inner'
	share '^first_made$' 33
}

@test "live: record: the perf map of a process that continues to run is read" {
	start_made map
	until_true test -s "$map"
	record -p "$last" -- "${while_run[@]}" "$last"
	share '^second_made' 67
}

@test "live: record: a perf map in a container that is a link to a file of the host is not read" {
	start_made none
	printf '10000000 2000 first_stolen\n' >"$PWD/secret"
	ln -s "$PWD/secret" "$map"
	timeout 60 dwell record -e cpu-clock -F 2000 -o spin.data -p "$last" \
		-- "${while_run[@]}" "$last" 2>messages
	[ "$(grep -c "ignored the perf map of process $last: it is a symbolic link" \
		messages)" = 1 ]
	shows_no_made_name
	# Not even if the target is the process's own file.
	cp secret inner/own
	rm "$map"
	ln -s /own "$map"
	record -p "$last" -- "${while_run[@]}" "$last"
	shows_no_made_name
	# A regular file is read: otherwise the rest of the test proves nothing.
	mv inner/own "inner/tmp/moved"
	mv inner/tmp/moved "$map"
	record -p "$last" -- "${while_run[@]}" "$last"
	shows_made_name
}

@test "live: record: a perf map of another user is refused" {
	start_made none
	printf '10000000 2000 first_given\n' >"$map"
	chown 12345 "$map"
	dwell record -e cpu-clock -F 2000 --call-graph fp -o spin.data -p "$last" \
		-- "${while_run[@]}" "$last" 2>messages
	cat messages
	[ "$(grep -c "ignored the perf map of process $last: it is owned by another user" \
		messages)" = 1 ]
	shows_no_made_name
}

# loses_its_map [deleted]: records a process while its perf map changes owner, and is deleted.
loses_its_map() {
	start_made none
	printf '10000000 2000 first_given\n' >"$map"
	dwell record -e cpu-clock -F 2000 --call-graph fp -o spin.data -p "$last" \
		2>messages 3>&- &
	recorder=$!
	started="$started $recorder"
	until_true eval 'ls -l /proc/$recorder/fd | grep -q "perf-$last.map"'
	chown 12345 "$map"
	until_ran "$last" 200
	# Also if no path leads to the file that the recorder has opened.
	[ -z "$1" ] || rm "$map"
	kill -INT "$recorder"
	wait "$recorder"
	cat messages
	[ "$(grep -c "ignored the perf map of process $last: it is owned by another user" \
		messages)" = 1 ]
	shows_no_made_name
}

@test "live: record: a perf map whose owner changes during the recording is ignored" {
	loses_its_map
}

@test "live: record: a perf map whose owner changes before it is deleted is ignored" {
	loses_its_map deleted
}

@test "live: record: a line of a perf map without an end is reported, and the other lines are read" {
	start_made none
	printf '10000000 2000 first_given\n' >"$map"
	head -c 200000 /dev/zero | tr '\0' x >>"$map"
	timeout 60 dwell record -e cpu-clock -F 2000 -o spin.data -p "$last" \
		-- "${while_run[@]}" "$last" 2>messages
	[ "$(grep -c "perf map of process $last: ignored a line that is too long" \
		messages)" = 1 ]
	shows_made_name
}

@test "live: record: a FIFO in place of a perf map does not block the recorder" {
	start_made none
	mkfifo "$map"
	timeout 60 dwell record -e cpu-clock -F 2000 -o spin.data -p "$last" \
		-- "${while_run[@]}" "$last" 2>messages
	[ "$(grep -c "ignored the perf map of process $last: it is not a regular file" \
		messages)" = 1 ]
	shows_no_made_name
}

@test "live: record: a file system that does not answer does not block the recorder" {
	need unsanitized
	build_root
	cc "$DWELL_SOURCE/tests/cli/mute.c" -o mute
	need fuse
	background ./mute inner/tmp chroot inner /made none 400
	until_true grep -qx made "/proc/$last/comm"
	# If the recorder of another test that samples all processes opens the same
	# file, the kernel lets this recorder end after the other.
	timeout 300 dwell record -q -e cpu-clock -F 2000 -o spin.data -p "$last" \
		-- "${while_run[@]}" "$last"
	shows_no_made_name
}

# on_users_mount OPTION: another user mounts the folder "source" at "mounted" with bindfs
# OPTION, and runs a program of this mount, with the PID in the file "pid".
on_users_mount() {
	cat >inside <<-'END'
		setpriv --pdeathsig KILL bindfs -f "$1" "$PWD/source" "$PWD/mounted" &
		until [ -x mounted/spin ]; do
			kill -0 $! || exit
			sleep 0.1
		done
		setpriv --pdeathsig KILL mounted/spin &
		echo $! >pid
		wait $!
	END
	background unshare -m sh -c 'mount --bind dev /dev/fuse
		exec setpriv --reuid 65534 --regid 65534 --clear-groups \
			unshare -Urm sh inside "$1"' sh "$1"
	until_true test -s pid
	until_true grep -qx spin "/proc/$(cat pid)/comm"
}

# records_users_mount OPTION: records the program of on_users_mount OPTION, with the
# messages in the file "messages".
records_users_mount() {
	: >pid
	on_users_mount "$1"
	absent cat "/proc/$(cat pid)/exe"
	timeout 60 dwell record -e cpu-clock -F 2000 --call-graph dwarf -o spin.data \
		-p "$(cat pid)" -- "${while_run[@]}" "$(cat pid)" 2>messages
	kill "$(cat pid)"
	wait "$last" || true
}

@test "live: record: a program on a FUSE mount of another user has names" {
	local option
	need root user-fuse
	build spin_here spin -DSECONDS=600
	mkdir source mounted
	mv spin source
	mknod dev c 10 229
	chmod 666 dev
	: >pid
	chown 65534 pid mounted
	chmod 755 .
	# The mount is for its user, or for all users of the namespace.
	for option in --no-allow-other -oallow_other; do
		records_users_mount "$option"
		absent grep 'cannot read' messages
		shows spin_here
		dwell report --stdio -S spin_here -g caller -i spin.data | grep -w main
	done
	# There is a limit for copies.
	truncate -s 300M source/spin
	records_users_mount --no-allow-other
	grep -c "cannot read a file of process $(cat pid), which only user 65534 can read (a FUSE or NFS mount): File too large" \
		messages | grep -x 1
}

@test "live: record: a perf map of 300 MB is read only up to a limit" {
	start_made none
	printf '10000000 40 first_early\n' >"$map"
	truncate -s 300M "$map"
	printf '\n10001000 40 second_late\n' >>"$map"
	record -p "$last" -- "${while_run[@]}" "$last"
	share '^first_early$' 33
	share '^second_late$' 0
}

@test "live: record: a sample in JIT code has the name that its jitdump had at that time" {
	build_made made
	record ./made dump
	rm jit-*.dump
	# The process can lose time in either half.
	share '_first$' 33
	share '_second$' 67
	dwell script -F ip,sym -i spin.data >ordered
	awk '/ (early|late)_(first|second)$/ { n[$NF]++ }
		/ late_/ { is_late = 1 }
		/ early_/ && is_late { wrong++ }
		END {
			for (name in n) print n[name], name
			print wrong + 0, "with an early name are late"
			exit wrong || !n["early_first"] || !n["early_second"] ||
				!n["late_first"] || !n["late_second"]
		}' ordered
}

# Prints the percentage of stacks in "called" that have "caller" as the caller.
called_share() {
	dwell script -i spin.data -F ip,sym | awk '
		function count() { all += seen; good += found && rooted
			seen = found = rooted = 0 }
		/^$/ { count() }
		/ called$/ { seen = 1 }
		/ caller$/ && seen { found = 1 }
		/ _start$/ { rooted = found }
		END { count(); print all ? int(100 * good / all) : 0 }'
}

@test "live: record: stacks through JIT code are complete if its jitdump has unwind rules" {
	need x86_64
	build_made made
	dwell record "${large[@]}" -e cpu-clock:u -F 1000 --call-graph dwarf \
		-o spin.data ./made rules 2>messages
	cat messages
	share=$(called_share)
	echo "$share %"
	[ "$share" -ge 95 ]
	run ! grep 'in JIT code' messages
}

# whole_share COMMAND...: prints the percentage of stacks that are complete by rules and
# instructions; language runtimes (languages.bats) are off.
whole_share() {
	dwell record --lang none "${large[@]}" -e cpu-clock:u -F 1000 --call-graph dwarf \
		-o spin.data "$@" >/dev/null 2>messages
	cat messages >&2
	sed -n 's/.* stacks are complete (\([0-9]*\).*/\1/p' messages
}

# record_java FILE: records a program that does not end, after it has run until
# the compiler has replaced all code, and sets $share. Stacks in code that is
# freed during the recording are incomplete.
record_java() {
	background java "$1"
	until_ran "$last" 4000
	share=$(whole_share -p "$last" -- "${while_run[@]}" "$last")
}

@test "live: record: stacks through perf trampolines of Python are complete" {
	need x86_64
	need python-perf
	python=$(perf_python perf)
	cat >hot.py <<-'END'
		import os, time
		open("pid", "w").write(str(os.getpid()))
		def leaf(n):
		    x = 1
		    for i in range(n):
		        x = (x * 31 + i) & 0xffffffff
		    return x
		def root(end):
		    while time.process_time() < end:
		        leaf(3000)
		root(time.process_time() + 0.6)
	END
	share=$(whole_share "$python" -X perf hot.py)
	rm -f "/tmp/perf-$(cat pid).map"
	[ "$share" -ge 95 ]
	dwell report --stdio --children -s sym -g none -i spin.data >shown
	# leaf() has no other caller. Python also starts and ends, which takes longer on
	# a loaded machine.
	cat shown
	awk '/py::leaf:/ { leaf = $1 + 0 } /py::root:/ { root = $1 + 0 }
		END { exit leaf < 10 || root < 0.95 * leaf }' shown
}

@test "live: record: functions of Node.js have callers at each of their instructions" {
	need x86_64
	need node
	cat >calls.js <<-'END'
		"use strict";
		require("fs").writeFileSync("pid", String(process.pid));
		function odd(n) { return n < 2 ? n : even(n - 1) + even(n - 2); }
		function even(n) { return n < 2 ? n : odd(n - 1) + odd(n - 2); }
		const { cpuUsage } = process, ms = 700;
		let s = 0;
		while (cpuUsage().user < ms * 1000)
			s += odd(20);
	END
	share=$(whole_share node --perf-basic-prof \
		--max-inlined-bytecode-size=1 calls.js)
	rm -f "/tmp/perf-$(cat pid).map"
	[ "$share" -ge 97 ]
	dwell script -i spin.data -F ip,sym | awk '
		/^$/ { n = 0; next }
		/ JS:\*(odd|even) / { split($2, name, "*"); n++
			if (n == 1) mine = name[2]
			if (n == 2) { all++; bad += name[2] == mine } }
		!/ JS:\*(odd|even) / { n = 9 }
		END { print bad, all; exit all < 50 || bad * 20 > all }'
}

# Mono's code sets the frame pointer only in some functions.
@test "live: record: functions that Mono compiled have all their callers" {
	need x86_64 mono mcs
	cat >calls.cs <<-'END'
		using System.Runtime.CompilerServices;
		class Calls {
			static int sum;
			[MethodImpl(MethodImplOptions.NoInlining)]
			static int Leaf(int n) {
				int s = 1;
				for (int i = 0; i < n; i++)
					s = s * 31 + i;
				return s;
			}
			[MethodImpl(MethodImplOptions.NoInlining)]
			static int Middle(int n) {
				sum += Leaf(n);
				return sum + 1;
			}
			[MethodImpl(MethodImplOptions.NoInlining)]
			static int Outer(int n) {
				return Middle(n) + Middle(n / 2);
			}
			static void Main() {
				var process = System.Diagnostics.Process.GetCurrentProcess();
				while (process.UserProcessorTime.TotalMilliseconds < 600) {
					for (int i = 0; i < 100; i++)
						sum += Outer(20000);
					process.Refresh();
				}
			}
		}
	END
	mcs calls.cs
	dwell record -q "${large[@]}" --runtime-env -e cpu-clock:u -F 999 -g -o calls.data -- \
		mono calls.exe
	dwell export --force --format folded -i calls.data | tee folded |
		awk '/;Calls:Leaf [^;]*$/ { all += $NF }
			/;Calls:Main [^;]*;Calls:Outer [^;]*;Calls:Middle [^;]*;Calls:Leaf [^;]*$/ {
				good += $NF
			}
			END { print good, all; exit all < 50 || good < all * 0.9 }'
}

# A JIT compiler writes functions one after another. inner() is sampled behind the slow
# instruction before its first one, where only the instructions show its caller.
@test "live: record: JIT code that is written beside known code has callers at once" {
	need x86_64
	need gcc
	cat >beside.c <<-'END'
		#include <string.h>
		#include <sys/mman.h>
		__asm__(".pushsection .rodata\n"
			".globl first, second, third\n"
			"first:	dec %rdi; jnz first; ret\n"
			"second: push %rbp; mov %rsp, %rbp; call inner\n"
			"	pop %rbp; ret\n"
			".Lslow: lock addq $0, (%rsp)\n"
			"inner:	push %rbp; mov %rsp, %rbp; pop %rbp\n"
			"	dec %rdi; jnz .Lslow; ret\n"
			"third:	.popsection\n");
		extern const char first[], second[], third[];
		__attribute__((noinline)) static void
		run(char *at, const char *code, const char *end, long n)
		{
			void (*call)(long);

			memcpy(at, code, end - code);
			memcpy(&call, &at, sizeof(call));
			call(n);
		}
		int main(void)
		{
			char *page = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

			memset(page, 0xcc, 4096);
			run(page, first, second, 100000000);
			run(page + 512, second, third, 60000000);
			return 0;
		}
	END
	gcc -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls beside.c -o beside
	# Stacks that the recorder unwinds: the kernel reads code when it is sampled.
	DWELL_NO_BPF=1 dwell record -q "${large[@]}" -e cpu-clock:u -F 1000 \
		--call-graph dwarf -o beside.data -- ./beside
	# The process may have ended before its last stacks are unwound.
	dwell script -i beside.data -F ip | awk '
		BEGIN { RS = "" }
		$1 ~ /211$/ { all++; good += $2 ~ /209$/ }
		END { print good + 0, all; exit all < 50 || good < all * 0.8 }'
}

@test "live: record: most stacks of Java without frame pointers are complete" {
	need x86_64
	need java
	cat >Hot.java <<-'END'
		import java.util.*;
		public class Hot {
			static int leaf(int n) {
				int x = 1;
				for (int i = 0; i < n; i++)
					x = (x * 31 + i) ^ (x >>> 3);
				return x;
			}
			static int sort(int n) {
				Integer[] a = { 3, 1, 2, 5 };
				Arrays.sort(a, (p, q) -> p - q + leaf(50) * 0);
				return leaf(n) + a[0];
			}
			static int walk(int n, int deep) {
				return deep > 0 ? walk(n, deep - 1) + 1 : sort(n);
			}
			public static void main(String[] args) {
				int sum = 0;
				while (sum != 1)
					sum += 2 * walk(2000, 8);
			}
		}
	END
	record_java Hot.java
	[ "$share" -ge 85 ]
}

@test "live: record: at least 85 % of Java stacks are complete where its interpreter calls JIT code" {
	need x86_64
	need java
	cat >Deep.java <<-'END'
		public class Deep {
			static int fib(int n) {
				return n < 2 ? n : fib(n - 1) + fib(n - 2);
			}
			public static void main(String[] args) {
				int sum = 0;
				while (sum != 1)
					sum += 2 * fib(34);
			}
		}
	END
	record_java Deep.java
	[ "$share" -ge 85 ]
}

@test "live: record: a message counts stacks that end in JIT code without unwind rules" {
	need x86_64
	build_made made
	dwell record -e cpu-clock:u -F 1000 --call-graph dwarf -o spin.data \
		./made norules 2>messages
	cat messages
	[ "$(called_share)" = 0 ]
	grep -E '[0-9]+ stacks end in JIT code' messages
}

@test "live: record: if there is a jitdump and a perf map, names are from the jitdump" {
	build_root
	record chroot inner /made both
	rm -r inner
	share '^(early|late)_(first|second)$' 100
	share 'otherwise' 0
}

# record_node OPTION: records node for a second, with an option for names of its
# code; writes its pid.
record_node() {
	need node
	cat >hot.js <<-'END'
	function hotFunction(n) {
		let x = 1;
		for (let i = 0; i < n; i++)
			x = (x * 31 + i) | 0;
		return x;
	}
	const { cpuUsage } = process, ms = 1000;
	let sum = 0;
	while (cpuUsage().user < ms * 1000)
		sum += hotFunction(1000000);
	console.log(require("process").pid);
	END
	record node "$1" hot.js >pid
}

shows_hot_function() {
	dwell report --stdio -n -s dso,sym -i spin.data >shown
	cat shown
	grep -E '[1-9][0-9]{2,} .*\[JIT\] tid [0-9]+ .*hotFunction' shown
}

@test "live: record: functions of Node.js have names from its perf map" {
	record_node --perf-basic-prof
	rm -f "/tmp/perf-$(cat pid).map"
	shows_hot_function
}

@test "live: record: functions of Node.js have names from its jitdump" {
	record_node --perf-prof
	rm -f jit-*.dump
	shows_hot_function
}

# The first file of several is closed, and the second one is open.
has_one_part() {
	compgen -G 'spin.data.*' && [ -e spin.data ]
} >/dev/null

@test "live: record: each file of --switch-output has the names of JIT code" {
	start_made none
	background dwell-record -q -e cpu-clock -F 2000 -o spin.data -p "$last" \
		--switch-output
	until_true has_recorded spin.data 100
	printf '10000000 2000 late_named\n' >"$map"
	kill -USR2 "$last"
	until_true has_one_part
	until_true has_recorded spin.data 100
	kill -INT "$last"
	wait "$last"
	ls
	files=(spin.data.*)
	[ "${#files[@]}" = 2 ]
	rm "$map"
	for file in "${files[@]}"; do
		mv "$file" spin.data
		share '^late_named$' 100
	done
}

# start_in_memory FILE: starts a program that runs a copy of FILE in memory.
start_in_memory() {
	need python3
	cat >run.py <<-END
	import os
	fd = os.memfd_create("tool")
	os.write(fd, open("$1", "rb").read())
	os.execve(fd, ["tool"], {})
	END
}

@test "live: record: a program that runs from a memfd has names" {
	build spin_unfiled spin
	start_in_memory spin
	record python3 run.py
	shows spin_unfiled
}

# The ELF loader maps the whole file executable, then shrinks that mapping.
@test "live: record: a program that runs from a memfd has names if its first segment is executable" {
	build spin_unfiled spin -Wl,-z,noseparate-code
	start_in_memory spin
	record python3 run.py
	shows spin_unfiled
}

@test "live: record: a deleted program has complete stacks if its first segment is executable" {
	build spin_gone spin -fomit-frame-pointer -Wl,-z,noseparate-code
	record "${large[@]}" --call-graph dwarf ./spin and go
	[ ! -e spin ]
	dwell script -F ip,sym -i spin.data >stacks
	awk -v RS= '/ spin_gone\n/ { n++; called += / spin_gone\n.* main\n/ }
		END { print n " samples, " called " called by main"
			exit !(n >= 10 && called == n) }' stacks
}

# load.c: calls entry() of ./spin.so, which it has deleted.
write_loader() {
	cat >load.c <<-'END'
	#include <dlfcn.h>
	#include <unistd.h>

	int main(void)
	{
		void *library = dlopen("./spin.so", RTLD_NOW);
		int (*entry)(int, char **);

		if (!library)
			return 1;
		unlink("spin.so");
		entry = (int (*)(int, char **))dlsym(library, "entry");
		return entry(1, (char *[]){ "load", NULL });
	}
	END
}

@test "live: record: a deleted library has names if its first segment is executable" {
	need root
	build spin_away spin.so -shared -fPIC -Dmain=entry \
		-Wl,-z,noseparate-code
	write_loader
	cc load.c -o load -ldl
	record ./load
	[ ! -e spin.so ]
	shows spin_away
}

# A user may not open a deleted file of a process that already runs.
@test "live: record: stacks that end in a file that could not be opened are counted with this reason" {
	build spin_away spin.so -shared -fPIC -Dmain=entry -DSECONDS=60 \
		-O1 -fomit-frame-pointer
	write_loader
	cc -O1 -fomit-frame-pointer load.c -o load -ldl
	enter_users_folder
	mv ../spin.so ../load .
	background setpriv --reuid="$user" --regid="$user" --clear-groups ./load
	until_true test ! -e spin.so
	as_user ./dwell-record -e cpu-clock:u -F 1000 --call-graph dwarf \
		-o spin.data -p "$last" -- "${while_run[@]}" "$last" 2>messages
	cat messages
	grep -E ' [0-9]+ stacks end in files that the recorder could not open\. ' messages
	run ! grep 'code without unwind rules' messages
	"$report" --stdio -i spin.data >text
	grep -E '^# Copied Stacks: .* [0-9]+ end in files that could not be opened' text
	"$report" --json -i spin.data | grep -E '"no_rule": 0,.*"no_file": [1-9]'
}

# Each program counts for 30 to 50 ms, and ends when the recorder has opened its file,
# which is then deleted. It does not count by a clock, which also advances while another
# guest uses the CPU. The linker does not hash names: only a build ID option makes them
# different files.
@test "live: record: twelve different short programs that run from a memfd all have names" {
	local i
	need python3
	cat >spin.c <<-'END'
		#include <unistd.h>
		__attribute__((noinline)) static unsigned long SPIN(unsigned long x)
		{
			for (unsigned long i = 0; i < 30000000; i++) {
				x ^= x << 13;
				x ^= x >> 7;
				__asm__ volatile("" : "+r"(x));
			}
			return x;
		}
		int main(void)
		{
			char c;

			return SPIN(1) == 0 || read(0, &c, 1) != 0;
		}
	END
	for i in {1..12}; do
		build "spin_short$i" "spin$i" \
			-Wl,--build-id=0x00112233445566$(printf %02x "$i")
	done
	cat >run.py <<-'END'
	import os, time
	files = f"/proc/{os.getppid()}/fd/"
	def is_opened(name):
	    for fd in os.listdir(files):
	        try:
	            if os.readlink(files + fd) == f"/memfd:{name} (deleted)":
	                return True
	        except FileNotFoundError:
	            pass
	for i in range(1, 13):
	    fd = os.memfd_create(f"tool{i}")
	    os.write(fd, open(f"spin{i}", "rb").read())
	    end, go = os.pipe()
	    if not os.fork():
	        os.dup2(end, 0)
	        os.execve(fd, ["tool"], {})
	    os.close(fd)
	    os.close(end)
	    while not is_opened(f"tool{i}"):
	        time.sleep(0.01)
	    os.close(go)
	    os.wait()
	END
	record python3 run.py
	dwell report --stdio -s sym -i spin.data | grep -o 'spin_short[0-9]*' |
		sort -u | tee named
	[ "$(wc -l <named)" = 12 ]
}

### Moved code #################################################################

# build_moved FLAG...: builds the program whose function moves itself.
build_moved() {
	cc -O1 -fomit-frame-pointer "$DWELL_SOURCE/tests/cli/moved.c" -o moved "$@"
}

@test "live: record: code that was copied to memory without a file has the names of its file" {
	build_moved
	record ./moved copy
	shows moved_hot
	record --call-graph fp ./moved copy
	shows moved_hot
}

@test "live: record: a program that copied all its code to memory has names, with any segments" {
	for segments in separate-code noseparate-code; do
		build_moved -Wl,-z,"$segments"
		record ./moved whole
		shows moved_hot
	done
}

@test "live: record: a process that copied its code before the recording has names" {
	build_moved
	background ./moved copy 60
	until_ran "$last" 50
	record -p "$last" -- "${while_run[@]}" "$last"
	shows moved_hot
}

@test "live: record: stacks through copied code are complete" {
	build_moved
	record "${large[@]}" --call-graph dwarf ./moved copy
	dwell report --stdio -n -g caller --no-children -s sym \
		-S moved_hot -i spin.data >shown
	cat shown
	grep -E '(^|[- |])main' shown
}

@test "live: record: code that differs from its file has no names of the file" {
	build_moved
	timeout 60 dwell record -e cpu-clock -F 2000 -o spin.data \
		./moved change 2>messages
	cat messages
	grep -F "in the place of code of $PWD/moved." messages
	absent shows moved_hot
	run ! grep moved_hot shown
}

@test "live: record: code that mremap() moved has names" {
	build_moved
	record ./moved move
	shows moved_hot
	background ./moved move 60
	until_ran "$last" 50
	record -p "$last" -- "${while_run[@]}" "$last"
	shows moved_hot
}
