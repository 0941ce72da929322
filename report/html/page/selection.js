// SPDX-License-Identifier: GPL-2.0-or-later
// The selected samples: of one event, in a time range, of a thread. All panels
// except the timeline show only the selected samples.

class Selection {
	constructor(data, state) {
		this.data = data;
		this.state = state;
		const { parent, fn, inlined } = data.nodes;
		this.plain = new Tree(parent, fn, inlined);
		this.merged = null;
	}

	get event() {
		const { state, data } = this;

		return data.events[state.number('event', 0, data.events.length)];
	}

	// Returns the selected range of time slices, or null if all slices are
	// selected.
	get range() {
		const { state, data } = this, n = data.time.slices;
		const from = state.number('from', -1, n);
		const to = state.number('to', -1, n + 1);

		return data.time.slice && from >= 0 && to > from
			? { from, to } : null;
	}

	get thread() {
		const words = /^(\d+)\.(\d+)$/.exec(this.state.get('thread'));

		return words ? { pid: Number(words[1]), tid: Number(words[2]) }
			: null;
	}

	get isAll() {
		return !this.range && !this.thread;
	}

	// Calls TAKE with the number of each group of cells (one time slice of one
	// thread) that is selected.
	eachGroup(take) {
		const { groups } = this.event, { thread } = this;
		const { from, to } = this.range || { from: 0, to: Infinity };
		const counts = this.data.tasks.map(({ pid, tid }) => !thread ||
			pid === thread.pid && tid === thread.tid);

		for (let i = 0; i < groups.n && groups.slice[i] < to; i++)
			if (groups.slice[i] >= from && counts[groups.task[i]])
				take(i);
	}

	// Counts the selected samples. Call it after each change of the state.
	count() {
		const { groups } = this.event, n = this.plain.n;
		const period = new Float64Array(n), samples = new Float64Array(n);
		const { node, start } = groups;
		let sum = 0;

		this.eachGroup((group) => {
			const end = start[group + 1];
			for (let i = start[group]; i < end; i++) {
				period[node[i]] += groups.period[i];
				samples[node[i]] += groups.samples[i];
				sum += groups.samples[i];
			}
		});
		this.samples = sum;
		this.plain.weigh(period);
		this.samplesAt = samples;
		this.functions = addUpFunctions(this.plain, samples,
			this.data.functions);
		// Functions of merged frames have totals (event.totals) for the whole
		// recording only.
		if (this.isAll)
			for (const [fn, total] of this.event.totals)
				this.functions.total[fn] = total;
		// Percentages are of the whole recording, as in dwell report.
		this.whole = this.isAll ? this.event.period : this.plain.total[0];
	}

	// Returns the table row of function FN: its numbers, or null if it has no
	// samples.
	rowOf(fn) {
		const { self, total, samples } = this.functions;

		return total[fn] > 0 ? { ...this.data.functions[fn], fn,
			self: self[fn], total: total[fn], samples: samples[fn] } : null;
	}

	// Returns the tree to draw: with merged recursion or in the order of time if
	// selected.
	tree() {
		const isMerged = this.state.get('merge') === '1';

		if (isMerged && !this.merged)
			this.merged = mergeRecursion(this.plain);
		const base = isMerged ? this.merged.tree : this.plain;
		const became = isMerged ? this.merged.became : null;

		if (isMerged) {
			const self = new Float64Array(base.n);
			for (let i = 0; i < this.plain.n; i++)
				self[became[i]] += this.plain.self[i];
			base.weigh(self);
		}
		if (this.state.get('order') !== 'time' || !this.data.time.slice)
			return base;
		// Starts with so many time steps that more would not be visible, and
		// doubles their length while there are too many frames.
		for (let length = this.stepLength(); length <=
			2 * this.data.time.slices; length *= 2) {
			const timed = orderByTime(base, this.steps(length, became));
			if (timed)
				return timed;
		}
		return base;
	}

	stepLength() {
		const { from, to } = this.range ||
			{ from: 0, to: this.data.time.slices };

		return Math.max(1, Math.floor((to - from) / 250));
	}

	// Returns, for each step of LENGTH time slices, a map from node to samples.
	steps(length, became) {
		const { groups } = this.event, steps = new Map();

		this.eachGroup((group) => {
			const number = Math.floor(groups.slice[group] / length);
			let step = steps.get(number);
			if (!step)
				steps.set(number, step = new Map());
			const end = groups.start[group + 1];
			for (let i = groups.start[group]; i < end; i++) {
				const node = became ? became[groups.node[i]]
					: groups.node[i];
				step.set(node,
					(step.get(node) || 0) + groups.period[i]);
			}
		});
		return steps.values();
	}
}

// Returns a function that tests whether a name matches TEXT, a substring or /a
// regular expression/; null if TEXT is invalid.
function matcherOf(text) {
	const regular = /^\/(.+)\/$/.exec(text);

	if (!regular) {
		const part = text.toLowerCase();
		return (name) => name.toLowerCase().includes(part);
	}
	try {
		const pattern = new RegExp(regular[1], 'i');
		return (name) => pattern.test(name);
	} catch {
		return null;
	}
}

// Returns the functions whose names match TEXT, or, if TEXT starts with "dso:",
// whose DSO matches the rest of TEXT. Returns null if TEXT is empty or invalid.
function findFunctions(functions, text) {
	const isDso = text.startsWith('dso:');
	const matches = matcherOf(isDso ? text.slice(4) : text);

	if (!text || !matches)
		return null;
	return Uint8Array.from(functions, (at) => isDso
		? isCode(at) && matches(at.dso) : matches(at.name));
}
