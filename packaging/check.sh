#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# check.sh [--inputs]
#
# Checks what dwell is installed from, with the configured checkout in build/:
#   1. make distcheck (with unit and fuzz tests), and a tarball with all files
#   2. make release in two folders: the tarball and the static recorder have the
#      same bytes
#   3. the static recorder for aarch64
#   4. the packages of Debian, with their tests
# Each step prints one line that begins with its result, and the end of its log if it
# failed. The last line is "N passed, N failed, N skipped". The exit status is 1 if a
# step failed.
#
# With --inputs it only prints a hash of the files that decide the result: those of
# the build system, debian/, packaging/, completions/ and quickstart, and the names of
# all files in git. `make check-packages` runs this script, and writes the hash to
# .ci/packaged if all steps passed.
set -uo pipefail

cd "$(dirname "$0")/.." || exit 1
passed=0 failed=0 skipped=0

inputs() {
	{
		git ls-files | grep -vxF .ci/packaged
		git ls-files -z configure.ac '*.am' '*.in' debian packaging \
			completions quickstart | xargs -0 sha256sum
	} | LC_ALL=C sort | sha256sum | cut -d ' ' -f 1
}

# try WHAT COMMAND: runs COMMAND with its output in build/COMMAND.log. Passes if its
# status is 0, and skips if it is 77.
try() {
	local what=$1 log=build/$2.log status=0
	("$2") >"$log" 2>&1 </dev/null || status=$?
	case $status in
	0)
		passed=$((passed + 1))
		echo "passed: $what" ;;
	77)
		skipped=$((skipped + 1))
		echo "skipped: $what: $(tail -n 1 "$log")" ;;
	*)
		failed=$((failed + 1))
		echo "FAILED: $what; the end of $log"
		tail -n 40 "$log" | sed 's/^/    /' ;;
	esac
}

has_xz() {
	command -v xz || { echo "xz is not installed" && return 77; }
}

# Prints the files that the tarball lacks, without those that only git needs.
left_out() {
	git ls-files 2>/dev/null | grep -vE '^\.git(ignore|-blame-ignore-revs)$' | sort |
		comm -23 - <(tar -tf build/dwell-*.tar.xz |
			sed 's,^[^/]*/,,' | sort)
}

distcheck() {
	has_xz || return
	TEST_SKIP='*.bats' make -C build -j"$(nproc)" distcheck \
		DISTCHECK_CONFIGURE_FLAGS='CFLAGS=-O0' || return
	[ -z "$(left_out)" ] || {
		echo "files are missing in the tarball:"
		left_out
		return 1
	}
}

# Makes the tarball and the recorder for any host here and in an unpacked tarball,
# and compares the results.
release_twice() {
	local again=build/again processor program
	has_xz || return
	processor=$(uname -m)
	make -C build release STATIC_PROCESSORS="$processor" || return
	rm -rf $again
	mkdir -p $again && tar -xf build/dwell-*.tar.xz -C $again --strip-components=1 &&
		mkdir $again/build || return
	(cd $again/build && ../configure -q &&
		make release STATIC_PROCESSORS="$processor" &&
		sha256sum -c --ignore-missing ../../SHA256SUMS) || return
	program=$(echo build/dwell-record-*-"$processor")
	! ldd "$program" && "$program" --version
}

# Makes the recorder for aarch64 and runs what an emulator can run.
recorder_for_aarch64() {
	local program
	if ! { command -v aarch64-linux-gnu-gcc && command -v qemu-aarch64 &&
		command -v apt-get; }; then
		echo "its compiler, qemu-user or apt is not installed"
		return 77
	fi
	packaging/static.sh build aarch64 || {
		[ $? = 100 ] || return 1
		echo "apt cannot download the libraries"
		return 77
	}
	program=$(echo build/dwell-record-*-aarch64)
	qemu-aarch64 "$program" --version && qemu-aarch64 "$program" --list &&
		[[ $(qemu-aarch64 "$program" --doctor) == *kernel_features* ]]
}

# Builds the packages of Debian in the unpacked tarball, checks them, and runs their
# tests with the programs in them.
debian_package() {
	local folder=$PWD/build/debian package root
	has_xz || return
	if ! { command -v dpkg-buildpackage && command -v dh; }; then
		echo "dpkg-dev or debhelper is not installed"
		return 77
	fi
	rm -rf "$folder"
	mkdir -p "$folder/tree" "$folder/results" &&
		tar -xf build/dwell-*.tar.xz -C "$folder/tree" --strip-components=1 || return
	# Its dependencies are those of ./quickstart test, without build-essential.
	(cd "$folder/tree" && DEB_BUILD_OPTIONS="nocheck parallel=$(nproc)" \
		dpkg-buildpackage -d -us -uc -b) || return
	if command -v lintian; then
		lintian --fail-on error,warning "$folder"/*.changes || return
	fi
	root=$folder/root
	for package in "$folder"/dwell*.deb; do
		dpkg-deb -x "$package" "$root" || return
	done
	dpkg-deb -f "$folder"/dwell-record_*.deb Depends | tee /dev/stderr | tr , '\n' |
		grep -vE '^ *(libbpf1|libc6|libelf1(t64)?|libgcc-s1|liblzma5|libzstd1|zlib1g)( |$)' &&
		echo "dwell-record has another dependency" && return 1
	cd "$folder/tree" && AUTOPKGTEST_TMP=$folder/results \
		PATH=$root/usr/bin:$PATH debian/tests/record-and-report
}

if [ "${1-}" = --inputs ]; then
	inputs
	exit
fi
try "make distcheck" distcheck
try "same bytes of two releases" release_twice
try "static recorder for aarch64" recorder_for_aarch64
try "packages of Debian" debian_package
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
