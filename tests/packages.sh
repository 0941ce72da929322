#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Checks the lists of the packages for Debian and Fedora: their version is that of
# configure.ac, each file that `make install` installs is in one package, and
# both lists agree. Prints TAP.

top=${DWELL_SOURCE:-$(cd "$(dirname "$0")/.." && pwd)}
build=${DWELL_BUILD:-.}
number=0
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT

# check NAME PROBLEMS: prints a TAP line, "ok" if PROBLEMS is empty.
check() {
	number=$((number + 1))
	[ -z "$2" ] || printf 'not '
	echo "ok $number - $1"
	[ -z "$2" ] || echo "$2" | sed 's/^/# /'
}

versions() {
	sed -n 's/^AC_INIT(\[dwell\], \[\([^]]*\)\].*/\1/p' "$top/configure.ac"
	sed -n '1s/^dwell (\(.*\)) .*/\1/p' "$top/debian/changelog"
	sed -n 's/^Version: *//p' "$top/packaging/dwell.spec"
}

# Prints "PACKAGE FILE" for each installed file in a list of Debian.
debian_files() {
	for list in "$top"/debian/*.install; do
		package=${list##*/}
		while read -r pattern _; do
			# shellcheck disable=SC2086
			(cd "$out/root" && find $pattern ! -type d) |
				sed "s,^,${package%.install} ,"
		done <"$list"
	done | sort
}

# The same for the lists of Fedora, where dwell-dev is dwell-devel.
fedora_files() {
	sed -E -e 's,%\{_bindir\},usr/bin,; s,%\{_datadir\},usr/share,' \
		-e 's,%\{_docdir\},usr/share/doc,; s,%\{name\},dwell,' \
		-e 's,%\{_includedir\},usr/include,; s,%\{_mandir\},usr/share/man,' \
		"$top/packaging/dwell.spec" |
		awk '$1 == "%files" { package = $2 ? "dwell-" $2 : "dwell" }
			package && /^usr/ { print package, $1 }' |
		sed 's/^dwell-devel/dwell-dev/' |
		while read -r package pattern; do
			# shellcheck disable=SC2086
			(cd "$out/root" && find $pattern ! -type d) |
				sed "s,^,$package ,"
		done | sort
}

check "the packages have the version of configure.ac" \
	"$([ "$(versions | sort | uniq -c | awk '{ print $1 }')" = 3 ] || versions)"

make -s -C "$build" install DESTDIR="$out/root" prefix=/usr >"$out/log" 2>&1 ||
	cat "$out/log"
(cd "$out/root" && find usr ! -type d | sort) >"$out/installed"
debian_files >"$out/debian" 2>&1
fedora_files >"$out/fedora" 2>&1
check "each installed file is in one package" \
	"$([ "$(wc -l <"$out/installed")" -gt 20 ] || echo "few files were found"
	cut -d ' ' -f 2- "$out/debian" | sort | diff "$out/installed" -)"
check "the packages of Debian and Fedora have the same files" \
	"$(diff "$out/debian" "$out/fedora")"
echo "1..$number"
