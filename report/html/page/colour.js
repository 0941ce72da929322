// SPDX-License-Identifier: GPL-2.0-or-later
// Colours of frames, for light and dark pages: by kernel, program and library, or by
// heat. Frames that are not code are grey. The .code of a palette has the colour of each
// class of report/flame/flame_colour.h, from the data of the page.

const palettes = {
	light: {
		code: [], text: '#16191d',
		match: '#ff4fd8', veil: '#ffffff', veilShare: 0.55,
		heat: ['#f8e9b4', '#f9d98b', '#f6b565', '#ee8a4d', '#dd5a41',
			'#bd2e3c'],
		hottest: '#ffffff',
		more: ['#fbdfd6', '#f8bfae', '#f2947d', '#e8705a'],
		less: ['#dce9f8', '#b9d5f4', '#8dbaea', '#659fe0'],
		same: '#e6e9ee', gone: '#659fe0', narrow: '#cfd4dc',
	},
	dark: {
		code: [], text: '#f0f2f5',
		match: '#ff4fd8', veil: '#12151a', veilShare: 0.55,
		heat: ['#3c3626', '#5c4a24', '#84581f', '#a9541f', '#c1442b',
			'#c92e43'],
		hottest: '#ffffff',
		more: ['#4a2e2a', '#6f352d', '#973c31', '#be4437'],
		less: ['#28374a', '#2a4a6d', '#2b5f96', '#286eb6'],
		same: '#363c46', gone: '#286eb6', narrow: '#434a56',
	},
};

// SHADES is a list of [light, dark].
function setFrameColours(shades) {
	palettes.light.code = shades.map(([light]) => light);
	palettes.dark.code = shades.map(([, dark]) => dark);
}

class Colours {
	constructor(data) {
		this.functions = data.functions;
		this.byDso = new Map();
		this.setTheme();
	}

	setTheme() {
		this.isDark = document.documentElement.dataset.theme === 'dark';
		this.palette = palettes[this.isDark ? 'dark' : 'light'];
		// The colours of thread states are those of the timeline.
		this.states = Object.fromEntries(['runnable', 'blocked', 'preempted']
			.map((state) => [`[${state}]`, themeColour(state)]));
	}

	// The DSOs of the whole recording for the legend, the hottest first.
	rankDsos(selfByFunction) {
		const sums = new Map();

		this.functions.forEach((at, fn) => {
			if (!isCode(at))
				return;
			sums.set(at.dso, (sums.get(at.dso) || 0) +
				selfByFunction[fn]);
			this.byDso.set(at.dso, at.colour);
		});
		this.ranked = Array.from(sums)
			.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
	}

	ofDso(dso) {
		return this.palette.code[this.byDso.get(dso)];
	}

	// Returns the heat colour level of SHARE, which is from 0 to 1.
	heatLevel(share) {
		const { heat } = this.palette;
		const level = 1 + Math.log10(Math.max(share, 1e-3)) / 3;

		return Math.min(heat.length - 1, Math.floor(level * heat.length));
	}

	ofHeat(share) {
		return this.palette.heat[this.heatLevel(share)];
	}

	// Returns the colour of a change. LEVEL is from -4 (much less) to 4 (much
	// more).
	ofChange(level) {
		const { more, less, same } = this.palette;

		return level > 0 ? more[level - 1] : level < 0 ? less[-level - 1] : same;
	}

	ofFunction(fn, share, isByHeat) {
		const at = this.functions[fn];

		if (isState(at))
			return this.states[at.name] ?? this.palette.code[at.colour];
		return isByHeat && isCode(at) ? this.ofHeat(share)
			: this.palette.code[at.colour];
	}

	textOn(share, isByHeat) {
		const { heat, hottest, text } = this.palette;

		return isByHeat && this.heatLevel(share) === heat.length - 1
			? hottest : text;
	}
}
