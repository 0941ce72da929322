#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Unwinding of stack copies by the report, and its messages about them.

load common.bash

# ended FILE END: prints how many stacks of FILE ended with END, from the JSON
# report.
ended() {
	"$report" report -i "$1" --json 2>/dev/null |
		sed -n "s/.*\"copied_stacks\": {.*\"$2\": \([0-9.]*\).*/\1/p"
}

# made ATTRIBUTE... <samples: makes a recording of an x86-64 process with one
# mapping, of a file that does not exist.
made() {
	{
		echo file
		echo feature ARCH str=x86_64
		echo "event name=clock type=software config=0 sample_id_all" \
			"ids=1 sample_stack_user=64" \
			"sample_type=IP|TID|TIME|CALLCHAIN|REGS_USER|STACK_USER" \
			"${*:-sample_regs_user=0xff0fff}"
		echo record COMM pid=7 comm=old time=1
		echo record MMAP pid=7 addr=0x400000 len=0x10000 \
			filename=/nonexistent/old time=2
		cat
	} | "$DWELL_BUILD/tests/made/make_data" - made.data
}

# sample IP BP SP WORD...: prints a sample, with a stack of 8-byte words in hex.
sample() {
	local ip=$1 bp=$2 sp=$3

	shift 3
	printf 'record SAMPLE ip=%s pid=7 time=5 chain=user,%s' "$ip" "$ip"
	printf ' regs_user_abi=64 regs_user=0,0,0,0,0,0,%s,%s,%s' \
		"$bp" "$sp" "$ip"
	printf ',0,0,0,0,0,0,0,0,0,0,0'
	printf ' stack="%s"' "$*"
	[ $# -eq 0 ] || printf ' dyn_size=%d' "$(($# * 8))"
	echo
}

@test "unwind: frame pointers are followed in code whose file is missing" {
	{
		sample 0x401000 0x7000 0x7000 1070000000000000 \
			0020400000000000 0000000000000000 0030400000000000
	} | made
	run -0 "$report" script -i made.data -F ip
	[[ $output == *1000*1fff*2fff* ]]
	# The last word is 0, as at the start of a stack.
	[ "$(ended made.data root)" = 1 ]
	"$report" report -i made.data >/dev/null 2>messages
	grep "cannot find the recorded file /nonexistent/old" messages
}

@test "unwind: a frame pointer of 0 is the end of a complete stack only after another frame pointer" {
	sample 0x401000 0 0x7000 1070000000000000 0020400000000000 | made
	[ "$(ended made.data root)" = 0 ]
	[ "$(ended made.data no_rule)" = 1 ]
}

@test "unwind: a stack ends at a return address of 0, and does not count as complete" {
	sample 0x401000 0x7000 0x7000 1070000000000000 0020400000000000 \
		2070000000000000 0000000000000000 |
		with_chain 0x401000,0x402000,0x403000 | made
	[ "$(ended made.data zero)" = 1 ]
	[ "$(ended made.data root)" = 0 ]
	[ "$(ended made.data whole_percent)" = 0.0000 ]
	[ "$(ended made.data spliced)" = 0 ]
	run -0 "$report" script -i made.data -F ip
	[[ $output == *1000*1fff* ]]
	[[ $output != *2fff* ]]
	run -0 "$report" report -i made.data --stdio
	[[ $output == *"1 (0.00 % complete; 1 end at a return address of 0)"* ]]
}

# with_chain ENTRY,...: sets the kernel's call chain of the samples on standard
# input.
with_chain() {
	sed "s/ chain=user,[0-9a-fx]*/ chain=user,$1/"
}

@test "unwind: where unwind rules end, the kernel's own call chain completes the stack" {
	sample 0x401000 0 0x7000 0000000000000000 |
		with_chain 0x401000,0x402000,0x403000 | made
	run -0 "$report" script -i made.data -F ip
	[[ $output == *1000*1fff*2fff* ]]
	[ "$(ended made.data spliced)" = 1 ]
	# A kernel chain with another address is not used.
	sample 0x401000 0 0x7000 0000000000000000 |
		with_chain 0x404000,0x402000,0x403000 | made
	[ "$(ended made.data spliced)" = 0 ]
}

@test "unwind: in a recursion, the kernel's own call chain continues at the same depth" {
	# One caller by the frame pointer, which then points to unmapped memory.
	sample 0x401000 0x7000 0x7000 3333000000000000 0020400000000000 |
		with_chain 0x401000,0x402000,0x402000,0x402000,0x403000 | made
	run -0 "$report" script -i made.data -F ip
	[ "$(grep -c '[[:blank:]]1fff$' <<<"$output")" = 3 ]
	[ "$(ended made.data spliced)" = 1 ]
	# Two callers by frame pointers: the same depth as in the kernel's
	# chain.
	sample 0x401000 0x7000 0x7000 1070000000000000 0020400000000000 \
		3333000000000000 0020400000000000 |
		with_chain 0x401000,0x402000,0x402000,0x402000,0x403000 | made
	run -0 "$report" script -i made.data -F ip
	[ "$(grep -c '[[:blank:]]1fff$' <<<"$output")" = 3 ]
}

@test "unwind: where a stack copy ends, the kernel's own call chain completes the stack" {
	# One caller by the frame pointer, which then points behind the copy.
	sample 0x401000 0x7000 0x7000 1070000000000000 0020400000000000 |
		with_chain 0x401000,0x402000,0x403000,0x404000 >cut
	made <cut
	[ "$(ended made.data truncated)" = 1 ]
	[ "$(ended made.data spliced)" = 1 ]
	run -0 "$report" script -i made.data -F ip
	[[ $output == *1000*1fff*2fff*3fff* ]]
	run -0 "$report" script -i made.data -F comm,stack_origin
	[[ $output == *frame_pointers* ]]
	run -0 "$report" report -i made.data --stdio
	[[ $output == *"; 1 longer than their copy; 1 continue by frame pointers)"* ]]
	[[ $output == *3fff* ]]
	# The outer frames of another sample are preferred.
	{
		cat cut
		sample 0x401000 0x7000 0x7000 1070000000000000 \
			0020400000000000 2070000000000000 0050400000000000 \
			0000000000000000 0060400000000000
	} | made
	[ "$(ended made.data joined)" = 1 ]
	[ "$(ended made.data spliced)" = 0 ]
	for verb in script report; do
		run -0 "$report" $verb -i made.data
		[[ $output == *5fff* ]]
		[[ $output != *2fff* ]]
	done
}

# data_of_file: prints the mapping that record -d has for the .data of the file
# of made().
data_of_file() {
	echo 'record MMAP2 pid=7 tid=7 misc=0x2000 addr=0x420000 len=0x1000' \
		'pgoff=0x20000 prot=3 flags=2 filename=/nonexistent/old time=3'
}

@test "unwind: a frame pointer that leads to data ends the stack" {
	local caller
	# The stack, and the program's .data.
	for caller in 1070000000000000 1000420000000000; do
		{
			echo 'record MMAP2 pid=7 tid=7 misc=0x2000 addr=0x7000' \
				'len=0x1000 prot=3 flags=2 filename=[stack] time=3'
			data_of_file
			sample 0x401000 0x7000 0x7000 1070000000000000 \
				$caller 0000000000000000 0030400000000000
		} | made
		run -0 "$report" script -i made.data -F ip
		[ "$(grep -c '[[:blank:]][0-9a-f]*$' <<<"$output")" -eq 1 ]
		[ "$(ended made.data no_rule)" = 1 ]
		[ "$(ended made.data guessed)" = 0 ]
	done
}

@test "unwind: addresses of data in the kernel's own call chain end the stack" {
	local bad

	# The stack, the program's .data, unmapped memory, and an invalid
	# address. In place of CFI, of a stack copy, and of registers.
	for bad in 0x7008 0x420010 0x505000 0x7878787878787878; do
		{
			echo 'record MMAP2 pid=7 tid=7 misc=0x2000 addr=0x7000' \
				'len=0x1000 prot=3 flags=2 filename=[stack] time=3'
			data_of_file
			{
				sample 0x401000 0 0x7000 0000000000000000
				sample 0x401000 0x7000 0x7000
				sample 0x401000 0x7000 0x7000 | sed s/abi=64/abi=0/
			} | with_chain 0x401000,0x402000,$bad,0x403000
		} | made
		run -0 "$report" script -i made.data -F ip
		[ "$(grep -c '[[:blank:]]1000$' <<<"$output")" = 3 ]
		[ "$(grep -c '[[:blank:]]1fff$' <<<"$output")" = 3 ]
		[ "$(grep -c '[[:blank:]][0-9a-f]*$' <<<"$output")" = 6 ]
		run -0 "$report" report --stdio -i made.data
		[[ $output != *2fff* ]]
	done
}

@test "unwind: a stack copy of 0 bytes is a stack of the sampled address only" {
	sample 0x401000 0x7000 0x7000 | made
	run -0 "$report" script -i made.data -F ip
	[ "$(grep -c '[[:blank:]][0-9a-f]*$' <<<"$output")" -eq 1 ]
	[ "$(ended made.data stacks)" = 1 ]
}

@test "unwind: a sample without a stack copy has the kernel's own call chain" {
	sample 0x401000 0x7000 0x7000 |
		with_chain 0x401000,0x402000,0x403000 | made
	[ "$(ended made.data empty)" = 1 ]
	[ "$(ended made.data truncated)" = 0 ]
	[ "$(ended made.data spliced)" = 1 ]
	run -0 "$report" script -i made.data -F ip
	[[ $output == *1000*1fff*2fff* ]]
	run -0 "$report" report -i made.data --stdio
	[[ $output == *"; 1 without a copy; 1 continue by frame pointers)"* ]]
}

@test "unwind: without the needed registers, the stack is the sampled address only" {
	{
		echo 'record SAMPLE ip=0x401000 pid=7 time=5' \
			'chain=user,0x401000 regs_user_abi=64 regs_user=1,2' \
			'stack="0000000000000000" dyn_size=8'
	} | made sample_regs_user=0x3
	[ "$(ended made.data register)" = 1 ]
	run -0 "$report" script -i made.data -F ip
	[[ $output == *1000* ]]
}

@test "unwind: a frame pointer to itself, to a lower address or to unmapped memory ends the stack" {
	{
		# A frame pointer to itself, to a lower address, and to unmapped
		# memory.
		sample 0x401000 0x7000 0x7000 0070000000000000 0020400000000000
		sample 0x401000 0x6000 0x7000 0060000000000000 0020400000000000
		sample 0x401000 0xfffffffffffffff8 0xfffffffffffffff0 \
			f8ffffffffffffff 0020400000000000
		sample 0x401000 0 0 0000000000000000
		sample 0xffffffffffffffff 0x7001 0xffffffffffffffff \
			ffffffffffffffff
	} | made
	[ "$(ended made.data stacks)" = 5 ]
	run -0 timeout 20 "$report" script -i made.data
}

@test "unwind: a message reports stack copies of an unsupported processor" {
	sample 0x401000 0x7000 0x7000 0000000000000000 | made
	sed s/x86_64/mips99/ made.data >other.data
	run -0 "$report" report -i other.data
	[[ $output == *"stack copies of mips99"* ]]
}

@test "live: unwind: stacks of 32-bit programs are complete" {
	need gcc
	cat >old.c <<-'END'
		__attribute__((noinline)) static int spin(int n)
		{
			volatile int i;

			for (i = 0; i < n; i++)
				;
			return i;
		}
		int outer(int n);
		int outer(int n)
		{
			return spin(n) + 1;
		}
		/*
		 * The kernel copies no stack if the page at the stack pointer was
		 * never used: the stack pointer stays above the end of a page.
		 */
		__asm__(".globl _start\n_start:\n.cfi_startproc\n"
			".cfi_undefined eip\nand $-4096, %esp\n"
			"sub $64, %esp\npush $500000000\n"
			".cfi_adjust_cfa_offset 4\ncall outer\n"
			"mov $1, %eax\nxor %ebx, %ebx\nint $0x80\n"
			".cfi_endproc\n.size _start, . - _start\n"
			".type _start, @function\n");
	END
	need 32bit
	i386_gcc -O2 -fomit-frame-pointer -nostdlib -static -ffreestanding \
		-fasynchronous-unwind-tables old.c -o old
	"$record" -q -e cpu-clock:u -F 500 --call-graph dwarf,4096 \
		--keep-stacks -o kept.data -- ./old
	"$report" script -i kept.data -F comm,ip,sym >text
	[ "$(grep -c spin text)" -gt 20 ]
	[ "$(grep -c outer text)" -ge "$(grep -c spin text)" ]
	[ "$(grep -c _start text)" -ge "$(grep -c outer text)" ]
	[ "$(ended kept.data root)" = "$(ended kept.data stacks)" ]
}

@test "live: unwind: a message names the program whose file is missing" {
	need gcc
	gcc -O2 -fomit-frame-pointer "$DWELL_SOURCE/tests/bench/chain.c" \
		-o chain -lpthread
	"$record" -q -e cpu-clock:u -F 1000 --call-graph dwarf,8192 \
		--keep-stacks -o kept.data -- ./chain 1 1000000 >/dev/null
	rm chain
	"$report" report -i kept.data 2>messages >/dev/null
	grep "cannot find the recorded file .*/chain" messages
}

@test "live: unwind: stacks that are larger than their copy are completed by other samples" {
	need gcc
	cat >deep.c <<-'END'
		#include <stdlib.h>
		static volatile long sink;
		__attribute__((noinline)) static void spin(void)
		{
			for (int i = 0; i < 500000; i++)
				sink++;
		}
		__attribute__((noinline)) static long deep(int n)
		{
			volatile char room[48];

			room[n % 48] = 1;
			spin();
			return n ? deep(n - 1) + room[n % 48] : 0;
		}
		int main(void)
		{
			return deep(600) == 7;
		}
	END
	gcc -O1 -fomit-frame-pointer deep.c -o deep
	"$record" -q -e cpu-clock:u -F 500 --call-graph dwarf,16384 \
		--keep-stacks -o kept.data -- ./deep
	# The deepest stacks are completed by earlier ones, these by others, and
	# so on.
	joined=$(ended kept.data joined)
	truncated=$(ended kept.data truncated)
	[ "$joined" -gt 0 ]
	[ "$truncated" -ge "$joined" ]
	run -0 "$report" report -i kept.data --stdio
	[[ $output == *"# Copied Stacks: "*" completed from other samples"* ]]
	# Each joined chain leads to the start of the process, without a gap or
	# a repeated frame.
	"$report" script --max-stack 9999 -i kept.data -F ip,sym |
		awk 'BEGIN { RS = ""; FS = "\n" } /_start/ && /deep/ { n++ }
			END { exit n < 2 }'
	# The origin of the stack is printed.
	for fields in comm,stack_origin comm,stack_origin,ip; do
		[ "$("$report" script -i kept.data -F $fields |
			grep -c ' samples$')" = "$joined" ]
	done
}

@test "live: unwind: if a signal interrupted a function deep in the stack, its frame has the right address" {
	need gcc
	cat >late.c <<-'END'
		#include <signal.h>
		#include <stdlib.h>
		#include <unistd.h>
		static volatile long sink;
		__attribute__((noinline)) static void deep(int n)
		{
			volatile char room[20];

			room[0] = (char)n;
			if (n)
				deep(n - 1);
			for (int i = 0; !n && i < 1200000000; i++)
				sink++;
			if (!n)
				_exit(0);
			sink += room[0];
		}
		static void handle(int signal)
		{
			deep(80);
			sink += signal;
		}
		/* It is interrupted at the first instruction of spin(). */
		__asm__(".type before, @function\nbefore:\n.cfi_startproc\n"
			"nop\n.cfi_endproc\n.size before, . - before\n"
			".globl spin\n.type spin, @function\nspin:\n"
			".cfi_startproc\n1: jmp 1b\n.cfi_endproc\n"
			".size spin, . - spin\n");
		void spin(void);
		int main(void)
		{
			signal(SIGALRM, handle);
			alarm(1);
			spin();
		}
	END
	need x86_64
	gcc -O2 -fomit-frame-pointer late.c -o late
	"$record" -q -e cpu-clock:u -F 200 --call-graph dwarf --keep-stacks \
		-o kept.data -- ./late
	"$report" script -i kept.data -F ip,sym --max-stack 200 >text
	awk 'BEGIN { RS = "" } / handle\n/ { n++; good += / spin/ && !/ before/ }
		END { print good, n; exit !(n > 20 && good == n) }' text
	# The address to which the handler returns is not behind a call either.
	"$record" -q -e cpu-clock:u -F 200 --call-graph dwarf -o live.data \
		-- ./late
	for file in kept live; do
		"$report" script -i $file.data -F ip,sym --max-stack 200 |
			awk '/ handle$/ { getline; print $1 }' | sort -u >$file
	done
	[ -s live ]
	cmp live kept
}
