#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A recording that was packed reads the same where nothing is.

load common.bash

setup_file() {
	cat >"$BATS_FILE_TMPDIR/inlined.cpp" <<-'END'
		#include <algorithm>
		#include <vector>
		static volatile unsigned sink;
		struct mixer {
			inline __attribute__((always_inline)) unsigned
			mix(unsigned x)
			{
				for (int i = 0; i < 20; i++)
					x = (x * 1103515245u + 12345u) ^ x >> 3;
				return x;
			}
			inline __attribute__((always_inline)) unsigned
			twice(unsigned x)
			{
				return mix(x) +
					mix(x + 1);
			}
		};
		__attribute__((noinline)) unsigned work(unsigned n)
		{
			mixer m;
			unsigned sum = OTHER;
			std::vector<unsigned> v(n);
			for (auto &x : v)
				x = m.twice(n--);
			std::sort(v.begin(), v.end());
			for (auto x : v)
				sum += x;
			return sum;
		}
		int main()
		{
			for (int i = 0; i < 60; i++)
				sink = sink + work(20000 + i);
		}
	END
}

# build OTHER OPTION...: ./inlined.
build() {
	local other=$1

	shift
	g++ -O2 -g "$@" -DOTHER="$other" "$BATS_FILE_TMPDIR/inlined.cpp" \
		-o inlined
}

# Recorded to in.data, and what is said of it to before.*; a cache that later
# ones don't have.
record_inlined() {
	need g++
	build 0
	dwell record -q -e cpu-clock -F 4000 --call-graph dwarf -o in.data \
		-- ./inlined
	cp in.data recorded.data
	XDG_CACHE_HOME=$PWD/cache answers before
}

# All that is said of in.data, to FILES $1.*.
answers() {
	dwell report --stdio -g caller -i in.data >"$1.report"
	dwell report --stdio -g none --no-children --no-inline -i in.data \
		>"$1.flat"
	dwell report --stdio -g address -s srcline,srcfile,sym \
		--full-source-path -i in.data >"$1.lines"
	dwell report --json -g -i in.data >"$1.json"
	dwell script -F +srcline -i in.data >"$1.script"
	dwell export --format folded -i in.data >"$1.folded"
}

same_answers() {
	local what

	answers "$1"
	for what in report flat lines json script folded; do
		cmp "before.$what" "$1.$what"
	done
}

@test "live: packed, a report is the same without the program" {
	record_inlined
	grep -q 'mix (inlined)' before.report
	grep -q 'inlined.cpp:9' before.script
	dwell pack in.data
	same_answers packed
	mv inlined elsewhere
	same_answers gone
	# Not by luck: without what was packed they differ.
	cp recorded.data in.data
	answers lost
	run ! cmp -s before.report lost.report
	run ! cmp -s before.lines lost.lines
}

@test "live: packed, another program of the same name tells nothing" {
	record_inlined
	dwell pack in.data
	build 12345 -O1 -fno-inline
	same_answers replaced
}

@test "live: packed, a report is the same in a folder that is all there is" {
	need_root
	record_inlined
	dwell pack in.data
	mkdir all
	cp "$DWELL_BUILD/dwell-report" in.data all/
	ldd "$DWELL_BUILD/dwell-report" | grep -oE '/[^ ]+' |
		while read -r library; do
			cp --parents "$library" all/
		done
	chroot all /dwell-report report --stdio -g caller -i /in.data \
		>there 2>notes || skip "chroot is not allowed: $(cat notes)"
	cmp before.report there
	chroot all /dwell-report script -F +srcline -i /in.data >there
	cmp before.script there
	chroot all /dwell-report report --stdio -g address \
		-s srcline,srcfile,sym --full-source-path -i /in.data >there
	cmp before.lines there
}

@test "live: what was packed is taken out again, to the byte" {
	record_inlined
	dwell pack in.data
	run ! cmp -s in.data recorded.data
	cp in.data packed.data
	dwell pack in.data
	cmp in.data packed.data
	dwell pack --strip in.data
	cmp in.data recorded.data
	dwell pack --strip -o again.data recorded.data
	cmp again.data recorded.data
}

@test "live: perf reads what was packed as before" {
	need_perf
	record_inlined
	dwell pack in.data
	perf script -i recorded.data >expected
	[ -s expected ]
	perf script -i in.data | diff expected -
	perf report --header-only -i recorded.data |
		grep -v '^# \(captured on\|[a-z]* \(size\|offset\)\) ' >expected
	perf report --header-only -i in.data |
		grep -v '^# \(captured on\|[a-z]* \(size\|offset\)\) ' |
		diff expected -
}

@test "live: what was packed goes along with an export" {
	record_inlined
	dwell pack in.data
	dwell export --format perf-data -o out.data in.data
	mv out.data in.data
	mv inlined elsewhere
	same_answers exported
}

@test "live: all records are compressed anew" {
	record_inlined
	dwell pack --strip --level 19 -o small.data in.data
	[ "$(wc -c <small.data)" -lt "$(wc -c <recorded.data)" ]
	dwell pack --strip --level 1 -o large.data small.data
	[ "$(wc -c <large.data)" -gt "$(wc -c <small.data)" ]
	for file in small large; do
		cp $file.data in.data
		XDG_CACHE_HOME=$PWD/cache same_answers $file
		if perf --version >/dev/null 2>&1; then
			perf script -i recorded.data 2>&1 | sort >expected
			perf script -i in.data 2>&1 | sort | diff expected -
		fi
	done
	# In the first block's frame.
	cp recorded.data bad.data
	at=$(LC_ALL=C grep -obUaP '\x28\xb5\x2f\xfd' bad.data | head -1)
	printf '\xaa\x55\xaa\x55' | dd of=bad.data bs=1 \
		seek=$((${at%%:*} + 30)) conv=notrunc status=none
	run -1 dwell pack -q --strip --level 5 -o none.data bad.data
	[[ $output == *"is damaged, and can't be compressed anew"* ]]
	[ ! -e none.data ]
	refuses 2 dwell pack --level 20 small.data
	refuses 2 dwell pack --level 0 small.data
}

@test "live: records that weren't compressed come into blocks" {
	need g++
	build 0
	dwell record -q -z0 -e cpu-clock -F 4000 --call-graph dwarf \
		-o in.data -- ./inlined
	XDG_CACHE_HOME=$PWD/cache answers before
	dwell pack --level 3 -o out.data in.data
	[ "$(wc -c <out.data)" -lt "$(($(wc -c <in.data) / 2))" ]
	mv out.data in.data
	XDG_CACHE_HOME=$PWD/cache same_answers blocks
	# Order is by the blocks' times: script sorts.
	dwell script -i in.data -F time | sort -c
}

# every_byte FILE: it, and what is compressed in it.
every_byte() {
	local at

	cat "$1"
	LC_ALL=C grep -obUaP '\x28\xb5\x2f\xfd' "$1" | cut -d: -f1 |
		while read -r at; do
			tail -c "+$((at + 1))" "$1" | zstd -dcq 2>/dev/null ||
				true
		done
}

# find_word FILE WORD: wherever it is.
find_word() {
	every_byte "$1" | grep -aoF "$2"
}

@test "live: redacted, nothing tells of folders, command lines and the host" {
	need g++
	need zstd
	mkdir secretfolder
	build 0
	cp "$BATS_FILE_TMPDIR/inlined.cpp" secretfolder/
	g++ -O2 -g -DOTHER=0 "$PWD/secretfolder/inlined.cpp" \
		-o secretfolder/inlined
	dwell record -q -e cpu-clock -F 4000 --call-graph dwarf \
		-o in.data -- "$PWD/secretfolder/inlined" secretword
	dwell report --stdio -g caller -i in.data >before
	dwell script -i in.data -F ip,sym,srcline >before.script
	dwell buildid-list -i in.data | cut -d ' ' -f 1 >before.ids
	dwell pack in.data
	for word in secretfolder secretword; do
		find_word in.data "$word"
	done
	cp in.data plain.data
	dwell pack --redact in.data
	for word in secretfolder secretword "$PWD"; do
		run -1 find_word in.data "$word"
	done
	dwell report --header-only -i plain.data | grep '^# hostname : .'
	dwell report --header-only -i in.data >header
	run -1 grep '^# hostname : .\|^# cmdline' header
	rm -r secretfolder
	dwell report --stdio -g caller -i in.data | diff before -
	dwell script -i in.data -F ip,sym,srcline | diff before.script -
	dwell buildid-list -i in.data | cut -d ' ' -f 1 | diff before.ids -
	dwell report --mmaps -i in.data | grep -q ' /inlined$'
	if perf --version >/dev/null 2>&1; then
		perf script -i plain.data -F comm,tid,time,ip >expected
		perf script -i in.data -F comm,tid,time,ip | diff expected -
	fi
	# And where nothing is compressed.
	dwell export --format perf-data -o in.data plain.data
	dwell pack --redact in.data
	for word in secretfolder secretword; do
		run -1 find_word in.data "$word"
	done
}

@test "live: perf's recordings get symbols and lines, in another file" {
	need_perf
	need g++
	build 0 -fno-omit-frame-pointer
	perf --buildid-dir "$PWD/ids" record -q -e cpu-clock:u -F 4000 -g \
		-o in.data -- ./inlined
	answers before
	grep -q 'mix (inlined)' before.report
	refuses 2 dwell pack in.data
	[[ $line == *"another tool's recording"*"-o" ]]
	dwell pack -o packed.data in.data
	perf script -i in.data >expected
	perf script -i packed.data | diff expected -
	mv in.data perf.data
	mv packed.data in.data
	mv inlined elsewhere
	HOME=$PWD/none same_answers gone
}

@test "live: what replaces a recording has its mode, and links stay" {
	record_inlined
	chmod 640 in.data
	mkdir folder
	mv in.data folder/real.data
	ln -s folder/real.data in.data
	dwell pack in.data
	[ -L in.data ]
	[ "$(stat -c %a folder/real.data)" = 640 ]
	[ "$(ls folder)" = real.data ]
	XDG_CACHE_HOME=$PWD/cache same_answers linked
}

@test "live: a recording stays where it can't be replaced" {
	record_inlined
	cp -p in.data kept.data
	head -c "$(($(wc -c <in.data) / 2))" in.data >half.data
	cp half.data half.kept
	refuses 2 dwell pack -q half.data
	[[ $line == *"it is damaged"*"-o" ]]
	cmp half.data half.kept
	dwell pack -q -o whole.data half.data
	dwell report -i whole.data >/dev/null
	refuses 2 dwell pack -i - <in.data
	[[ $line == *"standard input can't be packed in place"* ]]
	mkdir folder.data
	cp in.data folder.data/data
	refuses 2 dwell pack folder.data
	[[ $line == *"it is a folder"* ]]
	# A full disk.
	(
		ulimit -f 1
		trap '' XFSZ
		run -1 dwell pack in.data
		[[ $output == *"File too large"* ]]
	)
	cmp in.data kept.data
	[ -z "$(ls in.data.* 2>/dev/null)" ]
}

@test "live: a stream is packed, and becomes a file where it may" {
	need g++
	build 0
	dwell record -q -e cpu-clock:u -F 4000 --call-graph dwarf -o - \
		-- ./inlined >in.data
	XDG_CACHE_HOME=$PWD/cache answers before
	dwell pack -o - <in.data -i - | cat >piped.data
	dwell pack -i - -o packed.data <in.data
	mv inlined elsewhere
	mv packed.data in.data
	same_answers file
	mv piped.data in.data
	same_answers stream
}

@test "live: what was recorded with --pack is packed" {
	need g++
	build 0
	run -3 --separate-stderr dwell record -e cpu-clock:u -F 4000 \
		--call-graph dwarf --pack -o=in.data -- \
		sh -c './inlined; exit 3'
	[[ $stderr != *pack* ]]
	mv =in.data in.data
	XDG_CACHE_HOME=$PWD/cache answers before
	mv inlined elsewhere
	same_answers packed
	grep -q 'mix (inlined)' before.report
}

@test "live: --pack without dwell-report is told, and no error" {
	mkdir alone
	cp "$DWELL_BUILD/dwell-record" alone/
	run -0 --separate-stderr env PATH=/usr/bin:/bin alone/dwell-record \
		--pack -e cpu-clock -o in.data -- true
	if [ ! -e /usr/bin/dwell-report ]; then
		[[ $stderr == *"in.data isn't packed: dwell-report isn't installed"* ]]
	fi
	dwell report --stats -i in.data
	refuses 2 dwell record --pack -o - -- true
	[[ $line == *"--pack is for one file"* ]]
	refuses 2 dwell record --pack --switch-output=1s -- true
}

@test "live: a FIFO stays one" {
	dwell record -q -e cpu-clock -o in.data -- true
	mkfifo out
	cat out >through.data &
	dwell pack -o out in.data
	wait
	[ -p out ]
	dwell report --stats -i through.data
}

@test "packing what isn't there, or isn't one, is refused" {
	refuses 1 dwell pack gone.data
	echo nonsense >none.data
	refuses 1 dwell pack none.data
	refuses 2 dwell pack a b
	[[ $line == *"takes one recording"* ]]
}
