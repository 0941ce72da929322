// SPDX-License-Identifier: GPL-2.0-or-later
// A note about stacks that are cut, which report/transform/cut_stacks.h puts below one
// frame: their share, their programs, and the option that records complete stacks.

const cutName = '[cut stacks]';
const cutLeast = 0.05; // share of the samples from which the note is shown
const cutPrograms = 3; // number of programs that the note names

// Returns the note for TREE, which may begin with groups, or "". WHOLE is the weight of
// all samples. Stacks that the recorder or the report unwound have the fact "Stacks".
function cutNote(tree, functions, whole, facts) {
	const fn = functions.findIndex(({ name }) => name === cutName);
	const sums = new Map();
	let sum = 0;

	for (let i = 1; fn >= 0 && i < tree.n; i++) {
		if (tree.fn[i] !== fn || !tree.total[i])
			continue;
		const group = functions[tree.fn[tree.parent[i]]];
		sum += tree.total[i];
		if (tree.parent[i] && group.isGroup)
			sums.set(group.name, (sums.get(group.name) || 0) + tree.total[i]);
	}
	if (!whole || sum / whole < cutLeast)
		return '';
	const programs = [...sums].sort((a, b) => b[1] - a[1]).slice(0, cutPrograms)
		.map(([name, part]) => `${name} ${percentText(part, whole)}`);
	const files = facts.find(([name]) => name === 'No frame pointers in');
	return `${percentText(sum, whole)} of the stacks are cut${
		programs.length ? ` (${programs.join(', ')})` : ''}: ${files
		? `no frame pointers in ${files[1]}.`
		: 'their callers are not in the recording.'}${
		facts.some(([name]) => name === 'Stacks') ? ''
			: ' To record complete stacks: "dwell record -g"'}`;
}
