#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Files that dwell unpack installs from recordings, and what it refuses.

load common.bash

setup() {
	enter_test
	export HOME=$PWD/home
	mkdir home
	# Of plain.data: one program with a build ID.
	id=bdb66f80f75761e298f48189238ce42e4b5051b0
	place=.build-id/${id:0:2}/${id:2}
	cp "$DWELL_SOURCE"/tests/recorded/{plain,packed,system}.data .
}

# unpack FILE: unpacks FILE into ./out.
unpack() {
	dwell unpack "$1" --debug-dir out
}

# made: prints all files in ./out.
made() {
	(cd out && find . ! -type d | sort)
}

@test "unpack: symbols of a recording are installed by build ID, and existing files stay" {
	run -0 --separate-stderr unpack packed.data
	[ -z "$output" ]
	[ "$stderr" = "dwell unpack: installed 2 files in out; 0 already existed" ]
	[ "$(made | wc -l)" = 2 ]
	run -0 --separate-stderr unpack plain.data
	readelf -n "out/$place/elf" | grep -F "Build ID: $id"
	echo mine >"out/$place/elf"
	run -0 --separate-stderr unpack plain.data
	[ "$stderr" = "dwell unpack: installed 0 files in out; 1 already existed" ]
	[ "$(cat "out/$place/elf")" = mine ]
	unpack system.data
	made | grep '/kallsyms$'
}

@test "unpack: the error about a directory that cannot be created states the reason" {
	need root mount-namespace
	mkdir disk
	for folder in disk/out disk/out/deep; do
		refuses 1 unshare -m sh -c '
			mount --bind disk disk
			mount -o remount,bind,ro disk
			exec dwell unpack plain.data --debug-dir "$1"' - $folder
		[ "$line" = "dwell unpack: cannot create the folder $folder: Read-only file system; use --debug-dir DIR for another folder" ]
	done
}

@test "unpack: symbolic links in --debug-dir are not followed" {
	mkdir -p elsewhere "out/.build-id/${id:0:2}" "cache/$id"
	ln -s "$PWD/elsewhere" "out/$place"
	run -1 unpack plain.data
	[[ $output == *": installed 0 files in out; 0 already existed"*"1 file was not installed: a symbolic link without a file, or a file in the place of a folder, has the name: out/$place/elf; remove such links to install the files" ]]
	rm "out/$place"
	mkdir "out/$place"
	ln -s "$PWD/elsewhere/gone" "out/$place/elf"
	run -1 unpack plain.data
	[[ $output == *"1 file was not installed: a symbolic link without a file, "*" has the name: out/$place/elf; "* ]]
	# perf's cache has links to folders with the file.
	rm -r "out/$place"
	: >"cache/$id/elf"
	ln -s "$PWD/cache/$id" "out/$place"
	run -0 unpack plain.data
	[[ $output == *": installed 0 files in out; 1 already existed" ]]
	rm -r out/.build-id
	ln -s "$PWD/elsewhere" out/.build-id
	refuses 1 unpack plain.data
	[[ $line == *"out/.build-id: cannot install a file"* ]]
	rm out/.build-id
	mkdir out/.build-id
	ln -s "$PWD/elsewhere" "out/.build-id/${id:0:2}"
	refuses 1 unpack plain.data
	[[ $line == *"out/.build-id/${id:0:2}: cannot install a file"* ]]
	[ -z "$(ls elsewhere)" ]
	[ "$(ls -A out)" = .build-id ]
}

@test "unpack: a file that is not a recording is refused, and for an archive the error names tar" {
	need tar
	echo a longer text >text
	: >empty
	tar cf x.tar text
	for file in text x.tar; do
		for to in "" "--debug-dir out"; do
			# shellcheck disable=SC2086
			refuses 1 dwell unpack $file $to
			[ "$line" = "dwell unpack: $file: not a recording of dwell or perf; to install an archive of perf archive: mkdir -p ~/.debug && tar -xf $file -C ~/.debug" ]
		done
	done
	refuses 1 unpack empty
	mkfifo fifo
	refuses 1 unpack fifo
	[[ $line == *"fifo: not a regular file" ]]
	refuses 1 unpack gone
	[[ $line == *"gone: cannot open the file: No such file"* ]]
	refuses 2 dwell unpack text empty
	[[ $line == *"accepts one file"* ]]
	refuses 2 dwell unpack plain.data --debug-dir ''
	refuses 1 dwell unpack plain.data --debug-dir text
}

@test "unpack: --debug-dir is required" {
	refuses 2 dwell unpack plain.data
	[[ $line == *": plain.data: --debug-dir DIR is missing"* ]]
	refuses 2 dwell unpack
	refuses 1 dwell unpack --debug-dir out
	[[ $line == *"dwell.data"*"No such file"* ]]
	"$DWELL_BUILD/tests/made/make_data" "$DWELL_SOURCE/tests/made/plain.txt" plain.data
	refuses 1 unpack plain.data
	[[ $line == *"plain.data: contains no symbols of a file with a build ID" ]]
	[ -z "$(made)" ]
	mv plain.data perf.data
	refuses 1 dwell unpack --debug-dir out
	[[ $line == *"the recording: contains no symbols"* ]]
	refuses 1 unpack - <perf.data
	[[ $line == *"-: contains no symbols"* ]]
}
