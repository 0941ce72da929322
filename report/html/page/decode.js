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

// Returns whether the samples of a frame count for the function above: thread
// states and inlined code, as in dwell report.
function isPart({ level, isInlined }) {
	return level === 's' || isInlined;
}

function readNodes(bytes) {
	const n = bytes.number();
	const nodes = { n, parent: new Int32Array(n), fn: new Int32Array(n),
		inlined: new Uint8Array(n) };
	const path = [];

	for (let i = 0; i < n; i++) {
		const up = bytes.number(), frame = bytes.number();

		path.length -= i ? up : 0;
		nodes.parent[i] = i ? path[path.length - 1] : -1;
		nodes.fn[i] = Math.floor(frame / 2);
		nodes.inlined[i] = frame % 2;
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

// Reads the groups of an event. The cells of all groups are in one array; .start
// has the index of the first cell of each group.
function readGroups(bytes, same) {
	const groups = bytes.number(), slice = [], task = [], start = [];
	const node = [], samples = [], period = [];
	let now = 0;

	for (let i = 0; i < groups; i++) {
		now += bytes.number();
		slice.push(now);
		task.push(bytes.number());
		start.push(node.length);
		let at = 0;
		for (let n = bytes.number(); n > 0; n--) {
			at += bytes.number();
			node.push(at);
			samples.push(bytes.number());
			period.push(same ? samples[samples.length - 1] * same
				: bytes.number());
		}
	}
	start.push(node.length);
	return { n: groups, slice: Int32Array.from(slice),
		task: Int32Array.from(task), start: Int32Array.from(start),
		node: Int32Array.from(node),
		samples: Float64Array.from(samples),
		period: Float64Array.from(period) };
}

function readEvent(bytes) {
	const event = { name: bytes.text(), unit: bytes.text(),
		samples: bytes.number(), period: bytes.number(),
		lost: bytes.number() };
	const same = bytes.number();

	event.totals = bytes.list(() => [bytes.number(), bytes.number()]);
	event.lanes = bytes.list(() => readLane(bytes));
	event.groups = readGroups(bytes, same);
	return event;
}

// Sets .last of each task (a thread under one of its names): its last time slice with
// samples of any event.
function setLastSlices({ tasks, events }) {
	for (const task of tasks)
		task.last = -1;
	for (const { groups } of events)
		groups.task.forEach((task, i) => {
			tasks[task].last = Math.max(tasks[task].last, groups.slice[i]);
		});
}

function readData(raw) {
	const bytes = new Bytes(raw);

	if (bytes.number() !== 1)
		throw new Error('the data is from another version of dwell');
	const data = {};
	data.facts = bytes.list(() => [bytes.text(), bytes.text()]);
	data.time = { first: bytes.wide(), bin: bytes.number(),
		bins: bytes.number(), slice: bytes.number() };
	data.time.slices = data.time.slice
		? Math.ceil(data.time.bins / data.time.slice) : 1;
	data.shades = bytes.list(() => [bytes.text(), bytes.text()]);
	data.functions = bytes.list(() => ({ name: bytes.text(),
		dso: bytes.text(), level: String.fromCharCode(bytes.number()),
		colour: bytes.number() }));
	data.nodes = readNodes(bytes);
	data.nodes.fn.forEach((fn, node) => {
		data.functions[fn].isInlined ||= data.nodes.inlined[node] > 0;
	});
	data.tasks = bytes.list(() => ({ pid: bytes.number(),
		tid: bytes.number(), comm: bytes.text() }));
	data.events = bytes.list(() => readEvent(bytes));
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
