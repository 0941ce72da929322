// SPDX-License-Identifier: GPL-2.0-or-later
// Chooses the kind of page from the data.

let page; // for tests

async function start() {
	try {
		const data = readData(await unpack(byId('data').textContent));
		byId('data').remove();
		setFrameColours(data.shades);
		byId('page').hidden = false;
		page = new (data.recordings ? DifferencePage : Page)(data);
		byId('loading').remove();
		page.open();
	} catch (error) {
		byId('page').hidden = true;
		byId('loading').textContent =
			`Cannot show this page: ${error.message}`;
	}
}

start();
