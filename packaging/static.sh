#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# static.sh FOLDER [PROCESSOR...]
#
# Links dwell-record statically for each PROCESSOR (default: x86_64 and aarch64)
# and writes FOLDER/dwell-record-VERSION-PROCESSOR, which needs no libraries. The
# same sources and compiler make the same bytes in any folder.
#
# The libraries for another processor than that of this machine are taken from
# packages of Debian, which apt downloads into a temporary folder. This needs no
# root and installs nothing. If apt fails, the exit status is 100. The compiler is
# PROCESSOR-linux-gnu-gcc, of the package gcc-PROCESSOR-linux-gnu.
#
# `make static-recorders` runs this script. JOBS is the number of compilers that run
# at the same time.
set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || { sed -n '3s/^# /usage: packaging\//p' "$0" >&2; exit 2; }
folder=$(mkdir -p "$1" && cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- x86_64 aarch64
version=$(sed -n 's/^AC_INIT(\[dwell\], \[\(.*\)\], \[\],.*/\1/p' "$top/configure.ac")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# apt ARCHITECTURE COMMAND...: runs apt-get for another architecture, with lists
# and packages in the current folder.
apt() {
	local architecture=$1
	shift
	mkdir -p lists/partial archives/partial
	apt-get -q -o APT::Architecture="$architecture" \
		-o APT::Architectures="$architecture" \
		-o APT::Sandbox::User= -o Dir::State::lists="$PWD/lists" \
		-o Dir::Cache="$PWD" "$@" >&2
}

# fetch_libraries PROCESSOR: unpacks its libraries below the current folder.
fetch_libraries() {
	local architecture package
	case $1 in
	x86_64) architecture=amd64 ;;
	aarch64) architecture=arm64 ;;
	*) echo "static.sh: unknown processor \"$1\"" >&2 && return 1 ;;
	esac
	apt $architecture update
	apt $architecture download libbpf-dev libelf-dev liblzma-dev libzstd-dev \
		zlib1g-dev
	for package in *.deb; do
		dpkg-deb -x "$package" .
	done
}

# Only the recorder is built, which does not use libdw.
make_recorder() {
	"$top/configure" -q --enable-static-record DW_CFLAGS=-I. DW_LIBS=-ldw \
		CFLAGS="-O2 -ffile-prefix-map=$top=." LDFLAGS=-s "$@" >&2
	make -j"${JOBS:-$(nproc)}" dwell-record >&2
}

# make_foreign_recorder PROCESSOR: the same with downloaded libraries.
make_foreign_recorder() {
	local root=$PWD/root
	mkdir root
	(cd root && fetch_libraries "$1")
	export PKG_CONFIG_SYSROOT_DIR=$root
	export PKG_CONFIG_LIBDIR=$root/usr/lib/$1-linux-gnu/pkgconfig
	make_recorder --host="$1-linux-gnu" LDFLAGS="-s -L$root/usr/lib/$1-linux-gnu" \
		CPPFLAGS="-I$root/usr/include -I$root/usr/include/$1-linux-gnu"
}

for processor; do
	result=$folder/dwell-record-$version-$processor
	mkdir "$work/$processor"
	if [ "$processor" = "$(uname -m)" ]; then
		(cd "$work/$processor" && make_recorder)
	else
		(cd "$work/$processor" && make_foreign_recorder "$processor")
	fi
	cp "$work/$processor/dwell-record" "$result"
	echo "$result"
done
