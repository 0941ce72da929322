# SPDX-License-Identifier: GPL-2.0-or-later
# What tests need of the machine and of the build, beside a C compiler: one table
# of names. A name's probe does what the test does: it compiles and runs a 32-bit
# program, or counts ten writes to a variable. A test says `need NAME...` and is
# skipped with the reason "needs NAME" if a probe fails. The comma-separated
# variable DWELL_TEST_LACKS has names whose probes count as failed. A name that is
# not in the table is an error.
#
# tests/cli/common.bash loads this file. As a program:
#
#	bash tests/needs.bash names		prints all names
#	bash tests/needs.bash describe NAME...	prints what each name means if it
#						is lacking: "NAME: TEXT"
#	bash tests/needs.bash check NAME	has the status 0 if the probe
#						succeeds, 1 if not, 2 if there is
#						no such name

needs=${BASH_SOURCE[0]}
# These headers come after the system's: Debian's gcc-multilib, which has a link
# to them, conflicts with compilers for another machine, and gcc-12-multilib
# lacks the link.
i386=(-m32 -idirafter /usr/include/x86_64-linux-gnu)

# meets NAME...: succeeds if the probe of each NAME does. It fails with 1 and the
# first other name in $lacking, and with 2 if a name is not in the table. Each probe
# runs once per run of bats.
meets() {
	local known=${BATS_RUN_TMPDIR:-/nonexistent}/needs status

	for lacking; do
		[ ! -e "$known/$lacking.met" ] || continue
		[ ! -e "$known/$lacking.lacking" ] || return 1
		status=0
		DWELL_BUILD=$DWELL_BUILD DWELL_SOURCE=$DWELL_SOURCE \
			"$BASH" "$needs" check "$lacking" </dev/null 3>&- ||
			status=$?
		mkdir -p "$known"
		case $status in
		0) : >"$known/$lacking.met" ;;
		1)
			: >"$known/$lacking.lacking"
			return 1 ;;
		*) return 2 ;;
		esac
	done
}

# need NAME...: skips the test if the probe of a NAME fails.
need() {
	local status=0 lacking

	meets "$@" || status=$?
	[ "$status" != 1 ] || skip "needs $lacking"
	return "$status"
}

# own_podman: podman keeps its images and containers in this folder from here on,
# and gives containers no network and no limits that the machine may not permit.
own_podman() {
	cat >containers.conf <<-END
	[containers]
	netns = "none"
	default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
	[engine]
	runtime = "runc"
	cgroup_manager = "cgroupfs"
	events_logger = "file"
	END
	cat >storage.conf <<-END
	[storage]
	driver = "vfs"
	graphroot = "$PWD/podman"
	runroot = "$PWD/podman.run"
	END
	export CONTAINERS_CONF=$PWD/containers.conf
	export CONTAINERS_STORAGE_CONF=$PWD/storage.conf
}

# i386_gcc ...: compiles with gcc for 32 bits.
i386_gcc() {
	gcc "${i386[@]}" "$@"
}

# Prints the path of the browser. The headless shell takes two thirds of the CPU time.
chromium_path() {
	type -P chromium-headless-shell || type -P chromium || type -P chromium-browser || type -P google-chrome
}

# perf_python OPTION: prints the path of a Python with -X OPTION: perf (3.12) or
# perf_jit (3.13).
perf_python() {
	local name

	for name in python3 python3.1{2,3,4} \
		"$HOME"/.pyenv/versions/3.1[2-9]*/bin/python3; do
		"$name" -X "$1" -c 'import sys
sys.exit(not sys.is_stack_trampoline_active() or print(sys.executable))
' 2>/dev/null && return
	done
	return 1
}

# cgroup_mount: prints where the control groups are mounted that perf events know.
cgroup_mount() {
	awk '$3 == "cgroup" && $4 ~ /perf_event/ { v1 = $2 }
		$3 == "cgroup2" { v2 = $2 }
		END { print v1 ? v1 : v2 }' /proc/self/mounts
}

# A bats file needs no more.
[ "${BASH_SOURCE[0]}" = "$0" ] || return 0

### The table ##################################################################

# Prints the rows: name | probe | what is lacking.
table() {
	cat <<-'END'
	live | records | this user cannot sample his own processes, or DWELL_TEST_LIVE is "no"; build/tests/probe prints the reason
	root | is_root | the tests do not run as root
	perf | runs_perf | perf is not installed, or does not run
	browser | has_browser | Node.js or Chromium is not installed
	# The kernel, and what it permits.
	breakpoint | probe breakpoint | hardware breakpoints do not fire
	tracefs | counts_tracepoint sched/sched_switch | tracepoints cannot be recorded; as root: mount -t tracefs none /sys/kernel/tracing
	syscall-tracepoints | counts_tracepoint syscalls/sys_enter_getppid | tracepoints of system calls cannot be recorded
	inherited-counts | probe inherited-counts | samples cannot contain the counts of each new thread (Linux 6.13)
	kernel-samples | probe kernel | this user cannot sample the kernel
	kernel-symbols | has_kernel_symbols | /proc/kallsyms shows no addresses
	bpf | runs_bpf | BPF needs root, Linux 6.1 with BTF, and a dwell that was built with libbpf
	paranoid | is_paranoid | kernel.perf_event_paranoid is below 2
	user-live | records_as_user | users other than root cannot sample their own processes
	user-folder | has_user_folder | the folder of temporary files is closed to other users
	setuid | changes_user | set-user-ID programs have no effect in the folder of temporary files, or fs.suid_dumpable is 1
	mount-namespace | unshare -m mount -t tmpfs none /mnt | nothing can be mounted in a new namespace
	user-namespace | unshare -rm mount -t tmpfs none /mnt | there are no user namespaces
	same-pid | gives_pid_again | this user cannot choose the PID of a new process
	pid-namespace | unshare -fp true | there are no PID namespaces
	overlayfs | mounts_overlay | no overlayfs can be mounted
	fuse | mounts_fuse | no FUSE file system can be mounted
	user-fuse | mounts_fuse_as_user | bindfs is not installed, or users other than root cannot mount with it in a namespace
	cgroup | makes_cgroup | no control group can be made, or it takes no processes
	container | runs_container | podman, runc and cc -static cannot build and run a container
	cgroup-v1 | mounts_cgroup_v1 | the hierarchy perf_event of cgroup v1 cannot be mounted, or is mounted already
	seccomp | is_refused | there are no seccomp filters
	device-nodes | makes_device | no device files can be made
	dev-full | fills_device | there is no /dev/full
	shadow | test -s /etc/shadow | there is no /etc/shadow
	tmpfile | probe tmpfile . | the file system has no files without names
	realtime | chrt -f 1 true | this user has no real-time priorities
	many-threads | runs_many_threads | this user cannot have 2,000 threads
	schedstat | counts_waiting | the kernel does not count how long threads wait for a CPU
	map-files | opens_map_files | /proc/PID/map_files cannot be opened
	process-memory | reads_memory | the memory of a child process cannot be read
	userfaultfd | probe userfaultfd | userfaultfd(2) is not permitted
	vdso | grep -q '\[vdso\]' /proc/self/maps | processes have no vDSO
	vdso-clock | probe vdso | the vDSO cannot read the clock
	cpu-offline | takes_cpu_offline | DWELL_TEST_OFFLINE is not set, or no CPU can be taken offline
	# The machine.
	x86_64 | test "$(uname -m)" = x86_64 | the processor is not x86-64
	known-processor | is_known_processor | the processor is neither x86-64 nor aarch64
	64bit | test "$(getconf LONG_BIT)" = 64 | programs have 32 bits
	32bit | runs_32bit | gcc makes no 32-bit programs, or they do not run
	two-cpus | test "$(nproc)" -gt 1 | there is only one CPU
	few-cpus | test "$(getconf _NPROCESSORS_ONLN)" -le 64 | there are more than 64 CPUs
	cpu-cache | test -r /sys/devices/system/cpu/cpu0/cache/index0/size | sysfs does not describe the caches of CPUs
	msr | counts_msr | there is no msr PMU
	no-pmu | ! counts_cycles | the machine has hardware counters, and the test is for others
	# The build.
	unsanitized | ! is_sanitized | dwell was built with a sanitizer
	dynamic-recorder | is_dynamic | dwell-record is linked statically
	debug-information | has_section .debug_info | dwell was built without debug information
	unstripped | has_section .symtab | dwell is stripped
	build-id | has_section .note.gnu.build-id | the linker adds no build IDs
	cmocka | is_built_with CMOCKA | dwell was configured without cmocka
	capstone | is_built_with CAPSTONE | dwell was built without capstone
	ncurses | is_built_with NCURSES | dwell was built without ncurses
	libtraceevent | is_built_with TRACEEVENT | dwell was built without libtraceevent
	libdebuginfod | is_built_with DEBUGINFOD | dwell was built without libdebuginfod
	liblzma | is_defined HAVE_LZMA | dwell was built without liblzma
	libiberty | is_defined HAVE_DEMANGLE | dwell was built without libiberty
	libunwind | is_defined HAVE_LIBUNWIND | dwell was built without libunwind
	# Tools and files.
	clang-format | clang-format --version | grep ' version 14[.]' | clang-format 14 is not installed; other versions format otherwise
	static-libc | links_statically | gcc links no static programs
	aarch64-libc | test -e /usr/aarch64-linux-gnu/lib/libc.so.6 | there is no libc for aarch64 (Debian: libc6-arm64-cross)
	i386-libc | has_i386_libc | there is no libc for i386 (Debian: libc6-i386)
	objcopy-zstd | compresses_with_zstd | objcopy cannot compress with zstd
	perf-threads | has_perf_threads | perf record has no --threads
	perf-archive | makes_perf_archive | perf archive does not work
	perf-tracepoints | lists_tracepoints | perf does not find the tracepoints
	python-perf | perf_python perf | there is no Python with -X perf (3.12)
	python-perf-jit | perf_python perf_jit | there is no Python with -X perf_jit (3.13)
	node-symbols | has_node_symbols | Node.js is not installed, or has no symbols v8dbg_...
	erlang | runs_erlang | Erlang is not installed, or has no JIT
	php | type -P php8.2 || type -P php8.4 | PHP is not installed
	ruby | type -P ruby3.1 || type -P ruby3.3 | Ruby is not installed
	libluajit | has_file '/usr/lib/*/libluajit-5.1.so.2' | libluajit is not installed
	pprof | runs_pprof | there is no `go tool pprof`
	hotspot | has_file '/usr/lib/*/libexec/hotspot-perfparser' | hotspot is not installed
	flamegraph | test -e /usr/share/perl5/Devel/NYTProf/flamegraph.pl | flamegraph.pl is not installed (Debian: libdevel-nytprof-perl)
	speedscope | has_module speedscope | speedscope is not installed; ./quickstart test --clients does that
	profiler-cli | has_module @firefox-devtools/profiler-cli | profiler-cli is not installed; ./quickstart test --clients does that
	corpus | test -d "${DWELL_CORPUS:-$DWELL_SOURCE/../shared/corpus}" | there is no folder of real recordings (see DWELL_CORPUS)
	END
	# Programs, which the probe searches in PATH.
	# shellcheck disable=SC2183
	printf '%s | type -P %s | %s is not installed\n' $(
		for name in aarch64-linux-gnu-gcc aarch64-linux-gnu-objdump \
			addr2line as bash bats bzip2 c++ c++filt \
			callgrind_annotate cc chromium clang clang++ curl \
			debuginfod dwp dwz file fish g++ gcc go java javac \
			jstack ld ld.lld llvm-dwp llvm-symbolizer lowdown luajit \
			man mandoc mcs mono musl-gcc nm node objcopy objdump openssl perl \
			python3 qemu-aarch64 readelf rg rustc script setpriv shellcheck \
			strace strip tar taskset timeout tmux unshare xz zsh zstd
		do
			echo $name $name $name
		done)
}

# column N NAME: prints that column of the row of NAME, or nothing.
column() {
	table | awk -F ' [|] ' -v n="$1" -v name="$2" '$1 == name { print $n }'
}

### Probes #####################################################################

# A probe runs in an empty folder, without output. It fails if it lacks a program.

# probe ...: runs tests/probe, which must have been built.
probe() {
	if [ ! -x "$DWELL_BUILD/tests/probe" ]; then
		echo "needs.bash: $DWELL_BUILD/tests/probe is missing:" \
			"make check TESTS=" >&3
		exit 2
	fi
	"$DWELL_BUILD/tests/probe" "$@"
}

records() {
	[ "${DWELL_TEST_LIVE:-}" != no ] && probe
}

is_root() {
	[ "$(id -u)" = 0 ]
}

runs_perf() {
	perf --version
}

has_browser() {
	type -P node && chromium_path
}

has_file() {
	compgen -G "$1"
}

has_module() {
	type -P node && [ -d "$DWELL_BUILD/clients/node_modules/$1" ]
}

# counts_tracepoint GROUP/NAME
counts_tracepoint() {
	local id

	id=$(cat "/sys/kernel/tracing/events/$1/id") && probe event 2 "$id"
}

has_kernel_symbols() {
	grep -E '^0*[1-9a-f][0-9a-f]* [tT] _text$' /proc/kallsyms
}

# What dwell's BPF program needs, proved without dwell: if the kernel refuses the
# program, tests fail.
runs_bpf() {
	is_root && is_built_with BPF && [ -r /sys/kernel/btf/vmlinux ] &&
		printf '%s\n' 6.1 "$(uname -r)" | sort -V -C &&
		cc "$DWELL_SOURCE/tests/cli/bpf.c" -o bpf && ./bpf
}

is_paranoid() {
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 2 ]
}

as_user() {
	setpriv --reuid=200000000 --regid=200000000 --clear-groups "$@"
}

records_as_user() {
	is_root && probe && as_user /proc/self/fd/9 9<"$DWELL_BUILD/tests/probe"
}

has_user_folder() {
	is_root && chmod o+x .. && chmod 777 . && as_user test -w .
}

# If fs.suid_dumpable is 1, the kernel does not remove the events of set-user-ID
# programs.
changes_user() {
	has_user_folder && cp "$(type -P id)" . && chmod 4755 id &&
		[ "$(as_user ./id -u)" = 0 ] &&
		[ "$(cat /proc/sys/fs/suid_dumpable)" != 1 ]
}

mounts_overlay() {
	mkdir lower upper merged
	unshare -m sh -ec 'mount -t tmpfs none upper
		mkdir upper/a upper/b
		mount -t overlay none -o \
			lowerdir=lower,upperdir=upper/a,workdir=upper/b merged'
}

mounts_fuse() {
	mkdir folder
	cc "$DWELL_SOURCE/tests/cli/mute.c" -o mute && ./mute folder true
}

# The end of the PID namespace ends bindfs.
mounts_fuse_as_user() {
	has_user_folder && mkdir source mounted && chown 65534 mounted &&
		mknod dev c 10 229 && chmod 666 dev && : >source/file &&
		unshare -m sh -ec 'mount --bind dev /dev/fuse
			exec setpriv --reuid 65534 --regid 65534 --clear-groups \
				unshare -Urmpf sh -ec "bindfs source mounted
					test -e mounted/file"'
}

makes_cgroup() {
	local group status=0

	group=$(cgroup_mount)/dwell-needs-$$
	is_root && mkdir "$group" || return
	sleep 60 &
	echo $! >"$group/cgroup.procs" || status=1
	kill -KILL $!
	wait $!
	# The group is busy for a moment.
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		rmdir "$group" && return $status
		sleep 0.1
	done
	return 1
}

runs_container() {
	is_root && command -v podman runc || return
	own_podman
	echo 'int main(void) { return 0; }' >true.c
	printf '%s\n' 'FROM scratch' 'COPY true /true' >Containerfile
	cc -static true.c -o true && podman build -q -t dwell-needs . &&
		podman run --rm dwell-needs /true
}

mounts_cgroup_v1() {
	mkdir v1
	grep -q '^perf_event[[:blank:]]0[[:blank:]]' /proc/cgroups &&
		unshare -m mount -t cgroup -o perf_event none v1
}

is_refused() {
	[ -x "$DWELL_BUILD/tests/refuse" ] || exit 2
	"$DWELL_BUILD/tests/refuse" 1 true
}

makes_device() {
	mknod null c 1 3 && : >null
}

fills_device() {
	[ -w /dev/full ] && ! echo >/dev/full
}

runs_many_threads() {
	local status=0

	cc -O1 -pthread "$DWELL_SOURCE/tests/cli/threads.c" -o threads || return
	mkfifo said
	./threads idle 2000 >said &
	read -r _ <said
	[ "$(ls /proc/$!/task | wc -l)" -gt 2000 ] || status=1
	kill -KILL $!
	wait $!
	return $status
}

# A thread of any program has waited.
counts_waiting() {
	cat /proc/[0-9]*/schedstat | awk '$2 > 0 { n++ } END { exit !n }'
}

opens_map_files() {
	: 4<"/proc/self/map_files/$(awk '/r-xp/ { print $1; exit }' \
		/proc/$$/maps | sed -E 's/(^|-)0+/\1/g')"
}

# The ELF header of its program, in the memory of a child.
reads_memory() {
	local start status=0

	sleep 60 &
	start=0x$(sed -n '1s/-.*//p' "/proc/$!/maps")
	dd if="/proc/$!/mem" bs=1 skip=$((start)) count=4 | grep ELF || status=1
	kill -KILL $!
	wait $!
	return $status
}

takes_cpu_offline() {
	local cpu

	[ -n "${DWELL_TEST_OFFLINE:-}" ] || return
	cpu=$(ls -d /sys/devices/system/cpu/cpu[0-9]*/online | tail -n 1)
	[ -n "$cpu" ] && echo 0 >"$cpu" && echo 1 >"$cpu"
}

gives_pid_again() {
	cc "$DWELL_SOURCE/tests/cli/again.c" -o again && ./again true true
}

is_known_processor() {
	case $(uname -m) in
	x86_64 | aarch64) ;;
	*) return 1 ;;
	esac
}

runs_32bit() {
	printf '%s\n' '#include <stdio.h>' \
		'int main(void) { return puts("runs") < 0; }' >small.c
	i386_gcc small.c -o small -lpthread && [ "$(./small)" = runs ]
}

counts_msr() {
	local id

	id=$(cat /sys/bus/event_source/devices/msr/type) && probe event "$id" 0
}

# Counts PERF_COUNT_HW_CPU_CYCLES of PERF_TYPE_HARDWARE.
counts_cycles() {
	probe event 0 0
}

is_sanitized() {
	grep '^S\["SANITIZE_FLAGS"\]="-f' "$DWELL_BUILD/config.status"
}

is_dynamic() {
	ldd "$DWELL_BUILD/dwell-record"
}

has_section() {
	readelf -SW "$DWELL_BUILD/dwell-report" >sections && grep -F " $1 " sections
}

is_built_with() {
	grep -Fx "S[\"HAVE_$1_TRUE\"]=\"\"" "$DWELL_BUILD/config.status"
}

is_defined() {
	grep -x "#define $1 1" "$DWELL_BUILD/config.h"
}

links_statically() {
	echo 'int main(void) { return 0; }' >small.c
	gcc -static small.c -o small && ./small &&
		gcc -static-pie small.c -o small && ./small
}

has_i386_libc() {
	has_file /usr/lib32/libc.so.6 || has_file /lib/i386-linux-gnu/libc.so.6 ||
		has_file /usr/libexec/valgrind/memcheck-x86-linux
}

compresses_with_zstd() {
	echo 'int main(void) { return 0; }' >small.c
	cc -g small.c -o small &&
		objcopy --compress-debug-sections=zstd small packed
}

has_perf_threads() {
	perf record -q --threads -o folder -e cpu-clock:u true && [ -d folder ]
}

makes_perf_archive() {
	perf --buildid-dir "$PWD/ids" record -q -e cpu-clock:u -c 10000 -o x.data \
		ls -lR /proc/self
	perf --buildid-dir "$PWD/ids" archive x.data
	[ -e x.data.tar.bz2 ]
}

lists_tracepoints() {
	perf list sched:sched_waking >list && grep sched_waking list
}

has_node_symbols() {
	grep -a -q v8dbg_off_fp_function "$(readlink -f "$(type -P node)")"
}

runs_erlang() {
	type -P erlc && erl +JPperf true -noshell -eval 'halt().'
}

runs_pprof() {
	go tool pprof -h 2>&1 | grep usage
}

### Commands ###################################################################

# check NAME: runs the probe of NAME.
check() {
	local folder lacks= run

	case ,${DWELL_TEST_LACKS:-}, in
	*,"$1",*) lacks=1 ;;
	esac
	run=$(column 2 "$1")
	if [ -z "$run" ]; then
		echo "needs.bash: no such name: $1" >&2
		exit 2
	fi
	[ -z "$lacks" ] || exit 1
	: "${BATS_RUN_TMPDIR:=${TMPDIR:-/tmp}}"
	folder=$(mktemp -d "$BATS_RUN_TMPDIR/need.XXXXXX") || exit 2
	trap 'rm -rf "$folder"' EXIT
	cd "$folder" || exit 2
	eval "$run" 3>&2 </dev/null >/dev/null 2>&1 || exit 1
	exit 0
}

describe() {
	local name

	for name; do
		echo "$name: $(column 3 "$name")"
	done
}

case ${1:-}:$# in
names:1) table | sed '/^#/d; s/ | .*//' ;;
describe:*) describe "${@:2}" ;;
check:2) check "$2" ;;
*)
	echo "usage: needs.bash names | describe NAME... | check NAME" >&2
	exit 2 ;;
esac
