# SPDX-License-Identifier: GPL-2.0-or-later
# mixed.pl SECONDS: uses this CPU time for deep recursion, functions that C code calls
# (sort, overloaded operators, tie, destructors), exceptions, closures, and eval of a text.
use strict;
use warnings;
no warnings 'recursion';
use Time::HiRes qw(clock);

sub work {
	my ($n) = @_;
	my $value = 1;
	for my $i (1 .. $n) {
		$value = ($value * 8191 + $i) & 0xffff;
	}
	return $value;
}

sub recurse {
	my ($n) = @_;
	return $n ? recurse($n - 1) : work(50_000);
}

sub compare { return work(300) * 0 + $a <=> $b }

sub sorted {
	my @result = sort compare reverse 1 .. 30;
	return \@result;
}

sub failing {
	my $result = eval { die { n => work(5000) } };
	return $@->{n} + work(5000);
}

sub closure {
	my ($n) = @_;
	return sub { return work($n) };
}

sub goes { goto &arrives }
sub arrives { return work(10_000) }

package Shape {
	use overload '+' => \&plus, '""' => sub { return "shape" };
	sub new { return bless {}, $_[0] }
	sub plus { return main::work(10_000) }
	sub AUTOLOAD { return main::work(10_000) }
	sub DESTROY { return main::work(3000) }
}

package Tied {
	sub TIESCALAR { return bless [], $_[0] }
	sub FETCH { return main::work(10_000) }
}

package main;

eval "sub made { return work(\$_[0]) } 1" or die;

sub loop {
	my ($seconds) = @_;
	tie my $tied, 'Tied';
	my $closure = closure(10_000);
	while (clock() < $seconds) {
		recurse(900);
		sorted();
		failing();
		$closure->();
		goes();
		my $shape = Shape->new;
		my $sum = $shape + 1;
		$shape->unknown();
		my $fetched = $tied;
		# The length of a turn is random, so that the samples are not in step with the turns.
		made(int(rand(20_000)));
	}
}

loop($ARGV[0]);
