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
		const { bytes } = this;
		let byte = bytes[this.at++], value = byte & 0x7f;

		for (let scale = 128; byte & 0x80; scale *= 128) {
			byte = bytes[this.at++];
			value += (byte & 0x7f) * scale;
		}
		return value;
	}

	// Reads N numbers into an array of type MADE.
	numbers(n, made = Float64Array) {
		const { bytes } = this, into = new made(n);

		for (let i = 0; i < n; i++)
			if (bytes[this.at] < 0x80)
				into[i] = bytes[this.at++];
			else
				into[i] = this.number();
		return into;
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

// Returns the state of the threads whose samples are at a node of a function: a word of
// the address.
function stateOf(at) {
	return isState(at) ? at.name.slice(1, -1) : 'on';
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

function readFunction(bytes, modules) {
	const at = { name: bytes.text(), dso: bytes.text(),
		level: String.fromCharCode(bytes.number()),
		module: modules[bytes.number()], colour: bytes.number(),
		dsoColour: bytes.number(), otherNames: bytes.text() };
	const flags = bytes.number();

	return { ...at, isInlined: (flags & 1) > 0, isGlue: (flags & 2) > 0,
		isGuessed: (flags & 4) > 0, isOwn: (flags & 8) > 0 };
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
	const n = bytes.number(), pairs = bytes.numbers(2 * n, Int32Array);
	const parent = new Int32Array(n), fn = new Int32Array(n);
	// the node of the last path at each depth
	const path = new Int32Array(n);

	for (let i = 0, depth = 0; i < n; i++) {
		depth -= i ? pairs[2 * i] : 0;
		parent[i] = i ? path[depth - 1] : -1;
		fn[i] = pairs[2 * i + 1];
		path[depth++] = i;
	}
	return { n, parent, fn };
}

// Returns the text of a process or thread ID: "8", and "8.1" for the second process or
// thread with this ID.
function textOfId(id, use) {
	return use ? `${id}.${use}` : `${id}`;
}

// Reads the IDs of a thread: the text .tid, and .thread, which identifies the thread:
// "7.8", or "7-1.8-1".
function readIds(bytes) {
	const [pid, pidUse, tid, tidUse] = bytes.numbers(4);
	const key = (id, use) => textOfId(id, use).replace('.', '-');

	return { tid: textOfId(tid, tidUse),
		thread: `${key(pid, pidUse)}.${key(tid, tidUse)}` };
}

// Reads a lane: the number and the count of each bin that is not empty.
function readLane(bytes) {
	const lane = { state: bytes.number(), ...readIds(bytes),
		label: bytes.text(), sum: 0 };
	const n = bytes.number(), pairs = bytes.numbers(2 * n);
	let at = 0;

	lane.bins = new Int32Array(n);
	lane.counts = new Float64Array(n);
	for (let i = 0; i < n; i++) {
		at += pairs[2 * i];
		lane.bins[i] = at++;
		lane.counts[i] = pairs[2 * i + 1];
		lane.sum += lane.counts[i];
	}
	return lane;
}

// Reads the cells of an event, the samples of one thread at one node in one slice of
// time, which are sorted by slice. SAME is the period of each sample, or 0. .spans has,
// by the index of a cell, the ns in which the waits of its period are, if it is a sum of
// waits.
function readCells(bytes, same) {
	const n = bytes.number(), each = bytes.number();
	const slice = bytes.numbers(n);

	for (let i = 1; i < n; i++)
		slice[i] += slice[i - 1];
	const cells = { n, same, slice, task: bytes.numbers(n, Int32Array),
		node: bytes.numbers(n, Int32Array),
		samples: each ? new Float64Array(n).fill(each) : bytes.numbers(n) };

	cells.period = !same ? bytes.numbers(n)
		: each ? new Float64Array(n).fill(each * same)
			: cells.samples.map((samples) => samples * same);
	cells.spans = new Map();
	for (let left = bytes.number(), at = 0; left > 0; left--) {
		at += bytes.number();
		cells.spans.set(at, bytes.number());
	}
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
	const last = new Float64Array(tasks.length).fill(-1);

	for (const { cells } of events)
		for (let i = 0; i < cells.n; i++)
			last[cells.task[i]] = Math.max(last[cells.task[i]], cells.slice[i]);
	tasks.forEach((task, i) => {
		task.last = last[i];
	});
}

// Adds the functions that stand for groups and for collapsed libraries: .threadFn and
// .processFn of each task, and the map .libraries from the name of a DSO.
function addStandIns({ functions, tasks, shades }) {
	const names = new Map(), libraries = new Map();
	const standIn = (name) => {
		if (!names.has(name))
			names.set(name, functions.push({ name: name || '?', dso: '',
				file: '', level: 'c', isGroup: true, module: '',
				colour: shades.length - 1,
				dsoColour: shades.length - 1 }) - 1);
		return names.get(name);
	};

	for (const { dso, level, module, colour, dsoColour } of functions.filter(isCode))
		if (!libraries.has(dso))
			libraries.set(dso, functions.push({ dso, level, file: '',
				module: colour === dsoColour ? module : dso,
				colour: dsoColour, dsoColour, isLibrary: true,
				name: /^\[.*\]$/.test(dso) ? dso : `[${dso}]` }) - 1);
	for (const task of tasks) {
		task.threadFn = standIn(task.comm);
		task.processFn = standIn(task.process);
	}
	return libraries;
}

// Returns for each of N nodes the function that the thread waits in, or -1; null if the
// page has none.
function readWaits(bytes, n) {
	const waits = bytes?.list(() => [bytes.number(), bytes.number()]) ?? [];
	const sites = new Int32Array(n).fill(-1);
	let node = 0;

	for (const [skipped, fn] of waits) {
		node += skipped;
		sites[node] = fn;
	}
	return waits.length ? sites : null;
}

// By enum flame_grouping (report/util/style.h).
const groupings = ['process', 'thread', 'none'];

function readData(raw) {
	const bytes = new Bytes(raw);

	if (bytes.number() !== 7)
		throw new Error('the data is from another version of dwell');
	const data = {};
	data.facts = bytes.list(() => [bytes.text(), bytes.text()]);
	data.time = { first: bytes.wide(), slice: bytes.number(),
		slices: bytes.number(), bin: bytes.number(),
		bins: bytes.number(), counted: bytes.number() };
	data.shades = bytes.list(() => [bytes.text(), bytes.text()]);
	const modules = bytes.list(() => bytes.text());
	data.functions = bytes.list(() => readFunction(bytes, modules));
	readPlaces(bytes, data.functions);
	data.nodes = readNodes(bytes);
	data.tasks = bytes.list(() => ({ ...readIds(bytes), comm: bytes.text(),
		process: bytes.text() }));
	data.grouping = groupings[bytes.number()];
	data.events = bytes.list(() => readEvent(bytes));
	// The first frames of a comparison with --group-by are part of its tree.
	for (const at of data.functions.slice(1))
		at.isGroup = at.level === 'c' && !isRest(at);
	data.libraries = addStandIns(data);
	setLastSlices(data);
	data.sections = new Map(bytes.list(() =>
		[bytes.text(), new Bytes(bytes.part())]));
	data.sites = readWaits(data.sections.get('waits'), data.nodes.n);
	if (data.sections.has('recordings'))
		data.recordings = readRecordings(
			data.sections.get('recordings'), data.events);
	return data;
}

async function unpack(base64) {
	// Older browsers have no fromBase64().
	const packed = Uint8Array.fromBase64?.(base64) ??
		Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
	const stream = new Blob([packed]).stream()
		.pipeThrough(new DecompressionStream('deflate'));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}
