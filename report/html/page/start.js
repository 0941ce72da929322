// SPDX-License-Identifier: GPL-2.0-or-later
// What the data is of decides which page it is.

async function start() {
	try {
		const data = readData(await unpack(byId('data').textContent));
		byId('data').remove();
		byId('page').hidden = false;
		const page = new (data.recordings ? DifferencePage : Page)(data);
		byId('loading').remove();
		page.open();
	} catch (error) {
		byId('page').hidden = true;
		byId('loading').textContent =
			`This page can't be shown: ${error.message}`;
	}
}

start();
