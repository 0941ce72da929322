# SPDX-License-Identifier: GPL-2.0-or-later
# A program whose code is known, and recordings of it.

setup_file() {
	cat >"$BATS_FILE_TMPDIR/walk.c" <<-'END'
		volatile unsigned sink;
		static inline __attribute__((always_inline)) unsigned
		mix(unsigned x)
		{
			return x * 1103515245u + 12345u;
		}
		__attribute__((noinline)) unsigned walk(unsigned n)
		{
			unsigned sum = 0;
			while (n--) {
				sum ^= mix(sum + n);
				if (sum & 1)
					sum += sink;
			}
			return sum;
		}
		__attribute__((noinline)) unsigned stroll(unsigned n)
		{
			return walk(n) + walk(n + 1);
		}
		int main(void)
		{
			return (int)stroll(3) == 1;
		}
	END
}

setup() {
	enter_test
	need readelf
	cp "$BATS_FILE_TMPDIR/walk.c" .
}

# build [OPTION...]: compiles walk with $CC, and sets the addresses of its
# functions.
build() {
	need gcc
	"${CC:-gcc}" -O2 -g -fno-optimize-sibling-calls -fno-ipa-cp \
		-Wl,--build-id "$@" walk.c -o walk
	readelf -sW walk | awk '$4 == "FUNC" && $7 != "UND" {
		print $8, "0x" $2, $3 }' >functions
	walk=$(awk '$1 == "walk" { print $2; exit }' functions)
	stroll=$(awk '$1 == "stroll" { print $2; exit }' functions)
}

# find_calls: sets first_call and second_call to the addresses of the calls of walk in
# stroll, and first_return and second_return to those of the instructions behind them.
# With call chains, a recording of them is enough.
find_calls() {
	need node
	recording calls.data "ip=$stroll period=1"
	dwell annotate --json -i calls.data stroll >calls.json
	read -r first_call first_return second_call second_return < <(node -e '
		const { functions: [{ lines }] } =
			JSON.parse(require("fs").readFileSync("calls.json"));
		console.log(lines.flatMap(({ kind, address }, i) => kind === "call"
			? [address, lines[i + 1].address] : []).join(" "));')
}

# recording NAME STATEMENT...: makes a recording of a process that runs walk at
# its link-time address, or $moved bytes above it. The statements are its
# samples. They have call chains if $with_chains is not empty.
recording() {
	local name=$1 offset address size id
	local other=${with_chains:+CALLCHAIN}

	shift
	id=$(readelf -nW walk | sed -n 's/.*Build ID: //p')
	read -r offset address size < <(readelf -lW walk |
		awk '/R E/ && $1 == "LOAD" { print $2, $3, $6; exit }')
	{
		cat <<-END
			file
			event name=cycles type=hardware sample_period=100 ids=1 \
			    sample_type=IP|TID|TIME|PERIOD|${other:-BRANCH_STACK}|IDENTIFIER \
			    branch_sample_type=ANY sample_id_all mmap comm
			event name=cache-misses type=hardware config=3 ids=2 \
			    sample_type=IP|TID|TIME|PERIOD|BRANCH_STACK|IDENTIFIER \
			    branch_sample_type=ANY sample_id_all
			record COMM pid=7 tid=7 comm=walk misc=exec time=1000
			record MMAP2 pid=7 tid=7 \
			    addr=$((address + ${moved:-0})) len=$size prot=5 \
			    pgoff=$offset filename=$PWD/walk time=2000 \
			    ${id:+build_id=$id}
		END
		for statement; do
			[[ $statement == *tid=* ]] || statement+=" tid=7"
			[[ $statement == *time=* ]] || statement+=" time=3000"
			echo "record SAMPLE pid=7 $statement"
		done
	} | "$DWELL_BUILD/tests/made/make_data" - "$name"
}
