// SPDX-License-Identifier: GPL-2.0-or-later
// Builds the page, and updates the panels that depend on a changed state.

// The state keys that have a select element, and the state keys that change which
// samples are counted.
const chosenByValue = ['event', 'order', 'shape', 'colour', 'with', 'widths'];
const countedBy = ['event', 'from', 'to', 'thread', 'with', 'widths'];
// Number of DSOs in the legend.
const legendMax = 10;

class Page {
	constructor(data) {
		this.data = data;
		this.state = this.makeState();
		this.selection = this.makeSelection();
		this.colours = new Colours(data);
		this.tip = new Tip(byId('tip'));
		this.status = new StatusLine(byId('status'));
		const choose = (fn) => this.choose(fn);
		this.flame = this.makeFlame(byId('flame'), 'main');
		this.sandwich = new Sandwich(data, { onChoose: choose,
			makeFlame: (canvas, side) => this.makeFlame(canvas, side),
			shareOf: (tree, nodes) => this.shareOf(tree, nodes),
			sharesOf: (fn) => this.sharesOf(fn) });
		this.table = this.makeTable(choose);
		this.timeline = new Timeline(data, this.state, this.selection,
			this.tip);
		this.heatmap = new Heatmap(data, this.state, this.selection,
			this.timeline, this.tip);
		this.code = new CodePanel(data, this.colours, choose);
		this.listen();
		this.introduce();
		this.setTheme();
		this.showAll(new Set(Object.keys(stateDefaults)));
		this.state.listen((changed) => this.update(changed));
	}

	makeState() {
		return new State(stateDefaults);
	}

	makeSelection() {
		return new Selection(this.data, this.state);
	}

	makeTable(choose) {
		return new Table(byId('functions'), this.state, choose);
	}

	makeFlame(canvas, side) {
		return new Flame(canvas, {
			colours: this.colours,
			functions: this.data.functions,
			tip: this.tip,
			status: this.status,
			describe: (tree, node) => this.describe(tree, node),
			onZoom: (node) => side === 'main'
				? this.state.set({ zoom: node })
				: this.sandwich.zoom(side, node),
			onChoose: (node) => this.choose((side === 'main'
				? this.tree : this.sandwich.trees[side]).fn[node]),
		});
	}

	describe(tree, node) {
		const { name, dso } = this.data.functions[tree.fn[node]];
		const { event, whole } = this.selection;
		const own = tree.ownOf(this.data.functions)[node];
		const self = own ? `self ${percentText(own, whole)}` : '';

		return [name + (tree.inlined[node] ? ' (inlined)' : ''), dso,
			`${percentText(tree.total[node], whole)} (${weightText(
				tree.total[node], event)})`, self].filter(Boolean);
	}

	shareOf(tree, nodes) {
		return percentText(nodes.reduce((sum, node) =>
			sum + tree.total[node], 0), this.selection.whole);
	}

	sharesOf(fn) {
		const { functions, whole } = this.selection;

		return [`total ${percentText(functions.total[fn], whole)}`,
			`self ${percentText(functions.self[fn], whole)}`];
	}

	choose(fn) {
		if (!isCode(this.data.functions[fn]))
			return;
		this.state.set({ fn });
		byId('details').scrollIntoView({ block: 'nearest' });
	}

	listen() {
		const { state } = this;

		for (const id of chosenByValue)
			byId(id).addEventListener('change', (event) =>
				state.set({ [id]: event.target.value }));
		byId('merge').addEventListener('change', (event) =>
			state.set({ merge: event.target.checked ? '1' : '' }));
		byId('search').addEventListener('input', (event) =>
			state.set({ search: event.target.value }, false));
		byId('reset').addEventListener('click', () => {
			state.set({ zoom: 0 });
			byId('flame').focus();
		});
		byId('theme').addEventListener('click', () => this.turnTheme());
		matchMedia('(prefers-color-scheme: dark)')
			.addEventListener('change', () => this.setTheme());
		document.addEventListener('keydown', (event) => {
			if (event.key !== '/' || event.ctrlKey || event.metaKey ||
				event.target.matches('input, select'))
				return;
			event.preventDefault();
			byId('search').focus();
		});
	}

	introduce() {
		const { facts, events } = this.data;
		const file = facts.find(([name]) => name === 'File');

		document.title = `${file ? file[1] : 'recording'} – dwell`;
		byId('title').textContent = file ? file[1] : 'recording';
		byId('facts').replaceChildren(...facts.flatMap(([name, value]) =>
			[element('dt', name), element('dd', value)]));
		byId('event').replaceChildren(...events.map(({ name }, i) =>
			element('option', name, { value: i })));
		byId('event-box').hidden = events.length < 2;
		byId('order').querySelector('[value=time]').disabled =
			!this.timeline.isThere;
	}

	setTheme(theme) {
		this.theme = theme ?? this.theme;
		document.documentElement.dataset.theme = this.theme ??
			(matchMedia('(prefers-color-scheme: dark)').matches
				? 'dark' : 'light');
		this.colours.setTheme();
		byId('theme').textContent = this.colours.isDark ? 'Light' : 'Dark';
		if (!this.tree)
			return;
		this.showTimes(new Set(['event']));
		this.show(new Set(['colour']));
		this.showLegend();
	}

	turnTheme() {
		this.setTheme(this.colours.isDark ? 'light' : 'dark');
	}

	update(changed) {
		const drawn = ['order', 'merge'];

		// The zoomed node is invalid in another tree, whose nodes have other
		// numbers.
		if ((drawn.some((key) => changed.has(key)) ||
			this.tree.isOrdered && countedBy.some((key) => changed.has(key))) &&
			!changed.has('zoom') && this.state.get('zoom') !== '0') {
			this.state.set({ zoom: 0 }, false);
			changed.add('zoom');
		}
		if (countedBy.some((key) => changed.has(key)))
			this.showAll(changed);
		else if (drawn.some((key) => changed.has(key)))
			this.showTree(changed);
		else
			this.show(changed);
	}

	showAll(changed) {
		const { selection } = this;

		selection.count();
		if (!this.colours.ranked)
			this.colours.rankDsos(selection.functions.self);
		this.showTimes(changed);
		this.showTree(changed);
	}

	showTimes(changed) {
		if (changed.has('event') || changed.has('thread'))
			this.timeline.show();
		else
			this.timeline.showRange();
		this.heatmap.show();
	}

	showTree(changed) {
		this.tree = this.selection.tree();
		this.show(changed);
	}

	// Updates the panels that depend on the state keys in CHANGED.
	show(changed) {
		const { state, selection, data } = this;
		const isByHeat = state.get('colour') === 'heat';
		const isChanged = (...keys) => keys.some((key) => changed.has(key));
		const isCounted = isChanged(...countedBy);
		const fn = this.chosenFunction();

		if (isChanged('search'))
			this.matches = findFunctions(data.functions,
				state.get('search'));
		this.flame.show(this.tree, { isByHeat, matches: this.matches,
			isIcicle: state.get('shape') === 'icicle',
			zoom: state.number('zoom', 0, this.tree.n),
			whole: selection.whole });
		if (isCounted || isChanged('search', 'fn', 'sort'))
			this.table.show(selection, this.matches, fn);
		if (isCounted || isChanged('fn', 'colour'))
			this.code.show(selection, fn,
				state.number('event', 0, data.events.length));
		if (isCounted || isChanged('fn', 'colour'))
			this.sandwich.show(selection, fn, isCounted, { isByHeat });
		if (isCounted || isChanged('search', 'colour')) {
			this.showSummary();
			this.showLegend();
		}
		byId('legend').hidden = isByHeat;
		this.showControls();
		this.showPath();
	}

	// A page for one function opens at its code, other pages at the root of the graph.
	open() {
		requestAnimationFrame(() => {
			this.makeRoom();
			if (this.code.opened < 0)
				this.flame.place.scrollIntoView({ block: 'nearest' });
			else if (!this.state.get('fn'))
				byId('code').scrollIntoView();
		});
		addEventListener('resize', () => this.makeRoom());
	}

	// Limits the height of the graph, so that the graph fills the window below the
	// time panel and the root at the lower end is visible.
	makeRoom() {
		const { place } = this.flame;
		const area = place.getBoundingClientRect();
		const { bottom } = place.closest('section').getBoundingClientRect();
		const room = innerHeight - (area.top + scrollY) -
			(bottom - area.bottom);

		place.style.maxHeight = `clamp(40vh, ${room}px, 65vh)`;
	}

	// Returns the selected function, otherwise the function whose code the page
	// opens, otherwise the function with the largest self value.
	chosenFunction() {
		const { self } = this.selection.functions;
		const { functions } = this.data;
		const hottest = self.reduce((best, weight, fn) => weight > 0 &&
			isCode(functions[fn]) &&
			(best < 0 || weight > self[best]) ? fn : best, -1);

		return this.state.number('fn', this.code.opened < 0 ? hottest
			: this.code.opened, functions.length);
	}

	showControls() {
		const { state } = this;

		for (const id of chosenByValue)
			byId(id).value = state.get(id);
		byId('order-note').hidden = state.get('order') !== 'time' ||
			Boolean(this.selection.thread) ||
			this.timeline.threads().length < 2;
		byId('merge').checked = state.get('merge') === '1';
		if (byId('search').value !== state.get('search'))
			byId('search').value = state.get('search');
	}

	// Shows the frames from the root to the zoomed frame, as buttons.
	showPath() {
		const { tree, flame } = this, path = tree.pathOf(flame.zoom);
		const last = path.slice(-4);

		byId('reset').hidden = !path.length;
		replaceIn(byId('path'), last.map((node, i) => {
			const line = element('li');
			const button = element('button',
				this.data.functions[tree.fn[node]].name, { type: 'button' });
			if (i === last.length - 1)
				button.setAttribute('aria-current', 'true');
			button.addEventListener('click',
				() => this.state.set({ zoom: node }));
			line.append(button);
			return line;
		}));
	}

	showSummary() {
		const { selection, matches, tree } = this;
		const { event, samples, thread, range } = selection;
		const what = [countOf(samples, 'sample'), `${weightText(
			tree.total[0], event)} of ${event.name}`];
		const { bin, slice } = this.data.time, length = bin * slice;

		if (range)
			what.push(`from ${secondsText(range.from * length, length)} s ` +
				`to ${secondsText(range.to * length, length)} s`);
		if (thread)
			what.push(`thread ${thread.tid}`);
		byId('summary').textContent = what.join(' · ');
		const isWrong = !matches && this.state.get('search') !== '';
		byId('search').setAttribute('aria-invalid', isWrong);
		byId('found').textContent = isWrong ? 'no regular expression'
			: !matches ? '' : this.foundText(matches, countOf(
				matches.reduce((a, b) => a + b, 0), 'function'));
	}

	foundText(matches, functions) {
		const { plain, whole } = this.selection;

		return `${percentText(addUpMatches(plain, matches), whole)} in ${
			functions}`;
	}

	showLegend() {
		const { colours, data, selection } = this, sums = new Map();

		data.functions.forEach((at, fn) => {
			if (isCode(at))
				sums.set(at.dso, (sums.get(at.dso) || 0) +
					selection.functions.self[fn]);
		});
		replaceIn(byId('legend'), colours.ranked
			.filter(([dso]) => sums.get(dso) > 0)
			.slice(0, legendMax)
			.map(([dso]) => this.legendChip(dso, sums.get(dso))));
	}

	legendChip(dso, sum) {
		const line = element('li'), word = `dso:${dso}`;
		const isOn = this.state.get('search') === word;
		const button = element('button', undefined,
			{ type: 'button', 'aria-pressed': isOn });
		const swatch = element('span', undefined, { class: 'swatch' });

		swatch.style.background = this.colours.ofDso(dso);
		button.append(swatch, element('span', dso, { class: 'dso' }),
			element('span', percentText(sum, this.selection.whole),
				{ class: 'share' }));
		button.addEventListener('click',
			() => this.state.set({ search: isOn ? '' : word }));
		line.append(button);
		return line;
	}
}
