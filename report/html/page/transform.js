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

// Makes a tree from TREE. ROUTE(node, above, made, base) returns the new node of the
// frame NODE: ABOVE is the new node of its caller, MADE the new tree, and BASE the node
// of its group or the root. A negative node: stacks that end here are dropped.
class Transforming {
	constructor(tree, functions) {
		this.tree = tree;
		this.functions = functions;
		this.made = new Growing(tree.fn[0], tree.n);
		// for each node: the new node of the frame, of stacks that end there, and
		// of its group
		this.frames = new Int32Array(tree.n);
		this.ends = new Int32Array(tree.n);
		this.bases = new Int32Array(tree.n);
	}

	run(route) {
		const { tree, functions, made, frames, ends, bases } = this;
		const { fn, parent } = tree;

		for (let i = 1; i < tree.n; i++) {
			const at = functions[fn[i]], above = parent[i];
			bases[i] = bases[above];
			if (at.isGroup) {
				bases[i] = frames[i] = ends[i] = made.find(0, fn[i]);
				continue;
			}
			// A thread state is below the frame that its samples count for.
			if (isState(at)) {
				frames[i] = ends[i] = ends[above] < 0 ? outside
					: made.find(ends[above], fn[i]);
				continue;
			}
			frames[i] = route(i, frames[above], made, bases[i]);
			// The innermost frame stays if all others are removed.
			ends[i] = frames[i] === bases[i] || isRest(at) && above === 0
				? made.find(bases[i], fn[i]) : frames[i];
		}
		return this.done();
	}

	done() {
		const { tree, places } = this.made.done();

		return { tree, became: this.ends.map((node) =>
			node < 0 ? -1 : places[node]) };
	}
}

const outside = -1;

// For each transform: a function that returns ROUTE for a tree.
const routesOf = {
	f: ({ fn }, functions, wanted) => (node, above, made, base) =>
		above > base ? made.find(above, fn[node])
			: fn[node] === wanted ? made.find(base, wanted) : outside,
	s: ({ fn, parent, n }, functions, path) => {
		// for each node: how many functions of the path lead to it, or -1
		const steps = new Int32Array(n).fill(-1);

		steps[0] = 0;
		return (node, above, made, base) => {
			const before = functions[fn[parent[node]]].isGroup ? 0
				: steps[parent[node]];
			if (above > base)
				return made.find(above, fn[node]);
			if (before < 0 || fn[node] !== path[before])
				return outside;
			steps[node] = before + 1;
			return steps[node] === path.length
				? made.find(base, fn[node]) : outside;
		};
	},
	m: ({ fn }, functions, merged) => (node, above, made) =>
		fn[node] === merged ? above : made.find(above, fn[node]),
	g: ({ fn }, functions) => (node, above, made) =>
		functions[fn[node]].isGlue ? above : made.find(above, fn[node]),
	c: ({ fn, parent }, functions, dso) => {
		const isIn = (node) => isCode(functions[fn[node]]) &&
			functions[fn[node]].dso === functions[dso].dso;

		return (node, above, made) => !isIn(node)
			? made.find(above, fn[node])
			: isIn(parent[node]) ? above : made.find(above, dso);
	},
	r: ({ fn }, functions, wanted) => (node, above, made, base) =>
		fn[node] === wanted ? collapsed(made, above, wanted, base)
			: made.find(above, fn[node]),
	R: ({ fn }) => (node, above, made, base) =>
		collapsed(made, above, fn[node], base),
	d: ({ fn }, functions, dropped) => (node, above, made) =>
		above < 0 || fn[node] === dropped ? outside
			: made.find(above, fn[node]),
};

// Returns the node of FN on the path to ABOVE, or a new one below ABOVE.
function collapsed(made, above, fn, base) {
	let at = above;

	while (at > base && made.fn[at] !== fn)
		at = made.parent[at];
	return at > base ? at : made.find(above, fn);
}

// Returns the new tree, and for each node of TREE the new node of stacks that end
// there, or -1.
function transformTree(tree, functions, { kind, argument }) {
	return new Transforming(tree, functions).run(
		routesOf[kind](tree, functions, argument));
}

// --- the address -----------------------------------------------------------------

// Reads the transforms of an address: "f12~s3.4.5~g". Others are ignored.
function readTransforms(text, functions) {
	return text.split('~').flatMap((word) => {
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
