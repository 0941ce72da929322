// SPDX-License-Identifier: GPL-2.0-or-later
// Decodes the code of functions into arrays. report/html/html_code.h describes the
// layout.

function readSource(bytes, texts) {
	const source = { file: texts[bytes.number()], line: bytes.number(),
		text: '' };
	const has = bytes.number();

	if (has)
		source.text = bytes.text();
	source.hasChanged = has === 2;
	return source;
}

// Returns the scope with NUMBER and those that contain it, the innermost first.
function scopeChain(scopes, number) {
	const chain = [];

	for (let at = number; at >= 0; at = scopes[at].parent)
		chain.push(scopes[at]);
	return chain;
}

function readInstruction(bytes, scopes, at) {
	at.index += bytes.number();
	at.offset += bytes.number();
	const line = { index: at.index++, offset: at.offset,
		text: bytes.text(), source: bytes.number() - 1 };
	line.scopes = scopeChain(scopes, bytes.number() - 1);
	line.inlined = line.scopes[0]?.name ?? '';
	line.label = bytes.number();
	line.target = bytes.number() - 1;
	if (line.target < 0)
		line.outside = bytes.text();
	else
		line.targetLabel = bytes.number();
	line.arrows = bytes.number();
	line.depth = bytes.number();
	return line;
}

function readCounts(bytes) {
	const counts = { event: bytes.number(), samples: bytes.number(),
		period: bytes.number(), at: readAmounts(bytes) };

	counts.total = { samples: bytes.number(), period: bytes.number(),
		lines: readAmounts(bytes), runs: readAmounts(bytes),
		sources: readAmounts(bytes) };
	counts.parts = readParts(bytes);
	return counts;
}

// Returns the samples and period of each number that has samples.
function readAmounts(bytes) {
	const amounts = new Map();
	let number = 0;

	for (let n = bytes.number(); n > 0; n--) {
		number += bytes.number();
		amounts.set(number, { samples: bytes.number(),
			period: bytes.number() });
	}
	return amounts;
}

// Decodes the samples of each thread in each time slice. The cell of a part has its
// thread and slice.
function readParts(bytes) {
	const n = bytes.number(), same = n ? bytes.number() : 0;
	const column = () => bytes.numbers(n);
	const cell = column();

	for (let i = 1; i < n; i++)
		cell[i] += cell[i - 1];
	const parts = { n, cell, line: column(), samples: column() };

	parts.period = same ? parts.samples.map((samples) => samples * same)
		: column();
	return parts;
}

function readBlocks(bytes) {
	const event = bytes.number();

	return { event, at: new Map(bytes.list(() => [bytes.number(),
		{ entered: bytes.number(), taken: bytes.number(),
			notTaken: bytes.number(), mispredicted: bytes.number(),
			cycles: bytes.number() / 10 }])) };
}

function readCodeOf(bytes, texts) {
	const code = { fn: bytes.number(), problem: bytes.text(),
		address: bytes.text(), isCut: bytes.number() > 0 };
	const at = { index: 0, offset: 0 };

	code.sources = bytes.list(() => readSource(bytes, texts));
	const scopes = bytes.list(() => ({ name: texts[bytes.number()],
		parent: bytes.number() - 1, site: bytes.number() - 1 }));
	code.lines = bytes.list(() => readInstruction(bytes, scopes, at));
	code.n = at.index + bytes.number();
	code.loops = new Map(bytes.list(() => [bytes.number(), bytes.number()]));
	code.blocks = readBlocks(bytes);
	code.counts = bytes.list(() => readCounts(bytes));
	return code;
}

function readCode(bytes) {
	const code = { opened: bytes.number() - 1, most: bytes.number() };
	const texts = bytes.list(() => bytes.text());

	code.functions = bytes.list(() => readCodeOf(bytes, texts));
	// The lines of each source file; null: the text is not known.
	code.files = new Map(bytes.list(() => [bytes.text(), bytes.list(() =>
		bytes.number() ? bytes.text() : null)]));
	return code;
}

// --- selection ----------------------------------------------------------------

const noCount = { samples: 0, period: 0 };

// Returns the samples of COUNTS in the selected time range and thread and in stacks
// that transforms do not drop, or all samples if COUNTS has no samples by thread and
// time. If no own samples are selected, the samples with callees are of the whole
// recording.
function selectCounts(counts, selection) {
	const chosen = { samples: 0, period: 0, at: new Map() };

	if (!counts?.parts.n || selection.isAll && !selection.dropped)
		return counts;
	const { n, cell, line, samples, period } = counts.parts;
	const { task, node } = selection.event.cells, { places } = selection;
	const shown = selection.nodesInState();
	const isIn = selection.tasksInThreads();
	const [first, end] = selection.cellRange();
	const shareOf = selection.sharesInRange();

	for (let i = countBefore(cell, first); i < n && cell[i] < end; i++) {
		const share = shareOf(cell[i]);
		if (!isIn[task[cell[i]]] || places[cell[i]] < 0 || !share ||
			shown && !shown[node[cell[i]]])
			continue;
		const sum = chosen.at.get(line[i]) ?? { ...noCount };
		chosen.at.set(line[i], sum);
		for (const one of [sum, chosen]) {
			one.samples += samples[i];
			one.period += period[i] * share;
		}
	}
	return chosen.samples ? chosen : { ...chosen, total: counts.total };
}

// Returns the numbers of the source lines of the inlined function NAME in CODE.
function linesOfInlined(code, name) {
	const found = new Set();

	for (const { source, scopes } of code.lines) {
		let at = source;
		for (const scope of scopes) {
			if (scope.name === name && at >= 0)
				found.add(at);
			at = scope.site;
		}
	}
	return found;
}

// One function's code with the samples of one event, summed by source line and by
// loop, like dwell annotate. The samples with callees, .total, are known only for the
// whole recording. .isWhole: there are numbers of the whole recording.
class CountedCode {
	constructor(code, event, selection) {
		const all = code.counts.find((at) => at.event === event);
		const counts = selectCounts(all, selection);

		this.code = code;
		this.samples = counts?.samples ?? 0;
		this.period = counts?.period ?? 0;
		this.at = counts?.at ?? new Map();
		this.total = counts?.total?.samples ? counts.total : null;
		this.isWhole = this.total || counts === all && this.samples;
		// What percentages are of.
		this.whole = this.total?.period ?? this.period;
		this.sources = code.sources.map(() => ({ ...noCount }));
		this.blocks = code.blocks.event === event ? code.blocks.at
			: new Map();
		if (!code.lines.length)
			for (const [source, count] of this.at)
				this.sources[source] = count;
		for (const line of code.lines)
			if (line.source >= 0)
				this.add(this.sources[line.source], line.index);
		this.hottest = this.findHottest();
	}

	// Returns whether the page contains the instruction with number INDEX.
	has(index) {
		this.indexes ??= new Set(this.code.lines.map((line) => line.index));
		return this.indexes.has(index);
	}

	add(sum, index) {
		const count = this.at.get(index);

		if (!count)
			return;
		sum.samples += count.samples;
		sum.period += count.period;
	}

	// Returns the samples with callees of the instruction with number INDEX.
	totalAt(index) {
		return this.total?.lines.get(index) ?? noCount;
	}

	// Returns what the hottest instruction has the most of.
	weightAt(index) {
		return this.total ? this.totalAt(index).period
			: this.at.get(index)?.period ?? 0;
	}

	hasSamples(index) {
		return this.at.has(index) || this.totalAt(index).samples > 0;
	}

	// Sums the instructions from line I on that belong to the same source line.
	fragment(i) {
		const { lines } = this.code, { source, inlined } = lines[i];
		const sum = { ...noCount };

		for (let at = i; lines[at]?.source === source &&
			lines[at].inlined === inlined; at++)
			this.add(sum, lines[at].index);
		return sum;
	}

	loop(head) {
		const sum = { ...noCount };

		for (let i = head; i <= this.code.loops.get(head); i++)
			this.add(sum, i);
		return sum;
	}

	// Returns the index of the instruction with the most samples, or -1.
	findHottest() {
		let best = -1, most = 0;

		for (const { index } of this.code.lines) {
			const weight = this.weightAt(index);
			if (weight > most)
				[best, most] = [index, weight];
		}
		return best;
	}

	// Finds runs of instructions without samples that are long enough to be folded.
	folds() {
		const { lines } = this.code, folds = new Map();
		let first = 0;
		const close = (end) => {
			const from = first ? first + foldMargin : 0;
			const to = end < lines.length ? end - foldMargin : end;
			if (to - from >= foldLeast)
				folds.set(from, to);
			first = end + 1;
		};

		if (lines.length <= foldPlenty || this.hottest < 0)
			return folds;
		lines.forEach(({ index }, i) => {
			if (this.hasSamples(index))
				close(i);
		});
		close(lines.length);
		return folds;
	}
}

const foldPlenty = 300, foldLeast = 24, foldMargin = 8;

// Returns the text of a line's jump arrows: from the farthest to the nearest arrow,
// then the line or arrow head that leads to the text of the instruction.
function arrowText({ arrows, label }, lanes) {
	let text = '', leads = false;

	for (let lane = lanes - 1; lane >= 0; lane--) {
		const arrow = arrows >> 2 * lane & 3;
		leads ||= arrow > 1;
		text += [leads ? '─' : ' ', leads ? '┼' : '│', '╭', '╰'][arrow];
	}
	return lanes ? text + (!leads ? '   ' : label ? '─▸ ' : '── ') : '';
}
