// SPDX-License-Identifier: GPL-2.0-or-later
// Groups of threads that share a lane of the timeline: threads of a process with equal
// names, or names that differ only in the digits at their end, without the main thread.

const groupLeast = 4; // threads
const namesMax = 3; // of chosen threads and groups

// Returns the name of each thread of TASKS, its last one, by .thread.
function threadNames(tasks) {
	const last = new Map();

	for (const task of tasks)
		if (!(last.get(task.thread)?.last > task.last))
			last.set(task.thread, task);
	return new Map(Array.from(last, ([thread, { comm }]) => [thread, comm]));
}

// Returns the groups of the threads of TASKS, as a map from their keys in the address,
// "PID*NAME": .key, .name, and .threads.
function groupThreads(tasks) {
	const groups = new Map();

	for (const [thread, comm] of threadNames(tasks)) {
		const [process, tid] = thread.split('.');
		if (process === tid)
			continue;
		const stem = comm.replace(/\d+$/, '');
		const key = `${process}*${encodeURIComponent(stem)}`;
		const group = groups.get(key) ?? { key, name: comm, threads: [] };
		groups.set(key, group);
		group.threads.push(thread);
		if (group.name !== comm)
			group.name = `${stem}*`;
	}
	for (const [key, group] of groups) {
		group.label = `${group.name} ×${countText(group.threads.length)}`;
		if (group.threads.length < groupLeast)
			groups.delete(key);
	}
	return groups;
}

// Reads the chosen threads of an address: keys of threads and of GROUPS, separated by
// ",". Returns null if there are none.
function readThreads(text, groups) {
	const keys = new Set(), names = [];

	for (const word of text.split(',')) {
		const [, tid, use] = /^\d+(?:-\d+)?\.(\d+)(?:-(\d+))?$/.exec(word) ?? [];
		const group = groups.get(word);
		if (!tid && !group)
			continue;
		for (const key of group?.threads ?? [word])
			keys.add(key);
		names.push(group?.label ?? textOfId(tid, use));
	}
	const label = names.length > namesMax ? countOf(keys.size, 'thread')
		: `${keys.size > 1 ? 'threads' : 'thread'} ${names.join(', ')}`;

	return names.length ? { text, keys, label } : null;
}
