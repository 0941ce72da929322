// SPDX-License-Identifier: GPL-2.0-or-later
// The menu of a frame or function: the transforms that its stacks can get, and the texts
// about it that can be copied, each with its key.

// The lines of the menu. KIND is the transform (transform.js), TEXT(names) its name.
const transformLines = [
	{ key: 'f', kind: 'f', text: ({ fn }) => `Focus on function ${fn}` },
	{ key: 'F', kind: 's', text: () => 'Focus on this call path' },
	{ key: 'm', kind: 'm', text: ({ fn }) => `Merge function ${fn}` },
	{ key: 'C', kind: 'c', text: ({ dso }) => `Collapse library ${dso}` },
	{ key: 'r', kind: 'r', text: ({ fn }) => `Collapse recursion of ${fn}` },
	{ key: 'd', kind: 'd', text: ({ fn }) => `Drop samples with ${fn}` },
	{ key: 'h', kind: 'g', text: () => 'Hide library glue (std::, start-up)' },
];

const linkLine = { key: 'l', text: () => 'Copy a link to this view', what: 'link',
	copied: (target, functions, state) => state.address() };

// The texts that can be copied: COPIED(target, functions, state). Stacks are copied
// innermost frame first.
const copyLines = [
	{ key: 'n', text: () => 'Copy the name', what: 'name',
		copied: ({ fn }, functions) => functions[fn].name },
	{ key: 'k', text: () => 'Copy the stack', what: 'stack', isStack: true,
		copied: ({ path }, functions) => path.map((fn) => functions[fn].name)
			.reverse().join('\n') },
	linkLine,
];

class Menu {
	// OPTIONS: functions, state, status, and onChoose(kind, target), which applies a
	// transform to a target { fn, path }.
	constructor(box, options) {
		Object.assign(this, options, { box });
		box.addEventListener('keydown', (event) => this.key(event));
		box.addEventListener('focusout', ({ relatedTarget }) => {
			if (!box.contains(relatedTarget))
				this.close(false);
		});
		addEventListener('resize', () => this.close(false));
	}

	// Returns the lines for TARGET: without a .path, a target is a function.
	linesFor({ fn, path }) {
		return [...transformLines.filter(({ kind }) => kind === 'g' ||
			isCode(this.functions[fn]) && (kind !== 's' || path)),
		...copyLines.filter(({ isStack }) => !isStack || path?.length)];
	}

	choose(line, target) {
		if (line.kind)
			this.onChoose(line.kind, target);
		else
			this.copy(line, target);
	}

	async copy({ copied, what }, target) {
		await copyText(copied(target, this.functions, this.state));
		this.status.tell(`Copied the ${what}.`);
	}

	// Opens the menu for TARGET at PLACE, which has .clientX and .clientY.
	open(target, place) {
		const { box } = this, { name, dso } = this.functions[target.fn];
		const names = { fn: shortText(name, 40), dso: shortText(dso, 40) };

		this.had = document.activeElement;
		box.replaceChildren(...this.linesFor(target).map((line) => {
			const button = element('button', undefined, { type: 'button',
				role: 'menuitem', tabindex: '-1', 'aria-keyshortcuts': line.key });
			if (line.kind === 'g') {
				button.setAttribute('role', 'menuitemcheckbox');
				button.setAttribute('aria-checked',
					byId('glue').getAttribute('aria-pressed'));
			}
			button.append(element('bdi', line.text(names)),
				element('kbd', line.key));
			button.addEventListener('click', () => {
				this.close();
				this.choose(line, target);
			});
			return button;
		}));
		box.hidden = false;
		const x = Math.min(place.clientX, innerWidth - box.offsetWidth - 8);
		const y = Math.min(place.clientY, innerHeight - box.offsetHeight - 8);
		box.style.transform = `translate(${Math.max(4, x)}px, ${
			Math.max(4, y)}px)`;
		box.firstElementChild.focus();
	}

	close(isBack = true) {
		if (this.box.hidden)
			return;
		this.box.hidden = true;
		if (isBack)
			this.had?.focus({ preventScroll: true });
	}

	key(event) {
		const lines = Array.from(this.box.children);
		const at = lines.indexOf(document.activeElement);
		const to = { ArrowDown: (at + 1) % lines.length,
			ArrowUp: (at + lines.length - 1) % lines.length,
			Home: 0, End: lines.length - 1 }[event.key];

		if (event.key === 'Escape' || event.key === 'Tab')
			this.close();
		else if (to !== undefined)
			lines[to].focus();
		else
			lines.find((line) => line.lastChild.textContent === event.key)
				?.click();
		if (event.key !== 'Enter' && event.key !== ' ')
			event.preventDefault();
		event.stopPropagation();
	}

	// Chooses the line of KEY for TARGET, or opens the menu at PLACE. Returns whether
	// KEY belongs to the menu.
	take(key, target, place) {
		const line = this.linesFor(target).find((at) => at.key === key);

		if (key === undefined || key === 'ContextMenu')
			this.open(target, place);
		else if (line)
			this.choose(line, target);
		else
			return false;
		return true;
	}
}
