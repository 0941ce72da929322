// SPDX-License-Identifier: GPL-2.0-or-later
// The choice of thread states, and the table of the functions in which threads wait.

// What the words of the choice select: lists of words of stateOf().
const stateChoices = { __proto__: null, on: ['on'], off: ['blocked', 'runnable', 'preempted'],
	blocked: ['blocked'], runnable: ['runnable'], preempted: ['preempted'] };
const waitsMax = 500; // rows of the table

class WaitTable {
	// OPTIONS: table and note, two elements; functions, onChoose(fn).
	constructor(options) {
		Object.assign(this, options);
	}

	// Shows the waits of SELECTION in functions that MATCHES selects, if given.
	show(selection, matches) {
		const all = selection.waits(), { event } = selection;
		const whole = all.reduce((sum, { period }) => sum + period, 0);
		const rows = all.filter(({ fn }) => !matches || matches[fn]);
		const sumOfRows = (key) => rows.reduce((sum, row) => sum + row[key], 0);

		this.table.tBodies[0].replaceChildren(...rows.slice(0, waitsMax)
			.map((row) => this.lineOf(row, whole, event)));
		this.note.textContent = [countOf(sumOfRows('samples'), 'wait'),
			`${timeText(sumOfRows('period'))} off the CPU`, rows.length > waitsMax
				? `the longest ${waitsMax} of ${countOf(rows.length, 'row')}` : '']
			.filter(Boolean).join(' · ');
	}

	lineOf({ state, fn, samples, period }, whole, event) {
		const line = element('tr'), head = element('th', fn < 0 ? '[none]' : undefined,
			{ scope: 'row', class: 'text' });
		const name = element('td', undefined, { class: 'text' });

		name.append(element('span', undefined, { class: `swatch ${state}` }), state);
		if (fn >= 0)
			head.append(functionButton(this.functions[fn], () => this.onChoose(fn)));
		line.append(percentCell(period, whole),
			textCell(weightText(period, event)), textCell(countText(samples)),
			name, head, fn < 0 ? element('td')
				: dsoCell(this.functions[fn]));
		return line;
	}
}
