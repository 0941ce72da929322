// SPDX-License-Identifier: GPL-2.0-or-later
// A note about samples in code without names that a runtime compiled, and the option
// of the runtime that writes the names. Only runtimes with sampled code are known.

const unnamedLeast = 0.02; // share of the samples from which the note is shown

// The DSO of a runtime, its name, and what to do. Sources: the manuals of JDK 17,
// Node.js 12, .NET 6, PHP 8.0, Ruby 3.3, Erlang/OTP 24 and CPython 3.12.
const runtimes = [
	[/^libjvm\.so/, 'Java', 'use dwell record -g'],
	[/^(node|libnode\.so.*)$/, 'Node.js', 'use dwell record -g'],
	[/^libcoreclr\.so/, '.NET', 'set DOTNET_PerfMapEnabled=1'],
	[/^(php|libphp)/, 'PHP', 'set opcache.jit_debug=16'],
	[/^(ruby|libruby)/, 'Ruby', 'start ruby with --yjit --yjit-perf'],
	[/^beam\.smp/, 'Erlang', 'start erl with +JPperf true'],
	[/^(python3|libpython3)/, 'Python', 'start python3 with -X perf'],
];

// Returns whether the code of a function has neither a name nor a file.
function isUnnamed({ name, dso, level }) {
	return level === '.' && /^0x[0-9a-f]+$/.test(name) &&
		/^(\[unknown\]|\[JIT\].*|\/\/anon|\[heap\]|anon_inode:.*|memfd:.*)$/
			.test(dso);
}

// Returns the note for the own weights of FUNCTIONS, or "". WHOLE is the weight of
// all samples.
function unnamedNote(functions, self, whole) {
	const sum = self.reduce((all, own, fn) =>
		own && isUnnamed(functions[fn]) ? all + own : all, 0);

	if (!whole || sum / whole < unnamedLeast)
		return '';
	const known = runtimes.find(([dso]) =>
		functions.some((at) => dso.test(at.dso)));
	return `${percentText(sum, whole)} of the samples are in code without names` +
		(known ? `. ${known[1]} made it: to record names, ${known[2]}.`
			: ', which no file contains. If a runtime made it, look for its ' +
				'option that writes a perf map or a jitdump.');
}
