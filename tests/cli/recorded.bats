#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings of an earlier dwell: every later one gives the same answers
# (tests/recorded/README.md).

load common.bash

shopt -s extglob

recorded=$DWELL_SOURCE/tests/recorded

# same_answers TEXT...: prints the difference of each text that differs.
same_answers() {
	local text status=0

	for text in "$@"; do
		"$recorded/answer" "$text" >answers
		diff -u --label "${text##*/}" --label now "$text" answers ||
			status=1
	done
	return $status
}

@test "the output for recordings of an earlier dwell has not changed" {
	same_answers "$recorded"/!(made_*|packed*|tracepoints|off_cpu).txt
}

@test "the output for packed recordings of an earlier dwell has not changed" {
	same_answers "$recorded"/packed*.txt
}

@test "the output for made recordings of other machines has not changed" {
	same_answers "$recorded"/made_*.txt
}

@test "the output for tracepoint recordings of an earlier dwell has not changed" {
	need libtraceevent
	same_answers "$recorded"/tracepoints.txt "$recorded"/off_cpu.txt
}

# Texts without any answer would pass the comparison.
@test "each recording of an earlier dwell has its expected output, and a row in README.md" {
	local data name
	for data in "$recorded"/*.data; do
		name=$(basename "$data" .data)
		grep -q '^\$ dwell report --csv$' "$recorded/$name.txt"
		grep -Eq "^\|.*\b$name\b.*\|" "$recorded/README.md"
	done
}

# Compares the rows of bytes in doc/format-example.md. A row behind "Decompressed:" or behind
# a section's name is of the next compressed frame of the file, other rows are
# of the file.
@test "the bytes in doc/format-example.md are those of its recording" {
	need python3
	need zstd
	python3 - "$DWELL_SOURCE/doc/format-example.md" "$recorded" <<-'END'
	import re, subprocess, sys

	def data(name):
	    return open(f"{sys.argv[2]}/{name}.data", "rb").read()

	def frame(start):
	    return subprocess.run(["zstd", "-dcq"], input=recording[start:],
	                          stdout=subprocess.PIPE,
	                          stderr=subprocess.DEVNULL).stdout

	recording, stream = data("format"), data("format_stream")
	magic = re.escape(bytes.fromhex("28b52ffd"))
	frames = (frame(m.start()) for m in re.finditer(magic, recording))
	text = open(sys.argv[1]).read()
	shown, is_frame, repeated, compared, wrong = recording, False, None, 0, 0
	for line in text.split("\n"):
	    row = re.match(r"    ([0-9a-f]{8})  (.{48})  \|", line)
	    if line.startswith("## "):
	        is_stream = "stream" in line
	        shown, is_frame = stream if is_stream else recording, False
	    elif line.endswith("Decompressed:") or re.match("    [a-z]+$", line):
	        is_frame, shown = True, next(frames)
	    elif line.strip() == "*":
	        repeated = last
	    elif row:
	        start = int(row[1], 16)
	        if repeated is not None:
	            gap = shown[repeated:start]
	            wrong += gap != gap[:16] * (len(gap) // 16)
	            compared, repeated = compared + len(gap), None
	        for i in range(16):
	            column = 3 * i + (i >= 8)
	            byte = row[2][column:column + 2].strip()
	            if byte:
	                compared += 1
	                if shown[start + i:start + i + 1] != bytes.fromhex(byte):
	                    print(f"0x{start + i:x}: {line}")
	                    wrong += 1
	                    break
	        last = start
	    elif is_frame and line and not line.startswith(" "):
	        is_frame, shown = False, recording
	print(f"{compared} bytes compared, {wrong} differ")
	sys.exit(compared < 4000 or wrong > 0)
	END
}
