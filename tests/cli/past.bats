#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Processes as they were: names of code whose file is deleted, replaced or out
# of reach when the recording ends; and what a hostile process can't have read.

load common.bash

setup() {
	enter_test
	cp "$DWELL_SOURCE/tests/cli/spin.c" .
}

# build NAME FILE FLAG...: a program that spends its time in function NAME.
build() {
	local name=$1 file=$2
	shift 2
	cc -O1 -fno-omit-frame-pointer -DSPIN="$name" spin.c -o "$file" "$@"
}

# What runs is recorded; the last command's files are gone before the end.
record() {
	timeout 60 dwell record -q -e cpu-clock -F 2000 -o spin.data "$@"
}

# shows NAME: a function that most samples of some program were in.
shows() {
	dwell report --stdio -n -s dso,sym -i spin.data >shown
	cat shown
	grep -E "[1-9][0-9]{2,} .*\[\.\] $1\$" shown
}

@test "live: a program that deletes itself keeps its names" {
	build spin_gone spin
	record ./spin and go
	[ ! -e spin ]
	shows spin_gone
}

@test "live: a program without a build ID that deletes itself keeps its names" {
	need_root
	build spin_gone spin -Wl,--build-id=none
	record ./spin and go
	[ ! -e spin ]
	shows spin_gone
}

@test "live: a program that was built and thrown away meanwhile has names" {
	build spin_first spin -Wl,--build-id=none
	record sh -c 'cp spin other; ./other; rm other spin'
	shows spin_first
}

@test "live: two builds at one path have the names of their own" {
	build spin_first spin
	build spin_second other
	record sh -c './spin; mv other spin; ./spin; rm spin'
	shows spin_first
	shows spin_second
}

@test "live: two builds without build IDs have the names of their own" {
	build spin_first spin -Wl,--build-id=none
	build spin_second other -Wl,--build-id=none
	record sh -c './spin; mv other spin; ./spin; rm spin'
	shows spin_first
	shows spin_second
}

@test "live: a process that runs a deleted file has names" {
	build spin_gone spin -DSECONDS=60
	background ./spin
	rm spin
	record -p "$last" --duration 0.5
	shows spin_gone
}

@test "live: a program in a chroot that is gone at the end has names" {
	need_root
	mkdir inner
	build spin_inside inner/spin -static
	record sh -c 'chroot inner /spin; rm -r inner'
	shows spin_inside
}

@test "live: a program on a mount of its own has names" {
	need_root
	unshare -m true || skip "no mount namespaces here"
	mkdir inner
	build spin_inside spin
	record unshare -m sh -c \
		'mount -t tmpfs none inner && cp spin inner/ && inner/spin'
	[ ! -e inner/spin ]
	rm spin
	shows spin_inside
}

### Code that is made at run time ##############################################

# The program that makes code, linked so that it needs no library.
build_made() {
	made_lock -s
	cc -O1 -static "$DWELL_SOURCE/tests/cli/made.c" -o "$1"
}

# A root of its own in inner/, with the program as /made.
build_root() {
	need_root
	mkdir -p inner/tmp
	build_made inner/made
}

# start_made KIND: that program in that root, until the test ends. Its map of
# names is to be in $map.
start_made() {
	build_root
	background chroot inner /made "$1" 60
	map=inner/tmp/perf-$last.map
}

# share PATTERN: percent of the samples in functions that match.
share() {
	dwell report --stdio -n -s dso,sym -i spin.data >shown
	sed -n 's/^ *\([0-9.]*\)%.*\[[.k]\] /\1\t/p' shown |
		awk -F '\t' -v name="$1" '$2 ~ name { sum += $1 }
			END { print int(sum + 0.5) }'
}

# about N PERCENT: within ten.
about() {
	echo "$1 of $2 %"
	[ "$1" -ge $(($2 - 10)) ] && [ "$1" -le $(($2 + 10)) ]
}

# The process that the made code is of.
made_pid() {
	dwell report --stdio -s dso -i spin.data |
		sed -n 's/.*\[JIT\] tid \([0-9]*\).*/\1/p'
}

# Neither half of the program's code has a name.
shows_no_made_name() {
	dwell report --stdio -n -s dso,sym -i spin.data >shown
	cat shown
	grep -F '[.] 0x000000001000' shown
	! grep -E '\[\.\] (first|second|stale)' shown
}

@test "live: names from a perf map are in the recording" {
	build_made made
	record ./made again
	rm "/tmp/perf-$(made_pid).map"
	about "$(share '^first_made$')" 33
	about "$(share '^second_made')" 66
	grep -E '\[JIT\] tid [0-9]+ +\[\.\] second_made\(int, char \*\)$' shown
	run ! grep stale shown
}

@test "live: the perf map of a PID namespace and a chroot is found" {
	build_root
	unshare -fp true || skip "no PID namespaces here"
	record sh -c 'unshare -fp chroot inner /made map; ls inner/tmp;
		rm -r inner'
	about "$(share '^first_made$')" 33
}

@test "live: the perf map of a process that runs on is found" {
	start_made map
	until_true test -s "$map"
	record -p "$last" --duration 0.5
	about "$(share '^second_made')" 66
}

@test "live: a container's link to a file of the host is not followed" {
	start_made none
	printf '10000000 2000 first_stolen\n' >"$PWD/secret"
	ln -s "$PWD/secret" "$map"
	timeout 60 dwell record -e cpu-clock -F 2000 -o spin.data -p "$last" \
		--duration 0.5 2>messages
	[ "$(grep -c "perf map of process $last is a symbolic link: what it \
says about code is ignored" messages)" = 1 ]
	shows_no_made_name
	# Not even to a file of its own.
	cp secret inner/own
	rm "$map"
	ln -s /own "$map"
	record -p "$last" --duration 0.5
	shows_no_made_name
	# A file is taken: the rest of the test would show it.
	mv inner/own "inner/tmp/moved"
	mv inner/tmp/moved "$map"
	record -p "$last" --duration 0.5
	! shows_no_made_name
}

@test "live: a perf map of somebody else is refused" {
	start_made none
	printf '10000000 2000 first_given\n' >"$map"
	chown 12345 "$map"
	dwell record -e cpu-clock -F 2000 -g -o spin.data -p "$last" \
		--duration 0.5 2>messages
	cat messages
	[ "$(grep -c "perf map of process $last is not its user's" messages)" = 1 ]
	shows_no_made_name
}

@test "live: a perf map whose owner changes during recording is ignored" {
	start_made none
	printf '10000000 2000 first_given\n' >"$map"
	dwell record -e cpu-clock -F 2000 -g -o spin.data -p "$last" \
		2>messages 3>&- &
	recorder=$!
	started="$started $recorder"
	until_true eval 'ls -l /proc/$recorder/fd | grep -q "perf-$last.map"'
	chown 12345 "$map"
	until_ran "$last" 200
	kill -INT "$recorder"
	wait "$recorder"
	cat messages
	[ "$(grep -c "perf map of process $last is not its user's" messages)" = 1 ]
	shows_no_made_name
}

@test "live: a perf map's endless line is told, and the rest is taken" {
	start_made none
	printf '10000000 2000 first_given\n' >"$map"
	head -c 200000 /dev/zero | tr '\0' x >>"$map"
	timeout 60 dwell record -e cpu-clock -F 2000 -o spin.data -p "$last" \
		--duration 0.5 2>messages
	[ "$(grep -c "perf map of process $last has an endless line, which is \
ignored" messages)" = 1 ]
	! shows_no_made_name
}

@test "live: a FIFO in place of a perf map holds nothing up" {
	start_made none
	mkfifo "$map"
	timeout 60 dwell record -e cpu-clock -F 2000 -o spin.data -p "$last" \
		--duration 0.5 2>messages
	[ "$(grep -c "perf map of process $last is no regular file: what it \
says about code is ignored" messages)" = 1 ]
	shows_no_made_name
}

@test "live: a file system that never answers holds nothing up" {
	build_root
	cc "$DWELL_SOURCE/tests/cli/mute.c" -o mute
	./mute inner/tmp true || skip "no FUSE mounts here"
	background ./mute inner/tmp chroot inner /made none 60
	until_true grep -qx made "/proc/$last/comm"
	# A search for leaks stops all threads, and would wait for the one that
	# the file system holds.
	export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
	record -p "$last" --duration 0.5
	shows_no_made_name
}

@test "live: a perf map without end is cut" {
	start_made none
	printf '10000000 40 first_early\n' >"$map"
	truncate -s 300M "$map"
	printf '\n10001000 40 second_late\n' >>"$map"
	record -p "$last" --duration 0.5
	about "$(share '^first_early$')" 33
	about "$(share '^second_late$')" 0
}

@test "live: names from a jitdump are those of the sample's time" {
	build_made made
	record ./made dump
	rm jit-*.dump
	about "$(share '^early_first$')" 17
	about "$(share '^early_second$')" 33
	about "$(share '^late_first$')" 17
	about "$(share '^late_second$')" 33
}

# Of how many of the stacks "caller" is told to call "called", percent.
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

@test "live: stacks are whole through made code whose rules a jitdump tells" {
	[ "$(uname -m)" = x86_64 ] || skip "the made code is of x86-64"
	build_made made
	dwell record -e cpu-clock:u -F 1000 --call-graph dwarf -o spin.data \
		./made rules 2>messages
	cat messages
	share=$(called_share)
	echo "$share %"
	[ "$share" -ge 95 ]
	run ! grep 'made at run time' messages
}

# whole_share COMMAND...: of how many stacks all callers are known, percent.
whole_share() {
	dwell record -e cpu-clock:u -F 1000 --call-graph dwarf -o spin.data \
		"$@" >/dev/null 2>messages
	cat messages >&2
	sed -n 's/.* stacks are whole (\([0-9]*\).*/\1/p' messages
}

@test "live: stacks are whole through Python's trampolines" {
	[ "$(uname -m)" = x86_64 ] || skip "aarch64 has frame pointers there"
	made_lock -s
	python=
	for name in python3.13 python3.12 python3 \
		"$HOME"/.pyenv/versions/3.1[2-9]*/bin/python3; do
		"$name" -X perf -c 'import sys
sys.exit(not sys.is_stack_trampoline_active())' 2>/dev/null || continue
		python=$name
	done
	[ "$python" ] || skip "no Python with -X perf (3.12)"
	cat >hot.py <<-'END'
		import os, time
		open("pid", "w").write(str(os.getpid()))
		def leaf(n):
		    x = 1
		    for i in range(n):
		        x = (x * 31 + i) & 0xffffffff
		    return x
		def root(end):
		    while time.time() < end:
		        leaf(3000)
		root(time.time() + 1)
	END
	share=$(whole_share "$python" -X perf hot.py)
	rm -f "/tmp/perf-$(cat pid).map"
	[ "$share" -ge 95 ]
	dwell report --stdio --children -s sym -g none -i spin.data >shown
	grep -E '^ *9[0-9].*py::root:' shown
}

@test "live: node's functions have their callers from the first instruction" {
	[ "$(uname -m)" = x86_64 ] || skip "x86-64's instructions"
	need node
	made_lock -s
	cat >calls.js <<-'END'
		"use strict";
		require("fs").writeFileSync("pid", String(process.pid));
		function odd(n) { return n < 2 ? n : even(n - 1) + even(n - 2); }
		function even(n) { return n < 2 ? n : odd(n - 1) + odd(n - 2); }
		const end = Date.now() + 1500;
		let s = 0;
		while (Date.now() < end)
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

@test "live: most stacks of Java are whole, without frame pointers" {
	[ "$(uname -m)" = x86_64 ] || skip "x86-64's instructions"
	need java
	made_lock -s
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
				long end = System.currentTimeMillis() + 2500;
				int sum = 0;
				while (System.currentTimeMillis() < end)
					sum += walk(2000, 8);
				System.out.println(sum);
			}
		}
	END
	# In some runs what is sampled most is code that was thrown away already.
	for run in 1 2 3; do
		share=$(whole_share java Hot.java)
		[ "$share" -lt 85 ] || break
	done
	[ "$share" -ge 85 ]
}

@test "live: stacks of Java go on where its interpreter calls made code" {
	[ "$(uname -m)" = x86_64 ] || skip "x86-64's instructions"
	need java
	made_lock -s
	cat >Deep.java <<-'END'
		public class Deep {
			static int fib(int n) {
				return n < 2 ? n : fib(n - 1) + fib(n - 2);
			}
			public static void main(String[] args) {
				long end = System.currentTimeMillis() + 2000;
				int sum = 0;
				while (System.currentTimeMillis() < end)
					sum += fib(34);
				System.out.println(sum);
			}
		}
	END
	share=$(whole_share java Deep.java)
	[ "$share" -ge 85 ]
}

@test "live: stacks that end in made code without rules are told" {
	[ "$(uname -m)" = x86_64 ] || skip "the made code is of x86-64"
	build_made made
	dwell record -e cpu-clock:u -F 1000 --call-graph dwarf -o spin.data \
		./made norules 2>messages
	cat messages
	[ "$(called_share)" = 0 ]
	grep -E '[0-9]+ stacks end in code that was made at run time' messages
}

@test "live: a jitdump is believed rather than a perf map" {
	build_root
	record chroot inner /made both
	rm -r inner
	about "$(share '^early_second$')" 33
	about "$(share 'otherwise')" 0
}

# A second of node, told by OPTION to name its code; its pid is written.
record_node() {
	need node
	made_lock -s
	cat >hot.js <<-'END'
	function hotFunction(n) {
		let x = 1;
		for (let i = 0; i < n; i++)
			x = (x * 31 + i) | 0;
		return x;
	}
	const end = Date.now() + 1000;
	let sum = 0;
	while (Date.now() < end)
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

@test "live: node's perf map gives names" {
	record_node --perf-basic-prof
	rm -f "/tmp/perf-$(cat pid).map"
	shows_hot_function
}

@test "live: node's jitdump gives names" {
	record_node --perf-prof
	rm -f jit-*.dump
	shows_hot_function
}

# The first file of several is closed, and the second one is open.
has_one_part() {
	compgen -G 'spin.data.*' && [ -e spin.data ]
} >/dev/null

@test "live: each of several files has the names of made code" {
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
		about "$(share '^late_named$')" 100
	done
}

# start_in_memory FILE: a program that starts a copy of FILE in memory.
start_in_memory() {
	need python3
	cat >run.py <<-END
	import os
	fd = os.memfd_create("tool")
	os.write(fd, open("$1", "rb").read())
	os.execve(fd, ["tool"], {})
	END
}

@test "live: a program that lies in memory only has names" {
	build spin_unfiled spin
	start_in_memory spin
	record python3 run.py
	shows spin_unfiled
}

# The ELF loader maps the whole file executable, then shrinks that mapping.
@test "live: a program in memory has names if its first segment is executable" {
	build spin_unfiled spin -Wl,-z,noseparate-code
	start_in_memory spin
	record python3 run.py
	shows spin_unfiled
}

@test "live: a deleted program has whole stacks if its first segment is executable" {
	build spin_gone spin -fomit-frame-pointer -Wl,-z,noseparate-code
	record --call-graph dwarf ./spin and go
	[ ! -e spin ]
	dwell script -F ip,sym -i spin.data >stacks
	awk -v RS= '/ spin_gone\n/ { n++; called += / spin_gone\n.* main\n/ }
		END { print n " samples, " called " called by main"
			exit !(n > 50 && called == n) }' stacks
}

@test "live: a deleted library has names if its first segment is executable" {
	need_root
	build spin_away spin.so -shared -fPIC -Dmain=entry \
		-Wl,-z,noseparate-code
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
	cc load.c -o load -ldl
	record ./load
	[ ! -e spin.so ]
	shows spin_away
}

# Each has 20 ms of CPU time, and is gone at once. The linker does not hash names:
# only a build ID from outside makes them different files.
@test "live: twelve different short programs in memory all have names" {
	local i
	need python3
	for i in {1..12}; do
		build "spin_short$i" "spin$i" -DSECONDS='2 / 100' \
			-Wl,--build-id=0x00112233445566$(printf %02x "$i")
	done
	cat >run.py <<-'END'
	import os
	for i in range(1, 13):
	    fd = os.memfd_create("tool")
	    os.write(fd, open(f"spin{i}", "rb").read())
	    if not os.fork():
	        os.execve(fd, ["tool"], {})
	    os.close(fd)
	    os.wait()
	END
	record python3 run.py
	dwell report --stdio -s sym -i spin.data | grep -o 'spin_short[0-9]*' |
		sort -u | tee named
	[ "$(wc -l <named)" = 12 ]
}
