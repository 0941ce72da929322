#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Where programs, libraries and their debug files are searched, and which of the
# files found there are used.

load common.bash

setup() {
	enter_test
	export HOME=$PWD/home
	mkdir -p home bin
	cp "$DWELL_SOURCE/tests/cli/spin.c" .
}

# build NAME: makes bin/spin, stripped, and its debug file. The names in the
# recording are fewer than in the debug file.
build() {
	local name=$1
	shift
	cc -O1 -g -DSPIN="$name" spin.c -o bin/spin "$@"
	cp bin/spin whole
	objcopy --only-keep-debug bin/spin spin.debug
	objcopy --strip-all bin/spin
}

id_of() {
	readelf -n "$1" | sed -n 's/.*Build ID: //p'
}

record() {
	dwell record -q -e cpu-clock:u -F 2000 -o spin.data bin/spin
}

report() {
	dwell report --stdio -s dso,sym -i spin.data "$@"
}

# as_id FILE FOLDER SUFFIX: moves FILE to the place of its build ID.
as_id() {
	local id
	id=$(id_of "$1")
	mkdir -p "$2/.build-id/${id:0:2}"
	cp "$1" "$2/.build-id/${id:0:2}/${id:2}$3"
}

@test "live: report: --debug-dir finds debug files by build ID" {
	build spin_here
	record
	report >before
	run ! grep -F spin_here before
	as_id spin.debug debug .debug
	report --debug-dir debug | grep -F '[.] spin_here'
	# Several folders are allowed; a path that is not a folder is skipped.
	mkdir other
	report --debug-dir other --debug-dir debug | grep -F '[.] spin_here'
	refuses 2 dwell report --debug-dir none -i spin.data
	[[ $line == *"'none' is not a directory"* ]]
}

@test "live: report: a debug file gives names if the program is missing" {
	build spin_here
	record
	as_id spin.debug debug .debug
	rm bin/spin
	report --debug-dir debug | grep -F '[.] spin_here'
}

@test "live: report: a debug file gives names without the program if code and headers share a segment" {
	need ld.lld clang gcc
	# Without separate code, the headers and notes are in the code segment.
	for compiler in "clang -fuse-ld=lld" "gcc -Wl,-z,noseparate-code"; do
		rm -rf debug
		$compiler -O1 -g -DSPIN=spin_here spin.c -o bin/spin -Wl,--build-id
		objcopy --only-keep-debug bin/spin spin.debug
		objcopy --strip-all bin/spin
		record
		as_id spin.debug debug .debug
		rm bin/spin
		report --debug-dir debug | grep -F '[.] spin_here'
	done
}

@test "live: report: --debug-dir finds whole programs by path, by name, and in folders like perf's cache" {
	local id
	build spin_here
	id=$(id_of whole)
	record
	rm bin/spin
	mkdir -p "by-path$PWD/bin" by-name "perf/.build-id/${id:0:2}" "perf/spin/$id"
	cp whole "by-path$PWD/bin/spin"
	cp whole by-name/spin
	cp whole "perf/spin/$id/elf"
	ln -s "../../spin/$id" "perf/.build-id/${id:0:2}/${id:2}"
	for folder in by-path by-name perf; do
		report --debug-dir $folder | grep -F '[.] spin_here'
	done
	# perf's own cache is searched, too.
	run ! grep -F spin_here <(report)
	mv perf home/.debug
	report | grep -F '[.] spin_here'
}

@test "live: report: --symfs looks for files below another root directory" {
	build spin_here
	record
	mkdir -p "root$PWD/bin" root/usr/lib/debug
	mv whole "root$PWD/bin/spin"
	report --symfs root | grep -F '[.] spin_here'
	# Debug files are also below it.
	mv bin/spin "root$PWD/bin/spin"
	run ! grep -F spin_here <(report --symfs root)
	as_id spin.debug root/usr/lib/debug .debug
	report --symfs root | grep -F '[.] spin_here'
	refuses 2 dwell report --symfs none -i spin.data
	[[ $line == *"'none' is not a directory"* ]]
}

@test "live: report: --symfs follows links inside of its directory" {
	build spin_here
	record
	mkdir -p "root${PWD%/*}" root/opt/bin root/opt/debug root/usr/lib outside
	# Like /lib in a container's tree, a link to /usr/lib.
	ln -s /opt "root$PWD"
	mv bin/spin root/opt/bin
	ln -s /opt/debug root/usr/lib/debug
	as_id spin.debug root/opt/debug .debug
	report --symfs root | grep -F '[.] spin_here'
	report --symfs "$PWD/root/" | grep -F '[.] spin_here'
	dwell report --dsos --symfs root spin.data | grep -F "root$PWD/bin/spin"
	# No link leads out of the tree, in any notation.
	mv whole outside/spin
	rm -r root/opt/debug root/opt/bin/spin
	for to in "$PWD/outside/spin" "../../../../../../..$PWD/outside/spin" \
		"/proc/self/cwd/outside/spin"; do
		ln -sf "$to" root/opt/bin/spin
		run ! grep -F spin_here <(report --symfs root)
	done
	ln -sf /outside/spin root/opt/bin/spin
	mv outside root
	report --symfs root | grep -F '[.] spin_here'
}

@test "live: report: --symfs identifies a file without a build ID by its time" {
	build spin_here -Wl,--build-id=none
	mv whole bin/spin
	record
	mkdir -p "root$PWD/bin"
	cp -p bin/spin "root$PWD/bin/spin"
	rm bin/spin
	dwell report -s srcline,sym -i spin.data --symfs root |
		grep 'spin.c:[0-9].*\] spin_here$'
	touch "root$PWD/bin/spin"
	run ! grep 'spin.c:[0-9]' \
		<(dwell report -s srcline,sym -i spin.data --symfs root)
	dwell report --dsos -i spin.data --symfs root |
		grep 'no build ID was recorded: its source lines are not'
}

@test "live: report: without a build ID, a debug file is identified by the checksum of the debug link" {
	build spin_here -Wl,--build-id=none
	objcopy --add-gnu-debuglink=spin.debug bin/spin
	record
	mkdir bin/.debug
	cp spin.debug bin/.debug
	report | grep -F '[.] spin_here'
	# Another file of that name is not used.
	echo >>bin/.debug/spin.debug
	run ! grep -F spin_here <(report)
	mkdir -p "debug$PWD/bin"
	mv spin.debug "debug$PWD/bin"
	report --debug-dir debug | grep -F '[.] spin_here'
}

@test "live: report: a file with the right build ID but other code gives no names" {
	local id
	build spin_here
	id=$(id_of whole)
	record
	rm bin/spin
	mkdir debug
	echo 'int liar(void) { return 0; }' >liar.c
	cc -g -shared -nostdlib liar.c -o debug/spin -Wl,--build-id=0x"$id" \
		-Wl,-z,noseparate-code
	[ "$(id_of debug/spin)" = "$id" ]
	report --debug-dir debug >rows
	run ! grep -F liar rows
	# The wrong file does not hide the right one.
	mkdir true
	mv whole true/spin
	report --debug-dir debug --debug-dir true | grep -F '[.] spin_here'
}

@test "live: report: another build of the program gives no names, and a message states it" {
	need perf
	build spin_here
	perf_record -N -e cpu-clock -F 2000 -o spin.data bin/spin
	build spin_elsewhere
	report >rows 2>notes
	run ! grep -E 'spin_(here|elsewhere)' rows
	grep 'bin/spin: the file has changed since the recording' notes
}

@test "live: report: a FIFO in place of a program or debug file is not opened" {
	local id
	build spin_here
	id=$(id_of whole)
	record
	rm bin/spin
	mkdir -p "debug/.build-id/${id:0:2}"
	mkfifo bin/spin "debug/.build-id/${id:0:2}/${id:2}.debug"
	timeout 20 dwell report --stdio -i spin.data --debug-dir debug
	# A device or a folder is not read either.
	rm bin/spin "debug/.build-id/${id:0:2}/${id:2}.debug"
	ln -s /dev/zero bin/spin
	ln -s /dev/tty "debug/.build-id/${id:0:2}/${id:2}.debug"
	timeout 20 dwell report --stdio -i spin.data --debug-dir debug
	rm bin/spin
	mkdir bin/spin
	timeout 20 dwell report --stdio -i spin.data --debug-dir debug
}

@test "live: script and export use --debug-dir and --symfs" {
	build spin_here
	record
	as_id spin.debug debug .debug
	dwell script -F ip,sym -i spin.data --debug-dir debug | grep spin_here
	dwell export --format folded --debug-dir debug spin.data |
		grep spin_here
}

# columns NAME...: prints columns of the row of bin/spin, from JSON and CSV.
columns() {
	python3 -c '
import json, sys
rows = json.load(sys.stdin)["dsos"]
row, = [row for row in rows if row["path"].endswith("/bin/spin")]
print(*[row[name] for name in sys.argv[1:]])' "$@"
}

@test "live: report: --dsos prints what each file contains, and where it was found" {
	local id
	need python3
	build spin_here
	id=$(id_of whole)
	record
	dwell report --dsos --json spin.data |
		columns build_id symbols cfi dwarf found debug_file changed >row
	diff row - <<<"$id dynsym yes no $PWD/bin/spin None no"
	as_id spin.debug debug .debug
	dwell report --dsos --json --debug-dir debug spin.data |
		columns symbols cfi dwarf found debug_file >row
	diff row - <<<"debug file yes yes $PWD/bin/spin debug/.build-id/${id:0:2}/${id:2}.debug"
	build spin_elsewhere
	dwell report --dsos --json --debug-dir debug spin.data |
		columns symbols cfi dwarf found changed >row
	diff row - <<<"debug file no yes None yes"
	dwell report --dsos --debug-dir debug spin.data >text
	grep -E "^ +[0-9.]+% +[0-9.]+% +[0-9.]+%  debug file  no      yes     $id  $PWD/bin/spin$" text
	grep -A1 "  $PWD/bin/spin$" text | grep '^ *the file was replaced after the recording$'
	grep -A2 "  $PWD/bin/spin$" text | grep '^ *debug file debug/'
	rm bin/spin
	dwell report --dsos --debug-dir debug spin.data |
		grep -A1 "  $PWD/bin/spin$" | grep '^ *not found$'
}

@test "live: report: --dsos counts the samples in each file, and the samples with callers in it" {
	need python3
	build spin_here
	dwell record -q --call-graph fp -e cpu-clock -F 2000 -o spin.data bin/spin
	dwell report --dsos --json spin.data >json
	# Each sample is in one file. main is in this one.
	[ "$(python3 -c 'import json
print(sum(row["samples"] for row in json.load(open("json"))["dsos"]))')" = \
		"$(dwell script -F ip -G -i spin.data | wc -l)" ]
	read -r samples callers < <(columns samples callers <json)
	[ "$samples" = "$(dwell report --csv -n -s dso --no-children \
		-i spin.data | awk -F, '/,spin$/ { print $4 }')" ]
	[ "$callers" -ge "$samples" ]
	# Filters apply to it, too. With a name, --dsos is a filter itself.
	dwell report --dsos --json -c none spin.data | grep -q '"dsos": \[\]'
	dwell report --dsos spin --stdio -s dso -i spin.data | grep -E ' spin *$'
	run -2 dwell script --dsos
}

@test "live: report: the common file of several debug files (dwz) is found by name and by build ID" {
	local id name
	need dwz
	cat >lib.h <<'END'
struct common { int a; long b; char c[30]; struct common *next; };
static inline __attribute__((always_inline)) unsigned long
common_step(unsigned long x, struct common *common)
{
	common->a++;
	x ^= x << 13;
	x ^= x >> 7;
	__asm__ volatile("" : "+r"(x));
	return x;
}
END
	for name in one two three four; do
		cat >$name.c <<END
#include <time.h>
#include "lib.h"
static struct common common;
__attribute__((noinline)) static unsigned long spin_$name(unsigned long x)
{
	for (unsigned long i = 0; i < 100000; i++)
		x = common_step(x, &common);
	return x;
}
int main(void)
{
	unsigned long x = 1, n = 0;
	clock_t end = clock() + CLOCKS_PER_SEC / 5;
	/* The clock includes time in which the machine stalls. */
	while (clock() < end || n++ < 1000)
		x = spin_$name(x);
	return x == 0;
}
END
		cc -O1 -g $name.c -o $name
	done
	dwz -m common.dwz one two
	dwell record -q --call-graph fp -e cpu-clock -F 2000 -o one.data ./one
	inlined() {
		# Results for another file are not kept.
		rm -rf "$XDG_CACHE_HOME"
		dwell report --stdio -g caller -s sym -i one.data "$@" |
			grep -q 'common_step (inlined)'
	}
	inlined
	dwell report -i one.data --dsos >dsos
	absent grep 'need the missing file' dsos
	mv common.dwz away
	run ! inlined
	dwell report -i one.data --dsos | grep -A1 "  $PWD/one$" |
		grep '^ *inlined functions need the missing file common.dwz$'
	id=$(id_of away)
	mkdir -p "debug/.build-id/${id:0:2}"
	cp away "debug/.build-id/${id:0:2}/${id:2}.debug"
	inlined --debug-dir debug
	# Another file of that name is not used.
	sed -i 's/common_step/other_step/; s/char c\[30\]/double d/' lib.h three.c four.c
	cc -O1 -g three.c -o three
	cc -O1 -g four.c -o four
	dwz -m common.dwz three four
	[ "$(id_of common.dwz)" != "$id" ]
	run ! inlined
	rm -rf "$XDG_CACHE_HOME"
	run ! grep -F other_step <(report -g caller)
}

# Makes ./split, with its debug information in ./split.dwo, of a version of
# DWARF.
build_split() {
	cat >split.c <<'END'
#include <time.h>
static inline __attribute__((always_inline)) unsigned long
step(unsigned long x)
{
	x ^= x << 13;
	__asm__ volatile("" : "+r"(x));
	return x;
}
int main(void)
{
	unsigned long x = 1, i, n = 0;
	clock_t end = clock() + CLOCKS_PER_SEC / 5;
	/* The clock includes time in which the machine stalls. */
	while (clock() < end || n++ < 2000)
		for (i = 0; i < 100000; i++)
			x = step(x);
	return x == 0;
}
END
	cc -O1 "-gdwarf-$1" -gsplit-dwarf -c split.c -o split.o
	cc split.o -o split
}

@test "live: report: --dsos names a missing .dwo file" {
	for form in 4 5; do
		build_split $form
		dwell record -q --call-graph fp -e cpu-clock -F 2000 -o split.data ./split
		dwell report -i split.data --dsos -d split >dsos
		absent grep 'missing file' dsos
		rm split.dwo
		dwell report -i split.data --dsos | grep -A1 "  $PWD/split$" |
			grep '^ *inlined functions need the missing file split.dwo$'
		[ "$(dwell report --dsos --json -i split.data |
			grep -c '/split".*"missing": "split.dwo", "unread": null')" = 1 ]
	done
}

@test "live: report: a .dwp file beside the program gives inlined functions" {
	for form in 4 5; do
		packer=dwp
		[ $form = 4 ] || packer=llvm-dwp
		need $packer
		build_split $form
		$packer -e split -o all.dwp
		dwell record -q --call-graph fp -e cpu-clock -F 2000 -o split.data ./split
		dwell report --stdio -i split.data -d split -s srcline,sym >dwo
		grep -q 'step (inlined)' dwo
		# Missing results are not cached.
		rm -rf split.dwo "$XDG_CACHE_HOME"
		run ! grep 'step (inlined)' \
			<(dwell report -i split.data -d split)
		mv all.dwp split.dwp
		dwell report --stdio -i split.data -d split -s srcline,sym >dwp
		diff dwo dwp
		run ! grep 'inlined functions' \
			<(dwell report --dsos -i split.data -d split)
		rm -rf split.dwp "$XDG_CACHE_HOME"
	done
}

@test "live: report: --dsos names a .dwp file that lacks the program's unit or cannot be read" {
	need dwp
	build_split 4
	dwp -e split -o other.dwp
	rm split.dwo
	dwell record -q --call-graph fp -e cpu-clock -F 2000 -o split.data ./split
	sed -i s/step/hop/ split.c
	cc -O1 -gdwarf-4 -gsplit-dwarf split.c -o other
	dwp -e other -o split.dwp
	dwell report --dsos -i split.data | grep -A1 "  $PWD/split$" |
		grep '^ *inlined functions need the missing file split.dwo$'
	head -c 200 other.dwp >split.dwp
	dwell report --dsos -i split.data | grep -A1 "  $PWD/split$" |
		grep "^ *inlined functions may be in $PWD/split.dwp, which cannot be read$"
	dwell report --dsos --json -i split.data |
		grep -q "\"unread\": \"$PWD/split.dwp\""
	# A FIFO is not opened, so it does not block.
	rm split.dwp
	mkfifo split.dwp
	rm -rf "$XDG_CACHE_HOME"
	timeout 20 dwell report -i split.data >rows
	grep -q '\] main' rows
	timeout 20 dwell report --dsos -i split.data >told
}

@test "live: report: --dsos names a file whose debug information libdw cannot read" {
	local at

	need objcopy
	build_split 5
	cc -O1 -g split.c -o plain
	objcopy --compress-debug-sections=zlib plain split
	at=$(readelf -SW split | sed 's/^ *\[ *[0-9]*\] *//' |
		awk '$1 == ".debug_info" { print $4 }')
	printf XXXX | dd of=split bs=1 seek=$((0x$at + 24)) conv=notrunc \
		status=none
	dwell record -q --call-graph fp -e cpu-clock -F 2000 -o split.data ./split
	dwell report --dsos -i split.data | grep -A1 "  $PWD/split$" >told
	cat told
	grep -E '  yes +unread ' told
	grep -E "^ *libdw [0-9.]+ cannot read its DWARF, which is damaged" told
	dwell report --dsos --csv -i split.data | grep '/split,.*,unread,'
	cp plain split
	dwell report --dsos -i split.data | grep -A1 "  $PWD/split$" >told
	cat told
	grep -q '  yes  *yes ' told
	run ! grep libdw told
}

@test "report: the vdso of another kernel is read from the build-ID cache of perf" {
	local id=0102030405060708090a0b0c0d0e0f1011121314
	"$DWELL_BUILD/tests/made/make_data" - made.data <<END
file
event name=cycles type=hardware sample_type=IP|TID|TIME ids=1 sample_id_all
record COMM pid=7 tid=7 comm=made misc=exec time=1000
record MMAP2 misc=user|build_id pid=7 tid=7 addr=0x7000000 len=0x2000 pgoff=0
	prot=5 build_id=$id filename=[vdso] time=2000
record SAMPLE ip=0x7001004 pid=7 time=3000
END
	[ "$(dwell script -F ip,sym -i made.data | awk '{ print $2 }')" = \
		'[unknown]' ]
	printf '%s\n' .text '.type of_the_vdso, @function' of_the_vdso: \
		'.skip 64' '.size of_the_vdso, . - of_the_vdso' >vdso.s
	need ld
	cc -c vdso.s -o vdso.o
	ld -shared -z separate-code --build-id=0x$id -Ttext=0x1000 vdso.o -o vdso
	mkdir -p "home/.debug/.build-id/${id:0:2}/${id:2}"
	cp vdso "home/.debug/.build-id/${id:0:2}/${id:2}/vdso"
	[ "$(dwell script -F ip,sym -i made.data | awk '{ print $2 }')" = \
		of_the_vdso ]
}
