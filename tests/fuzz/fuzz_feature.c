/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A section of the header: its number, a byte that is odd for one of the other
 * byte order, and its bytes. What can be read is written, read again, printed.
 */
#include "config.h"

#include "common/file/feature.h"
#include "common/file/simpleperf.h"

#define INPUT_MAX KIB(64)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes b = bytes_of(data, size, false);
	unsigned bit = bytes_u8(&b);
	_cleanup_strbuf_ struct strbuf written = { 0 }, text = { 0 };
	struct features features = { 0 }, again = { 0 };
	struct bundle files = { 0 };

	b.swap = bytes_u8(&b) & 1;
	if (size > INPUT_MAX)
		return 0;
	feature_read(&features, bit, b);
	/* Some may come more than once, in a stream. */
	feature_read(&features, bit, b);
	feature_print(&features, bit, &text);
	simpleperf_read_files(bytes_of(features.simpleperf_files.at,
				      features.simpleperf_files.n, b.swap),
		&files);
	bundle_deinit(&files);
	if (feature_write(&features, bit, &written))
		feature_read(&again, bit,
			bytes_of(written.at ? written.at : "", written.n,
				false));
	feature_print(&again, bit, &text);
	features_deinit(&features);
	features_deinit(&again);
	return 0;
}
