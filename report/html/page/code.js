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

function readInstruction(bytes, texts, at) {
	at.index += bytes.number();
	at.offset += bytes.number();
	const line = { index: at.index++, offset: at.offset,
		text: bytes.text(), source: bytes.number() - 1 };
	const inlined = bytes.number();

	line.inlined = inlined ? texts[inlined - 1] : '';
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
		period: bytes.number(), at: new Map() };
	let line = 0;

	for (let n = bytes.number(); n > 0; n--) {
		line += bytes.number();
		counts.at.set(line, { samples: bytes.number(),
			period: bytes.number() });
	}
	counts.parts = readParts(bytes);
	return counts;
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
	code.lines = bytes.list(() => readInstruction(bytes, texts, at));
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
	return code;
}

// --- selection ----------------------------------------------------------------

const noCount = { samples: 0, period: 0 };

// Returns the samples of COUNTS in the selected time range and thread and in stacks
// that transforms do not drop, or all samples if COUNTS has no samples by thread and
// time.
function selectCounts(counts, selection) {
	const chosen = { samples: 0, period: 0, at: new Map() };

	if (!counts?.parts.n || selection.isAll && !selection.dropped)
		return counts;
	const { n, cell, line, samples, period } = counts.parts;
	const { task } = selection.event.cells, { places } = selection;
	const isIn = selection.tasksInThread();
	const [first, end] = selection.cellRange();

	for (let i = countBefore(cell, first); i < n && cell[i] < end; i++) {
		if (!isIn[task[cell[i]]] || places[cell[i]] < 0)
			continue;
		const sum = chosen.at.get(line[i]) ?? { ...noCount };
		chosen.at.set(line[i], sum);
		for (const one of [sum, chosen]) {
			one.samples += samples[i];
			one.period += period[i];
		}
	}
	return chosen;
}

// One function's code with the samples of one event, summed by source line and by
// loop, like dwell annotate.
class CountedCode {
	constructor(code, event, selection) {
		const all = code.counts.find((at) => at.event === event);
		const counts = selectCounts(all, selection);

		this.isWhole = counts === all;

		this.code = code;
		this.samples = counts?.samples ?? 0;
		this.period = counts?.period ?? 0;
		this.at = counts?.at ?? new Map();
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

		for (const [index, { period }] of this.at)
			if (period > most)
				[best, most] = [index, period];
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

		if (lines.length <= foldPlenty || !this.at.size)
			return folds;
		lines.forEach(({ index }, i) => {
			if (this.at.has(index))
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
