// SPDX-License-Identifier: GPL-2.0-or-later
// Decodes the data of the page into arrays. report/html/html_data.h describes the
// layout of the data.

class Bytes {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
		this.utf8 = new TextDecoder();
	}

	number() {
		let value = 0, scale = 1, byte;

		do {
			byte = this.bytes[this.at++];
			value += (byte & 0x7f) * scale;
			scale *= 128;
		} while (byte & 0x80);
		return value;
	}

	// Reads a number as a BigInt of 64 bits, which number() would round.
	wide() {
		let value = 0n, shift = 0n, byte;

		do {
			byte = this.bytes[this.at++];
			value += BigInt(byte & 0x7f) << shift;
			shift += 7n;
		} while (byte & 0x80);
		return value;
	}

	text() {
		return this.utf8.decode(this.part());
	}

	part() {
		const size = this.number();

		this.at += size;
		return this.bytes.subarray(this.at - size, this.at);
	}

	list(read) {
		return Array.from({ length: this.number() }, read);
	}
}

// Returns whether a function is code: commands, merged frames and thread states are
// not.
function isCode({ level }) {
	return level !== 'c' && level !== 's';
}

// Returns whether a function is a thread state. Its samples count for the function
// above, as in dwell report.
function isState({ level }) {
	return level === 's';
}

// Returns whether a function stands for samples beyond a limit: their stacks are
// not known.
function isRest({ level, name }) {
	return level === 'c' && name === '[others]';
}

// Returns whether a runtime compiled the code of a function.
function isJit({ dso }) {
	return dso.startsWith('[JIT]');
}

function readFunction(bytes) {
	const at = { name: bytes.text(), dso: bytes.text(),
		level: String.fromCharCode(bytes.number()),
		colour: bytes.number() };
	const flags = bytes.number();

	return { ...at, isInlined: (flags & 1) > 0, isGlue: (flags & 2) > 0 };
}

// Reads where each function begins: .file and .line, or "" and 0.
function readPlaces(bytes, functions) {
	const files = ['', ...bytes.list(() => bytes.text())];

	for (const at of functions) {
		at.file = files[bytes.number()];
		at.line = bytes.number();
	}
}

function readNodes(bytes) {
	const n = bytes.number(), path = [];
	const nodes = { n, parent: new Int32Array(n), fn: new Int32Array(n) };

	for (let i = 0; i < n; i++) {
		const up = bytes.number(), frame = bytes.number();

		path.length -= i ? up : 0;
		nodes.parent[i] = i ? path[path.length - 1] : -1;
		nodes.fn[i] = frame;
		path.push(i);
	}
	return nodes;
}

// Reads a lane: the number and the count of each bin that is not empty.
function readLane(bytes) {
	const lane = { state: bytes.number(), pid: bytes.number(),
		tid: bytes.number(), label: bytes.text(), bins: [], counts: [],
		sum: 0 };
	let at = 0;

	for (let runs = bytes.number(); runs > 0; runs--) {
		at += bytes.number();
		const count = bytes.number();
		lane.bins.push(at++);
		lane.counts.push(count);
		lane.sum += count;
	}
	return lane;
}

// Reads the cells of an event, the samples of one thread at one node in one slice of
// time, which are sorted by slice. SAME is the period of each sample, or 0.
function readCells(bytes, same) {
	const n = bytes.number();
	const column = (into) => {
		for (let i = 0; i < n; i++)
			into[i] = bytes.number();
		return into;
	};
	const slice = column(new Float64Array(n));

	for (let i = 1; i < n; i++)
		slice[i] += slice[i - 1];
	const cells = { n, slice, task: column(new Int32Array(n)),
		node: column(new Int32Array(n)),
		samples: column(new Float64Array(n)) };

	cells.period = same ? cells.samples.map((samples) => samples * same)
		: column(new Float64Array(n));
	return cells;
}

function readEvent(bytes) {
	const event = { name: bytes.text(), unit: bytes.text(),
		samples: bytes.number(), period: bytes.number(),
		lost: bytes.number() };
	const same = bytes.number();

	event.totals = bytes.list(() => [bytes.number(), bytes.number()]);
	event.lanes = bytes.list(() => readLane(bytes));
	event.cells = readCells(bytes, same);
	return event;
}

// Sets .last of each task (a thread under one of its names): its last time slice with
// samples of any event.
function setLastSlices({ tasks, events }) {
	for (const task of tasks)
		task.last = -1;
	for (const { cells } of events)
		cells.task.forEach((task, i) => {
			tasks[task].last = Math.max(tasks[task].last, cells.slice[i]);
		});
}

// Adds the functions that stand for groups and for collapsed libraries: .threadFn and
// .processFn of each task, and the map .libraries from the name of a DSO.
function addStandIns({ functions, tasks, shades }) {
	const names = new Map(), libraries = new Map();
	const standIn = (name) => {
		if (!names.has(name))
			names.set(name, functions.push({ name: name || '?', dso: '',
				file: '', level: 'c', isGroup: true,
				colour: shades.length - 1 }) - 1);
		return names.get(name);
	};

	for (const { dso, level, colour } of functions.filter(isCode))
		if (!libraries.has(dso))
			libraries.set(dso, functions.push({ dso, level, colour, file: '',
				isLibrary: true,
				name: /^\[.*\]$/.test(dso) ? dso : `[${dso}]` }) - 1);
	for (const task of tasks) {
		task.threadFn = standIn(task.comm);
		task.processFn = standIn(task.process);
	}
	return libraries;
}

// By enum flame_grouping (report/util/flame_grouping.h).
const groupings = ['process', 'thread', 'none'];

function readData(raw) {
	const bytes = new Bytes(raw);

	if (bytes.number() !== 2)
		throw new Error('the data is from another version of dwell');
	const data = {};
	data.facts = bytes.list(() => [bytes.text(), bytes.text()]);
	data.time = { first: bytes.wide(), slice: bytes.number(),
		slices: bytes.number(), bin: bytes.number(),
		bins: bytes.number() };
	data.shades = bytes.list(() => [bytes.text(), bytes.text()]);
	data.functions = bytes.list(() => readFunction(bytes));
	readPlaces(bytes, data.functions);
	data.nodes = readNodes(bytes);
	data.tasks = bytes.list(() => ({ pid: bytes.number(),
		tid: bytes.number(), comm: bytes.text(), process: bytes.text() }));
	data.grouping = groupings[bytes.number()];
	data.events = bytes.list(() => readEvent(bytes));
	// The first frames of a comparison with --group-by are part of its tree.
	for (const at of data.functions.slice(1))
		at.isGroup = at.level === 'c' && !isRest(at);
	data.libraries = addStandIns(data);
	setLastSlices(data);
	data.sections = new Map(bytes.list(() =>
		[bytes.text(), new Bytes(bytes.part())]));
	if (data.sections.has('recordings'))
		data.recordings = readRecordings(
			data.sections.get('recordings'), data.events);
	return data;
}

async function unpack(base64) {
	const text = atob(base64), packed = new Uint8Array(text.length);

	for (let i = 0; i < text.length; i++)
		packed[i] = text.charCodeAt(i);
	const stream = new Blob([packed]).stream()
		.pipeThrough(new DecompressionStream('deflate'));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}
