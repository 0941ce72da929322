// SPDX-License-Identifier: GPL-2.0-or-later
// The page that compares recordings: the panels of the page of one recording, with
// the change of each number.

// Describes the change in words, for readers who cannot see the colours. The parts of a
// change of own samples also have .total: a function without own samples is not gone.
function verdictOf({ parts: [a, b], delta, isNoise }) {
	if (!delta)
		return 'the same';
	const where = !(b.total ?? b.period) ? 'only in A'
		: !(a.total ?? a.period) ? 'only in B' : '';
	if (isNoise)
		return ['may be chance', where].filter(Boolean).join(', ');
	if (where)
		return `${delta < 0 ? 'gone' : 'new'}, ${where}`;
	return delta > 0 ? 'more' : 'less';
}

const marks = { '-1': '▼ ', 0: '', 1: '▲ ' };
const newMark = '✚ '; // of frames that only B has
const chanceMark = '~ ';
const unknownLevel = 127; // level of a node whose level is not computed yet

// Returns the sort keys of the function table. A sort key with a title is also a
// column.
function changeColumns(comparison) {
	const columns = { change: {
		value: ({ self }) => Math.abs(self.delta) } };
	const valueCell = ({ values }, i, had) => barCell(
		comparison.valueText(values[i]), values[i], comparison.most, had);
	const deltaCell = (change, had) => {
		const cell = textCell((change.delta && change.isNoise ? chanceMark
			: marks[Math.sign(change.level)]) +
			comparison.deltaText(change), had);
		cell.classList.toggle('noise', change.isNoise);
		cell.title = verdictOf(change);
		return cell;
	};

	for (const [key, title] of [['self', 'Self'], ['total', 'Total']]) {
		columns[`${key}Delta`] = { title: `${title}: difference`,
			value: (row) => row[key].delta,
			cell: (row, table, had) => deltaCell(row[key], had) };
		['A', 'B'].forEach((side, i) => {
			columns[key + side] = { title: `${title} in ${side}`,
				value: (row) => row[key].values[i],
				cell: (row, table, had) => valueCell(row[key], i, had) };
		});
	}
	return { ...columns, ...nameColumns };
}

class DifferencePage extends Page {
	makeState() {
		return new State({ ...stateDefaults, colour: 'difference',
			sort: 'change' });
	}

	makeSelection() {
		return new Comparison(this.data, this.state);
	}

	makeTable(choose) {
		return new Table(byId('functions'), this.state, choose,
			(fn, event) => this.menu.open({ fn }, event),
			changeColumns(this.selection));
	}

	makeFlame(canvas, side) {
		const isOn = (tree) => tree.pair &&
			this.state.get('colour') === 'difference';
		const levelOf = (tree, node) => {
			const levels = tree.levels ??= new Int8Array(tree.n)
				.fill(unknownLevel);
			if (levels[node] === unknownLevel)
				levels[node] =
					this.selection.changeOfNode(tree, node).level;
			return levels[node];
		};

		return Object.assign(super.makeFlame(canvas, side), {
			fillOf: (tree, node) => isOn(tree)
				? this.colours.ofChange(levelOf(tree, node)) : null,
			markOf: (tree, node) => !isOn(tree) ? ''
				: !tree.pair[0].total[node] ? newMark
					: marks[Math.sign(levelOf(tree, node))],
			keptOf: (tree, node) => isOn(tree)
				? this.selection.keptOf(tree, node) : 1,
		});
	}

	introduce() {
		const { list } = this.data.recordings;
		const { selection } = this;
		const title = `A ${list[0].name}`;

		super.introduce();
		byId('title').textContent = list.length > 2 ? title
			: `${title} → B ${list[1].name}`;
		document.title = `${byId('title').textContent} – dwell`;
		document.documentElement.dataset.page = 'difference';
		byId('event').replaceChildren(...selection.whats.map((event) =>
			element('option', event.name, { value: event.what })));
		byId('event-box').hidden = selection.whats.length < 2;
		byId('with').replaceChildren(...list.slice(1).map(({ name }, i) =>
			element('option', `B ${name}`, { value: i + 1 })));
		byId('with-box').hidden = list.length < 3;
		byId('widths-box').hidden = false;
		for (const head of document.querySelectorAll('.pair th:nth-child(2)'))
			head.textContent = 'A → B';
		const heads = document.querySelector('.lines-head');
		for (const head of heads.querySelectorAll('.number'))
			head.remove();
		heads.prepend(...['Total', 'Self'].flatMap((what) => ['A', 'B'].map((side) =>
			element('span', `${what} in ${side}`, { class: 'number' }))));
		byId('colour').querySelector('[value=difference]').hidden = false;
	}

	showControls() {
		const { list } = this.data.recordings, { selection } = this;

		super.showControls();
		byId('event').value = selection.what;
		byId('with').value = selection.other;
		byId('widths').options[1].textContent =
			`B, ${list[selection.other].name}`;
		byId('widths').options[2].textContent = `A, ${list[0].name}`;
	}

	showSummary() {
		const { sides, event } = this.selection;
		const { headline } = sides[1].event;
		const counts = sides.map((side, i) => `${'AB'[i]} ${headline
			? countText(side.samples) : `${countOf(side.samples, 'sample')}, ${
				weightText(side.whole, event)}`}`).join(' · ');

		super.showSummary();
		byId('summary').replaceChildren(element('strong', headline),
			headline ? ` · samples: ${counts}` : `${event.name}: ${counts}`);
	}

	// Returns the size of the change of each number that NUMBERSOF returns for a side.
	weigh(numbersOf) {
		const { sides } = this.selection, [a, b] = sides.map(numbersOf);

		return a.map((period, fn) => Math.abs(sides[1].valueOf({ period: b[fn] }) -
			sides[0].valueOf({ period })));
	}

	// The lines of a call tree are those of both recordings.
	showCallTree(options) {
		super.showCallTree({ ...options, sides: this.tree.pair });
	}

	weightInTree(period, side) {
		const { selection } = this;

		return selection.valueText(selection.sides[side].valueOf({ period }));
	}

	showUnnamed() {
		const { folded } = this.data.recordings, box = byId('unnamed');

		super.showUnnamed();
		if (folded) {
			box.hidden = false;
			box.textContent = [folded, box.textContent].filter(Boolean).join('; ');
		}
	}

	// Returns the notes of both recordings.
	cutText() {
		const { selection: { sides }, data: { functions } } = this;
		const notes = sides.map(({ plain, whole, facts }) =>
			cutNote(plain, functions, whole, facts));

		return notes.flatMap((note, i) => note ? `${'AB'[i]}: ${note}` : [])
			.join(' ');
	}

	noneText(fn, what) {
		const { total } = this.selection.functions;

		return total[fn] ? `This function has no ${what} in the recordings.`
			: `This function is only in ${
				'BA'[this.selection.numbered]}.`;
	}

	// Returns the difference of all matching frames as text; recursive calls count
	// once.
	foundText(matches, functions) {
		const { selection } = this;
		const parts = selection.sides.map(({ plain }) => ({
			period: addUpMatches(plain, matches),
			samples: addUpMatches({ ...plain, ends: plain.ends,
				total: plain.below }, matches) }));

		return [functions, ...selection.linesOf(selection.changeOf(parts))]
			.join(', ');
	}

	shareOf(tree, nodes) {
		const { selection } = this;

		return selection.sides.map((side, i) => selection.valueText(
			side.valueOf({ period: nodes.reduce((sum, node) =>
				sum + tree.pair[i].total[node], 0) }))).join(' → ');
	}

	sharesOf(fn) {
		const { selection } = this, row = selection.rowOf(fn);

		return row ? ['total', 'self'].map((key) =>
			`${key} ${selection.linesOf(row[key]).join(', ')}`) : [];
	}

	showLegend() {
		super.showLegend();
		if (this.state.get('colour') !== 'difference')
			return;
		const texts = ['a little', ...changeSteps.map((step) =>
			`by ${100 * step} % of the whole`)];
		const steps = (sign, word) => texts.map((text, i) => ({
			colour: this.colours.ofChange(sign * (i + 1)),
			title: `${word} ${text}` }));

		byId('legend').replaceChildren(
			textChip('▼ less', ...steps(-1, 'less').reverse()),
			textChip('only in A: what went', { isHollow: true }),
			textChip(`the same, or ${chanceMark}may be chance`,
				{ colour: this.colours.ofChange(0), title: 'the same' }),
			textChip('▲ more', ...steps(1, 'more')),
			textChip(`${newMark}only in B`));
	}

	describe(tree, node) {
		const at = this.data.functions[tree.fn[node]];

		return [fullName(at), at.dso, guessText(at), ...this.numbersOf(tree, node)]
			.filter(Boolean);
	}

	numbersOf(tree, node) {
		return tree.pair ? this.selection.linesOf(
			this.selection.changeOfNode(tree, node)) : [];
	}
}
