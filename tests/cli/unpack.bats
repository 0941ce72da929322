#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Files that dwell unpack installs, from valid archives and from others.

load common.bash

setup() {
	enter_test
	export HOME=$PWD/home XDG_DATA_HOME=$PWD/data
	need tar
	need bzip2
	need libarchive
	mkdir -p home cache
}

# program NAME: compiles ./NAME. Sets $id to its build ID, and $place to its
# path in a build-ID cache.
program() {
	echo "int main(void) { return ${#1}; }" | cc -Wl,--build-id -x c - -o "$1"
	id=$(readelf -n "$1" | sed -n 's/.*Build ID: //p')
	place=.build-id/${id:0:2}/${id:2}
}

# cached NAME: puts the program NAME into ./cache, as perf's cache has it, with
# its link.
cached() {
	program "$1"
	mkdir -p "cache/usr/bin/$1/$id" "cache/.build-id/${id:0:2}"
	cp "$1" "cache/usr/bin/$1/$id/elf"
	touch "cache/usr/bin/$1/$id/probes"
	ln -s "../../usr/bin/$1/$id" "cache/$place"
}

# unpack FILE: unpacks FILE into ./out.
unpack() {
	dwell unpack "$1" --debug-dir out
}

# made: prints all files in ./out.
made() {
	(cd out && find . ! -type d | sort)
}

@test "unpack: programs of an archive are installed by build ID, with any compression" {
	cached one
	cached three
	for way in "" -j -z -J --zstd; do
		rm -rf out
		tar c $way -f x.tar -C cache .
		run -0 --separate-stderr unpack x.tar
		[ -z "$output" ]
		[ "$stderr" = "dwell unpack: installed 2 files in out; 0 already existed" ]
		[ "$(made | wc -l)" = 2 ]
		cmp three "out/$place/elf"
	done
	# An existing file is kept.
	echo mine >"out/$place/elf"
	run -0 --separate-stderr unpack x.tar
	[[ $stderr == *": installed 0 files in out; 2 already existed" ]]
	[ "$(cat "out/$place/elf")" = mine ]
}

@test "unpack: the default directory is where reports look" {
	cached one
	tar cjf x.tar.bz2 -C cache .
	run -0 --separate-stderr dwell unpack -i x.tar.bz2
	cmp one "data/dwell/debug/$place/elf"
	[ "$(stat -c %a data/dwell/debug)" = 700 ]
	unset XDG_DATA_HOME
	dwell unpack -q x.tar.bz2
	cmp one "home/.local/share/dwell/debug/$place/elf"
	chmod 755 home/.local/share/dwell/debug
	refuses 1 dwell unpack x.tar.bz2
	[[ $line == *"other users may access this folder; chmod 700"* ]]
	HOME='' refuses 2 dwell unpack x.tar.bz2
	[[ $line == *"--debug-dir"* ]]
}

@test "unpack: paths that lead out of the directory, and links, create nothing" {
	cached one
	mkdir in
	cp one in/elf
	ln -s /etc/passwd in/kallsyms
	ln in/elf in/debug
	mkfifo in/vdso
	tar cPjf x.tar.bz2 -C in --transform "s,^elf,../../$place/elf," elf
	run -1 unpack x.tar.bz2
	[[ $output == *"1 entry: the path leads out"* ]]
	[[ $output == *"contains no file or symbols with a build ID"* ]]
	tar cPjf x.tar.bz2 -C in --transform "s,^elf,$PWD/out/$place/elf," elf
	run -1 unpack x.tar.bz2
	tar cPjf x.tar.bz2 -C in \
		--transform "flags=rh;s,^,a/../$place/," elf kallsyms
	run -1 unpack x.tar.bz2
	tar cPjf x.tar.bz2 -C in --transform "flags=r;s,^,a/b/$id/," \
		kallsyms vdso
	run -1 unpack x.tar.bz2
	[ -z "$(made)" ]
	# The first of the two names decides the type of the file.
	tar cPjf x.tar.bz2 -C in --transform "flags=rh;s,^,a/b/$id/," elf debug
	unpack x.tar.bz2
	[ "$(made)" = "./$place/elf" ]
	[ -z "$(find . -name passwd)" ]
}

@test "unpack: a directory that cannot be created is reported with the reason" {
	need root mount-namespace
	cached one
	tar cf x.tar -C cache .
	mkdir disk
	for folder in disk/out disk/out/deep; do
		refuses 1 unshare -m sh -c '
			mount --bind disk disk
			mount -o remount,bind,ro disk
			exec dwell unpack x.tar --debug-dir "$1"' - $folder
		[ "$line" = "dwell unpack: cannot create the folder $folder: Read-only file system; use --debug-dir DIR for another folder" ]
	done
}

@test "unpack: links in the directory are not followed" {
	cached one
	tar cjf x.tar.bz2 -C cache .
	mkdir -p elsewhere "out/.build-id/${id:0:2}"
	ln -s "$PWD/elsewhere" "out/$place"
	run -1 unpack x.tar.bz2
	[[ $output == *": installed 0 files in out; 0 already existed"*"1 file was not installed: a symbolic link without a file, or a file in the place of a folder, has the name: out/$place/elf; remove such links to install the files" ]]
	rm "out/$place"
	mkdir "out/$place"
	ln -s "$PWD/elsewhere/gone" "out/$place/elf"
	run -1 unpack x.tar.bz2
	[[ $output == *"1 file was not installed: a symbolic link without a file, "*" has the name: out/$place/elf; "* ]]
	# perf's cache has links to folders with the file.
	rm -r "out/$place"
	ln -s "$PWD/cache/usr/bin/one/$id" "out/$place"
	run -0 unpack x.tar.bz2
	[[ $output == *": installed 0 files in out; 1 already existed" ]]
	rm -r out/.build-id
	ln -s "$PWD/elsewhere" out/.build-id
	refuses 1 unpack x.tar.bz2
	[[ $line == *"out/.build-id: cannot install a file"* ]]
	rm out/.build-id
	mkdir out/.build-id
	ln -s "$PWD/elsewhere" "out/.build-id/${id:0:2}"
	refuses 1 unpack x.tar.bz2
	[[ $line == *"out/.build-id/${id:0:2}: cannot install a file"* ]]
	[ -z "$(ls elsewhere)" ]
	[ "$(ls -A out)" = .build-id ]
}

@test "unpack: a file whose build ID is not its name is left out" {
	cached one
	mkdir -p "in/a/$id" "in/b/0123" "in/c/${id}00" "in/d/${id:1}" \
		"in/e/xy${id:2}" "in/f/12"
	program other
	for folder in in/*/*; do
		cp other "$folder/elf"
		echo text >"$folder/debug"
		echo "0 T nothing" >"$folder/kallsyms"
	done
	tar cjf x.tar.bz2 -C in .
	run -1 unpack x.tar.bz2
	[ -z "$(made)" ]
	# Three entries each of a and b; the other names are not build IDs.
	[[ $output == *": skipped 6 entries: the content does not match"* ]]
	echo "ffffffff81000000 T _text" >in/b/0123/kallsyms
	tar cjf x.tar.bz2 -C in .
	run -0 unpack x.tar.bz2
	[ "$(made)" = ./.build-id/01/23/kallsyms ]
}

@test "unpack: a file that is too large is left out, and the next one is installed" {
	cached one
	mkdir -p in/a/0123 in/b
	cp one in/a/0123/elf
	truncate -s 5G in/a/0123/elf
	cp -r "cache/usr/bin/one/$id" in/b/
	tar cSjf x.tar.bz2 -C in a b
	run -0 unpack x.tar.bz2
	[[ $output == *": skipped 1 entry: the file is too large"* ]]
	[ "$(made)" = "./$place/elf" ]
}

# tar_of FILE: writes x.tar with Python. put(name, type, data) adds an entry; id
# is the program's build ID.
tar_of() {
	need python3
	{
		cat <<'END'
import io, os, sys, tarfile
id = os.environ["id"]
program = open("one", "rb").read()
tar = tarfile.open("x.tar", "w", format=tarfile.PAX_FORMAT)
def put(name, type=tarfile.REGTYPE, data=b"", pax={}, link=""):
    entry = tarfile.TarInfo(name)
    entry.type, entry.size, entry.linkname = type, len(data), link
    entry.pax_headers = pax
    entry.devmajor = entry.devminor = 1
    tar.addfile(entry, io.BytesIO(data))
END
		cat
		echo 'tar.close()'
	} >make.py
	id=$id python3 make.py
}

@test "unpack: devices, FIFOs and links with the name of a build ID create nothing" {
	cached one
	tar_of <<'END'
for number, type in enumerate([tarfile.CHRTYPE, tarfile.BLKTYPE,
        tarfile.FIFOTYPE, tarfile.CONTTYPE, tarfile.DIRTYPE, b"Z"]):
    put("%d/%s/elf" % (number, id), type)
put("a/%s/elf" % id, tarfile.SYMTYPE, link="/etc/passwd")
put("b/%s/elf" % id, tarfile.LNKTYPE, link="/etc/passwd")
put("c/%s/elf" % id, tarfile.LNKTYPE, link="a/%s/elf" % id)
END
	run -1 unpack x.tar
	[[ $output == *"contains no file or symbols with a build ID"* ]]
	# libarchive supports two of these kinds of file; the others are not
	# read.
	[[ $output == *": skipped 2 entries: the content does not match"* ]]
	[ -z "$(made)" ]
	[ "$(ls -A out)" = "" ]
}

@test "unpack: names of 64 KB are accepted" {
	cached one
	tar_of <<'END'
put("x" * 65536 + "/elf", data=program)
put("../" * 20000 + id + "/elf", data=program)
put("/" + "x/" * 30000 + id + "/elf", data=program)
put("/".join(["x" * 200] * 300) + "/" + id + "/" + "elf" * 20000, data=program)
put("x" * 65536, tarfile.SYMTYPE, link="y" * 65536)
END
	run -1 unpack x.tar
	[[ $output == *": skipped 2 entries: the path leads out"* ]]
	[ -z "$(made)" ]
	tar_of <<'END'
put("x" * 65536 + "/" + id + "/elf", data=program)
END
	unpack x.tar
	[ "$(made)" = "./$place/elf" ]
	cmp one "out/$place/elf"
}

@test "unpack: holes stay holes, and endless ones are left out" {
	local n
	cached one
	truncate -s 3G "cache/usr/bin/one/$id/elf"
	tar cSjf x.tar.bz2 -C cache .
	run -0 unpack x.tar.bz2
	[ "$(stat -c %s "out/$place/elf")" = $((3 << 30)) ]
	[ "$(du -k "out/$place/elf" | cut -f1)" -lt 1000 ]
	# A small archive can contain any number of sparse files without data.
	for n in {1..30}; do
		mkdir -p "in/$n/$id"
		ln "cache/usr/bin/one/$id/elf" "in/$n/$id/elf"
	done
	tar cSjf x.tar.bz2 --hard-dereference -C in .
	refuses 1 unpack x.tar.bz2
	[[ $line == *"x.tar.bz2: its files exceed 64 GiB" ]]
	[ "$(made)" = "./$place/elf" ]
	# A sparse file whose claimed size is too large or too small.
	for n in 1 $((1 << 40)) $(((1 << 63) - 1)); do
		rm -rf out
		n=$n tar_of <<'END'
size = os.environ["n"]
put("a", data=(b"1\n0\n%d\n" % len(program)).ljust(512, b"\0") + program,
    pax={"GNU.sparse.major": "1", "GNU.sparse.minor": "0",
         "GNU.sparse.name": "a/%s/elf" % id, "GNU.sparse.realsize": size})
END
		run -1 unpack x.tar
		[ -z "$(made)" ]
	done
}

@test "unpack: endless maps of holes are given up" {
	cached one
	tar_of <<'END'
import bz2
put("a", data=b"900000000\n" + b"1\n" * (1 << 25),
    pax={"GNU.sparse.major": "1", "GNU.sparse.minor": "0",
         "GNU.sparse.name": "a/%s/elf" % id, "GNU.sparse.realsize": "9"})
END
	bzip2 x.tar
	[ "$(stat -c %s x.tar.bz2)" -lt 100000 ]
	(limit_memory 700000 && run -1 unpack x.tar.bz2 &&
		[[ $output == *"expands to more than 100 times its size"* ]])
	[ -z "$(made)" ]
}

# bomb WAY NAME: writes bomb.tar with a file NAME of 8 GiB, compressed to at
# most a thousandth of that.
bomb() {
	need python3
	way=$1 name=$2 python3 - <<'END'
import bz2, gzip, lzma, os, tarfile
pack = {"bzip2": bz2.compress, "gzip": gzip.compress,
        "xz": lzma.compress}[os.environ["way"]]
entry = tarfile.TarInfo(os.environ["name"])
entry.size = (1 << 33) - 1
with open("bomb.tar", "wb") as out:
    out.write(pack(entry.tobuf(tarfile.GNU_FORMAT) + open("one", "rb").read()))
    zeros = pack(bytes(1 << 24))
    for _ in range(64):
        out.write(zeros)
END
}

@test "unpack: a small file that expands without end is given up" {
	local way name
	cached one
	for way in bzip2 gzip xz; do
		for name in "a/b/$id/elf" a/boring/name; do
			bomb $way "$name"
			[ "$(stat -c %s bomb.tar)" -lt 2000000 ]
			run -1 unpack bomb.tar
			[[ $output == *"bomb.tar: expands to more than 100 times its size"* ]]
			[ -z "$(made)" ]
			[ -z "$(ls -A out)" ]
		done
	done
}

@test "unpack: more files than any machine has are given up" {
	need python3
	python3 - 100001 <<-'END'
		import sys, tarfile
		with tarfile.open("x.tar.gz", "w:gz", compresslevel=1) as tar:
		    for i in range(int(sys.argv[1])):
		        tar.addfile(tarfile.TarInfo("x/%040x/elf" % i))
	END
	run -1 unpack x.tar.gz
	[[ ${lines[-1]} == *": x.tar.gz: it has more than 100000 files with a build ID" ]]
	[ -z "$(made)" ]
	[ -z "$(ls -A out)" ]
}

@test "unpack: archives in archives, and doubly compressed files, are not opened" {
	cached one
	mkdir -p "in/$id"
	tar cjf "in/$id/elf" -C cache .
	cp "in/$id/elf" in/inner.tar.bz2
	tar czf x.tar.gz -C in .
	run -1 unpack x.tar.gz
	[[ $output == *": skipped 1 entry: the content does not match"* ]]
	[ -z "$(made)" ]
	tar cf y.tar -C cache .
	gzip y.tar
	bzip2 y.tar.gz
	refuses 1 unpack y.tar.gz.bz2
	[[ $line == *"y.tar.gz.bz2: compressed more than once; decompress"* ]]
	[ -z "$(made)" ]
}

@test "unpack: an archive that ends early is unpacked up to its end, and a message reports this" {
	cached one
	tar cf x.tar -C cache "usr/bin/one/$id/elf"
	head -c 5000 x.tar >cut.tar
	refuses 1 unpack cut.tar
	[[ $line == *"cut.tar: not a complete tar file: "* ]]
	[ -z "$(made)" ]
	[ -z "$(ls -A out)" ]
	bzip2 -k x.tar
	head -c 600 x.tar.bz2 >cut.tar.bz2
	refuses 1 unpack cut.tar.bz2
	[ -z "$(ls -A out)" ]
	cat x.tar.bz2 <(head -c 3000 /dev/urandom) >more.tar.bz2
	run unpack more.tar.bz2
	cmp one "out/$place/elf"
}

@test "unpack: a file that is no archive is refused" {
	echo text >text
	: >empty
	refuses 1 unpack text
	[[ $line == *"text: not a complete tar file: "* ]]
	refuses 1 unpack empty
	mkfifo fifo
	refuses 1 unpack fifo
	[[ $line == *"fifo: not a regular file" ]]
	refuses 1 unpack gone
	[[ $line == *"gone: No such file"* ]]
	refuses 2 dwell unpack text empty
	[[ $line == *"accepts one file"* ]]
	refuses 2 dwell unpack text --debug-dir ''
	refuses 1 dwell unpack text --debug-dir text
}

@test "unpack: a recording needs --debug-dir" {
	"$DWELL_BUILD/tests/made/make_data" "$DWELL_SOURCE/tests/made/plain.txt" plain.data
	refuses 2 dwell unpack plain.data
	[[ $line == *"use --debug-dir DIR" ]]
	[ ! -e data ]
	refuses 2 dwell unpack
	refuses 1 dwell unpack --debug-dir out
	[[ $line == *"dwell.data"*"No such file"* ]]
	refuses 1 unpack plain.data
	[[ $line == *"plain.data: contains no file or symbols with a build ID" ]]
	[ -z "$(made)" ]
	mv plain.data perf.data
	refuses 1 dwell unpack --debug-dir out
	[[ $line == *"the recording: contains no file"* ]]
	refuses 1 unpack - <perf.data
	[[ $line == *"-: contains no file"* ]]
}
