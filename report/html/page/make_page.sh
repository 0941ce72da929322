#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Writes report/html/html_page.c: the page as two arrays of bytes, the part before the
# data and the part after the data. The Content-Security-Policy of the page lists its
# script and its style by SHA-256, and allows nothing else.
#
#	make_page.sh TOP SCRIPT...    TOP: source tree; SCRIPT: path below TOP, in the
#	                              order of the scripts in the page
set -eu

top=$1
folder=$top/report/html/page
shift
. "$top/report/util/embed.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints the SHA-256 of standard input in base64.
hash() {
	sha256sum | LC_ALL=C awk '
		BEGIN {
			hex = "0123456789abcdef"
			base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			base64 = base64 tolower(base64) "0123456789+/"
		}
		{
			# Four bits per hexadecimal digit; two zero bits fill the last base64 digit.
			for (i = 1; i <= 64; i++) {
				value = value * 16 + index(hex, substr($1, i, 1)) - 1
				bits += 4
				while (bits >= 6) {
					unit = 2 ^ (bits - 6)
					digit = int(value / unit)
					text = text substr(base64, digit + 1, 1)
					value -= digit * unit
					bits -= 6
				}
			}
			print text substr(base64, value * 2 ^ (6 - bits) + 1, 1) "="
		}'
}

for script; do
	strip "$top/$script"
done >"$work/script"
sed "1s/^/'use strict';/" "$work/script" >"$work/strict"
strip "$folder/style.css" >"$work/style"
script_hash=$(hash <"$work/strict")
style_hash=$(hash <"$work/style")
[ -n "$script_hash" ] && [ -n "$style_hash" ]

# Replaces @STYLE@ and @SCRIPT@ by whole files, byte by byte as they were hashed.
sed -e "s|@SCRIPT_HASH@|$script_hash|" -e "s|@STYLE_HASH@|$style_hash|" \
	"$folder/page.html" |
	LC_ALL=C awk -v style="$work/style" -v script="$work/strict" '
	function put(file, line) {
		while ((getline line < file) > 0)
			printf "%s\n", line
		close(file)
	}
	function put_parts(mark, file, at) {
		at = index($0, mark)
		printf "%s", substr($0, 1, at - 1)
		put(file)
		print substr($0, at + length(mark))
	}
	/@STYLE@/ { put_parts("@STYLE@", style); next }
	/@SCRIPT@/ { put_parts("@SCRIPT@", script); next }
	{ print }' >"$work/page"

echo '/* Made by report/html/page/make_page.sh. */'
echo '#include "config.h"'
echo
echo '#include "report/html/html_page.h"'
echo
sed '/@DATA@/q' "$work/page" | sed 's/@DATA@.*//' | array html_page_begin
sed -n '/@DATA@/,$p' "$work/page" | sed '1s/.*@DATA@//' | array html_page_end
