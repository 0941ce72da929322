// SPDX-License-Identifier: GPL-2.0-or-later
// Colours of frames by DSO or by heat, for light and dark pages. Frames that are not
// code are grey.

const palettes = {
	light: {
		dsos: ['#8db9e8', '#f3b877', '#93d0a0', '#eca3ae', '#bdaae6',
			'#83d1cd', '#ddc972', '#cfae94', '#b2cb7c', '#dd9fd8'],
		other: '#c9ced6', command: '#dde1e7', text: '#16191d',
		match: '#ff4fd8', veil: '#ffffff', veilShare: 0.55,
		heat: ['#f8e9b4', '#f9d98b', '#f6b565', '#ee8a4d', '#dd5a41',
			'#bd2e3c'],
		hottest: '#ffffff',
		more: ['#fbdfd6', '#f8bfae', '#f2947d', '#e8705a'],
		less: ['#dce9f8', '#b9d5f4', '#8dbaea', '#659fe0'],
		same: '#e6e9ee',
	},
	dark: {
		dsos: ['#33659b', '#935d20', '#35754a', '#8f4657', '#63509b',
			'#23716f', '#7b6a1c', '#775440', '#566f2a', '#82447c'],
		other: '#4c535e', command: '#3a414b', text: '#f0f2f5',
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

	// Ranks DSOs by their samples in the whole recording, so that a DSO keeps its
	// colour when the selection changes.
	rankDsos(selfByFunction) {
		const sums = new Map();

		this.functions.forEach((at, fn) => {
			if (isCode(at))
				sums.set(at.dso, (sums.get(at.dso) || 0) +
					selfByFunction[fn]);
		});
		this.ranked = Array.from(sums)
			.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
		this.byDso = new Map(this.ranked.map(([dso], rank) => [dso, rank]));
	}

	ofDso(dso) {
		return this.palette.dsos[this.byDso.get(dso)] ?? this.palette.other;
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

		if (!isCode(at))
			return this.palette.command;
		return isByHeat ? this.ofHeat(share) : this.ofDso(at.dso);
	}

	textOn(share, isByHeat) {
		const { heat, hottest, text } = this.palette;

		return isByHeat && this.heatLevel(share) === heat.length - 1
			? hottest : text;
	}
}
