#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Tests names of functions of Perl, which need BPF.

load common.bash
load languages/shares.bash

setup() {
	enter_test
	unset DWELL_NO_BPF
	need x86_64
	need perl
	need bpf
	source=$DWELL_SOURCE/tests/cli/languages
}

@test "live: perl: functions have the shares that the program measured" {
	dwell record -q -e cpu-clock:u -F 1999 --call-graph dwarf -o a.data -- \
		perl "$source/shares.pl" 30 >times 2>log
	# shellcheck disable=SC2046
	same_shares a.data main:: $(cat times)
	# The statement of the loop of hot() is in line 12.
	dwell report --csv --no-children -s sym,srcline -i a.data |
		grep -E ' main::hot,shares.pl:[0-9]+$' | sort -t, -k4,4nr | head -n 1 |
		grep 'shares.pl:12$'
}

@test "live: perl: stacks are complete with recursion, callbacks from C, exceptions, closures and eval" {
	dwell record -v -e cpu-clock:u -F 1999 --call-graph dwarf -o a.data -- \
		perl "$source/mixed.pl" 1 2>log
	cat log >&2
	dwell export --format folded -i a.data -o stacks
	sed -i 's/main:://g' stacks
	has_callers ';{main};loop;' 'sorted;compare' failing '__ANON__ (mixed.pl:37)' \
		arrives Shape::plus Shape::AUTOLOAD Shape::DESTROY Tied::FETCH made
	all_calls
	# Some samples are at the beginning of a call.
	[ "$(samples_of '(unknown function)')" -le 20 ]
}

@test "live: perl: functions and lines are those that Perl's caller() returns" {
	cat >lines.pl <<-'END'
		use strict;
		sub spin {
			my ($n) = @_;
			my $i = 0;
			while ($i < $n) {
				$i++;
			}
		}
		sub show {
			my ($level, @frames) = 0;
			while (my @frame = caller($level++)) {
				push @frames, "$frame[3]:$frame[2]"
					unless $frame[3] eq '(eval)';
			}
			print "$_\n" for @frames;
		}
		my $inner;
		sub first {
			for my $i (1) {
				$inner->(12_000_000);
			}
		}
		sub second {
			my ($n) = @_;
			return first() unless $n;

			my @sorted = sort { second($n - 1) } 1, 2 if $n == 2;
			eval {
				second($n - 1)
			} if $n != 2;
		}
		sub run { second(3) }
		$inner = \&show;
		run();
		$inner = \&spin;

		run();
	END
	dwell record -q -e cpu-clock:u -F 999 --call-graph dwarf -o a.data -- \
		perl lines.pl >lines
	# caller() has the line of each call: that of the next frame.
	dwell script -F ip,sym,srcline -i a.data |
		awk 'NF == 0 {
				if (n && name[0] == "main::spin") {
					last = ""
					for (i = 0; i + 1 < n; i++)
						last = last name[i] ":" line[i + 1] "\n"
				}
				n = 0
				next
			}
			/lines.pl:/ { sub(/^.*lines.pl:/, ""); line[n - 1] = $1; next }
			$2 ~ /^(main::|{main})/ { name[n++] = $2 }
			END { printf "%s", last }' >got
	sed 's/main::show/main::spin/; s/:34$/:37/' lines | diff - got
	[ "$(wc -l <got)" = 7 ]
}

@test "live: perl: code of other files, short closures and code in regular expressions have names and lines" {
	cat >other.pl <<-'END'
		use strict;
		sub spin {
			my ($n) = @_;
			my $i = 0;
			$i++ while $i < $n;
			return $i;
		}
		sub loads { require "./loaded.pl" }
		sub evals { eval "\n" x 40 . "spin(3_000_000)" }
		sub closes {
			for my $n (1 .. 400) {
				my $closure = sub { return spin(5000) + $n };
				$closure->();
			}
		}
		sub matches {
			"aaaa" =~ /^(?:a(?{ spin(5000) }))*$/ for 1 .. 100;
		}
		loads();
		evals();
		closes();
		matches();
		# Names are read after the samples.
		select(undef, undef, undef, 0.5);
	END
	{
		printf '\n%.0s' $(seq 60)
		echo 'main::spin(3_000_000); 1;'
	} >loaded.pl
	dwell record -q -e cpu-clock:u -F 999 --call-graph dwarf -o a.data -- perl other.pl
	dwell export --format folded -i a.data -o stacks
	sed -i 's/main:://g' stacks
	for name in loads evals closes matches; do
		[ "$(samples_of ";$name;")" -gt 20 ]
	done
	# Statements of other files have no line in the file of the function.
	dwell script -F ip,sym,srcline -i a.data | grep -A1 -E ' main::(loads|evals)$' |
		sort -u >lines
	absent grep -E 'other.pl:(41|61)$' lines
	all=$(samples_of ';closes;')
	named=$(samples_of ';closes;__ANON__ (other.pl:12);spin ')
	echo "$named of $all" >&2
	[ "$named" -gt $((all * 8 / 10)) ]
	absent grep ';matches;matches;' stacks
}

@test "live: perl: functions have names after a start that takes long" {
	need gcc
	named_after_slow_start perl ';main::hot' perl "$source/shares.pl" 70
}

@test "live: perl: a key that was read while Perl was starting is replaced" {
	need gcc
	gcc -O1 -rdynamic -DFORGED_PERL -o perl "$source/forged_interpreter.c"
	dwell record -e cpu-clock:u -F 1999 --call-graph dwarf -o a.data -- ./perl 4 0.5 2>log
	cat log >&2
	dwell report --stdio -G -s dso,sym -i a.data >rows
	grep -F '[perl]' rows
}

@test "live: perl: forged structures cost the recorder little time, and their names are escaped" {
	need gcc
	gcc -O1 -rdynamic -DFORGED_PERL -o perl "$source/forged_interpreter.c"
	records_forged perl ./perl
}
