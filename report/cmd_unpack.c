/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell unpack: installs the symbols of a recording as files, by build ID. */
#include "config.h"

#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "common/perf/abi.h"
#include "common/util/cli.h"
#include "common/util/log.h"
#include "report/cmd.h"
#include "report/options/options_shared.h"
#include "report/pack/unpacked.h"
#include "report/result/result.h"
#include "report/survey/incomplete.h"

struct unpack {
	struct options common; /* only inputs are used; must be the first
				  member */
	const char *directory;
};

static const struct cli_option unpack_options[] = {
	{ 'i', "input", CLI_VALUE, "FILE",
		"read the recording FILE; - is standard input (default: "
		"dwell.data, otherwise perf.data)",
		offsetof(struct unpack, common.input.inputs), options_push_name,
		.complete = paths_complete },
	{ 0, "debug-dir", CLI_VALUE, "DIR",
		"unpack into DIR, which dwell report --debug-dir and perf "
		"--buildid-dir read",
		offsetof(struct unpack, directory) },
	CLI_LOG_OPTIONS,
};

/*
 * Refuses the file PATH if it is no recording, such as an archive of perf.
 * Opens it with O_NONBLOCK, because opening a FIFO or a device could block.
 * What cannot be read is left to the reader.
 */
static struct error *check_magic(const char *path)
{
	_cleanup_close_ int fd =
		open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	uint64_t magic;

	if (fd < 0 || fstat(fd, &status) < 0 || S_ISDIR(status.st_mode))
		return NULL;
	if (!S_ISREG(status.st_mode))
		return error_new("%s: not a regular file", path);
	if (pread(fd, &magic, sizeof(magic), 0) != sizeof(magic) ||
		magic == ABI_FILE_MAGIC || bswap_64(magic) == ABI_FILE_MAGIC)
		return NULL;
	return error_hint(
		error_new("%s: not a recording of dwell or perf", path),
		"to install an archive of perf archive: mkdir -p ~/.debug && "
		"tar -xf %s -C ~/.debug",
		path);
}

/* Unpacks the recording PATH; NULL is the default recording. */
static struct error *unpack_input(const struct unpack *unpack, const char *path)
{
	const char *shown = path ? path : "the recording";
	struct error *err =
		path && !string_is(path, "-") ? check_magic(path) : NULL;
	struct unpacked *unpacked;

	if (err)
		return err;
	if (!unpack->directory)
		return error_usage(
			"%s: --debug-dir DIR is missing: its files contain "
			"only the symbols of sampled functions, so no report "
			"uses them by default",
			shown);
	err = unpacked_open(unpack->directory, &unpacked);
	if (err)
		return err;
	struct survey survey = { 0 };
	struct reader *reader = NULL;
	err = result_open(&unpack->common, &reader);

	if (!err)
		err = survey_run(reader, SURVEY_SIDEBAND, &survey);
	if (!err)
		err = unpacked_put_all(reader, &survey, unpacked);
	survey_deinit(&survey);
	incomplete_close(reader);
	if (!err) {
		struct unpacked_counts counts = unpacked_counts(unpacked);

		if (!counts.placed && !counts.kept && !counts.blocked) {
			err = error_new("%s: contains no symbols of a file "
					"with a build ID",
				shown);
		} else {
			log_note("installed %" PRIu64 " file%s in %s; %" PRIu64
				 " already existed",
				counts.placed, counts.placed == 1 ? "" : "s",
				unpacked_path(unpacked), counts.kept);
			err = unpacked_blocked(unpacked);
		}
	}
	unpacked_close(unpacked);
	return err;
}

struct error *cmd_unpack(int argc, char **argv)
{
	static const struct cli cli = {
		"dwell unpack [options] [FILE]",
		"Installs the symbols of a recording as files, by build ID.",
		unpack_options,
		ARRAY_SIZE(unpack_options),
		.complete = paths_complete,
	};
	struct unpack unpack = { .common.input.single = "dwell unpack" };
	struct filter_names *inputs = &unpack.common.input.inputs;
	struct error *err = options_words(&cli, argc, argv, &unpack, inputs);

	if (!err && inputs->names.n > 1)
		err = error_usage("dwell unpack accepts one file, not %zu",
			inputs->names.n);
	if (!err)
		err = unpack_input(
			&unpack, inputs->names.n ? inputs->names.at[0] : NULL);
	options_deinit(&unpack.common);
	return err;
}
