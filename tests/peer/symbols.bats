#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Names of functions, against what perf, nm and objdump say of the same files.

load rows.bash

setup() {
	enter_test
	NAMED=$DWELL_BUILD/tests/peer/named
}

# same_ways FILE [OBJDUMP]: each way out of FILE that OBJDUMP knows has its name.
# It is called by what it chooses where objdump has an address only (*ABS*), and
# objdump doesn't know some that code jumps through before a function was looked
# up: these may be more.
same_ways() {
	"${2:-objdump}" -d -j .plt -j .plt.sec -j .plt.got -j .iplt "$1" \
		2>/dev/null | sed -n 's/^\([0-9a-f]*\) <\(.*@plt\)>:$/\1 \2/p' \
		>judge
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

@test "ways out to other files have objdump's names" {
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

@test "ways out have objdump's names where lld linked them" {
	need objdump
	need clang
	need ld.lld
	write_source
	clang -O1 -fuse-ld=lld ways.c -o ways
	same_ways ways
}

@test "ways out of static programs are named after what they choose" {
	write_source
	cc -static ways.c -o ways 2>/dev/null || skip "no static libc"
	"$NAMED" ways plt >own
	grep ' 8 by_choice@plt$' own
	grep ' 8 \(__\)\?strlen@plt$' own || grep ' 8 strnlen@plt$' own
	run ! grep 'ABS' own
}

@test "ways out of programs for aarch64 have objdump's names" {
	need aarch64-linux-gnu-gcc
	write_source
	for options in "" -mbranch-protection=standard -Wl,-z,now; do
		# shellcheck disable=SC2086
		aarch64-linux-gnu-gcc -O1 $options ways.c -o ways
		same_ways ways aarch64-linux-gnu-objdump
	done
}

@test "ways out of this system's programs have objdump's names" {
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
