#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Completion in bash, zsh and fish: the proposals of the programs
# (--complete), and the scripts of the shells, run by these shells.

load common.bash

commands='record stat list report annotate diff script export evlist buildid-list
	pack unpack doctor'

# proposed WORD...: prints what the programs propose for the last word.
proposed() {
	"${@:1:1}" --complete "${@:2}" | sed '$d; s/\t.*//'
}

# in_bash LINE [WORDBREAKS]: prints what bash would insert at the end of LINE.
in_bash() {
	bash -c '
		compopt() { echo "$@" >>options; }
		. "$1"
		COMP_LINE=$2 COMP_POINT=${#2}
		COMP_WORDBREAKS=$3
		line=$2
		[[ $3 != *:* ]] || line=${line//:/ : }
		[[ $3 != *=* ]] || line=${line//=/ = }
		read -ra COMP_WORDS <<<"$line"
		[[ $2 != *[[:space:]] ]] || COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_dwell
		printf "%s\n" "${COMPREPLY[@]}"' \
		bash "$DWELL_SOURCE/completions/dwell" "$1" "${2- :=}"
}

# typed_in_bash TEXT: types TEXT and a tab in a terminal, and prints the line.
typed_in_bash() {
	cat >bashrc <<-END
		. '$DWELL_SOURCE/completions/dwell'
		bind 'set enable-bracketed-paste off'
		bind -x '"\\C-o": printf "%s|\\n" "\$READLINE_LINE" >line; exit'
	END
	printf '%s\t\017' "$1" | timeout 20 script -qec \
		"bash --noprofile --rcfile bashrc -i" /dev/null >/dev/null
	cat line
}

# in_zsh LINE: prints what zsh proposes at the end of LINE.
in_zsh() {
	mkdir -p zsh
	cat >zsh/.zshrc <<-'END'
		fpath=($DWELL_SOURCE/completions $fpath)
		autoload -Uz compinit
		compinit -C -d $BATS_RUN_TMPDIR/zcompdump
		compadd() {
			local -a hits
			if [[ " $* " != *\ -[OAD]\ * ]]; then
				builtin compadd -O hits "$@"
				[[ -z $hits ]] ||
					print -rl -- $IPREFIX$^hits >>zsh/hits
			fi
			builtin compadd "$@"
		}
		zle-line-init() {
			BUFFER=$LINE CURSOR=$#LINE
			zle list-choices
			exit
		}
		zle -N zle-line-init
	END
	: >zsh/hits
	DWELL_SOURCE=$DWELL_SOURCE LINE=$1 ZDOTDIR=$PWD/zsh timeout 20 \
		script -qec 'zsh -d -i' /dev/null </dev/null >/dev/null
	sort -u zsh/hits
}

# in_fish LINE: prints what fish proposes at the end of LINE.
in_fish() {
	fish --no-config -c 'source $argv[1]; complete -C $argv[2]' \
		"$DWELL_SOURCE/completions/dwell.fish" "$1" | sed 's/\t.*//'
}

# Prints the options in the help text.
options_of_help() {
	"$dwell" "$1" --help | grep -oE '^ +(-.)?(, )?(--[a-z-]+)?' |
		grep -oE -- '--?[A-Za-z-]+' | sort -u
}

# same_options SHELL: fails if SHELL proposes other options than the help has.
same_options() {
	local command

	for command in $commands; do
		options_of_help "$command" >expected
		[ "$(wc -l <expected)" -gt 4 ]
		"in_$1" "dwell $command -" | sort -u | diff expected - || return
	done
	options_of_help record >expected
	"in_$1" 'dwell-record -' | sort -u | diff expected -
	options_of_help annotate >expected
	"in_$1" 'dwell-report annotate -' | sort -u | diff expected -
	[ "$("in_$1" 'dwell rep')" = report ]
	[ "$("in_$1" 'dwell help annot')" = annotate ]
	[ "$("in_$1" 'dwell-report annot')" = annotate ]
}

# same_values SHELL: fails if SHELL does not complete values and words.
same_values() {
	touch a.data
	mkdir folder
	[ "$("in_$1" 'dwell record -e cs,cpu-mig')" = cs,cpu-migrations ]
	[ "$("in_$1" 'dwell report -i a')" = a.data ]
	[ "$("in_$1" 'dwell diff a.data -s dso,parent,srcl' | sort)" = \
		"$(printf 'dso,parent,%s\n' srcline srcline_from srcline_to)" ]
}

@test "completion: bash proposes the options of every command" {
	same_options bash
}

@test "completion: zsh proposes the options of every command" {
	need zsh script
	same_options zsh
}

@test "completion: fish proposes the options of every command" {
	need fish
	same_options fish
}

@test "completion: options that begin with --no- are proposed only for a word that begins with --no-" {
	[ "$(proposed dwell record --no-pa)" = --no-pack ]
	[ "$(proposed dwell record --no-inh)" = --no-inherit ]
	proposed dwell record -- >options
	absent grep -e --no-pack options
	# An option with a value cannot be turned off.
	[ -z "$(proposed dwell record --no-freq)" ]
}

@test "completion: bash completes option values: attached with =, in comma lists, and with colons" {
	same_values bash
	[ "$(in_bash 'dwell record -k bo')" = boottime ]
	[ "$(in_bash 'dwell record --clockid=mono')" = \
		$'monotonic\nmonotonic_raw' ]
	[ "$(in_bash 'dwell record --clockid=mono' ' ')" = \
		$'--clockid=monotonic\n--clockid=monotonic_raw' ]
	[ "$(in_bash 'dwell record --switch-output=sig')" = signal ]
	[ "$(in_bash 'dwell record --freq=')" = max ]
	[ "$(in_bash 'dwell record --record-filter pid=1 --dura')" = --duration ]
	[ "$(in_bash 'dwell record --control fifo:a,b --dura')" = --duration ]
	[ "$(in_bash 'dwell record -e cs:u -q --dura')" = --duration ]
	touch first.fifo second.fifo
	[ "$(in_bash 'dwell record --control fi')" = fifo: ]
	[ "$(in_bash 'dwell record --control fifo:fir')" = first.fifo ]
	[ "$(in_bash 'dwell record --control fifo:a,sec')" = a,second.fifo ]
	[ "$(in_bash 'dwell record --control=fifo:fir' ' ')" = \
		--control=fifo:first.fifo ]
	rm -f options
	[ -z "$(in_bash 'dwell record -o fir')" ]
	grep -qx -e '-o default' options
	in_bash 'dwell report --symfs x'
	grep -qx -e '-o dirnames' options
}

@test "completion: bash in a terminal inserts the proposed option, value or file name" {
	need script
	touch a.data
	mkdir folder
	[ "$(typed_in_bash 'dwell record --dura')" = 'dwell record --duration |' ]
	[ "$(typed_in_bash 'dwell record -e cs,cpu-m')" = \
		'dwell record -e cs,cpu-migrations|' ]
	[ "$(typed_in_bash 'dwell report --input=a.')" = \
		'dwell report --input=a.data |' ]
	[ "$(typed_in_bash 'dwell report fol')" = 'dwell report folder/|' ]
	[ "$(typed_in_bash 'dwell report --symfs fol')" = \
		'dwell report --symfs folder/|' ]
	[ "$(typed_in_bash 'dwell record -- ls a.d')" = \
		'dwell record -- ls a.data |' ]
	[ "$(typed_in_bash 'dwell record --control fifo:a.')" = \
		'dwell record --control fifo:a.data |' ]
}

@test "completion: zsh completes option values, file names and the command to record" {
	need zsh script
	same_values zsh
	[ "$(in_zsh 'dwell record --clockid=boo')" = --clockid=boottime ]
	[ "$(in_zsh 'dwell report --symfs fol')" = folder ]
	[ "$(in_zsh 'dwell report -i ./a')" = ./a.data ]
	[ "$(in_zsh 'dwell record -o a.')" = a.data ]
	[ "$(in_zsh 'dwell record -a -- ls a.d')" = a.data ]
	in_zsh 'dwell record -g tru' | grep -x true
}

@test "completion: fish completes option values, file names and the command to record" {
	need fish
	same_values fish
	[ "$(in_fish 'dwell record --clockid=boo')" = --clockid=boottime ]
	[ "$(in_fish 'dwell report --symfs fol')" = folder/ ]
	[ "$(in_fish 'dwell report -i ./a')" = ./a.data ]
	[ "$(in_fish 'dwell record --output=a.')" = --output=a.data ]
	[ "$(in_fish 'dwell record -a -- ls a.d')" = a.data ]
	in_fish 'dwell record -g tru' | grep -x true
	fish --no-config -c 'source $argv[1]; complete -C "dwell rec"' \
		"$DWELL_SOURCE/completions/dwell.fish" | grep -P '^record\tsample '
}

@test "completion: options are proposed up to the first word of the recorded command" {
	[ "$(proposed dwell record -gk tai --pi 1 --durat)" = --duration ]
	[ "$(proposed dwell record -gktai --dura)" = --duration ]
	[ "$(proposed dwell record -z --dura)" = --duration ]
	[ "$(proposed dwell report -g caller --dso)" = --dsos ]
	[ "$(proposed dwell report -g cal)" = $'caller\ncallee' ]
	[ "$("$dwell" --complete record -q -e cs ls -l '')" = 'command 3' ]
	[ "$("$dwell" --complete stat -- -l)" = 'command 1' ]
	[ "$("$dwell" --complete record -gktai)" = $'tai\nwords 3' ]
	[ "$("$dwell-record" --complete --stat --per-th)" = \
		"$("$dwell" --complete stat --per-th)" ]
}

@test "completion: a file is proposed as input if its content or its name is that of a recording" {
	printf PERFILE2 >magic
	printf 2ELIFREP >other.order
	touch empty.data text .hidden.data
	mkdir folder
	[ "$(proposed dwell report -i '' | sort)" = \
		"$(printf '%s\n' empty.data folder/ magic other.order | sort)" ]
	[ "$(proposed dwell diff magic .h)" = .hidden.data ]
	# shellcheck disable=SC2088
	[ "$(HOME=$PWD proposed dwell report '~/ma')" = '~/magic' ]
	[ "$(proposed dwell pack -i "$PWD/em")" = "$PWD/empty.data" ]
	# The shell completes a name that is none of these.
	[ "$("$dwell" --complete report te)" = 'files 0' ]
	[ "$("$dwell" --complete record --output=te)" = 'files 9' ]
}

@test "completion: IDs of processes and threads, users and CPUs are proposed" {
	"$dwell" --complete record -p 1,$$ >pids
	grep -qx $'[0-9]*\tbash\|[0-9]*\tbats.*' pids
	sed '$d; s/\t.*//' pids | grep -x $$
	[ "$(tail -n 1 pids)" = 'part 2' ]
	proposed dwell stat -t '' | grep -x $$
	proposed dwell record -u '' | grep -x root
	proposed dwell record --name '' | grep -x "$(cat /proc/$$/comm)"
	proposed dwell record -C 0- | grep -x 0
	cp "$(type -P sleep)" $'sl\x1b[1m'
	background "./"$'sl\x1b[1m' 60
	absent grep $'\x1b' <("$dwell" --complete record -p '')
	# A name that a shell would not read as one word is not inserted.
	cp "$(type -P sleep)" 'a;`b`'
	background './a;`b`' 60
	"$dwell" --complete record -p "$last" | grep -qx "$last"$'\ta;`b`'
	absent grep 'a;' <(proposed dwell record --name '')
}

@test "completion: -e proposes the events that dwell list prints" {
	"$dwell" list --names | sed 's/^\([a-z0-9_-]*:\).*/\1/' | sort -u >expected
	proposed dwell record -e '' | sort -u | diff expected -
	[ "$(proposed dwell record -e '{cs,task-cl')" = task-clock ]
	[ -z "$(proposed dwell record -e cs:)" ]
	[ "$(proposed dwell list sof)" = software ]
	need root tracefs
	"$dwell" list --names | grep ^sched: | sort >expected
	proposed dwell stat -e sched: | sort | diff expected -
	[ "$(in_bash 'dwell record -e sched:sched_swit')" = sched_switch ]
	[ "$(in_bash 'dwell record -e sched:sched_swit' ' ')" = \
		sched:sched_switch ]
}

@test "completion: -G proposes control groups level by level, like folders" {
	need cgroup
	mkdir "$(cgroup_mount)/dwell-completion.$$"
	proposed dwell record -G "a,dwell-comp" >groups
	rmdir "$(cgroup_mount)/dwell-completion.$$"
	grep -qx "dwell-completion.$$/" groups
}

# words_of MESSAGE: prints the words of "one of A, B" in MESSAGE.
words_of() {
	sed 's/.*one of:* //; s/, /\n/g'
}

@test "completion: the proposed fields, formats and keywords are those that the commands accept" {
	"$dwell" report -s '?' 2>&1 | words_of | sort >expected
	[ "$(wc -l <expected)" -gt 40 ]
	proposed dwell report -F '' | sort | diff expected -
	"$dwell" export --format x 2>&1 | words_of | sort >expected
	[ "$(wc -l <expected)" -gt 9 ]
	proposed dwell export --format '' | sort | diff expected -
	[ "$(proposed dwell report -s 'dso,overh')" = '' ]
	[ "$(proposed dwell script -F +brstacko)" = brstackoff ]
	[ "$(proposed dwell record -j u,ind_j)" = ind_jmp ]
	[ "$(proposed dwell record --lang java,php,pe)" = perl ]
	[ "$(proposed dwell diff --compute wd)" = wdiff ]
	[ "$(proposed dwell diff --html --group-by t)" = thread ]
	[ "$(proposed dwell annotate --percent-type g)" = \
		$'global-period\nglobal-hits' ]
	[ "$(proposed dwell annotate -M '')" = $'att\nintel' ]
	[ "$(proposed dwell report --percentage '')" = $'absolute\nrelative' ]
	[ "$(proposed dwell report --lang-frames o)" = only ]
}
