# SPDX-License-Identifier: GPL-2.0-or-later
# The common part of tests of exports: a recording with known contents, and the
# programs that read exports. Programs from npm are in the build folder, where
# `./quickstart test --clients` installs them.

load ../cli/common.bash

modules=$DWELL_BUILD/clients/node_modules
export HOME=${BATS_RUN_TMPDIR:-/nonexistent}/home

# address_with_frames FUNCTION N: prints the first address of FUNCTION for which
# addr2line -i prints N lines.
address_with_frames() {
	local address

	for address in $(objdump -d --disassemble="$1" demo |
		sed -n 's/^ *\([0-9a-f]*\):\t.*/\1/p'); do
		if [ "$(addr2line -i -e demo "$address" | wc -l)" = "$2" ]; then
			echo "0x$address"
			return
		fi
	done
	return 1
}

# place_in FUNCTION: prints an address behind its first instructions.
place_in() {
	nm demo | awk -v name="$1" '$3 == name { print "0x" $1 }' |
		{ read -r address; printf '%#x\n' $((address + 8)); }
}

# chain FUNCTION...: prints a call chain, the sampled function first.
chain() {
	local text=chain=user name

	for name; do text+=,${place[$name]}; done
	echo "$text"
}

# samples TID N FUNCTION...: prints N samples of 10 ms of CPU time each, from
# $time on.
samples() {
	local tid=$1 n=$2 i
	shift 2

	for ((i = 0; i < n; i++)); do
		time=$((time + 10000000))
		echo "record SAMPLE ip=${place[$1]} pid=7 tid=$tid time=$time" \
			"cpu=0 period=10000000 $(chain "$@")"
	done
}

# make_demo: makes demo and demo.data. Of 60 samples, 30 are in beta and 20 in
# mix, which is inlined in inner; alpha calls both. 10 samples of another thread
# are in delta.
make_demo() {
	local -A place
	local name offset start size time=1000000000 id

	need gcc
	need objdump
	cat >demo.c <<-'END'
		volatile unsigned sink;
		static inline __attribute__((always_inline)) void mix(void)
		{
			sink = sink * 3 + 1;
			sink = sink * 5 + 1;
		}
		void beta(void)
		{
			sink++;
			sink++;
		}
		void inner(void)
		{
			mix();
		}
		void alpha(void)
		{
			beta();
			inner();
		}
		void delta(void)
		{
			sink--;
			sink--;
		}
		int main(void)
		{
			alpha();
			delta();
			return 0;
		}
	END
	gcc -O0 -g -no-pie -fno-pie -Wl,--build-id demo.c -o demo
	for name in main alpha beta delta; do
		place[$name]=$(place_in $name)
	done
	place[inner]=$(address_with_frames inner 2)
	read -r offset start size < <(readelf -lW demo |
		awk '$1 == "LOAD" && / R E / { print $2, $3, $5 }')
	id=$(readelf -n demo | sed -n 's/.*Build ID: //p')
	{
		cat <<-END
			file
			event name=cpu-clock type=software config=0 freq
			 sample_period=100 sample_id_all ids=1
			 sample_type=IDENTIFIER|IP|TID|TIME|CPU|PERIOD|CALLCHAIN
			feature CMDLINE u32=2 str=dwell str=record
			feature EVENT_DESC events
			feature BUILD_ID build_id=$PWD/demo,$id
			record COMM pid=7 tid=7 comm=demo misc=exec time=1000
			record MMAP2 pid=7 tid=7 addr=$start len=$size
			 pgoff=$offset prot=5 flags=2
			 filename=$PWD/demo time=2000
			record FORK pid=7 ppid=7 tid=9 ptid=7 time=3000
			record COMM pid=7 tid=9 comm=helper time=4000
		END
		samples 7 30 beta alpha main
		samples 7 20 inner alpha main
		samples 9 10 delta main
	} >demo.txt
	"$DWELL_BUILD/tests/made/make_data" demo.txt demo.data
}

# make_hostile: makes the same recording with names that contain markup and
# control characters.
make_hostile() {
	sed -e 's/comm=demo/comm="a<b>;${c}\x1b[1m"/' \
		-e "s|filename=[^ ]*|filename=/tmp/<script>\x01'\xff|" \
		-e '/^feature BUILD_ID/d' demo.txt >hostile.txt
	"$DWELL_BUILD/tests/made/make_data" hostile.txt hostile.data
}

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	make_demo
	make_hostile
	"$DWELL_BUILD/tests/made/make_data" \
		"$DWELL_SOURCE/tests/made/offcpu.txt" off.data
	# The same recording in ms.
	sed 's/time=[0-9]*/&000000/; s/sample_period=250/&000000/' \
		"$DWELL_SOURCE/tests/made/offcpu.txt" |
		"$DWELL_BUILD/tests/made/make_data" - away.data
}

setup() {
	enter_test
	cp -p "$BATS_FILE_TMPDIR"/*.data .
	mkdir -p "$HOME"
}

# share_of FUNCTION: prints the total samples, and ns, of FUNCTION and its
# callees in dwell's report.
share_of() {
	dwell report --json -s sym -i demo.data | python3 -c '
import json, sys
rows = json.load(sys.stdin)["events"][0]["rows"]
print([r["children_period"] for r in rows if r["sym"].endswith(" " + sys.argv[1])][0])
' "$1"
}

# times_of OPTION: prints "STATE SAMPLES NS" for each state and for "all" in
# dwell's report of off.data with OPTION, --off-cpu or --wall.
times_of() {
	dwell report --json "$1" --no-children -s state -i off.data | python3 -c '
import json, sys
rows = json.load(sys.stdin)["events"][0]["rows"]
rows = [(r["state"], r["samples"], r["self_period"]) for r in rows]
rows.append(("all", sum(r[1] for r in rows), sum(r[2] for r in rows)))
for row in sorted(rows):
    print(*row)
'
}

# speedscope FILE: prints the table of speedscope's third view of FILE as lines
# "NAME TOTAL SELF". All text of the page is in $text.
speedscope() {
	local options=(--headless --no-sandbox --disable-gpu --disable-quic
		--no-first-run --disable-background-networking
		--disable-component-update --disable-sync
		--user-data-dir="$PWD/chromium" --virtual-time-budget=8000
		--host-resolver-rules="MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
	local app=$modules/speedscope/dist/release/index.html

	need speedscope
	need chromium
	{
		printf 'speedscope.loadFileFromBase64("%s","' "$1"
		base64 -w0 "$1"
		echo '")'
	} >profile.js
	timeout 60 chromium "${options[@]}" --dump-dom \
		"file://$app#localProfilePath=$PWD/profile.js&view=sandwich" \
		>page 2>chromium.log
	text=$(sed 's/<[^>]*>/ /g' page | tr -s ' \n' ' ')
	echo "$text"
}

# is_inert: succeeds if the input is UTF-8 without control characters other than
# newlines and tabs.
is_inert() {
	python3 -c '
import sys
text = sys.stdin.buffer.read().decode("utf-8")
sys.exit(any(ord(c) < 32 and c not in "\n\t" or 127 <= ord(c) < 160
    for c in text))
'
}
