// SPDX-License-Identifier: GPL-2.0-or-later
// The state of the view, kept in the address after '#', so that a view can be shared
// as a link, and the browser's Back button works.

const stateDefaults = {
	event: '0', // number of the selected event
	from: '', to: '', // selected time slices; both empty: all
	view: '', // time slices that the timeline shows: "from-to"; '': all
	thread: '', // selected threads and their groups: keys of lanes.js, with ','
	state: '', // states of the threads (waits.js), whose samples are selected; '': all
	group: 'process', // outermost frames: of processes, or 'thread' or 'none'
	transforms: '', // transforms of the stacks (transform.js)
	tab: 'flame', // view of the stacks: or 'tree', 'inverted', 'functions', 'waits', 'chart'
	search: '',
	zoom: '0', // node that the flame graph is zoomed to
	fn: '', // function whose callers, callees and code are shown
	shape: 'flame', // direction of the graph: or 'icicle'
	listing: 'mixed', // code: instructions between source lines, or 'source', 'both'
	colour: 'module', // colours of frames: or 'dso', 'heat'
	times: 'threads', // what the timeline shows: or 'heat', a heat map
	hide: '', // hidden parts of the page: 'time', 'details', 'code'
	merge: '', // '1': recursion is merged
	inverted: '', // '1': the flame graph begins with the innermost functions
	trunk: '', // 'open': frames that nearly all stacks begin with are not folded
	with: '', // comparison: number of recording B; '': the last recording
	widths: 'both', // comparison: frame widths of both recordings; or 'a', 'b'
	// column by which the table is sorted; with '-' before: smallest first
	sort: 'total',
};

// Minimum time between changes of the address, in ms: browsers block pages that
// change their address too often.
const writeInterval = 200;

class State {
	constructor(defaults) {
		this.listeners = [];
		this.changed = new Set();
		this.written = -writeInterval;
		this.values = { ...defaults };
		this.defaults = defaults;
		this.read();
		addEventListener('hashchange', () => {
			const before = { ...this.values };
			clearTimeout(this.timer);
			this.timer = null;
			this.isMoving = false;
			this.read();
			this.tell(Object.keys(before)
				.filter((key) => before[key] !== this.values[key]));
		});
	}

	read() {
		const words = new URLSearchParams(location.hash.slice(1));

		for (const key of Object.keys(this.defaults))
			this.values[key] = words.get(key) ?? this.defaults[key];
	}

	get(key) {
		return this.values[key];
	}

	number(key, fallback, most) {
		const value = Number(this.values[key]);

		return this.values[key] !== '' && Number.isInteger(value) &&
			value >= 0 && value < most ? value : fallback;
	}

	// Applies CHANGES. ISSTEP: the Back button of the browser undoes CHANGES;
	// without ISSTEP, the address is updated later.
	set(changes, isStep = true) {
		const changed = this.take(changes);

		if (isStep && (changed.length || this.isMoving))
			this.write(true);
		else if (changed.length)
			this.writeSoon();
		this.tell(changed);
	}

	// Applies CHANGES without changing the address, for example while a range is
	// dragged.
	move(changes) {
		if (this.timer)
			this.write(false);
		this.isMoving = true;
		this.tell(this.take(changes));
	}

	take(changes) {
		const changed = Object.keys(changes)
			.filter((key) => this.values[key] !== String(changes[key]));

		for (const key of changed)
			this.values[key] = String(changes[key]);
		return changed;
	}

	// Returns the address of the page after writing pending changes.
	address() {
		if (this.timer || this.isMoving)
			this.write(false);
		return location.href;
	}

	writeSoon() {
		const wait = this.written + writeInterval - performance.now();

		clearTimeout(this.timer);
		if (wait <= 0)
			this.write(false);
		else
			this.timer = setTimeout(() => this.write(false), wait);
	}

	write(isStep) {
		const words = new URLSearchParams();

		clearTimeout(this.timer);
		this.timer = null;
		this.isMoving = false;
		this.written = performance.now();
		for (const [key, value] of Object.entries(this.values))
			if (value !== this.defaults[key])
				words.set(key, value);
		history[isStep ? 'pushState' : 'replaceState'](
			null, '', `#${words}`);
	}

	// Calls the listeners in the next animation frame, once for all changed KEYS.
	tell(keys) {
		if (keys.length && !this.changed.size)
			requestAnimationFrame(() => {
				const { changed } = this;
				this.changed = new Set();
				for (const listener of this.listeners)
					listener(new Set(changed));
			});
		for (const key of keys)
			this.changed.add(key);
	}

	listen(listener) {
		this.listeners.push(listener);
	}
}
