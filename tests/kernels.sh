#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# kernels.sh [ARCH:VERSION...]
#
# Boots kernels of Debian in an emulator (default: amd64:6.1, amd64:6.12 and arm64:6.12),
# and tests that the BPF programs of the recorder unwind stacks and measure waits there.
# On arm64, whose counters the emulator has, a program also counts its own cycles.
# The recorder is linked statically, and compiled for ARCH.
#
# Prints one line per kernel with the share of stacks that were complete in the kernel.
# Exits with status 1 if a kernel failed, and with 77 if no kernel can be booted.
#
# `make check-kernels` runs this script on Debian for x86-64. It needs cpio, the static
# libraries that ./configure --enable-static-record needs, and qemu-system-x86 or
# qemu-system-arm; for arm64 also gcc-aarch64-linux-gnu, and this architecture in dpkg
# (dpkg --add-architecture arm64; apt-get update). Packages are downloaded to a temporary
# folder, and not installed.
set -uo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
[ $# != 0 ] || set -- amd64:6.1 amd64:6.12 arm64:6.12
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# Packages that the recorder is linked with.
libraries="libbpf-dev libelf-dev libelf1 libzstd-dev liblzma-dev zlib1g-dev"

# fetch ARCH PACKAGE...: unpacks packages to $folder/ARCH/system.
fetch() {
	local arch=$1 package
	shift
	mkdir -p "$folder/$arch/system"
	cd "$folder/$arch" || return
	apt-get -qq -o APT::Sandbox::User=root download "${@/%/:$arch}" || return
	for package in *.deb; do
		dpkg-deb -x "$package" system || return
		rm "$package"
	done
}

# newest_kernel ARCH VERSION: prints the name of the newest package.
newest_kernel() {
	apt-cache pkgnames "linux-image-$2." |
		grep -E "^linux-image-${2//./\\.}\.[0-9].*-cloud-$1\$" |
		sort -V | tail -n 1
}

# build_recorder ARCH: builds $folder/ARCH/dwell-record.
build_recorder() {
	local system=$folder/$1/system options=()
	mkdir -p "$folder/$1/build" && cd "$folder/$1/build" || return
	if [ "$1" = arm64 ]; then
		# shellcheck disable=SC2086
		fetch "$1" $libraries || return
		cd "$folder/$1/build" || return
		system=$system/usr
		options=(--host=aarch64-linux-gnu DW_CFLAGS=" " DW_LIBS=" "
			CPPFLAGS="-I$system/include -idirafter /usr/include"
			LDFLAGS="-L$system/lib/aarch64-linux-gnu"
			PKG_CONFIG_LIBDIR="$system/lib/aarch64-linux-gnu/pkgconfig"
			PKG_CONFIG_SYSROOT_DIR="$folder/$1/system")
	fi
	"$top/configure" --enable-static-record "${options[@]}" &&
		make -j"$(nproc)" dwell-record && cp dwell-record ..
}

# The script that runs as the first process. An emulator is too slow for the limit of
# the program's time.
first_process() {
	cat <<-'END'
		#!/bin/sh
		export PATH=/bin HOME=/tmp DWELL_BPF_LIMIT=1000000
		mount -t proc none /proc
		mount -t sysfs none /sys
		mount -t tracefs none /sys/kernel/tracing
		mount -t devtmpfs none /dev
		cd /tmp
		for program in deep-static deep; do
			dwell-record -v -e cpu-clock -F 499 --call-graph bpf -- $program 40 4
		done
		dwell-record -v -e cpu-clock -F 99 --call-graph fp --off-cpu --min-block 50ms -- \
			sh -c 'for i in 1 2 3 4; do sleep 0.1; done
				for i in 1 2 3 4 5 6; do sleep 0.01; done'
		echo 1 >/proc/sys/kernel/perf_user_access
		own_counts kernel || echo "refused: own_counts"
		poweroff -f
	END
}

# make_system ARCH: writes $folder/ARCH/initrd.
make_system() {
	local root=$folder/$1/root cc=gcc linker=/lib64/ld-linux-x86-64.so.2 command
	[ "$1" = amd64 ] || cc=aarch64-linux-gnu-gcc linker=/lib/ld-linux-aarch64.so.1
	mkdir -p "$root"/{bin,proc,sys/kernel,dev,tmp,"${linker%/*}"} &&
		cp "$folder/$1/system/bin/busybox" "$folder/$1/dwell-record" "$root/bin" ||
		return
	for command in sh mount sleep poweroff; do
		ln -s busybox "$root/bin/$command"
	done
	$cc -O2 -pthread -static "$top/tests/cli/deep.c" -o "$root/bin/deep-static" &&
		$cc -O2 -pthread "$top/tests/cli/deep.c" -o "$root/bin/deep" &&
		$cc -O2 -pthread -static -I"$top/include" "$top/tests/cli/own_counts.c" \
			-o "$root/bin/own_counts" || return
	# The C library and the linker of the compiler, at the paths in the program.
	cp -L "$($cc -print-file-name=libc.so.6)" "$root/${linker%/*}" &&
		cp -L "$($cc -print-file-name="${linker##*/}")" "$root/$linker" || return
	first_process >"$root/init"
	chmod +x "$root/init"
	(cd "$root" && find . | cpio -o -H newc --quiet) >"$folder/$1/initrd"
}

# boot ARCH KERNEL: boots the kernel, and prints its console.
boot() {
	local emulator=(qemu-system-x86_64) console=ttyS0
	# With several threads, this emulator does not change code as kernels expect.
	emulator+=(-accel "tcg,thread=single")
	[ "$1" = amd64 ] || emulator=(qemu-system-aarch64 -M virt) console=ttyAMA0
	timeout 900 "${emulator[@]}" -cpu max -m 1024 -smp 2 -nographic -no-reboot \
		-kernel "$2" -initrd "$folder/$1/initrd" \
		-append "console=$console quiet panic=-1" </dev/null 2>&1 | tr -d '\r'
}

# judge ARCH:VERSION CONSOLE: prints the result, and returns 1 if the kernel failed.
judge() {
	awk -v name="$1" '
		/refused|unwound from copies|recorded one by one/ { bad = $0 }
		/stacks were unwound in the kernel/ { all += $3; runs++ }
		/in the kernel: [0-9]+ stacks are complete/ { whole += $6 }
		/ waits: .* recorded alone/ { waits = $3 }
		/counts of cycles needed no system call/ { counts = $1 }
		END {
			share = all ? 100 * whole / all : 0
			is_good = !bad && runs == 2 && share >= 90 && waits >= 10 &&
				(counts == 1000 || name !~ /^arm64/)
			printf "%s %s: %.1f %% of %d stacks complete in the kernel, %d waits, %d own counts%s\n",
				is_good ? "ok" : "not ok", name, share, all, waits, counts,
				bad ? ": " bad : ""
			exit !is_good
		}' "$2"
}

# check ARCH:VERSION: tests one kernel. Returns 77 if it cannot be booted.
check() {
	local arch=${1%:*} kernel
	case $arch in
	amd64) command -v qemu-system-x86_64 >/dev/null || return 77 ;;
	arm64)
		command -v qemu-system-aarch64 >/dev/null &&
			command -v aarch64-linux-gnu-gcc >/dev/null &&
			dpkg --print-foreign-architectures | grep -qx arm64 || return 77
		;;
	*) return 77 ;;
	esac
	kernel=$(newest_kernel "$arch" "${1#*:}")
	[ -n "$kernel" ] && command -v cpio >/dev/null || return 77
	[ -e "$folder/$arch/initrd" ] || {
		fetch "$arch" busybox-static && build_recorder "$arch" &&
			make_system "$arch"
	} >"$folder/log" 2>&1 || {
		echo "not ok $1: the system was not made:"
		tail -n 5 "$folder/log"
		return 1
	}
	fetch "$arch" "$kernel" >"$folder/log" 2>&1 || return 77
	boot "$arch" "$folder/$arch/system/boot/vmlinuz-${kernel#linux-image-}" \
		>"$folder/console"
	judge "$1" "$folder/console" && return
	tail -n 40 "$folder/console"
	return 1
}

failed=0 booted=0
for target; do
	check "$target"
	case $? in
	0) booted=$((booted + 1)) ;;
	77) echo "skipped $target: see the head of kernels.sh for what it needs" ;;
	*) failed=$((failed + 1)) booted=$((booted + 1)) ;;
	esac
done
[ "$booted" != 0 ] || exit 77
[ "$failed" = 0 ]
