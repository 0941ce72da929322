// SPDX-License-Identifier: GPL-2.0-or-later
// Transforms of call stacks, as those of dwell report: each makes a tree from a tree.
// A transform is a letter and an argument, a function, a library or a path:
//
//	f FN	focus: only stacks with FN, from the outermost FN on
//	s PATH	focus: only stacks that begin with the functions of PATH, from the last
//		function of PATH on
//	m FN	merge: FN is removed, and its own samples count for its caller
//	c DSO	collapse: consecutive frames of DSO become one frame
//	r FN	collapse recursion: from the outermost FN to the innermost FN, one frame
//	R	collapse the recursion of all functions
//	d FN	drop: no stacks with FN
//	g	hide glue: as m, for all functions of standard libraries and of startup code

const outside = -1;

// The new frame of each node of TREE, as the number of a node: of the node itself, or of
// a node above with which it shares a frame. ROUTE(node, above, base) returns that
// number; ABOVE is the frame of the caller, and BASE the node of the group or the root.
// OUTSIDE: stacks that end here are dropped.
class Transforming {
	constructor(tree, functions) {
		const { n } = tree;

		Object.assign(this, { tree, functions });
		this.fn = tree.fn.slice(); // the function of the new frame
		// for each node: the frame of its callees, the frame of stacks that end
		// there, and the caller of this frame
		this.frames = new Int32Array(n);
		this.ends = new Int32Array(n);
		this.callers = new Int32Array(n);
	}

	run(route) {
		const { tree: { parent, fn, n }, functions } = this;
		const { frames, ends, callers } = this;
		const groups = Uint8Array.from(functions, ({ isGroup }) => isGroup);
		const states = Uint8Array.from(functions, isState);
		const rests = Uint8Array.from(functions, isRest);
		const bases = new Int32Array(n);

		for (let i = 1; i < n; i++) {
			const above = parent[i], base = bases[above];
			bases[i] = base;
			if (groups[fn[i]]) {
				bases[i] = frames[i] = ends[i] = i;
				continue;
			}
			// A thread state is below the frame that its samples count for.
			if (states[fn[i]]) {
				callers[i] = ends[above];
				frames[i] = ends[i] = ends[above] < 0 ? outside : i;
				continue;
			}
			callers[i] = Math.max(base, frames[above]);
			frames[i] = route(i, frames[above], base);
			ends[i] = frames[i];
			// The innermost frame stays if all others are removed.
			if (frames[i] === base || rests[fn[i]] && above === 0) {
				callers[i] = base;
				ends[i] = i;
			}
		}
		return this.merge();
	}

	// Makes the tree of the frames, in which the frames of a function with one caller are
	// one frame.
	merge() {
		const { tree: { n }, fn, ends, callers } = this;
		const made = { parent: new Int32Array(n), fn: new Int32Array(n) };
		const places = new Int32Array(n); // the node of each frame in the new tree
		const first = new Int32Array(n); // callees of each frame, as a list
		const next = new Int32Array(n);
		const same = new Int32Array(n); // frames that are one frame, as a list
		const last = new Int32Array(n);
		const open = new Int32Array(n); // the first frame of each list to be placed
		const slots = new Int32Array(this.functions.length);
		let top = 1, size = 0;

		for (let i = n - 1; i > 0; i--)
			if (ends[i] === i) {
				next[i] = first[callers[i]];
				first[callers[i]] = i;
			}
		while (top) {
			const frame = open[--top], bottom = top;
			made.parent[size] = frame ? places[callers[frame]] : -1;
			made.fn[size] = fn[frame];
			let at = frame;
			do {
				places[at] = size;
				for (let below = first[at]; below; below = next[below]) {
					const slot = slots[fn[below]];
					if (slot >= bottom && slot < top &&
						fn[open[slot]] === fn[below]) {
						same[last[slot]] = below;
						last[slot] = below;
					} else {
						slots[fn[below]] = top;
						last[top] = open[top] = below;
						top++;
					}
				}
				at = same[at];
			} while (at);
			// The first callee is placed first.
			open.subarray(bottom, top).reverse();
			size++;
		}
		return { tree: new Tree(made.parent.slice(0, size),
			made.fn.slice(0, size)),
		became: ends.map((frame) => frame < 0 ? -1 : places[frame]) };
	}
}

// For each transform: a function that returns ROUTE.
const routesOf = {
	f: ({ tree: { fn } }, wanted) => (node, above, base) =>
		above > base || fn[node] === wanted ? node : outside,
	s: ({ tree: { fn, parent, n }, functions }, path) => {
		// for each node: how many functions of the path lead to it, or -1
		const steps = new Int32Array(n).fill(-1);

		steps[0] = 0;
		return (node, above, base) => {
			const before = functions[fn[parent[node]]].isGroup ? 0
				: steps[parent[node]];
			if (above > base)
				return node;
			if (before < 0 || fn[node] !== path[before])
				return outside;
			steps[node] = before + 1;
			return steps[node] === path.length ? node : outside;
		};
	},
	m: ({ tree: { fn } }, merged) => (node, above) =>
		fn[node] === merged ? above : node,
	g: ({ tree: { fn }, functions }) => {
		const glue = Uint8Array.from(functions, ({ isGlue }) => isGlue);

		return (node, above) => glue[fn[node]] ? above : node;
	},
	c: ({ tree: { fn, parent }, functions, fn: made }, dso) => {
		const isIn = Uint8Array.from(functions, (at) =>
			isCode(at) && at.dso === functions[dso].dso);

		return (node, above) => {
			if (!isIn[fn[node]])
				return node;
			made[node] = dso;
			return isIn[fn[parent[node]]] ? above : node;
		};
	},
	r: (making, wanted) => {
		const { tree: { fn } } = making, collapse = collapsing(making);

		return (node, above, base) =>
			fn[node] === wanted ? collapse(node, above, base) : node;
	},
	R: (making) => collapsing(making),
	d: ({ tree: { fn } }, dropped) => (node, above) =>
		above < 0 || fn[node] === dropped ? outside : node,
};

// Returns a function that returns the frame of NODE's function on the path to the
// frame ABOVE, or NODE.
function collapsing({ tree: { fn }, callers, functions }) {
	return (node, above, base) => {
		let at = above;

		while (at > base && fn[at] !== fn[node])
			at = callers[at];
		return at > base ? at : node;
	};
}

// Returns the new tree, and for each node of TREE the new node of stacks that end
// there, or -1.
function transformTree(tree, functions, { kind, argument }) {
	const making = new Transforming(tree, functions);

	return making.run(routesOf[kind](making, argument));
}

// --- the address -----------------------------------------------------------------

// Limit of transforms. Each one makes a tree, and a link can have any number.
const transformsMax = 50;

// Reads the transforms of an address: "f12~s3.4.5~g". Others are ignored, and those
// behind the limit.
function readTransforms(text, functions) {
	return text.split('~', transformsMax).flatMap((word) => {
		const numbers = (word.match(/\d+/g) ?? []).map(Number);

		if (!/^([fmrd]\d+|c\d+|s\d+(\.\d+)*|[gR])$/.test(word) ||
			!numbers.every((fn) => fn < functions.length) ||
			word[0] === 'c' && !functions[numbers[0]].isLibrary)
			return [];
		return [{ kind: word[0], argument: word[0] === 's' ? numbers
			: numbers[0] }];
	});
}

function writeTransforms(list) {
	return list.map(({ kind, argument = '' }) => kind +
		(Array.isArray(argument) ? argument.join('.') : argument)).join('~');
}

// --- the list of transforms -------------------------------------------------------

const transformNames = { f: 'focus', s: 'path to', m: 'merge', c: 'collapse',
	r: 'recursion of', d: 'drop', R: 'recursion', g: 'glue hidden' };

// The transforms in the order in which they were added. A click on one removes those
// behind it; its second button removes only the transform.
class TransformList {
	constructor(data, state) {
		this.data = data;
		this.state = state;
		byId('no-transforms').addEventListener('click', () => this.set([]));
	}

	get list() {
		return readTransforms(this.state.get('transforms'), this.data.functions);
	}

	set(list) {
		this.state.set({ transforms: writeTransforms(list) });
	}

	// Adds the transform KIND of a frame. ISMERGED: recursion is merged in the tree
	// that has the path of the frame.
	add(kind, { fn, path, isMerged }) {
		const { libraries, functions } = this.data;
		const argument = { s: path, g: undefined,
			c: libraries.get(functions[fn].dso) };
		const one = { kind, argument: kind in argument ? argument[kind] : fn };

		if (kind === 'g') {
			this.turnGlue();
			return;
		}
		const before = kind === 's' && isMerged ? [{ kind: 'R' }] : [];
		this.state.set({ transforms: writeTransforms(
			[...this.list, ...before, one]),
		...before.length ? { merge: '' } : {} });
	}

	turnGlue() {
		const { list } = this, rest = list.filter(({ kind }) => kind !== 'g');

		this.set(rest.length < list.length ? rest : [...list, { kind: 'g' }]);
	}

	nameOf({ kind, argument }) {
		const { functions } = this.data;
		const fn = Array.isArray(argument) ? argument[argument.length - 1]
			: argument;

		return [transformNames[kind], functions[fn]?.name].filter(Boolean)
			.join(' ');
	}

	show(list) {
		byId('transforms-box').hidden = !list.length;
		byId('glue').setAttribute('aria-pressed',
			list.some(({ kind }) => kind === 'g'));
		replaceIn(byId('transforms'), list.map((one, i) => {
			const line = element('li'), name = this.nameOf(one);
			const button = element('button', name, { type: 'button',
				title: `Remove the transforms after “${name}”` });
			const remove = element('button', '✕', { type: 'button',
				'aria-label': `Remove “${name}”` });
			button.addEventListener('click',
				() => this.set(list.slice(0, i + 1)));
			remove.addEventListener('click',
				() => this.set(list.filter((other) => other !== one)));
			line.append(button, remove);
			return line;
		}));
	}
}
