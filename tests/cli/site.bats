#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The manual as HTML pages: doc/site.sh.

load common.bash

# Prints "PAGE: LINK" for each link of the pages in the current folder to a page, a
# picture or an anchor that does not exist.
broken_links() {
	local page link target
	for page in *.html; do
		grep -oE '(href|src)="[^":]*"' "$page" | sed 's/[^"]*"//; s/"$//' |
			sort -u | while read -r link; do
			target=${link%%#*}
			target=${target:-$page}
			if [ ! -e "$target" ] || { [[ $link == *'#'* ]] &&
				absent grep -qF "id=\"${link#*#}\"" "$target"; }; then
				echo "$page: $link"
			fi
		done
	done
}

@test "site: index.html has links to all pages, and no link is broken" {
	local page
	need lowdown mandoc
	"$DWELL_SOURCE/doc/site.sh" site
	cd site
	run -0 broken_links
	[ -z "$output" ]
	for page in "$DWELL_SOURCE"/doc/*.md "$DWELL_SOURCE"/doc/*.1; do
		page=$(basename "$page" | sed 's/\.[a-z0-9]*$/.html/')
		grep -qF "href=\"$page\"" index.html
	done
	# A vertical bar in a table, and a name of another page.
	grep -qF 'perf script | stackcollapse-perf.pl' from-perf.html
	grep -qF '<a href="dwell-report.html">dwell-report(1)</a>' dwell.html
}
