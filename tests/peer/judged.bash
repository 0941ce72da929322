# SPDX-License-Identifier: GPL-2.0-or-later
# Source lines of programs compared with llvm-symbolizer's.

# judged NAME FILE: writes dwell's answers for each instruction of FILE to
# NAME.dwell, and compares them with llvm-symbolizer's, which prints the name of
# a file for code without debug information. Differences are in NAME.diff.
judged() {
	objdump -d --no-show-raw-insn "$2" |
		sed -n 's/^ *\([0-9a-f]\{3,\}\):	.*/\1/p' >addresses
	[ "$(wc -l <addresses)" -gt 100 ]
	"$DWELL_BUILD/tests/peer/lines" "$2" <addresses >"$1.dwell"
	sed 's/^/0x/' addresses |
		llvm-symbolizer --obj="$2" --no-demangle |
		awk -v addresses=addresses 'function flush() {
				getline address <addresses
				text = ""
				for (i = 1; i <= n; i++)
					text = text (i > 1 ? ";" : "") \
						(i < n ? name[i] " " : "") at[i]
				print address " " text
				n = 0
			}
			/^$/ { flush(); next }
			{ name[++n] = $0; getline
				sub(/:[0-9]+$/, ""); at[n] = $0 }' |
		sed 's/ [^ ;/]*:0$/ ??:0/' >"$1.llvm"
	[ "$(wc -l <"$1.llvm")" -gt 100 ]
	diff "$1.llvm" "$1.dwell" >"$1.diff" || true
	echo "$1: $(wc -l <addresses) addresses," \
		"$(grep -c '^>' "$1.diff") otherwise than llvm-symbolizer"
}

# compile_words COMPILER OPTION...: compiles words.cpp to words by a relative
# path, with a header in another folder.
compile_words() {
	local compiler=$1
	shift
	command -v "$compiler" >/dev/null || return 1
	mkdir -p src inc
	cp "$DWELL_SOURCE/tests/peer/words.cpp" inc/words.h
	echo '#include "words.h"' >src/words.cpp
	"$compiler" -O2 -Iinc "$@" src/words.cpp -o words
}
