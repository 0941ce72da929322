// SPDX-License-Identifier: GPL-2.0-or-later
// The page that compares recordings: the panels of the page of one recording, with
// the change of each number.

// Describes the change in words, for readers who cannot see the colours.
function verdictOf({ parts: [a, b], delta, isNoise }) {
	if (!delta)
		return 'the same';
	if (isNoise)
		return 'may be chance';
	if (!a.period || !b.period)
		return a.period ? 'gone, only in A' : 'new, only in B';
	return delta > 0 ? 'more' : 'less';
}

const marks = { '-1': '▼ ', 0: '', 1: '▲ ' };
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
			markOf: (tree, node) => isOn(tree)
				? marks[Math.sign(levelOf(tree, node))] : '',
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
		byId('colour').querySelector('[value=difference]').hidden = false;
	}

	showControls() {
		const { list } = this.data.recordings, { selection } = this;

		super.showControls();
		byId('event').value = selection.what;
		byId('with').value = selection.other;
		byId('widths').options[0].textContent =
			`B, ${list[selection.other].name}`;
		byId('widths').options[1].textContent = `A, ${list[0].name}`;
	}

	showSummary() {
		const { sides, event } = this.selection;

		super.showSummary();
		byId('summary').textContent = `${event.name}: ${sides.map((side, i) =>
			`${'AB'[i]} ${countOf(side.samples, 'sample')}, ${weightText(
				side.whole, event)}`).join(' · ')}${{ share: '',
			period: ' · compared as they are',
			rate: ' · compared by time' }[this.data.recordings.measure]}`;
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
		const texts = ['', ...changeSteps].map((step) => step
			? `by ${100 * step} %` : 'a little');
		const chip = (level, text) => {
			const line = element('li', undefined, { class: 'change' });
			const swatch = element('span', undefined, { class: 'swatch' });
			swatch.style.background = this.colours.ofChange(level);
			line.append(swatch, text);
			return line;
		};

		byId('legend').replaceChildren(
			...texts.map((text, i) => chip(-i - 1,
				`▼ less ${text}`)).reverse(),
			chip(0, `the same, or ${chanceMark}may be chance`),
			...texts.map((text, i) => chip(i + 1, `▲ more ${text}`)));
	}

	describe(tree, node) {
		const at = this.data.functions[tree.fn[node]];

		return [fullName(at), at.dso, guessText(at),
			...tree.pair ? this.selection.linesOf(
				this.selection.changeOfNode(tree, node)) : []]
			.filter(Boolean);
	}
}
