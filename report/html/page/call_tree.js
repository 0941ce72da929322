// SPDX-License-Identifier: GPL-2.0-or-later
// The call tree as a list of lines that unfold: from the outermost callers down, or
// inverted, from the functions with samples of their own to their callers. Only the
// visible lines are in the document.

const lineHeight = 20;
const linesMax = 20000; // limit of the list
const unfoldMax = 2000; // limit of the lines that one key unfolds
const hotShare = 0.5; // a child with this share of its parent is unfolded at first

// Numbers for paths of functions, the same in each tree.
class PathNumbers {
	constructor() {
		this.numbers = new Map();
	}

	// Returns the number of the path that FN continues, from the path ABOVE on.
	of(above = 0, fn) {
		const path = `${above}/${fn}`;

		if (!this.numbers.has(path))
			this.numbers.set(path, this.numbers.size + 1);
		return this.numbers.get(path);
	}
}

// The lines of a tree: a line is { key, keys, fn, depth, total, self, node, hasMore,
// text }. The key is the number of its path in PATHS. KEYS has the key of each frame,
// and TEXT the text of a folded trunk of TRUNKS, whose function is the innermost one.
// sumsOf() returns the numbers of a line in each tree of SIDES, which have equal nodes.
class TopDown {
	constructor(trunks, functions, paths, sides) {
		Object.assign(this, { trunks, functions, paths, sides,
			tree: trunks.tree });
	}

	sumsOf({ node }) {
		return this.sides.map((side) => {
			const own = side.ownOf(this.functions);
			return { total: side.total[node],
				self: this.trunks.framesOf(node)
					.reduce((sum, frame) => sum + own[frame], 0) };
		});
	}

	lineOf(node, above) {
		const { tree, trunks, paths } = this, keys = new Map();
		let key = above?.keys.get(tree.parent[node]), fn;

		for (const frame of trunks.framesOf(node)) {
			fn = tree.fn[frame];
			key = paths.of(key, fn);
			keys.set(frame, key);
		}
		return { key, keys, fn, node, text: trunks.textOf(node),
			depth: above ? above.depth + 1 : 0, total: tree.total[node],
			self: trunks.ownOf(node),
			hasMore: trunks.childrenOf(node).length > 0 };
	}

	below(line) {
		return this.trunks.childrenOf(line ? line.node : 0)
			.map((node) => this.lineOf(node, line));
	}
}

// Each line has the nodes .at that it stands for, and .origins, whose own samples are
// their parts of the samples of the line's outermost callee.
class Inverted {
	constructor({ tree }, functions, paths, sides) {
		this.tree = tree;
		this.paths = paths;
		this.own = tree.ownOf(functions);
		this.owns = sides.map((side) => side.ownOf(functions));
	}

	sumsOf({ depth, origins }) {
		return this.owns.map((own) => {
			const total = origins.reduce((sum, node) => sum + own[node], 0);
			return { total, self: depth ? 0 : total };
		});
	}

	below(line) {
		const { tree, own } = this, groups = new Map();
		const add = (node, origin) => {
			const fn = tree.fn[node];
			let group = groups.get(fn);
			if (!group)
				groups.set(fn, group = { key: this.paths.of(line?.key, fn), fn,
					depth: line ? line.depth + 1 : 0, total: 0, self: 0,
					at: [], origins: [], hasMore: false });
			group.at.push(node);
			group.origins.push(origin);
			group.total += own[origin];
			group.hasMore ||= tree.parent[node] > 0;
		};

		if (line) {
			line.at.forEach((node, i) => {
				if (tree.parent[node] > 0)
					add(tree.parent[node], line.origins[i]);
			});
		} else {
			for (let i = 1; i < tree.n; i++)
				if (own[i] > 0)
					add(i, i);
		}
		const made = Array.from(groups.values());
		if (!line)
			for (const group of made)
				group.self = group.total;
		return made.sort((a, b) => b.total - a.total || a.fn - b.fn);
	}
}

class CallTree {
	// NOTE: the element for a note about missing lines. OPTIONS: functions, colours,
	// percent(weight, side), onChoose(fn, isStep, node), onMenu(target, place, key),
	// onTrunk() shows the frames of folded trunks.
	constructor(box, note, options) {
		Object.assign(this, options, { box, note });
		this.place = box.parentNode;
		this.unfolded = new Map(); // class -> keys of the unfolded lines
		this.paths = new PathNumbers();
		this.place.addEventListener('scroll', () => this.draw());
		new ResizeObserver(() => this.draw()).observe(this.place);
		box.addEventListener('keydown', (event) => this.key(event));
		box.addEventListener('click', (event) => this.click(event));
		box.addEventListener('dblclick', (event) => {
			if (event.target.className !== 'sign')
				this.turn(this.indexAt(event));
		});
		box.addEventListener('contextmenu', (event) => {
			const isKey = event.button !== 2;
			const at = isKey ? this.at : this.indexAt(event);
			if (at < 0 || !this.lines[at])
				return;
			event.preventDefault();
			this.select(at);
			this.onMenu(this.targetOf(at), isKey ? this.placeOf(at) : event);
		});
	}

	// Shows the tree of TRUNKS; LINES is TopDown or Inverted. The numbers are those of
	// SIDES, trees with equal nodes.
	show(trunks, Lines, { matches, isByHeat, isMerged, sides = [trunks.tree] }) {
		Object.assign(this, { matches, isByHeat, isMerged });
		this.model = new Lines(trunks, this.functions, this.paths, sides);
		this.keys = this.unfolded.get(Lines);
		if (!this.keys) {
			this.keys = new Set();
			this.unfolded.set(Lines, this.keys);
		}
		if (!this.model.below(null).some(({ key }) => this.keys.has(key)))
			this.unfoldHot();
		this.list();
	}

	// Unfolds the hottest path as far as one callee has most of the samples.
	unfoldHot() {
		let above = null, lines = this.model.below(null);

		while (lines.length && (!above ||
			lines[0].total >= hotShare * above.total)) {
			[above] = lines;
			this.keys.add(above.key);
			lines = this.model.below(above);
		}
	}

	// Makes the list of all lines that have only unfolded callers.
	list() {
		const { selected } = this, all = [];
		const placed = (lines) => lines.map((line, i) => Object.assign(line,
			{ position: i + 1, of: lines.length })).reverse();
		const open = placed(this.model.below(null));

		while (open.length && all.length < linesMax) {
			const line = open.pop();
			all.push(line);
			if (line.text)
				for (const key of line.keys.values())
					this.keys.add(key);
			if (line.hasMore && this.keys.has(line.key))
				for (const below of placed(this.model.below(line)))
					open.push(below);
		}
		this.note.hidden = !open.length;
		this.note.textContent = `The list ends after ${countText(
			linesMax)} lines. Fold lines, or focus on a function, to see the others.`;
		this.lines = all;
		const at = all.findIndex(({ key }) => key === selected);
		this.at = at < 0 ? 0 : at;
		this.box.style.height = `${Math.max(1, all.length) * lineHeight}px`;
		this.draw();
	}

	draw() {
		const { place, lines } = this;

		if (!lines || !place.clientHeight)
			return;
		const first = Math.max(0,
			Math.floor(place.scrollTop / lineHeight) - 5);
		const end = Math.min(lines.length,
			Math.ceil((place.scrollTop + place.clientHeight) / lineHeight) + 5);
		const shown = [];
		for (let i = first; i < end; i++)
			shown.push(this.makeLine(lines[i], i));
		this.box.replaceChildren(...shown);
		if (this.at >= first && this.at < end)
			this.box.setAttribute('aria-activedescendant',
				`line-${this.at}`);
		else
			this.box.removeAttribute('aria-activedescendant');
	}

	makeLine(line, i) {
		const at = this.functions[line.fn], sums = this.model.sumsOf(line);
		const isOpen = !line.text && this.keys.has(line.key);
		const made = element('div', undefined, { role: 'treeitem',
			id: `line-${i}`, 'aria-level': line.depth + 1,
			'aria-posinset': line.position, 'aria-setsize': line.of,
			'aria-selected': i === this.at,
			'aria-description': `total${line.self ? ' and self' : ''}${
				sums.length > 1 ? ', each in A and in B' : ''}` });
		const name = element('span', undefined, { class: 'call' });
		const sign = element('span', line.hasMore ? isOpen ? '▾' : '▸' : '',
			{ class: 'sign', 'aria-hidden': 'true' });
		const swatch = element('span', undefined, { class: 'swatch' });

		if (line.hasMore)
			made.setAttribute('aria-expanded', isOpen);
		swatch.style.background = this.colours.ofFunction(line.fn,
			line.self / this.whole(), this.isByHeat);
		name.style.paddingLeft = `${Math.min(line.depth, 60) * 10}px`;
		name.append(sign, swatch, element('bdi', line.text || fullName(at)));
		if (this.matches && !this.isMatch(line))
			made.classList.add('dim');
		made.style.top = `${i * lineHeight}px`;
		made.append(...sums.map(({ total }, side) => element('span',
			this.percent(total, side), { class: 'number' })),
		...sums.map(({ self }, side) => element('span', self
			? this.percent(self, side) : '', { class: 'number' })), name,
		...at.isGuessed ? [element('span', 'no symbol', { class: 'level',
			title: guessText(at) })] : [],
		...isJit(at) ? [element('span', 'JIT', { class: 'level' })] : [],
		element('span', at.dso, { class: 'dso' }));
		return made;
	}

	// Returns whether a frame of LINE matches the search.
	isMatch({ fn, keys }, matches = this.matches) {
		const { tree } = this.model;

		return keys ? [...keys.keys()].some((node) => matches[tree.fn[node]])
			: matches[fn];
	}

	indexAt(event) {
		const row = event.target.closest('[role=treeitem]');

		return row ? Number(row.id.slice(5)) : -1;
	}

	click(event) {
		const at = this.indexAt(event);

		if (at < 0)
			return;
		if (event.target.className === 'sign')
			this.turn(at);
		this.select(at);
	}

	select(at, isStep = true) {
		this.at = at;
		this.selected = this.lines[at].key;
		this.bringIntoView(at);
		this.draw();
		const { fn, keys } = this.lines[at];
		this.onChoose(fn, isStep, keys && [...keys.keys()].at(-1));
	}

	bringIntoView(at) {
		const top = at * lineHeight, { place } = this;
		const head = place.firstElementChild.offsetHeight;

		if (top < place.scrollTop)
			place.scrollTop = top;
		else if (top + lineHeight + head > place.scrollTop +
			place.clientHeight)
			place.scrollTop = top + lineHeight + head -
				place.clientHeight;
	}

	// Selects the line of function FN without choosing FN: the line of the frame NODE
	// after unfolding its callers, or in an inverted tree the outermost line.
	mark(node, fn) {
		const { model } = this, isInverted = model instanceof Inverted;
		const path = isInverted ? [node] : model.tree.pathOf(node);
		const isOf = (line, one) => isInverted ? line.fn === fn : line.keys.has(one);
		let line = this.lines[this.at];

		if (!line || isOf(line, node))
			return;
		line = null;
		for (const one of path) {
			if (line && isOf(line, one))
				continue;
			if (line)
				this.keys.add(line.key);
			line = model.below(line).find((below) => isOf(below, one));
			if (!line)
				return;
		}
		this.selected = line?.key;
		this.list();
		this.bringIntoView(this.at);
		this.draw();
	}

	// Folds or unfolds the line at index AT, or shows the frames of a folded trunk.
	turn(at, isOpen = !this.keys.has(this.lines[at].key)) {
		const { key, text } = this.lines[at];

		this.selected = key;
		if (text) {
			this.onTrunk();
			return;
		}
		this.keys[isOpen ? 'add' : 'delete'](key);
		this.list();
	}

	// Unfolds everything below the line at index AT, up to a limit.
	unfoldAll(at) {
		const open = [this.lines[at]];

		for (let n = 0; open.length && n < unfoldMax; n++) {
			const line = open.pop();
			this.keys.add(line.key);
			for (const below of this.model.below(line).reverse())
				if (below.hasMore)
					open.push(below);
		}
		this.selected = this.lines[at].key;
		this.list();
	}

	// Selects the next (STEP 1) or previous (-1) line of a function in MATCHES.
	goToMatch(matches, step) {
		const n = this.lines.length;

		for (let i = 1; i <= n; i++) {
			const at = (this.at + step * i + n * i) % n;
			if (this.isMatch(this.lines[at], matches)) {
				this.select(at, false);
				return;
			}
		}
	}

	// Returns what a transform of the line at index AT applies to.
	targetOf(at) {
		const { fn, keys } = this.lines[at], { tree } = this.model;

		return { fn, isMerged: this.isMerged, path: keys &&
			tree.pathOf([...keys.keys()].at(-1)).map((one) => tree.fn[one]) };
	}

	key(event) {
		const { at, lines } = this, line = lines[at];

		if (event.ctrlKey || event.altKey || event.metaKey || !line)
			return;
		const isOpen = line.hasMore && !line.text && this.keys.has(line.key);
		const above = () => {
			for (let i = at; i >= 0; i--)
				if (lines[i].depth < line.depth)
					return i;
			return at;
		};
		const page = Math.max(1, Math.floor(
			this.place.clientHeight / lineHeight) - 2);
		const moves = { ArrowDown: () => at + 1, ArrowUp: () => at - 1,
			PageDown: () => at + page, PageUp: () => at - page,
			Home: () => 0, End: () => lines.length - 1 };
		const limit = (i) => Math.max(0, Math.min(lines.length - 1, i));

		if (moves[event.key])
			this.select(limit(moves[event.key]()), false);
		else if (event.key === 'ArrowRight' && line.hasMore)
			isOpen ? this.select(limit(at + 1), false) : this.turn(at, true);
		else if (event.key === 'ArrowLeft')
			isOpen ? this.turn(at, false) : this.select(above(), false);
		else if (event.key === '*')
			this.unfoldAll(at);
		else if (event.key === 'Enter' || event.key === ' ')
			this.turn(at);
		else if (!this.onMenu(this.targetOf(at), this.placeOf(at), event.key))
			return;
		event.preventDefault();
	}

	placeOf(at) {
		const { left, top } = this.box.getBoundingClientRect();

		return { clientX: left + 120, clientY: top + (at + 1) * lineHeight };
	}
}
