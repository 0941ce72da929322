#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# quickstart with a small tree in which configure, the demo and dwell are scripts.

load common

setup() {
	enter_test
	mkdir -p tree/build-aux
	cp "$DWELL_SOURCE/quickstart" tree
	touch tree/{configure.ac,Makefile.am} tree/build-aux/tap-driver.sh
	touch tree/{configure,Makefile.in}
	cat >tree/configure <<-'END'
		#!/bin/sh
		touch config.status
		printf '#!/bin/sh\necho "dwell $1"\n' >dwell
		chmod +x dwell
		printf '%s\n' 'all tests/demo/shares tests/probe:' \
			'install: ; mkdir -p "$(prefix)/bin"; cp dwell "$(prefix)/bin"' \
			>Makefile
		mkdir -p tests/demo
		ln -sf /bin/true tests/probe
		ln -sf /bin/true tests/demo/shares
	END
	chmod +x tree/configure
	# The packages of the build are there, or this test would not run. Others
	# are not installed on an unknown system.
	export OS_RELEASE=/dev/null
	unset DWELL_BUILD DWELL_CONFIGURE
}

@test "quickstart install installs below --prefix and prints what to type" {
	run -0 tree/quickstart install --prefix "my usr"
	[ -x "my usr/bin/dwell" ]
	[[ $output == *"installed in $PWD/my usr/bin."* ]]
	[[ $output == *"export PATH=\"$PWD/my usr/bin:\$PATH\""* ]]
	[[ $output == *"dwell record -g -- COMMAND"*"dwell report" ]]

	PATH=$PWD/usr/bin:$PATH run -0 tree/quickstart install --prefix="$PWD/usr/"
	[[ $output != *"PATH"* ]]

	HOME=$PWD/home run -0 tree/quickstart install --prefix='~/.local'
	[ -x home/.local/bin/dwell ]
}

@test "quickstart install names two other commands if the folder is not writable" {
	run -1 tree/quickstart install --prefix "/proc/the dwell"
	[[ $output == *"cannot write to /proc/the dwell/bin. dwell is built;"* ]]
	[[ $output == *"sudo make -C "*"tree/build install prefix='/proc/the dwell';"* ]]
	[[ $output == *"./quickstart install --prefix ~/.local" ]]

	for arguments in "--prefix" "--prefix=" "/usr" "--prefix a b"; do
		# shellcheck disable=SC2086
		run -2 tree/quickstart install $arguments
		[[ $output == "usage: "* ]]
	done
}

@test "quickstart demo ends with the commands that install dwell" {
	run -0 tree/quickstart demo
	[[ $output == *"to install the command dwell:"*"./quickstart install --prefix ~/.local "* ]]
}
