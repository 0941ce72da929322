// SPDX-License-Identifier: GPL-2.0-or-later
// Builds the page, and updates the panels that depend on a changed state.

// The state keys that have a select element, and the state keys that change which
// samples are counted, and at which nodes.
const chosenByValue = ['event', 'state', 'group', 'shape', 'colour', 'with', 'widths',
	'listing', 'times'];
const shapedBy = ['event', 'group', 'transforms'];
const countedBy = [...shapedBy, 'from', 'to', 'thread', 'state', 'with', 'widths'];
// The parts of the page that can be hidden, each with its key.
const panes = { time: '1', details: '2', code: '3' };
const tabs = ['flame', 'tree', 'inverted', 'functions', 'waits', 'chart'];
// Number of modules or DSOs in the legend.
const legendMax = 10;
const legendLetters = 20; // of a package; then only its last folder
// Meanings with a smaller part of the samples follow the libraries of the system.
const legendSystem = 0.05;

// Number of threads that a tooltip names.
const namedThreads = 3;

// Returns a text about the THREADS of SAMPLES: names, TIDs and shares.
function threadsText({ samples, threads }) {
	const named = threads.slice(0, namedThreads).map((thread) =>
		`${thread.comm} (${thread.tid})${threads.length < 2 ? ''
			: ` ${percentText(thread.samples, samples)}`}`).join(', ');

	return `${threads.length < 2 ? 'thread' : `${threads.length} threads:`} ${
		named}${threads.length > namedThreads ? ', …' : ''}`;
}

function swatchOf({ colour, title = '', isHollow = false }) {
	const made = element('span', undefined,
		{ class: isHollow ? 'swatch hollow' : 'swatch', title });

	made.style.background = colour;
	return made;
}

// Returns an element of the legend with TEXT behind SWATCHES.
function textChip(text, ...swatches) {
	const line = element('li', undefined, { class: 'change' });

	line.append(...swatches.map(swatchOf), text);
	return line;
}

class Page {
	constructor(data) {
		this.data = data;
		this.typed = new Set(); // searches that the user typed or confirmed
		this.state = this.makeState();
		this.selection = this.makeSelection();
		this.colours = new Colours(data);
		this.tip = new Tip(byId('tip'));
		this.status = new StatusLine(byId('status'));
		this.menu = new Menu(byId('menu'), { functions: data.functions,
			state: this.state, status: this.status, onChoose: (kind, target) =>
				this.transformList.add(kind, target) });
		this.makePanels();
		this.listen();
		this.introduce();
		this.setTheme();
		this.showAll(new Set(Object.keys(this.state.defaults)));
		this.state.listen((changed) => this.update(changed));
	}

	makePanels() {
		const { data, state, selection, tip, colours } = this;
		const choose = (fn, isStep, node) => this.choose(fn, isStep, node);

		this.flame = this.makeFlame(byId('flame'), 'main');
		this.sandwich = new Sandwich(data, { onChoose: choose,
			makeFlame: (canvas, side) => this.makeFlame(canvas, side),
			shareOf: (tree, nodes) => this.shareOf(tree, nodes),
			sharesOf: (fn) => this.sharesOf(fn),
			noneText: (fn, what) => this.noneText(fn, what) });
		this.table = this.makeTable(choose);
		this.waits = new WaitTable({ table: byId('waits'), note: byId('waits-note'),
			functions: data.functions, onChoose: choose });
		this.timeline = new Timeline(data, state, selection, tip);
		this.heatmap = new Heatmap(data, state, selection,
			this.timeline, tip);
		this.callTree = new CallTree(byId('tree'), byId('tree-note'), {
			functions: data.functions, colours, onChoose: choose,
			whole: () => this.selection.whole,
			percent: (weight, side) => this.weightInTree(weight, side),
			onTrunk: () => this.turnTrunk(),
			onMenu: (target, place, key) =>
				this.menu.take(key, this.plainTarget(target), place) });
		this.chart = this.makeChart();
		this.code = new CodePanel(data, colours, choose);
		this.first = this.code.opened; // function at which the page opens, or -1
		this.transformList = new TransformList(data, state);
	}

	makeState() {
		return new State({ ...stateDefaults, group: this.data.grouping });
	}

	makeSelection() {
		return new Selection(this.data, this.state);
	}

	makeTable(choose) {
		return new Table(byId('functions'), this.state, choose,
			(fn, event) => this.menu.open({ fn }, event));
	}

	makeFlame(canvas, side) {
		const treeOf = () => side === 'main' ? this.graph
			: this.sandwich.trees[side];

		return new Flame(canvas, {
			...this.flameOptions(treeOf),
			...side === 'main' ? { onZoom: (node) =>
				this.state.set({ zoom: node }) } : {
				onZoom: (node) => this.sandwich.zoom(side, node),
				onChoose: (node) => this.sandwich.chooseSoon(
					treeOf().fn[node]),
			},
			onMenu: (node, place, key) => this.openMenu(treeOf(), node,
				place, key, side === 'main' && this.graph === this.tree),
			onTrunk: () => this.turnTrunk(),
		});
	}

	// Returns the options of a graph of the tree that TREEOF() returns.
	flameOptions(treeOf) {
		return {
			colours: this.colours,
			functions: this.data.functions,
			tip: this.tip,
			status: this.status,
			describe: (tree, node) => this.describe(tree, node),
			numbersOf: (tree, node) => this.numbersOf(tree, node),
			onChoose: (node) => this.choose(treeOf().fn[node], true, node),
		};
	}

	makeChart() {
		const treeOf = () => this.selection.plain;

		return new StackChart(byId('chart'), {
			...this.flameOptions(treeOf),
			axis: this.timeline.axis,
			onZoom: () => this.timeline.clear(),
			onRange: (from, to) => this.timeline.setRange(from, to),
			onDraw: (width) => this.drawChartAxis(width),
			onTurn: (event, change) => this.timeline.turn(event, change),
			onMenu: (node, place, key) => this.openMenu(treeOf(), node,
				place, key, true),
		});
	}

	// Opens the menu of the frame NODE of TREE, or applies the transform of KEY.
	// HASPATH: the tree begins with the outermost callers.
	openMenu(tree, node, place, key, hasPath) {
		const path = tree.pathOf(node).map((one) => tree.fn[one]);

		return this.menu.take(key, this.plainTarget({ fn: tree.fn[node],
			path: hasPath ? path : undefined,
			isMerged: tree !== this.selection.plain }), place);
	}

	// Returns TARGET without the frame of the group that its path begins with.
	plainTarget({ fn, path, isMerged }) {
		const { functions } = this.data;

		return { fn, isMerged, path: path?.filter((one) => !functions[one].isGroup) };
	}

	describe(tree, node) {
		const at = this.data.functions[tree.fn[node]];
		const name = isState(at) ? waitName(tree, node, this.data.functions)
			: fullName(at);
		const { dso, file, line } = at;
		const { whole } = this.selection;
		const own = tree.ownOf(this.data.functions)[node];
		const self = own ? `self ${percentText(own, whole)}` : '';
		const inAll = this.selection.functions.total[tree.fn[node]];
		const all = inAll > tree.total[node]
			? `in all its frames ${percentText(inAll, whole)}` : '';

		const below = this.selection.samplesBelow(tree, node);

		return [name, at.otherNames, dso, guessText(at),
			...this.numbersOf(tree, node, below), self, all, below?.samples ? threadsText(below) : '',
			file && line ? `${file}:${line}` : file].filter(Boolean);
	}

	// Returns texts about the total of NODE. BELOW has its number of samples.
	numbersOf(tree, node, below = this.selection.samplesBelow(tree, node)) {
		const { event, whole } = this.selection;
		const sums = [weightText(tree.total[node], event),
			...below ? [countOf(below.samples, 'sample')] : []].join(', ');

		return [`${percentText(tree.total[node], whole)} (${sums})`];
	}

	// Returns the text for WEIGHT in the call tree.
	weightInTree(weight) {
		return percentText(weight, this.selection.whole);
	}

	shareOf(tree, nodes) {
		return percentText(nodes.reduce((sum, node) =>
			sum + tree.total[node], 0), this.selection.whole);
	}

	noneText(fn, what) {
		return `This function has no ${what} in the ${
			this.selection.isAll && !this.selection.transforms.length
				? 'recording' : 'selection'}.`;
	}

	sharesOf(fn) {
		const { functions, whole } = this.selection;

		return [`total ${percentText(functions.total[fn], whole)}`,
			`self ${percentText(functions.self[fn], whole)}`];
	}

	// Selects function FN, of the frame NODE of the shown tree if the user chose a
	// frame. Without ISSTEP, Back does not undo this step.
	choose(fn, isStep = true, node = -1) {
		if (!isCode(this.data.functions[fn]))
			return;
		this.chosen = node;
		this.state.set({ fn }, isStep);
	}

	// Returns the frame of TREE that stands for function FN: the frame that the user
	// chose, or the frame with the most samples; -1 if there is none.
	frameOf(tree, fn) {
		return tree.fn[this.chosen] === fn && tree.total[this.chosen]
			? this.chosen : tree.largestOf(fn);
	}

	listen() {
		const { state } = this;

		for (const id of chosenByValue)
			byId(id).addEventListener('change', (event) =>
				state.set({ [id]: event.target.value }));
		byId('merge').addEventListener('change', (event) =>
			state.set({ merge: event.target.checked ? '1' : '' }));
		byId('inverted').addEventListener('change', (event) =>
			state.set({ inverted: event.target.checked ? '1' : '' }));
		byId('search').addEventListener('input', (event) => {
			this.typed.add(event.target.value);
			state.set({ search: event.target.value }, false);
		});
		byId('search').addEventListener('keydown', (event) => {
			if (event.key !== 'Enter')
				return;
			if (this.isWaiting) {
				this.typed.add(event.target.value);
				state.tell(['search']);
			} else
				this.goToMatch(event.shiftKey ? -1 : 1);
		});
		byId('reset').addEventListener('click', () => {
			state.set({ zoom: 0 });
			byId('flame').focus();
		});
		byId('theme').addEventListener('click', () => this.turnTheme());
		byId('trunk').addEventListener('change', () => this.turnTrunk());
		matchMedia('(prefers-color-scheme: dark)')
			.addEventListener('change', () => this.setTheme());
		for (const tab of tabs)
			byId(`tab-${tab}`).addEventListener('click',
				() => state.set({ tab }));
		byId('tabs').addEventListener('keydown', (event) =>
			this.moveTab(event));
		byId('glue').addEventListener('click',
			() => this.transformList.turnGlue());
		byId('cut').lastElementChild.addEventListener('click', () => {
			this.hidesCut = true;
			this.showCut();
		});
		for (const dialog of ['about', 'keys'])
			byId(`${dialog}-open`).addEventListener('click',
				() => byId(dialog).showModal());
		for (const pane of Object.keys(panes))
			byId(`show-${pane}`).addEventListener('click',
				() => this.turnPane(pane));
		document.addEventListener('keydown', (event) => this.key(event));
		makeSizers();
		explainCuts();
		foldOptions();
	}

	key(event) {
		if (event.defaultPrevented || event.ctrlKey || event.metaKey ||
			event.altKey || event.target.matches('input, select'))
			return;
		const pane = Object.keys(panes).find((one) => panes[one] === event.key);

		if (event.key === '/')
			byId('search').focus();
		else if (event.key === '?')
			byId('keys-open').click();
		else if (event.key === linkLine.key)
			this.menu.copy(linkLine);
		else if (pane)
			this.turnPane(pane);
		else if (event.key === 'z')
			this.timeline.zoomIn();
		else if (event.key === 'Z')
			this.timeline.zoomOut();
		else if (event.key === 't')
			this.turnTrunk();
		else if (event.key === 's')
			this.state.set({ listing: this.state.get('listing') === 'file'
				? listings[0] : 'file' });
		else
			return;
		event.preventDefault();
	}

	get hiddenPanes() {
		return this.state.get('hide').split(' ');
	}

	turnPane(pane) {
		const hidden = this.hiddenPanes;

		this.state.set({ hide: Object.keys(panes).filter((one) =>
			hidden.includes(one) !== (one === pane)).join(' ') });
	}

	showPanes() {
		const isThere = { time: this.timeline.isThere, details: true,
			code: Boolean(this.code.code) };

		for (const pane of Object.keys(panes)) {
			const isShown = isThere[pane] && !this.hiddenPanes.includes(pane);
			byId(pane).hidden = !isShown;
			byId(`show-${pane}`).hidden = !isThere[pane];
			byId(`show-${pane}`).setAttribute('aria-pressed', isShown);
		}
		byId('time-size').hidden = byId('time').hidden;
		byId('side').hidden = byId('side-size').hidden =
			byId('details').hidden && byId('code').hidden;
	}

	// Selects the next (STEP 1) or previous (-1) match of the search in the graph or
	// tree of the tab.
	goToMatch(step) {
		const view = { flame: this.flame, chart: this.chart,
			tree: this.callTree, inverted: this.callTree }[this.tab];

		if (this.matches && view)
			view.goToMatch(this.matches, step);
	}

	// Moves between the tabs by arrow keys.
	moveTab(event) {
		const shown = this.shownTabs, n = shown.length;
		const at = shown.indexOf(this.tab);
		const to = { ArrowRight: (at + 1) % n, ArrowLeft: (at + n - 1) % n,
			Home: 0, End: n - 1 }[event.key];

		if (to === undefined)
			return;
		this.state.set({ tab: shown[to] });
		byId(`tab-${shown[to]}`).focus();
		event.preventDefault();
	}

	// The stack chart needs times.
	get shownTabs() {
		return tabs.filter((tab) => !byId(`tab-${tab}`).hidden);
	}

	get tab() {
		const tab = this.state.get('tab');

		return this.shownTabs.includes(tab) ? tab : tabs[0];
	}

	introduce() {
		const { data, data: { facts, events } } = this;
		const file = facts.find(([name]) => name === 'File');

		document.title = `${file ? file[1] : 'recording'} – dwell`;
		byId('title').textContent = file ? file[1] : 'recording';
		byId('facts').replaceChildren(...[...facts, ...this.timeFacts()]
			.flatMap(([name, value]) =>
				[element('dt', name), element('dd', value)]));
		byId('event').replaceChildren(...events.map(({ name }, i) =>
			element('option', name, { value: i })));
		byId('event-box').hidden = events.length < 2;
		byId('tab-chart').hidden = !this.timeline.isThere;
		document.documentElement.style.setProperty('--lanes',
			new Set(this.selection.event.lanes.map(({ thread }) => thread)).size);
		byId('tab-waits').hidden = byId('state-box').hidden =
			!data.sites || Boolean(data.recordings);
		byId('group-box').hidden = Boolean(this.data.recordings);
	}

	// Returns facts about the time range of the recording.
	timeFacts() {
		const { first, slice, slices } = this.data.time;
		const ns = `${first % 1000000000n}`.padStart(9, '0');

		return slice ? [['Duration', timeText(slice * slices)],
			['0 s in this page', `${first / 1000000000n}.${ns} s of the ` +
				'clock of the recording']] : [];
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
		// An inverted graph has only the nodes of the selected samples.
		const shaped = [...this.state.get('inverted') === '1' ? countedBy : shapedBy,
			'merge', 'inverted'];

		// The zoomed node is invalid in another tree, whose nodes have other
		// numbers.
		if (shaped.some((key) => changed.has(key)) &&
			!changed.has('zoom') && this.state.get('zoom') !== '0') {
			this.state.set({ zoom: 0 }, false);
			changed.add('zoom');
		}
		if (countedBy.some((key) => changed.has(key)))
			this.showAll(changed);
		else if (changed.has('merge'))
			this.showTree(changed);
		else
			this.show(changed);
	}

	showAll(changed) {
		const { selection } = this;

		selection.count();
		this.showTimes(changed);
		this.showTree(changed);
	}

	showTimes(changed) {
		const isChanged = (...keys) => keys.some((key) => changed.has(key));

		if (isChanged('event', 'thread', 'view', 'times'))
			this.timeline.show();
		else
			this.timeline.showRange();
		if (isChanged('event', 'thread', 'view', 'from', 'to', 'times'))
			this.heatmap.show();
	}

	showTree(changed) {
		this.tree = this.selection.tree();
		this.show(changed);
	}

	// Returns the trunks of TREE for the state. An inverted tree has none.
	trunksOf(tree) {
		const zoom = tree === this.graph ? this.state.number('zoom', 0, tree.n) : 0;
		const isFolded = this.state.get('trunk') === '';
		const trunks = new Trunks(tree, this.data.functions);

		return tree === this.tree ? trunks.find(isFolded, zoom) : trunks;
	}

	turnTrunk() {
		this.state.set({ trunk: this.state.get('trunk') ? '' : 'open' });
	}

	// Updates the panels that depend on the state keys in CHANGED.
	show(changed) {
		const { state, selection, data } = this;
		const isByHeat = state.get('colour') === 'heat';
		const isChanged = (...keys) => keys.some((key) => changed.has(key));
		const isCounted = isChanged(...countedBy);
		const fn = this.chosenFunction();

		if (isCounted || isChanged('merge', 'inverted'))
			this.graph = state.get('inverted') !== '1' ? this.tree
				: invertTree(this.tree, data.functions);
		if (isCounted || isChanged('merge', 'inverted', 'zoom', 'trunk'))
			this.trunks = this.trunksOf(this.graph);
		this.colours.setMode(state.get('colour'));
		if (isCounted || isChanged('search'))
			this.matches = this.findMatches(state.get('search'));
		if (isChanged('hide'))
			this.showPanes();
		if (isChanged('view', 'times') && !isCounted)
			this.showTimes(changed);
		this.showTab(isCounted || isChanged('merge', 'tab', 'search', 'colour',
			'zoom', 'shape', 'view', 'trunk', 'inverted'), { isByHeat, matches: this.matches,
			isIcicle: state.get('shape') === 'icicle', whole: selection.whole });
		if (isChanged('fn', 'tab', 'merge', 'inverted', 'with', 'widths', ...shapedBy))
			this.markFrame(fn, !isCounted);
		if (isCounted || isChanged('search', 'fn', 'sort'))
			this.table.show(selection, this.matches, fn);
		if (isChanged('fn', 'tab') && this.tab === 'functions')
			this.table.bringIntoView(fn);
		if (isCounted || isChanged('fn', 'colour'))
			this.code.show(selection, fn,
				state.number('event', 0, data.events.length));
		if (isChanged('listing'))
			this.code.arrange(state.get('listing'));
		if (isCounted || isChanged('fn', 'colour'))
			this.sandwich.show(selection, fn, isCounted, { isByHeat });
		if (isCounted || isChanged('search', 'colour')) {
			this.showSummary();
			this.showLegend();
			this.showUnnamed();
			this.showCut();
		}
		this.showControls();
		this.showPath();
		if (isChanged('transforms'))
			this.transformList.show(selection.transforms);
	}

	// Shows the chosen tab. If ISCHANGED, what it shows has changed.
	showTab(isChanged, options) {
		const { tab, state, graph } = this;
		const view = tab === 'inverted' ? 'tree' : tab;

		for (const name of tabs) {
			const button = byId(`tab-${name}`), isOn = name === tab;
			button.setAttribute('aria-selected', isOn);
			button.tabIndex = isOn ? 0 : -1;
		}
		for (const name of ['flame', 'tree', 'functions', 'waits', 'chart'])
			byId(`view-${name}`).hidden = name !== view;
		byId('shape-box').hidden = tab !== 'flame' && tab !== 'chart';
		byId('inverted-box').hidden = tab !== 'flame';
		byId('trunk-box').hidden = !this.trunks.heads.size ||
			tab !== 'flame' && tab !== 'tree';
		if (!isChanged)
			return;
		if (tab === 'flame')
			this.flame.show(graph, { ...options, trunks: this.trunks,
				zoom: state.number('zoom', 0, graph.n) });
		else if (tab === 'chart')
			this.showChart(options);
		else if (tab === 'waits')
			this.waits.show(this.selection, this.matches);
		else if (view === 'tree')
			this.showCallTree(options);
	}

	// Marks the selected function FN in the graph or tree of the tab. ISBROUGHT: the
	// graph scrolls to its frame.
	markFrame(fn, isBrought) {
		const { tab } = this, tree = { chart: this.selection.plain,
			flame: this.graph }[tab] ?? this.tree;

		if (fn < 0)
			return;
		if (tab === 'flame' || tab === 'chart')
			this[tab].mark(this.frameOf(tree, fn), isBrought);
		else if ((tab === 'tree' || tab === 'inverted') && this.state.get('fn'))
			this.callTree.mark(this.frameOf(tree, fn), fn);
	}

	showCallTree(options) {
		const isInverted = this.tab === 'inverted';

		byId('view-tree').setAttribute('aria-labelledby', `tab-${this.tab}`);
		byId('tree').setAttribute('aria-label',
			isInverted ? 'Inverted call tree' : 'Call tree');
		this.callTree.show(this.trunksOf(this.tree), isInverted ? Inverted : TopDown,
			{ ...options, isMerged: this.tree !== this.selection.plain });
	}

	showChart(options) {
		const { selection } = this, { threads } = selection;

		const label = threads?.label ?? 'all threads';
		const who = label[0].toUpperCase() + label.slice(1);
		byId('chart-note').textContent = threads?.keys.size === 1 ? who
			: `${who}: each column has their stacks in proportion. ` +
				'Choose one thread above for its stacks in the order of time.';
		this.chart.show(selection, selection.plain, options);
	}

	drawChartAxis(width) {
		const canvas = byId('chart-axis'), pen = penOf(canvas, width, 16);

		pen.font = getComputedStyle(canvas).font;
		this.timeline.axis.draw(pen, width, 0);
	}

	// A page for one function opens at its code.
	open() {
		if (this.code.opened >= 0 && !this.state.get('fn'))
			byId('code').scrollIntoView({ block: 'nearest' });
	}

	// Returns the selected function, otherwise the function at which the page opened.
	chosenFunction() {
		if (this.first < 0)
			this.first = this.hottestFunction();
		return this.state.number('fn', this.first, this.data.functions.length);
	}

	// Returns the function of the program that has the most samples in itself and in
	// libraries that it calls, if it has code in the page. Otherwise, returns the function
	// with the largest self value that has code in the page. If none has code, returns
	// the same of all functions. Of functions with code, one with source text comes first
	// if it has at least half of this value.
	hottestFunction() {
		const { functions } = this.data, { hasSourceOf } = this.code;
		const hottest = (weights, isIn) => weights.reduce((best, weight, fn) =>
			weight > 0 && isCode(functions[fn]) && isIn(fn) &&
			(best < 0 || weight > weights[best]) ? fn : best, -1);
		const coded = (weights) => {
			const best = hottest(weights, (fn) => hasSourceOf.has(fn));
			const sourced = hottest(weights, (fn) => hasSourceOf.get(fn));
			return sourced >= 0 && 2 * weights[sourced] >= weights[best]
				? sourced : best;
		};
		const rules = [this.weigh(({ plain }) => plain.inProgram(functions)),
			this.weigh((selection) => selection.functions.self),
			this.selection.functions.self];
		return [...rules.map(coded), ...rules.map((weights) =>
			hottest(weights, () => true))].find((fn) => fn >= 0) ?? -1;
	}

	// Returns the numbers by function that NUMBERSOF returns for the selection.
	weigh(numbersOf) {
		return numbersOf(this.selection);
	}

	showControls() {
		const { state } = this;

		for (const id of chosenByValue)
			byId(id).value = state.get(id);
		byId('merge').checked = state.get('merge') === '1';
		byId('inverted').checked = state.get('inverted') === '1';
		byId('trunk').checked = state.get('trunk') === '';
		if (byId('search').value !== state.get('search'))
			byId('search').value = state.get('search');
	}

	// Shows the frames from the root to the zoomed frame, as buttons.
	showPath() {
		const { graph: tree } = this;
		const path = this.tab !== 'flame' ? []
			: tree.pathOf(this.state.number('zoom', 0, tree.n));
		const last = path.slice(-4);

		byId('zoom-box').hidden = this.tab !== 'flame';
		byId('reset').disabled = !path.length;
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
		const { event, samples, threads, range } = selection;
		const what = [countOf(samples, 'sample'), this.data.time.counted
			? this.threadTimeText() : `${weightText(
				tree.total[0], event)} of ${event.name}`];
		const { timeline } = this;

		if (range)
			what.push(`from ${timeline.axis.exactText(range.from)} s to ${
				timeline.axis.exactText(range.to)} s`);
		if (threads)
			what.push(threads.label);
		if (selection.wanted)
			what.push(byId('state').querySelector(
				`[value=${this.state.get('state')}]`).textContent);
		byId('summary').textContent = what.join(' · ');
		const { isUnmatched, isWaiting } = this;
		const isWrong = !matches && !isUnmatched && !isWaiting &&
			!/^(dso:|file:|module:)?$/.test(this.state.get('search'));
		byId('search').setAttribute('aria-invalid', isWrong);
		byId('found').textContent = isWaiting ? 'not searched: press Enter in the search'
			: isWrong ? 'no regular expression'
			: isUnmatched ? 'no match' : !matches ? '' : this.foundText(matches, countOf(
				matches.reduce((all, one) => all + one, 0), 'function'));
	}

	// Returns the sum of the times of all threads as the other reports print it.
	threadTimeText() {
		const { selection, tree, data: { time } } = this, { range } = selection;
		const below = selection.samplesBelow(selection.plain, 0);

		return `Thread time: ${timeText(tree.total[0])} (${
			countOf(below.threads.length, 'thread')}, ${timeText(range
			? (range.to - range.from) * time.slice : time.counted - 1)})`;
	}

	// Returns the functions that match TEXT. Without matches nothing is dimmed. A
	// regular expression can take hours: one from a link waits for the user.
	findMatches(text) {
		const { functions } = this.data, { total } = this.selection.functions;

		this.isWaiting = hasPattern(text) && !this.typed.has(text);
		const matches = this.isWaiting ? null : findFunctions(functions, text);

		// Functions that stand for libraries and groups may be in no stack.
		functions.forEach((at, fn) => {
			if (matches && !total[fn] && (at.isLibrary || at.isGroup))
				matches[fn] = 0;
		});

		this.isUnmatched = Boolean(matches) && !matches.includes(1);
		return this.isUnmatched ? null : matches;
	}

	foundText(matches, functions) {
		const { plain, whole } = this.selection;

		return `${percentText(addUpMatches(plain, matches), whole)} in ${
			functions}`;
	}

	// Shows what the colours mean, as far as there is room in one line.
	showLegend() {
		const { colours, selection, state } = this;

		replaceIn(byId('legend'), state.get('colour') === 'heat'
			? colours.palette.heat.map((colour, level) => textChip(
				`${level ? 'from' : 'self: below'} ${colours.heatText(level)}`,
				{ colour }))
			: this.legendMeanings()
				.map(([meaning, sum]) => this.legendChip(meaning, sum)));
	}

	showUnnamed() {
		const { functions, whole } = this.selection;
		const note = unnamedNote(this.data.functions, functions.self, whole);

		byId('unnamed').hidden = !note;
		byId('unnamed').textContent = note;
	}

	// Shows the note about cut stacks until the user hides it.
	showCut() {
		const note = this.hidesCut ? '' : this.cutText();

		byId('cut').hidden = !note;
		byId('cut').firstElementChild.textContent = note;
	}

	cutText() {
		const { plain, whole } = this.selection, { functions, facts } = this.data;

		return cutNote(plain, functions, whole, facts);
	}

	// Returns the meanings of the colours with the largest parts of the samples. The
	// libraries of the system are among them, before all small parts.
	legendMeanings() {
		const sums = this.colours.sumsOf(this.selection.plain);
		const least = legendSystem * this.selection.whole;
		const weight = ([meaning, sum]) =>
			meaning === systemModule ? Math.max(sum, least) : sum;

		return sums.sort((a, b) => weight(b) - weight(a)).slice(0, legendMax);
	}

	legendChip(meaning, sum) {
		const line = element('li');
		const word = `${this.colours.meaning}:${meaning}`;
		const isOn = this.state.get('search') === word;
		const button = element('button', undefined,
			{ type: 'button', 'aria-pressed': isOn,
				title: this.colours.titleOf(meaning) });

		button.append(swatchOf({ colour: this.colours.ofMeaning(meaning) }),
			element('span', meaning.length > legendLetters
				? meaning.replace(/^.*\//, '…/') : meaning, { class: 'dso' }),
			element('span', sum ? percentText(sum, this.selection.whole) : '',
				{ class: 'share' }));
		button.addEventListener('click',
			() => this.state.set({ search: isOn ? '' : word }));
		line.append(button);
		return line;
	}
}
