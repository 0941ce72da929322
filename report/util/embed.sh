# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Loaded by the scripts that make C files of texts: report/html/page/make_page.sh and
# report/export/make_svg.sh.

# strip FILE...: prints files without licence lines, comment lines, indentation and
# empty lines.
strip() {
	sed -e '/SPDX-License-Identifier/d' -e 's/^[	 ]*//' -e '/^\/\/ /d' \
		-e '/^$/d' "$@"
}

# array NAME: prints standard input as the C array NAME, and its size.
array() {
	echo "const uint8_t $1[] = {"
	od -An -v -tx1 | sed 's/ \(..\)/0x\1,/g'
	echo "};"
	echo "const size_t $1_size = sizeof($1);"
}
