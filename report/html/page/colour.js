// SPDX-License-Identifier: GPL-2.0-or-later
// Colours of frames, for light and dark pages: by kernel, program and library, with the
// classes of report/flame/flame_colour.h, or by heat. Frames that are not code are grey.

const palettes = {
	light: {
		code: ['#f3b877', '#8db9e8', '#e6a8b7', '#d18fbb', '#e1a8e6', '#b89ad6',
			'#b0a8e6', '#8fc6d1', '#a8e6de', '#8fd1b0', '#a8e6ad', '#a7d18f',
			'#d9e6a8', '#d1cc8f', '#e6ada8', '#d18fc6', '#a8e6d1', '#b5d18f',
			'#c9ced6', '#dde1e7'],
		text: '#16191d',
		match: '#ff4fd8', veil: '#ffffff', veilShare: 0.55,
		heat: ['#f8e9b4', '#f9d98b', '#f6b565', '#ee8a4d', '#dd5a41',
			'#bd2e3c'],
		hottest: '#ffffff',
		more: ['#fbdfd6', '#f8bfae', '#f2947d', '#e8705a'],
		less: ['#dce9f8', '#b9d5f4', '#8dbaea', '#659fe0'],
		same: '#e6e9ee',
	},
	dark: {
		code: ['#935d20', '#33659b', '#913b51', '#653455', '#8a3b91', '#4c3465',
			'#473b91', '#345d65', '#2e7067', '#34654d', '#2f7435', '#466534',
			'#606d2c', '#656134', '#91423b', '#65345d', '#2e705a', '#516534',
			'#4c535e', '#3a414b'],
		text: '#f0f2f5',
		match: '#ff4fd8', veil: '#12151a', veilShare: 0.55,
		heat: ['#3c3626', '#5c4a24', '#84581f', '#a9541f', '#c1442b',
			'#c92e43'],
		hottest: '#ffffff',
		more: ['#4a2e2a', '#6f352d', '#973c31', '#be4437'],
		less: ['#28374a', '#2a4a6d', '#2b5f96', '#286eb6'],
		same: '#363c46',
	},
};

class Colours {
	constructor(data) {
		this.functions = data.functions;
		this.byDso = new Map();
		this.setTheme();
	}

	setTheme() {
		this.isDark = document.documentElement.dataset.theme === 'dark';
		this.palette = palettes[this.isDark ? 'dark' : 'light'];
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

		return isByHeat && isCode(at) ? this.ofHeat(share)
			: this.palette.code[at.colour];
	}

	textOn(share, isByHeat) {
		const { heat, hottest, text } = this.palette;

		return isByHeat && this.heatLevel(share) === heat.length - 1
			? hottest : text;
	}
}
