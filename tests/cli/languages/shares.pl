# SPDX-License-Identifier: GPL-2.0-or-later
# shares.pl CALLS: calls middle() CALLS times, and prints the CPU times of hot(), warm() and
# cool() in us.
use strict;
use warnings;
use Time::HiRes qw(clock);

sub hot {
	my ($n) = @_;
	my $value = 1;
	for my $i (1 .. $n * 7) {
		$value = ($value * 8191 + $i) & 0xffff;
	}
	return $value;
}

sub warm {
	my ($n) = @_;
	my $value = 1;
	for my $i (1 .. $n * 2) {
		$value = ($value * 8191 + $i) & 0xffff;
	}
	return $value;
}

sub cool {
	my ($n) = @_;
	my $value = 1;
	for my $i (1 .. $n) {
		$value = ($value * 8191 + $i) & 0xffff;
	}
	return $value;
}

my @times = (0, 0, 0);

sub middle {
	my ($n) = @_;
	my $start = clock();
	my $value = hot($n);
	my $after_hot = clock();
	$value += warm($n);
	my $after_warm = clock();
	$value += cool($n);
	$times[0] += $after_hot - $start;
	$times[1] += $after_warm - $after_hot;
	$times[2] += clock() - $after_warm;
	return $value;
}

sub main {
	my $value = 0;
	$value += middle(30_000) for 1 .. $_[0];
	print join(" ", map { int($_ * 1e6) } @times), "\n";
	print STDERR "$value\n";
}

main($ARGV[0]);
