// SPDX-License-Identifier: GPL-2.0-or-later
// The parts of the screen that the user can resize: the height of the timeline and the
// width of the stacks. On small screens the parts are below each other.

const sizeStep = 24; // pixels that an arrow key moves a separator

// Makes the separator BOX set the property NAME of the page in pixels. OPTIONS: isAlong
// (moves from left to right), sizeOf() returns the present size, least and most().
class Sizer {
	constructor(box, name, options) {
		Object.assign(this, options, { box, name });
		box.addEventListener('pointerdown', (event) => {
			if (event.button)
				return;
			box.setPointerCapture(event.pointerId);
			this.start = this.placeOf(event);
			this.had = this.sizeOf();
			event.preventDefault();
		});
		box.addEventListener('pointermove', (event) => {
			if (this.start !== undefined)
				this.set(this.had + this.placeOf(event) - this.start);
		});
		for (const end of ['pointerup', 'pointercancel'])
			box.addEventListener(end, () => {
				this.start = undefined;
			});
		box.addEventListener('dblclick', () => this.set(null));
		box.addEventListener('keydown', (event) => this.key(event));
	}

	placeOf({ clientX, clientY }) {
		return this.isAlong ? clientX : clientY;
	}

	// Sets the size in pixels; SIZE null restores the default.
	set(size) {
		const { style } = document.documentElement;

		if (size === null)
			style.removeProperty(this.name);
		else
			style.setProperty(this.name, `${Math.round(Math.max(this.least,
				Math.min(this.most(), size)))}px`);
		this.tell();
	}

	// Sets the size and its limits for screen readers.
	tell() {
		const { box } = this;

		box.setAttribute('aria-valuemin', this.least);
		box.setAttribute('aria-valuemax', Math.round(this.most()));
		box.setAttribute('aria-valuenow', Math.round(this.sizeOf()));
	}

	key(event) {
		const [less, more] = this.isAlong ? ['ArrowLeft', 'ArrowRight']
			: ['ArrowUp', 'ArrowDown'];

		if (event.key === less)
			this.set(this.sizeOf() - sizeStep);
		else if (event.key === more)
			this.set(this.sizeOf() + sizeStep);
		else if (event.key === 'Home')
			this.set(null);
		else
			return;
		event.preventDefault();
	}
}

// Gives a box whose text is cut a tooltip with the whole text.
function explainCuts() {
	document.addEventListener('mouseover', ({ target }) => {
		const box = target.closest('.short');

		if (box)
			box.title = box.scrollWidth > box.clientWidth ||
				box.scrollHeight > box.clientHeight ? box.textContent : '';
	});
}

// On a small screen the options are folded at first.
function foldOptions() {
	byId('options').open = !matchMedia('(max-width: 900px)').matches;
}

function makeSizers() {
	const height = new Sizer(byId('time-size'), '--time-height', {
		sizeOf: () => byId('time').offsetHeight, least: 90,
		most: () => innerHeight - 300 });
	const width = new Sizer(byId('side-size'), '--stacks-width', {
		isAlong: true, sizeOf: () => byId('stacks').offsetWidth, least: 320,
		most: () => innerWidth - 320 });

	for (const sizer of [height, width]) {
		// The first layout waits until the panels are there.
		inTurn(() => sizer.tell(), () => {});
		addEventListener('resize', () => sizer.tell());
	}
}
