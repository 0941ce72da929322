# SPDX-License-Identifier: GPL-2.0-or-later
# Fish completion of dwell, dwell-record and dwell-report, which propose the words
# themselves (common/util/completion.h).

function __dwell_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    type -q $program; or return
    set -l lines ($program --complete $words[2..] 2>/dev/null)
    set -q lines[1]; or return
    string split ' ' -- $lines[-1] | read -L kind n
    set -e lines[-1]
    if test $kind = command
        set -l last $words[-1]
        set words (string escape -- $words[(math 0 - $n)..-1])
        set words[-1] $last
        complete -C "$words"
        return
    end
    set -l head (string sub -l $n -- $words[-1])
    set -l rest (string sub -s (math $n + 1) -- $words[-1])
    switch $kind
        case files
            set lines (__fish_complete_path $rest)
        case folders
            set lines (__fish_complete_directories $rest)
    end
    printf '%s\n' $head$lines
end

for program in dwell dwell-record dwell-report
    complete -c $program -f -a '(__dwell_complete)'
end
