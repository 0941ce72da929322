#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# chroots.sh [-k FOLDER] TARBALL [SUITE...]
#
# Builds and installs the TARBALL of `make dist` in a minimal system of each SUITE of
# Debian (default: bullseye, bookworm and trixie), with each of COMPILERS:
#
#   1. without libraries. configure must name the package of each required library;
#      these are installed;
#   2. `./configure && make && make install` without optional libraries;
#   3. the same with the packages that configure named for optional libraries.
#
# A warning of the compiler is a failure. After each installation, the first example
# of README.md runs. In step 3, the unit tests and CHROOT_TESTS run with the first
# compiler; CHROOT_TESTS=none: no tests.
#
# debootstrap installs each system from MIRROR into a temporary folder, or into FOLDER,
# where the system and the objects of its compilers are kept for later runs. Each run
# installs libraries in a copy of the system, FOLDER/SUITE.run.
#
# Prints a line per build, with the optional libraries that the suite does not have in
# the necessary version, and the counts of tests. Exits with status 1 if a build or a
# test failed, and with 77 if no system can be installed.
#
# `make check-chroots` runs this script. It needs root and debootstrap.
set -uo pipefail

: "${MIRROR:=http://deb.debian.org/debian}"
: "${COMPILERS:=gcc clang}"
: "${CHROOT_TESTS:=tests/cli/record.bats tests/cli/report.bats \
tests/cli/stacks.bats tests/cli/binaries.bats tests/cli/symbols.bats \
tests/cli/targets.bats tests/cli/past.bats tests/cli/python.bats \
tests/cli/php.bats tests/cli/ruby.bats tests/cli/perl.bats \
tests/cli/luajit.bats}"
folder=

usage() {
	sed -n '3s/^# /usage: tests\//p' "$0" >&2
	exit 2
}

while getopts k: option; do
	case $option in
	k) folder=$OPTARG ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
[ $# != 0 ] || usage
tarball=$1
shift
[ $# != 0 ] || set -- bullseye bookworm trixie
if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
	echo "chroots.sh needs root and debootstrap"
	exit 77
fi
# Other users of the systems must reach the tree.
umask 022
if [ -z "$folder" ]; then
	folder=$(mktemp -d /var/tmp/chroots.XXXXXX) || exit 1
	chmod 755 "$folder"
	trap 'rm -rf --one-file-system "$folder"' EXIT
fi
mkdir -p "$folder/ccache"

# in_system SYSTEM SCRIPT [ARGUMENT]...: runs SCRIPT in a system, in the folder of
# the unpacked tarball. The mounts end with their namespace.
in_system() {
	# shellcheck disable=SC2016
	unshare -m sh -c '
		system=$1 ccache=$2 script=$3
		shift 3
		mkdir -p "$system/dwell" "$system/ccache"
		for place in proc sys dev; do
			mount --rbind "/$place" "$system/$place" || exit
		done
		mount --bind "$ccache" "$system/ccache" || exit
		exec env -i HOME=/root LC_ALL=C TERM=dumb PATH="$PATH" \
			chroot "$system" bash -c "$script" script "$@"' \
		sh "$folder/$1" "$folder/ccache" "$functions$2" "${@:3}" </dev/null
}

# The first lines of the scripts that run in a system.
functions='
export PATH=/usr/local/bin:/usr/lib/ccache:/usr/sbin:/usr/bin:/sbin:/bin
export CCACHE_DIR=/ccache DEBIAN_FRONTEND=noninteractive
cd /dwell

apt_install() {
	apt-get -q -y --no-install-recommends install "$@"
}

fail() {
	echo "FAILED: $*"
	exit 1
}
'

# The compilers, and what every Debian system for development has.
prepare='
apt-get -q update && apt_install gcc libc6-dev make ccache "$@"
'

# Installs what configure requires until it ends without an error.
required='
for attempt in pkg-config libraries; do
	! CC=$1 ./configure >configure.log 2>&1 || break
	packages=$(sed -n "s/.*[Ii]nstall \(.*\) (Debian, Ubuntu) or .*/\1/p" \
		configure.log)
	[ -n "$packages" ] || fail "configure names no package"
	echo required: $packages
	apt_install $packages || fail apt-get
done
'

# Installs what configure names for optional libraries. Prints the libraries that are
# not found then. Only those with a minimum version may be missing.
optional='
CC=$1 ./configure >configure.log 2>&1 || fail configure
apt_install $(sed -n "s/^\tno  .*; install \(.*\) (Fedora.*/\1/p" configure.log) ||
	fail apt-get
CC=$1 ./configure >configure.log 2>&1 || fail configure
sed -n "s/^\tno   \([^:]*\): .*/\1/p" configure.log | while read -r name version; do
	[ -n "$version" ] || fail "$name is not found with its package"
	echo "not in this suite: $name $version"
done
'

# Arguments: the compiler and options of configure. The three commands, the first
# example of README.md, and make uninstall.
build='
compiler=$1
shift
CC=$compiler ./configure "$@" || fail configure
make -j"$(nproc)" 2>&1 | tee make.log
[ "${PIPESTATUS[0]}" = 0 ] || fail make
! grep -q "warning: " make.log || fail "the compiler prints warnings"
make install || fail "make install"

mkdir -p /example
cd /example
cat >simulate.c <<"END"
#include <stdio.h>
#include <time.h>

__attribute__((noinline)) static double step(double x)
{
	int i;

	for (i = 0; i < 1000000; i++)
		x = x * 0.999 + 1;
	return x;
}

int main(void)
{
	double x = 0;

	while (clock() < CLOCKS_PER_SEC / 2)
		x = step(x);
	printf("%f\n", x);
}
END
$compiler -O1 -g -o simulate simulate.c || fail "the example"
dwell record -g -- ./simulate || fail "dwell record"
dwell report | tee report.txt || fail "dwell report"
grep -qE "^ +[0-9.]+% +[0-9.]+% +simulate .* step *$" report.txt ||
	fail "step is not in the report"

make -s -C /dwell uninstall || fail "make uninstall"
! find /usr/local -name "*dwell*" | grep . || fail "files remain"
'

# The tests of the first argument and those after it.
tests='
apt_install procps python3 php-cli ruby || fail apt-get
make check-unit
make check TESTS="$*"
! grep -qE "^:test-result: (FAIL|ERROR)" $(find tests -name "*.trs") ||
	fail "$(grep -lE "^:test-result: (FAIL|ERROR)" $(find tests -name "*.trs"))"
'

# try WHAT SYSTEM SCRIPT [ARGUMENT]...: runs a script with its output in $log, and
# prints WHAT with the result.
try() {
	local what=$1 begin=$SECONDS lacks
	shift
	if in_system "$@" >"$log" 2>&1; then
		lacks=$(sed -n 's/^not in this suite: //p' "$log" | paste -sd ,)
		echo "$what: passed in $((SECONDS - begin)) s${lacks:+, without $lacks}"
		return 0
	fi
	echo "$what: FAILED; the end of $log:"
	tail -n 20 "$log" | sed 's/^/    /'
	failed=1
	return 1
}

# counts SYSTEM: prints the counts of the results that automake wrote.
counts() {
	find "$folder/$1/dwell/tests" -name '*.trs' -exec cat {} + |
		awk '/^:test-result: / { n[$2]++ }
		END { print n["PASS"] + 0 " passed, " \
			n["FAIL"] + n["ERROR"] " failed, " \
			n["SKIP"] + 0 " skipped" }'
}

# A system of the suite with the compilers, as debootstrap and apt install it.
install_system() {
	[ -e "$folder/$1/installed" ] && return
	rm -rf --one-file-system "${folder:?}/$1"
	# shellcheck disable=SC2086
	debootstrap --variant=minbase "$1" "$folder/$1" "$MIRROR" &&
		in_system "$1" "$prepare" ${COMPILERS/gcc/} &&
		touch "$folder/$1/installed"
}

# unpack SYSTEM: unpacks the tarball in the folder dwell of the system.
unpack() {
	rm -rf --one-file-system "$folder/$1/dwell" && mkdir "$folder/$1/dwell" &&
		tar -xf "$tarball" -C "$folder/$1/dwell" --strip-components=1
}

# build_all SUITE SYSTEM LIBRARIES [OPTION]...
build_all() {
	local suite=$1 system=$2 libraries=$3 compiler
	shift 3
	for compiler in $COMPILERS; do
		unpack "$system" || return
		log=$folder/$suite.$compiler.$libraries.log
		try "$suite, $compiler, $libraries libraries" "$system" "$build" \
			"$compiler" "$@"
	done
}

# build_suite SUITE: all builds of a suite.
build_suite() {
	local suite=$1 system=$1.run first=${COMPILERS%% *} COMPILERS=$COMPILERS
	rm -rf --one-file-system "${folder:?}/$system"
	cp -a "$folder/$suite" "$folder/$system" && unpack "$system" || return
	log=$folder/$suite.required.log
	try "$suite, missing packages" "$system" "$required" "$first" || return
	sed -n 's/^required: /    /p' "$log"
	build_all "$suite" "$system" required --without-lzma --without-zlib
	log=$folder/$suite.optional.log
	try "$suite, optional packages" "$system" "$optional" "$first" || return
	if [ "$CHROOT_TESTS" != none ]; then
		# The tests need the build of the first compiler: it is the last.
		COMPILERS="${COMPILERS#"$first"} $first"
	fi
	build_all "$suite" "$system" all
	[ "$CHROOT_TESTS" != none ] || return 0
	log=$folder/$suite.tests.log
	# shellcheck disable=SC2086
	try "$suite, $first, tests" "$system" "$tests" $CHROOT_TESTS
	echo "$suite: $(counts "$system")"
}

failed=0
for suite; do
	log=$folder/$suite.install.log
	if ! install_system "$suite" >"$log" 2>&1; then
		echo "$suite: cannot install the system; the end of $log:"
		tail -n 5 "$log" | sed 's/^/    /'
		failed=1
		continue
	fi
	build_suite "$suite" || failed=1
done
exit $failed
