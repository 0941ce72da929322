#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Names of functions compared with perf, nm and objdump on the same files.

load rows.bash

setup() {
	enter_test
	NAMED=$DWELL_BUILD/tests/peer/named
}

# same_ways FILE [OBJDUMP]: succeeds if each PLT entry that OBJDUMP finds in
# FILE has the same name in dwell. If objdump prints an address only (*ABS*),
# dwell prints the name of the resolver function. objdump lacks entries that are
# used before a function is bound: dwell may have more.
same_ways() {
	"${2:-objdump}" -d -j .plt -j .plt.sec -j .plt.got -j .iplt "$1" \
		2>/dev/null | sed -n 's/^\([0-9a-f]*\) <\(.*@plt\)>:$/\1 \2/p' |
		sed 's/^\([0-9a-f]\{8\} \)/00000000\1/' >judge
	"$NAMED" "$1" plt | cut -d' ' -f1,3 | sort >own
	[ -s judge ]
	sed 's/ \*ABS\*.*/ /' judge | sort | while read -r address name; do
		grep -q "^$address ${name:-.*@plt}\$" own || {
			echo "$1: $address is $name, not $(grep "^$address" own)"
			false
		}
	done
}

write_source() {
	cat >ways.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void *(*pointer)(size_t) = malloc;
static int chosen(int a) { return a + 1; }
static int (*choose(void))(int) { return chosen; }
int by_choice(int) __attribute__((ifunc("choose")));
int main(int argc, char **argv)
{
	void *p = pointer((size_t)argc);
	puts("x");
	printf("%p %d", p, by_choice(argc));
	free(p);
	return abs((int)strlen(argv[0]));
}
END
}

@test "PLT entries have the names of objdump" {
	local options
	need objdump
	write_source
	while read -r options; do
		# shellcheck disable=SC2086
		cc -O1 $options ways.c -o ways 2>/dev/null || continue
		same_ways ways
		grep ' by_choice@plt$' own
	done <<'END'

-fcf-protection -Wl,-z,ibtplt
-fcf-protection -Wl,-z,ibtplt -Wl,-z,now
-no-pie -fno-pie
-Wl,-z,now
-fuse-ld=gold
END
}

@test "PLT entries of programs linked by lld have the names of objdump" {
	need objdump
	need clang
	need ld.lld
	write_source
	clang -O1 -fuse-ld=lld ways.c -o ways
	same_ways ways
}

@test "PLT entries of static programs have the names of their IFUNC symbols" {
	need static-libc
	write_source
	cc -static ways.c -o ways
	"$NAMED" ways plt >own
	grep ' 8 by_choice@plt$' own
	grep ' 8 \(__\)\?strlen@plt$' own || grep ' 8 strnlen@plt$' own
	run ! grep 'ABS' own
}

@test "PLT entries of programs for aarch64 have the names of objdump" {
	need aarch64-linux-gnu-gcc
	write_source
	for options in "" -mbranch-protection=standard -Wl,-z,now; do
		# shellcheck disable=SC2086
		aarch64-linux-gnu-gcc -O1 $options ways.c -o ways
		same_ways ways aarch64-linux-gnu-objdump
	done
}

@test "PLT entries of programs for i386 have the names of objdump" {
	local options
	need objdump 32bit
	write_source
	i386_gcc ways.c -o ways
	while read -r options; do
		echo "-m32 $options"
		# shellcheck disable=SC2086
		gcc "${i386[@]}" -O1 $options ways.c -o ways 2>/dev/null || continue
		same_ways ways
		grep ' free@plt$' own
		grep ' by_choice@plt$' own
		run ! grep ABS own
	done <<'END'

-fcf-protection -Wl,-z,ibtplt
-fcf-protection -Wl,-z,ibtplt -Wl,-z,now
-no-pie -fno-pie
-no-pie -fno-pie -fcf-protection -Wl,-z,ibtplt
-Wl,-z,now
-no-pie -fno-pie -Wl,-z,now
-fuse-ld=gold
-fuse-ld=lld
END
}

@test "PLT entries of the programs of this system have the names of objdump" {
	local path
	need objdump
	for path in perl git python3 node clang; do
		path=$(readlink -f "$(command -v "$path")") || continue
		file -L "$path" 2>/dev/null | grep -q ELF ||
			[ "$(head -c 4 "$path" | tail -c 3)" = ELF ] || continue
		echo "$path"
		same_ways "$path"
	done
}

@test "an alias without a hidden version is preferred, in .symtab and in .dynsym" {
	need nm
	cat >versions.c <<'END'
void taken(void *p) { *(volatile char *)p = 0; }
void longer_name(void *p) __attribute__((alias("taken")));
__asm__(".symver longer_name, longer_name@V1");
END
	echo 'V1 {}; V2 { global: taken; } V1;' >versions.map
	cc -O1 -shared -fPIC versions.c -Wl,--version-script=versions.map \
		-o libversions.so
	nm libversions.so | grep ' longer_name@V1$'
	"$NAMED" libversions.so >own
	grep ' taken\(@@V2\)\?$' own
	run ! grep longer_name own
	strip libversions.so
	nm -D libversions.so | grep ' longer_name@V1$'
	"$NAMED" libversions.so >own
	grep ' taken$' own
	run ! grep longer_name own
}

# readelf lists FDEs; those of one start are one function, and those of length 0 none.
@test "guessed functions of the programs of this system have the ranges of FDEs that readelf prints" {
	local path n=0
	need readelf
	for path in perl git node clang "$(cc -print-file-name=libc.so.6)" \
		"$(cc -print-file-name=libstdc++.so.6)"; do
		path=$(readlink -f "$(command -v "$path")") || continue
		[ "$(head -c 4 "$path" | tail -c 3)" = ELF ] || continue
		[ "$(stat -c %s "$path")" -lt 60000000 ] || continue
		echo "$path"
		LC_ALL=C readelf --debug-dump=frames "$path" 2>/dev/null |
			sed -n 's/.* FDE .*pc=\([0-9a-f]*\)\.\.\([0-9a-f]*\)$/\1 \2/p' |
			awk '$1 "" != $2 "" { print $1 }' | sort -u >judge
		[ "$(wc -l <judge)" -gt 10 ]
		"$NAMED" "$path" guessed >own
		cut -d' ' -f1 own | diff judge -
		awk '{ print $3 }' own | sort -u | wc -l | grep -x "$(wc -l <own)"
		n=$((n + 1))
	done
	[ "$n" -gt 0 ]
}

@test "mapping symbols of aarch64 are no functions" {
	need aarch64-linux-gnu-gcc
	printf '%s\n' .text '.global first' '.type first, %function' \
		'first: b 1f' '.word 1, 2' '1: ldr x1, 2f' ret '.p2align 3' \
		'2: .quad 5' '.size first, .-first' >literals.s
	aarch64-linux-gnu-gcc -shared -nostdlib literals.s -o literals.so
	readelf -sW literals.so | grep -F '$x'
	readelf -sW literals.so | grep -F '$d'
	readelf -sW literals.so |
		awk '$8 == "first" { print $2, 20, $8; exit }' >judge
	"$NAMED" literals.so >own
	diff judge own
}

# sizes FILE: prints "size name" of all of its functions, without versions.
sizes() {
	{
		nm -S "$1"
		nm -SD "$1"
	} 2>/dev/null | awk 'NF == 4 { sub(/@.*/, "", $4); print $2, $4 }
		NF == 3 { sub(/@.*/, "", $3); print 0, $3 }' | sort -u
}

# judge ADDRESS PERF DWELL DSO: succeeds if perf's name is wrong. It is wrong if
# - perf has no name for a PLT entry that objdump has (.plt.got, .plt.sec), or
#   the name of another entry: perf assumes the order of .rela.plt, which is
#   different if there are IFUNCs;
# - perf took the symbol of size 0 of two symbols with one address. Compilers
#   emit such symbols for unreachable functions.
judge() {
	local address=$1 perf=$2 dwell=$3 dso=$4 name=${3%+0x*}
	case $name in
	*@plt)
		same_ways "$dso" && return ;;
	esac
	sizes "$dso" >sizes
	grep -q "^[0-9a-f]*[1-9a-f][0-9a-f]* $name\$" sizes &&
		grep -q "^0* ${perf%+0x*}\$" sizes && return
	echo "$dso: $address is $perf in perf, $dwell in dwell"
	return 1
}

@test "live: samples of installed programs have the symbol names of perf or of nm" {
	local address
	need perf
	need live
	need nm
	perf_record -e cpu-clock:u -F 10000 -g -o real.data -- sh -c '
		perl -e "for (1 .. 200000) { \$x .= \$_; \$x = substr(\$x, -100) }"
		git -C / --version; git log -20 --stat
		python3 -c "print(sum(len(str(i)) for i in range(100000)))"
		node -e "let s = 0; for (let i = 0; i < 1e6; i++) s += i % 7"
		clang++ -O1 -x c++ -c -o /dev/null "$DWELL_SOURCE/tests/peer/words.cpp"
		ls -lR /usr/include | sort | gzip' >/dev/null 2>&1 || :
	for program in perf dwell; do
		$program script -G --no-demangle -F ip,sym,symoff,dso \
			-i real.data 2>/dev/null | sed 's/^ *//' | by_alias \
			>$program.script
	done
	[ "$(wc -l <dwell.script)" = "$(wc -l <perf.script)" ]
	# JIT code has its own tests.
	paste -d' ' perf.script dwell.script |
		grep -v -e '\[unknown\] (\[unknown\])' -e '(//anon)' \
			-e '\.map)' -e '\[vdso\]' >both.script
	[ "$(wc -l <both.script)" -gt 500 ]
	# perf sometimes has no file for one sample.
	[ "$(paste -d' ' perf.script dwell.script |
		grep '\[unknown\] (\[unknown\])' |
		grep -cv '\[unknown\] (\[unknown\]).*\[unknown\] (\[unknown\])')" -le 2 ]
	awk '$1 != $4 || $2 != $5' both.script | sort -u >differ
	while read -r address perf _ _ dwell dso; do
		dso=${dso#(}
		judge "$address" "$perf" "$dwell" "${dso%)}"
	done <differ
	[ "$(wc -l <differ)" -lt 100 ]
}

@test "names are demangled as by c++filt: all of libLLVM and those of D" {
	local library
	need nm
	need c++filt
	printf '%s\n' _D3std5stdio7writelnFNfZv _D4main3fooFiZi _Dmain _DYNAMIC \
		_D4test3fooFiZv _D8demangle4testMxFZv _D8demangle9__T4testZv \
		_D8demangle4testFNaNbZ1aMFxAyaZv \
		_D3std5stdio__T7writelnTAyaZQnFNfQjZv >names
	"$DWELL_BUILD/tests/peer/demangled" <names >own
	# c++filt omits some parameters of D: those at the end, and the text
	# behind them.
	c++filt -s dlang <names | sed -E '/!\(\)$/! {
		s/\((immutable\(char\)\[\]|const\(.*\)|[a-z]*)\)( const)?$// }' |
		diff own -
	grep '^std.stdio.writeln$' own
	grep '^test.foo$' own
	grep '^demangle.test()\.a$' own
	grep '^_DYNAMIC$' own
	printf '%s\n' _RNvC6_123foo3bar _ZN4core3fmt5write17h0123456789abcdefE \
		_ZN3FooIiE3barEv.cold _ZN3Foo3barEv.constprop.0 main _Z \
		_GLOBAL__sub_I_main _RNvNtCs1234_7mycrate3foo3bar >names
	for library in /usr/lib/*/libLLVM*.so* /usr/lib/*/libstdc++.so.6; do
		[ -e "$library" ] || continue
		nm -D --defined-only "$library" | awk '{ print $NF }' |
			sed 's/@.*//' >>names
	done
	need libiberty
	"$DWELL_BUILD/tests/peer/demangled" <names >own
	c++filt -p -i <names | diff own -
	grep '^core::fmt::write$' own
	grep '^mycrate::foo::bar$' own
}

@test "function names of a Rust program are those of its source, with both mangling schemes" {
	need rustc
	cat >spin.rs <<'END'
trait Work { fn work(&self, n: u64) -> u64; }
struct Spin<T> { t: T }
impl Work for Spin<u8> {
    #[inline(never)]
    fn work(&self, n: u64) -> u64 {
        let mut x = n | self.t as u64;
        for i in 0..n { x ^= x << 7; x = x.wrapping_add(i); }
        x
    }
}
mod inner {
    #[inline(never)]
    pub fn generic<T: std::fmt::Debug>(t: T) -> String { format!("{:?}", t) }
}
fn main() {
    let s: Box<dyn Work> = Box::new(Spin { t: 3u8 });
    println!("{} {}", s.work(1000), inner::generic(vec![1, 2]));
}
END
	rustc -O -C symbol-mangling-version=v0 spin.rs -o new
	"$NAMED" new | cut -d' ' -f3- | "$DWELL_BUILD/tests/peer/demangled" >own
	grep '^<spin::Spin<u8> as spin::Work>::work$' own
	grep '^spin::inner::generic::<alloc::vec::Vec<i32>>$' own
	run ! grep '^_R' own
	rustc -O -C symbol-mangling-version=legacy -Z unstable-options spin.rs \
		-o old 2>/dev/null || rustc -O spin.rs -o old
	"$NAMED" old | cut -d' ' -f3- | "$DWELL_BUILD/tests/peer/demangled" >own
	grep '^<spin::Spin<u8> as spin::Work>::work$' own
	grep '^spin::inner::generic' own
}

# go tool nm prints the names of the symbol table, with the ABI of functions in assembly, and
# with arguments of types that the table of functions abbreviates. The first and the
# last symbol of the code are no functions.
@test "functions of stripped Go programs have the names of go tool nm" {
	local options
	need go
	export HOME=$PWD GOCACHE=$PWD/cache GO111MODULE=off GOFLAGS=-mod=mod
	# For a PIE go build compiles all imported packages: a program without imports.
	cp "$DWELL_SOURCE/tests/cli/deep.go" exe.go
	printf '%s\n' 'package main' '//go:noinline' \
		'func recurse(n int) int { if n > 0 { return recurse(n-1) + 1 }; return n }' \
		'func main() { println(recurse(9)) }' >pie.go
	for options in -buildmode=exe -buildmode=pie; do
		go build "$options" -o full "${options#*=}.go"
		go build "$options" -ldflags='-s -w' -o stripped \
			"${options#*=}.go"
		go tool nm -n full | sed -E -n 's/\.abi0$//; s/\[[^]]*\]/[...]/g
			s/^ *([0-9a-f]+) +[Tt] (.*)$/\1 \2/p' |
			grep -v ' runtime\.e\?text$' >judge
		[ "$(wc -l <judge)" -gt 1000 ]
		"$NAMED" stripped | sed -E 's/^0*([0-9a-f]+) [0-9a-f]+ /\1 /
			s/\[[^]]*\]/[...]/g' >own
		grep ' main.recurse$' own
		sed 's/ type:*\.\.*\(eq\|hash\)\..*/ type/' judge >judge.plain
		sed 's/ type:*\.\.*\(eq\|hash\)\..*/ type/' own |
			diff judge.plain -
	done
}
