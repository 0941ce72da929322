#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Source lines and inlined functions of each address of a program, compared with
# llvm-symbolizer's.

load rows.bash
load judged.bash

setup() {
	enter_test
	need c++
}

@test "every address of C and C++ programs has the frames and lines of llvm-symbolizer" {
	need llvm-symbolizer
	need objdump
	for compiler in c++ clang++; do
		for form in "-gdwarf-4" "-gdwarf-5" \
			"-gdwarf-4 -gsplit-dwarf" "-gdwarf-5 -gsplit-dwarf" \
			"-gdwarf-5 -gz -ffunction-sections -Wl,--gc-sections"; do
			is_chosen || continue
			compile_words "$compiler" $form || continue
			judged words words
			cp words.diff "$compiler$form.diff"
			[ ! -s words.diff ]
		done
	done
}

# inlined_by_addr2line FILE: prints its answers for the addresses in the form of
# tests/peer/lines, without addresses for which it has no line.
inlined_by_addr2line() {
	addr2line -afie "$1" <addresses | awk '
		function flush() {
			if (n && at[n] !~ /\?/ && at[n] !~ /:0$/) {
				line = address " "
				for (i = 1; i <= n; i++)
					line = line (i > 1 ? ";" : "") \
						(i < n ? name[i] " " : "") at[i]
				print line
			}
			n = 0
		}
		/^0x/ { flush(); address = $0; sub(/^0x0*/, "", address); next }
		{ name[++n] = $0; getline
			sub(/ .discriminator.*/, ""); at[n] = $0 }
		END { flush() }'
}

@test "lambdas and members of local classes have their inlined functions" {
	need llvm-symbolizer
	need addr2line
	need objdump
	local source=$DWELL_SOURCE/tests/peer/locals.cpp
	for compiler in g++ clang++; do
		turn=$((turn + 1))
		command -v $compiler || continue
		for form in "-O1 -g" "-O2 -gdwarf-4" "-O2 -g" "-O3 -g -flto" \
			"-O2 -g -fdebug-types-section" \
			"-O2 -gdwarf-5 -gsplit-dwarf"; do
			is_chosen || continue
			$compiler $form "$source" -o locals || continue
			judged locals locals
			[ ! -s locals.diff ]
			grep -qE ' _Z3mixmi .*;_ZN5Twice2ofEm ' locals.dwell
			# binutils 2.40 reads no type units, no .dwo files
			# and no file names of units made by -flto, and
			# misses inlined functions of clang's ranges.
			case $compiler$form in
			clang* | *types* | *split* | *lto*) continue ;;
			esac
			inlined_by_addr2line locals >addr2line.lines
			[ "$(wc -l <addr2line.lines)" -gt 200 ]
			grep -E ' [^?]*:[1-9][0-9]*$' locals.dwell |
				diff addr2line.lines -
		done
	done
}

@test "every address of a Rust program has the frames and lines of llvm-symbolizer" {
	need rustc
	need llvm-symbolizer
	need objdump
	cat >shapes.rs <<-'END'
		trait Shape {
		    fn area(&self, n: usize) -> f64;
		}
		struct Circle(f64);
		struct Box<T>(T);
		impl Shape for Circle {
		    fn area(&self, n: usize) -> f64 {
		        (0..n).map(|i| self.0 + i as f64).fold(0.0, |a, b| a * 0.5 + b)
		    }
		}
		impl<T: Copy + Into<f64>> Shape for Box<T> {
		    fn area(&self, n: usize) -> f64 {
		        (0..n).map(|i| self.0.into().sqrt() + i as f64).sum()
		    }
		}
		fn main() {
		    let shapes: [&dyn Shape; 3] = [&Circle(1.0), &Box(2i32), &Box(3f32)];
		    let area: f64 = shapes.iter().map(|shape| shape.area(100)).sum();
		    println!("{}", area);
		}
	END
	rustc -O -g shapes.rs -o shapes
	judged shapes shapes
	[ ! -s shapes.diff ]
}

can_link() {
	command -v "$1" && command -v "ld.$2"
} >/dev/null

# parts: writes functions of which every second one is called. The others are
# larger than the distance from address 0 to the first code.
parts() {
	awk 'BEGIN {
		print "static volatile unsigned sink;"
		print "static inline __attribute__((always_inline)) unsigned"
		print "mix(unsigned x)\n{\n\tx ^= x << 13;\n\treturn x * 5u;\n}"
		for (i = 0; i < 6; i++) {
			print "__attribute__((noinline)) unsigned"
			print "part" i "(unsigned x)\n{"
			for (j = 0; j < (i % 2 ? 500 : 60); j++)
				print j % 3 ? "\tx += sink ^ " j ";" \
					: "\tx = mix(x) + " j ";"
			print "\treturn x;\n}"
		}
		print "int main(void)\n{"
		for (i = 0; i < 6; i += 2)
			print "\tsink = part" i "(sink);"
		print "\treturn 0;\n}"
	}' >parts.c
}

# of_parts FILE: prints "part0+4 1007" for each instruction of the program's own
# functions.
of_parts() {
	objdump -d --no-show-raw-insn "$1" | awk '
		/^[0-9a-f]+ <.*>:$/ { gsub(/[<>:]/, "", $2); name = $2; n = 0 }
		/^ *[0-9a-f]+:\t/ && name ~ /^(part[0-9]+|main)$/ {
			sub(/:/, "", $1)
			print name "+" n++, $1
		}'
}

# llvm-symbolizer has answers for removed code, too. So the expected answer is
# its answer for the program with all code.
@test "lines of code that the linker removed belong to no address" {
	local linked n=0

	need llvm-symbolizer
	need objdump
	parts
	for compiler in gcc clang; do
		command -v "$compiler" || continue
		for form in "-gdwarf-4" "-gdwarf-5" "-gdwarf-5 -gsplit-dwarf"; do
			$compiler -O1 $form -fPIE -ffunction-sections \
				-c parts.c -o parts.o
			for linker in bfd gold lld; do
				is_chosen || continue
				linked="$compiler -pie -fuse-ld=$linker"
				can_link "$compiler" $linker || continue
				$linked parts.o -o whole
				$linked -Wl,--gc-sections parts.o -o left
				judged whole whole
				[ ! -s whole.diff ]
				of_parts whole | sort -k2,2 >whole.places
				sort -k1,1 whole.dwell | join -1 2 whole.places - |
					cut -d' ' -f2- | sort >whole.lines
				of_parts left >left.places
				cut -d' ' -f2 left.places |
					"$DWELL_BUILD/tests/peer/lines" left |
					cut -d' ' -f2- |
					paste -d' ' left.places - |
					cut -d' ' -f1,3- | sort >left.lines
				[ "$(wc -l <left.lines)" -gt 500 ]
				run ! grep -c '^part1+' left.lines
				join left.lines whole.lines -o 0 |
					cmp - <(cut -d' ' -f1 left.lines)
				[ -z "$(comm -23 left.lines whole.lines)" ]
				n=$((n + 1))
			done
		done
	done
	[ $n -gt 0 ]
}

@test "functions that the linker folded into one have the lines of the first function" {
	local n=0

	need llvm-symbolizer
	need objdump
	awk 'BEGIN {
		print "static volatile unsigned sink;"
		for (i = 0; i < 8; i++) {
			print "__attribute__((noinline)) unsigned"
			print "part" i "(unsigned x)\n{"
			for (j = 0; j < 40; j++)
				print (i % 2 && j % 5 == 0 ? "\n" : "") \
					"\tx += sink ^ " j ";"
			print "\treturn x;\n}"
		}
		print "int main(void)\n{"
		for (i = 0; i < 8; i++)
			print "\tsink = part" i "(sink);"
		print "\treturn 0;\n}"
	}' >folded.c
	for compiler in gcc clang; do
		for linker in gold lld; do
			can_link "$compiler" $linker || continue
			$compiler -O1 -g -fPIE -pie -ffunction-sections \
				-fuse-ld=$linker -Wl,--icf=all folded.c \
				-o folded
			[ "$(nm folded | grep ' part[0-9]$' |
				cut -d' ' -f1 | sort -u | wc -l)" = 1 ]
			judged folded folded
			[ ! -s folded.diff ]
			n=$((n + 1))
		done
	done
	[ $n -gt 0 ]
}

# units COMPILER OPTION...: compiles words.cpp and inlines.cpp to "words".
units() {
	local compiler=$1 unit
	shift
	for unit in words inlines; do
		"$compiler" -O2 "$@" -c -o $unit.o \
			$([ $unit = words ] || echo -Dmain=other_main) \
			"$DWELL_SOURCE/tests/peer/$unit.cpp"
	done
	"$compiler" words.o inlines.o -o words
}

# Compared with debug information of the same code in one piece: with split
# debug information of several units, llvm-symbolizer omits most inlined
# functions of the last unit.
@test "a .dwp file has the frames and lines of all its .dwo files" {
	need llvm-symbolizer
	need objdump
	local n=0
	for compiler in c++ clang++; do
		turn=$((turn + 1))
		for form in 4 5; do
			is_chosen || continue
			command -v "$compiler" >/dev/null || continue
			units "$compiler" -gdwarf-$form
			judged words words
			[ ! -s words.diff ]
			units "$compiler" -gdwarf-$form -gsplit-dwarf
			rm -f words.dwp
			"$DWELL_BUILD/tests/peer/lines" words <addresses >dwo
			cmp words.dwell dwo
			for packer in dwp llvm-dwp; do
				# dwp of binutils 2.40 supports only DWARF 4.
				"$packer" -e words -o words.dwp 2>said || continue
				mkdir away
				mv ./*.dwo away
				"$DWELL_BUILD/tests/peer/lines" words \
					<addresses >dwp
				cmp words.dwell dwp
				mv away/* .
				rmdir away
				n=$((n + 1))
			done
		done
	done
	[ $n -ge 2 ]
}

@test "a damaged .dwp file does not change other output" {
	need llvm-dwp
	units c++ -gdwarf-5 -gsplit-dwarf
	llvm-dwp -e words -o whole.dwp
	rm ./*.dwo
	objdump -d --no-show-raw-insn words |
		sed -n 's/^ *\([0-9a-f]\{3,\}\):	.*/\1/p' | head -n 400 >addresses
	python3 - whole.dwp "$DWELL_BUILD/tests/peer/lines" <<'END'
import os, random, subprocess, sys
whole = open(sys.argv[1], "rb").read()
random.seed(1)
for i in range(150 if os.environ.get("DWELL_TEST_WHOLE") else 60):
    bad = bytearray(whole)
    if i % 3 == 0:
        del bad[random.randrange(len(bad)):]
    else:
        # Behind the strings are the index and the headers.
        for _ in range(8):
            at = random.randrange(64, len(bad)) if i % 2 else \
                len(bad) - 1 - random.randrange(min(len(bad), 2000))
            bad[at] = random.choice([0, 0xff, 0x80, random.randrange(256)])
    open("words.dwp", "wb").write(bad)
    subprocess.run(["timeout", "20", sys.argv[2], "words"],
        stdin=open("addresses"), stdout=subprocess.DEVNULL, check=True)
END
}

# Without DWARF, the lines of Go programs are from .gopclntab, as those of go tool
# addr2line. DWARF of some versions lacks generated functions.
@test "every address of a stripped Go program has the frames and lines of the unstripped program" {
	need go
	need objdump
	export HOME=$PWD GOCACHE=$PWD/cache GO111MODULE=off GOFLAGS=-mod=mod
	go build -o full "$DWELL_SOURCE/tests/cli/deep.go"
	go build -ldflags='-s -w' -o stripped "$DWELL_SOURCE/tests/cli/deep.go"
	objdump -d --no-show-raw-insn full |
		sed -n 's/^ *\([0-9a-f]*\):\t.*/\1/p' >addresses
	[ "$(wc -l <addresses)" -gt 50000 ]
	"$DWELL_BUILD/tests/peer/lines" stripped <addresses >own
	"$DWELL_BUILD/tests/peer/lines" full <addresses >judge
	grep -c ' runtime\..*;.*;' own
	paste -d'|' judge own | awk -F'|' '$1 != $2 &&
		!/autogenerated/ && $1 !~ / [?][?]:0$/' >differences
	cat differences
	# The order of instructions differs for a few.
	[ "$(wc -l <differences)" -lt "$(($(wc -l <addresses) / 5000))" ]
	sed 's/^/0x/' addresses | go tool addr2line full |
		sed -n 'n; s/^:-1$/??:0/; p' | paste -d' ' addresses - >judge
	awk '{ sub(/;.*/, ""); print $1, $NF }' own | diff judge -
}
