#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Kernel symbols of a recording from another machine.

load common.bash

id=0102030405060708090a0b0c0d0e0f1011121314

setup() {
	enter_test
	export HOME=$PWD/home
	mkdir -p home
	# Loaded 0x2000000 above its link-time address.
	"$DWELL_BUILD/tests/made/make_data" - made.data <<END
file
event name=cycles type=hardware sample_type=IP|TID|TIME ids=1 sample_id_all
feature HOSTNAME str=made
feature OSRELEASE str=1.2.3-made
feature BUILD_ID build_id=[kernel.kallsyms],$id
record MMAP misc=kernel pid=0xffffffff addr=0xffffffff83000000 len=0x1000000
	pgoff=0xffffffff83000000 filename=[kernel.kallsyms]_text
record MMAP misc=kernel pid=0xffffffff addr=0xffffffffc0000000 len=0x10000
	pgoff=0 filename=[made_module]
record KSYMBOL addr=0xffffffffd0000000 len=0x100 ksym_type=1
	name=bpf_prog_0123456789abcdef_made
record KSYMBOL addr=0xffffffffd0001000 len=0x1000 ksym_type=2
	name=ftrace_trampoline
record COMM pid=7 tid=7 comm=made misc=exec time=1000
record SAMPLE misc=kernel ip=0xffffffff83000110 pid=7 time=3000
record SAMPLE misc=kernel ip=0xffffffff83000210 pid=7 time=4000
record SAMPLE misc=kernel ip=0xffffffffc0000020 pid=7 time=5000
record SAMPLE misc=kernel ip=0xffffffffd0000010 pid=7 time=6000
record SAMPLE misc=kernel ip=0xffffffffd0001010 pid=7 time=7000
END
	cat >kallsyms <<'END'
ffffffff83000000 T _text
ffffffff83000100 T a_function
ffffffff83000200 t another
ffffffffc0000000 t of_a_module	[made_module]
END
}

# make_vmlinux ID: makes the file "vmlinux", linked at ffffffff81000000.
make_vmlinux() {
	cat >vmlinux.s <<'END'
	.text
	.globl _text, a_function, another
_text:	.skip 0x100
	.type a_function, @function
a_function: .ascii "bytes of a_function"
	.skip 0x100 - 19
	.size a_function, . - a_function
	.type another, @function
another: .skip 0x100
	.size another, . - another
END
	as vmlinux.s -o vmlinux.o
	ld -Ttext=0xffffffff81000000 -e _text --build-id=0x"$1" vmlinux.o \
		-o vmlinux
}

names() {
	dwell script -F ip,sym -i made.data "$@" 2>notes |
		awk '{ print $2 }' | paste -sd ' '
}

programs="bpf_prog_0123456789abcdef_made ftrace_trampoline"

@test "report: kernel code has no names if the running kernel is not the recorded one, and a message states it" {
	[ "$(names)" = "[unknown] [unknown] [unknown] $programs" ]
	grep "made.data: no symbols of the recorded kernel (1.2.3-made):" notes
	[ "$(wc -l <notes)" = 1 ]
}

@test "report: --kallsyms gives names to the recorded kernel and its modules" {
	[ "$(names --kallsyms kallsyms)" = \
		"a_function another of_a_module $programs" ]
	[ ! -s notes ]
	dwell report --stdio -s dso,sym --kallsyms kallsyms -i made.data |
		grep -E '\[made_module\] +\[k\] of_a_module'
	dwell report --dsos --kallsyms kallsyms -i made.data |
		grep -E ' kallsyms .* \[kernel.kallsyms\]$'
}

@test "annotate: a kernel function of kallsyms or a BPF program shows why its code is missing" {
	local program=bpf_prog_0123456789abcdef_made

	annotated() {
		dwell annotate --kallsyms kallsyms -i made.data "$1" >text
		cat text
		sed -n 1p text | grep -Fx "# $1 in $2"
		sed -n 4p text | grep -Fx "# no code: $3"
	}
	annotated $program "[$program], 0xffffffffd0000000-0xffffffffd0000100" \
		"the kernel generated it at run time (for example a BPF program), and only its name was recorded"
	annotated ftrace_trampoline \
		"[ftrace_trampoline], 0xffffffffd0001000-0xffffffffd0002000" \
		"the kernel generated it at run time (for example a BPF program), and only its name was recorded"
	annotated of_a_module \
		"[made_module], 0xffffffffc0000000-0xffffffffc0001000" \
		"dwell does not read the code of kernel modules"
	annotated a_function \
		"[kernel.kallsyms], 0xffffffff83000100-0xffffffff83000200" \
		"the code of the kernel is in vmlinux; name it with --vmlinux"
	dwell script -F ip,sym,symoff -i made.data 2>/dev/null |
		grep " $program+0x10$"
	dwell report --stdio -s sym,symbol_size -i made.data 2>/dev/null |
		grep "$program  *256$"
}

@test "report: a BPF program that was loaded twice is one row, and one branch of call graphs" {
	local at
	{
		sed '/^record SAMPLE/,$d' "$DWELL_SOURCE/tests/made/plain.txt"
		for at in 0xffffffffd0000000 0xffffffffd0001000; do
			echo "record KSYMBOL addr=$at len=0x100 ksym_type=1 name=bpf_made"
			echo "record SAMPLE misc=kernel ip=$((at + 1)) pid=7 tid=7 time=3000 \
				period=1 chain=kernel,$((at + 1))"
		done
	} | "$DWELL_BUILD/tests/made/make_data" - twice.data
	dwell report --stdio -s sym,symbol_size --no-children -i twice.data >text
	cat text
	grep -E '^ +100\.00%  \[k\] bpf_made +256$' text
	[ "$(grep -c bpf_made text)" = 1 ]
	dwell script -F ip,sym,symoff -i twice.data | grep ' bpf_made+0x1$'
	# Any address in either mapping finds it.
	dwell annotate -i twice.data 0xffffffffd0000080 >first
	dwell annotate -i twice.data 0xffffffffd0001080 | diff first -
	grep '^# 2 samples of event' first
}

# kernel_row OPTION...: prints the build ID and the place of the kernel, from
# --dsos as JSON.
kernel_row() {
	dwell report --dsos --json -i made.data "$@" 2>/dev/null | python3 -c '
import json, sys
row, = [row for row in json.load(sys.stdin)["dsos"]
        if row["path"] == "[kernel.kallsyms]"]
print(row["build_id"], row["symbols"], row["found"])'
}

@test "report: --dsos prints the kernel's build ID and the file that its names come from" {
	need python3
	need as
	need ld
	make_vmlinux $id
	[ "$(kernel_row)" = "$id no None" ]
	[ "$(kernel_row --kallsyms kallsyms)" = "$id kallsyms kallsyms" ]
	[ "$(kernel_row --vmlinux vmlinux)" = "$id vmlinux vmlinux" ]
	mkdir -p root/boot "home/.debug/.build-id/${id:0:2}/${id:2}"
	cp kallsyms "home/.debug/.build-id/${id:0:2}/${id:2}/kallsyms"
	[ "$(kernel_row)" = "$id kallsyms \
$HOME/.debug/.build-id/${id:0:2}/${id:2}/kallsyms" ]
	cp vmlinux root/boot/vmlinux-1.2.3-made
	[ "$(kernel_row --symfs root)" = \
		"$id vmlinux root/boot/vmlinux-1.2.3-made" ]
	dwell report --dsos --vmlinux vmlinux -i made.data |
		grep -A1 " $id  \[kernel.kallsyms\]$" | grep '^ *found at vmlinux$'
}

@test "report: --kallsyms with a file of another kernel is ignored, and a message states the reason" {
	sed 's/ffffffff83/ffffffff84/' kallsyms >other
	[ "$(names --kallsyms other)" = "[unknown] [unknown] [unknown] $programs" ]
	grep -F "ignored other: another kernel or another boot than the recorded \
one (_text is at 0xffffffff84000000 instead of 0xffffffff83000000)" notes
	sed "s/^[0-9a-f]*/0000000000000000/" kallsyms >hidden
	names --kallsyms hidden
	grep 'ignored hidden: no kernel addresses' notes
	refuses 2 dwell report --kallsyms none -i made.data
	[[ $line == *"--kallsyms: cannot read file 'none'"* ]]
}

@test "report: --vmlinux gives names to the recorded kernel, at any load address" {
	need as
	need ld
	make_vmlinux $id
	[ "$(names --vmlinux vmlinux)" = "a_function another [unknown] $programs" ]
	[ "$(names -k vmlinux --kallsyms kallsyms)" = \
		"a_function another of_a_module $programs" ]
	dwell report --dsos -k vmlinux -i made.data 2>/dev/null |
		grep -E ' vmlinux .* \[kernel.kallsyms\]$'
}

@test "report: --vmlinux with a file of another kernel is ignored, and a message states the reason" {
	need as
	need ld
	make_vmlinux 1111
	[ "$(names --vmlinux vmlinux)" = \
		"[unknown] [unknown] [unknown] $programs" ]
	grep 'ignored vmlinux: its build ID is not that of the recorded kernel' notes
	head -c 100 /dev/zero >zero
	names --vmlinux zero
	grep 'ignored zero: not a readable ELF file' notes
}

@test "report: vmlinux is found by its build ID, and kallsyms in the build-ID cache of perf" {
	need as
	need ld
	make_vmlinux $id
	mkdir -p "debug/.build-id/${id:0:2}"
	cp vmlinux "debug/.build-id/${id:0:2}/${id:2}.debug"
	[ "$(names --debug-dir debug)" = "a_function another [unknown] $programs" ]
	mkdir -p root/boot
	cp vmlinux root/boot/vmlinux-1.2.3-made
	[ "$(names --symfs root)" = "a_function another [unknown] $programs" ]
	mkdir -p "home/.debug/.build-id/${id:0:2}/${id:2}"
	cp kallsyms "home/.debug/.build-id/${id:0:2}/${id:2}/kallsyms"
	[ "$(names)" = "a_function another of_a_module $programs" ]
	sed -i 's/ffffffff83/ffffffff84/' \
		"home/.debug/.build-id/${id:0:2}/${id:2}/kallsyms"
	[ "$(names)" = "[unknown] [unknown] [unknown] $programs" ]
}

@test "live: pack: with -k, the kernel's code is copied from that vmlinux" {
	need as
	need ld
	need zstd
	make_vmlinux $id
	need objcopy
	dwell pack -q -o packed.data -k vmlinux made.data
	[ "$(each_frame packed.data | grep -ao 'bytes of a_function' |
		wc -l)" = 1 ]
	dwell pack -q -o again.data packed.data
	cmp packed.data again.data
	objcopy --only-keep-debug vmlinux vmlinux.debug
	for option in -q "-k vmlinux.debug"; do
		dwell pack -q --force -o packed.data $option made.data
		run ! grep -q 'bytes of a_function' <(each_frame packed.data)
	done
}

# record_kernel: makes own.data with names of the running kernel, and "here",
# its kallsyms.
record_kernel() {
	need live kernel-symbols kernel-samples
	dwell record -q -e cpu-clock -F 5000 -o own.data \
		dd if=/dev/zero of=/dev/null bs=4k count=300k status=none
	dwell report --dsos -i own.data | grep -E ' recorded .* \[kernel.kallsyms\]$'
	cat /proc/kallsyms >here
}

@test "live: report: if the recording has names of its kernel, files of another kernel are ignored" {
	record_kernel
	dwell report --stdio --kallsyms here -i own.data 2>notes >rows
	[ ! -s notes ]
	dwell report --stdio -i own.data | diff - rows
	# From another boot.
	sed 's/^ffffffff/fffffff1/' here >other
	dwell report --stdio --kallsyms other -i own.data 2>notes | diff - rows
	grep 'ignored other: another kernel or another boot than the recorded one' notes
	# Another kernel at the same address.
	awk '$3 !~ /^_[se]?text$/ { $3 = $3 "_there" } { print }' here >other
	dwell report --stdio --kallsyms other -i own.data 2>notes | diff - rows
	[ "$(cat notes)" = "dwell report: --kallsyms: ignored other: another \
kernel than the recorded one (function addresses differ)" ]
	need as
	need ld
	make_vmlinux 1111
	dwell report --stdio --vmlinux vmlinux -i own.data 2>notes | diff - rows
	grep "ignored vmlinux: its build ID is not that of the recorded kernel" notes
}
