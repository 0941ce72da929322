#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# make.sh FOLDER: records a real program and writes the pictures of README.md
# to FOLDER: flame-graph.png (the flame graph page in a browser) and screen.txt
# (the interactive report in a terminal).
#
# Needs dwell in PATH, clang++, node, chromium and tmux. The program that is
# recorded is the compiler itself: it compiles a small C++ program that uses
# regular expressions.
set -euo pipefail

source=$(cd "$(dirname "$0")/../.." && pwd)
folder=${1:?usage: make.sh FOLDER}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
work=$(mktemp -d)
terminal=dwell-pictures-$$
trap 'tmux -L "$terminal" kill-server 2>/dev/null || :; rm -rf "$work"' EXIT
cd "$work"

cat >words.cpp <<'END'
#include <algorithm>
#include <iostream>
#include <map>
#include <regex>
#include <string>

int main()
{
	std::map<std::string, int> counts;
	std::regex word("[a-z]+");
	std::string line;
	while (std::getline(std::cin, line))
		for (std::sregex_iterator i(line.begin(), line.end(), word), end;
		     i != end; ++i)
			counts[i->str()]++;
	for (const auto &[name, count] : counts)
		std::cout << count << '\t' << name << '\n';
}
END
dwell record -q -F 2000 --call-graph dwarf -- \
	clang++ -fno-integrated-cc1 -std=c++17 -O2 -c words.cpp

# The first rows of the graph have one frame each, from _start to the parser's
# entry: the picture begins above these rows.
dwell export -q --format html -o page.html
node "$source/tests/cli/browse.js" page.html 'size 1200 840' \
	"ask document.querySelector('#flame-title').scrollIntoView() || 0" \
	"ask scrollBy(0, -60) || 0" \
	"ask (frames => frames.scrollTop = frames.scrollHeight -
		frames.clientHeight - 12 * 19)(
		document.querySelector('#flame').closest('.frames'))" \
	"shot $folder/flame-graph.png" >/dev/null

tmux -L "$terminal" -f /dev/null new-session -d -x 92 -y 16 \
	'dwell report --no-children -s dso,sym'
until tmux -L "$terminal" capture-pane -p | grep -q '\[[.k]\]'; do :; done
tmux -L "$terminal" capture-pane -p | sed 's/ *$//' >"$folder/screen.txt"
