#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# site.sh FOLDER: writes the manual as HTML pages to FOLDER. index.html is doc/index.md.
# The pages are doc/*.md, converted by lowdown, and doc/*.1, converted by mandoc. Names
# of pages become links to them.
set -euo pipefail
shopt -s nullglob

doc=$(cd "$(dirname "$0")" && pwd)
folder=${1:?usage: site.sh FOLDER}
mkdir -p "$folder/pictures"
cp "$doc"/pictures/*.png "$folder/pictures"
cp "$doc/site.css" "$folder"

# page TITLE: prints an HTML page with standard input as its content.
page() {
	cat <<-END
		<!DOCTYPE html>
		<html lang="en">
		<head>
		<meta charset="utf-8">
		<meta name="viewport" content="width=device-width, initial-scale=1">
		<title>$1</title>
		<link rel="stylesheet" href="site.css">
		</head>
		<body>
		<nav><a href="index.html">dwell: all pages</a></nav>
		<main>
	END
	cat
	printf '%s\n' '</main>' '</body>' '</html>'
}

# A link to dwell-report.1 or NAME.md, and these names in code or bold, are links to the
# HTML page. Other documents of the source tree are no pages.
# Anchors of numbered headings are those of GitHub: "#1-goals".
pages=$(cd "$doc" && printf '%s|' *.md)
links='s,&#47;,/,g
/^<td>/s/\\\|/|/g
s/id="([0-9]+)\.-/id="\1-/
s/href="([^":/]*)\.(md|1)"/href="\1.html"/g
s,<code>(doc/)?('${pages//.md/}'NONE)\.md</code>,<a href="\2.html">\2</a>,g
s,<b>(dwell[a-z-]*)</b>\(1\),<a href="\1.html">\1(1)</a>,g'

for file in "$doc"/*.md; do
	name=$(basename "$file" .md)
	lowdown -T html --html-no-skiphtml "$file" | sed -E "$links" |
		page "$(sed -n '1s/^# //p' "$file")" >"$folder/$name.html"
done
for file in "$doc"/*.1; do
	name=$(basename "$file" .1)
	mandoc -T html -O fragment,toc "$file" | sed -E "$links" |
		page "$name(1)" >"$folder/$name.html"
done
