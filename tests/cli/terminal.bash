# SPDX-License-Identifier: GPL-2.0-or-later
# Interactive views on a terminal that tmux provides: whole screens after some
# keys. Loaded by tests after common.bash.

# on_terminal VERB [-x COLUMNS] [-y LINES] [-l LOCALE] [-t TERM] OPTION...: runs
# dwell with that verb and the options on a terminal of that size (default:
# 80x24). The screen stays after the end, with the exit status.
on_terminal() {
	local columns=80 lines=24 locale=C.UTF-8 term=screen-256color verb=$1

	shift
	while [[ ${1:-} == -[xylt] ]]; do
		case $1 in
		-x) columns=$2 ;;
		-y) lines=$2 ;;
		-l) locale=$2 ;;
		-t) term=$2 ;;
		esac
		shift 2
	done
	printf '%s\n' 'set -g status off' 'set -sg escape-time 0' >tmux.conf
	: $((n_terminals++))
	env -u NO_COLOR LC_ALL=C.UTF-8 tmux -S "socket$n_terminals" -f tmux.conf -u \
		new-session -d -x "$columns" -y "$lines" \
		"echo before; env TERM='$term' LC_ALL='$locale' DWELL_PAGER=cat \
		${no_color:-} '$report' $verb $*; echo status \$?
		sleep 60" 3>&- 8>&-
}

n_terminals=0

# ends: closes the terminal.
ends() {
	tmux -S "socket$n_terminals" kill-server 2>/dev/null || true
}

# keys KEY...: sends keys, with the names of tmux(1).
keys() {
	tmux -S "socket$n_terminals" send-keys "$@"
}

screen() {
	tmux -S "socket$n_terminals" capture-pane -p "$@" >screen
}

# has TEXT: succeeds if the screen contains TEXT, also across line breaks. The
# status is 2 if there is no screen. A screen is drawn in many writes, from top to bottom:
# TEXT must be above what sees() waited for.
has() {
	screen -J || return 2
	grep -qF -- "$1" screen
}

# sees TEXT: waits until the screen contains TEXT.
sees() {
	until_true has "$1" || {
		cat screen
		return 1
	}
}

is_wanted() {
	screen && cmp -s screen wanted
}

# shows [NAME]: waits until the whole screen is the text on standard input, or in
# expected/FILE/NAME.txt for a test in FILE.bats, except empty lines at its end. With
# DWELL_UPDATE_EXPECTED=1 (`make update-expected`) it writes that file: the screen that
# has not changed for a second, which the change of the file then shows for review.
shows() {
	local expected

	if [ $# = 0 ]; then
		cat >wanted
	else
		expected=$(expected_file "$1")
		[ -z "${DWELL_UPDATE_EXPECTED:-}" ] || update_expected "$expected"
		cp "$expected" wanted
	fi
	while [ "$(wc -l <wanted)" -lt "$(tmux -S "socket$n_terminals" display -p '#{pane_height}')" ]; do
		echo >>wanted
	done
	until_true is_wanted || {
		diff wanted screen
		return 1
	}
}

update_expected() {
	until_true is_steady
	mkdir -p "${1%/*}"
	sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' screen >"$1"
}

is_steady() {
	screen && cp screen screen.before && sleep 1 && screen &&
		cmp -s screen.before screen
}

resize() {
	tmux -S "socket$n_terminals" resize-window "$@"
}

# looks TEXT: prints the line that contains TEXT, with its escape sequences.
looks() {
	screen -e
	grep -F -- "$1" screen | sed 's/\x1b/^/g'
}
