#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# chroots.sh [-k FOLDER] [SUITE...]
#
# Builds dwell in a minimal system of each SUITE of Debian (default: bookworm
# and trixie), records the demo there, and runs the unit tests and the tests of
# the programs CHROOT_TESTS. debootstrap installs each system from MIRROR into a
# temporary folder, or into FOLDER, where it is kept for later runs.
#
# Prints one line per suite with the counts of tests, and the failed tests.
# Exits with status 1 if a suite failed, and with 77 if no system can be
# installed.
#
# `make check-chroots` runs this script. It needs root and debootstrap.
set -uo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
: "${MIRROR:=http://deb.debian.org/debian}"
: "${CHROOT_TESTS:=tests/cli/record.bats tests/cli/report.bats \
tests/cli/stacks.bats tests/cli/binaries.bats tests/cli/symbols.bats \
tests/cli/targets.bats tests/cli/past.bats tests/cli/python.bats \
tests/cli/php.bats tests/cli/ruby.bats tests/cli/perl.bats \
tests/cli/luajit.bats}"
folder=

while getopts k: option; do
	case $option in
	k) folder=$OPTARG ;;
	*) sed -n '3s/^# /usage: tests\//p' "$0" >&2 && exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# != 0 ] || set -- bookworm trixie
if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
	echo "chroots.sh needs root and debootstrap"
	exit 77
fi
# Other users of the systems must reach the tree.
umask 022
if [ -z "$folder" ]; then
	folder=$(mktemp -d) || exit 1
	chmod 755 "$folder"
	trap 'rm -rf --one-file-system "$folder"' EXIT
fi
mkdir -p "$folder"

# Prints the files of the tree without build results.
tree() {
	cd "$top" || return
	if git rev-parse --git-dir >/dev/null 2>&1; then
		git ls-files -z | tar -c --null -T -
	else
		tar -c --exclude=./build .
	fi
}

install_system() {
	[ -e "$folder/$1/etc/debian_version" ] ||
		debootstrap --variant=minbase "$1" "$folder/$1" "$MIRROR"
}

# The script that runs in the system, with the arguments $CHROOT_TESTS.
steps='
set -e
cd /dwell
export DEBIAN_FRONTEND=noninteractive
apt-get -q update
CI=true ./quickstart demo
apt-get -q -y --no-install-recommends install bats libcmocka-dev procps \
	python3 php-cli ruby
cd build
../configure --enable-werror
make -j"$(nproc)"
status=0
make check-unit || status=1
make check TESTS="$*" || status=1
exit $status
'

# build_and_test SUITE: runs that script. The mounts end with their namespace.
build_and_test() {
	local system=$folder/$1

	rm -rf --one-file-system "$system/dwell"
	mkdir "$system/dwell" && tree | tar -x -C "$system/dwell" || return
	# shellcheck disable=SC2016,SC2086
	unshare -m sh -c '
		for place in proc sys dev; do
			mount --rbind "/$place" "$1/$place" || exit
		done
		system=$1 steps=$2
		shift 2
		exec env -i HOME=/root LC_ALL=C TERM=dumb \
			PATH=/usr/sbin:/usr/bin:/sbin:/bin \
			chroot "$system" bash -c "$steps" steps "$@"' \
		sh "$system" "$steps" $CHROOT_TESTS
}

# counts SUITE: prints the counts of the results that automake wrote.
counts() {
	find "$folder/$1/dwell/build/tests" -name '*.trs' -exec cat {} + |
		awk '/^:test-result: / { n[$2]++ }
		END { print n["PASS"] + 0 " passed, " \
			n["FAIL"] + n["ERROR"] " failed, " \
			n["SKIP"] + 0 " skipped" }'
}

failed=0
for suite; do
	log=$folder/$suite.log
	if ! install_system "$suite" >"$log" 2>&1; then
		echo "$suite: debootstrap failed; the end of its log:"
		tail -n 5 "$log"
		failed=1
	elif build_and_test "$suite" >>"$log" 2>&1 </dev/null; then
		echo "$suite: $(counts "$suite")"
	else
		echo "$suite: FAILED: $(counts "$suite")"
		grep -hE '^(FAIL|ERROR): ' "$log" || tail -n 20 "$log"
		failed=1
	fi
done
exit $failed
