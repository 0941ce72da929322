/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell unpack: installs packed binaries in a directory, by build ID. */
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
#include "report/pack/unpack_archive.h"
#include "report/pack/unpack_recording.h"
#include "report/result/result.h"
#include "report/survey/incomplete.h"

struct unpack {
	struct options common; /* only inputs are used; must be the first
				  member */
	const char *directory; /* NULL: dwell's build-ID cache */
};

static const struct cli_option unpack_options[] = {
	{ 'i', "input", CLI_VALUE, "FILE",
		"read the archive or recording FILE; - is a recording on "
		"standard input (default: dwell.data, otherwise perf.data)",
		offsetof(struct unpack, common.inputs), options_push_name,
		.complete = paths_complete },
	{ 0, "debug-dir", CLI_VALUE, "DIR",
		"unpack into DIR (default: the build-ID cache, which dwell "
		"report reads)",
		offsetof(struct unpack, directory) },
	CLI_LOG_OPTIONS,
};

/*
 * Opens the archive PATH with O_NONBLOCK, because opening a FIFO or a device
 * could block.
 */
static struct error *open_archive(const char *path, int *ret)
{
	_cleanup_close_ int fd =
		open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		return error_errno(errno, "%s", path);
	if (!S_ISREG(status.st_mode))
		return error_new("%s: not a regular file", path);
	*ret = take_fd(fd);
	return NULL;
}

static struct error *report_unpacked(
	const char *path, const struct unpacked *unpacked)
{
	struct unpacked_counts counts = unpacked_counts(unpacked);

	if (!counts.placed && !counts.kept && !counts.blocked)
		return error_new(
			"%s: contains no file or symbols with a build ID",
			path);
	log_note("installed %" PRIu64 " file%s in %s; %" PRIu64
		 " already existed",
		counts.placed, counts.placed == 1 ? "" : "s",
		unpacked_path(unpacked), counts.kept);
	return unpacked_blocked(unpacked);
}

static bool has_recording_magic(int fd)
{
	uint64_t magic;

	return pread(fd, &magic, sizeof(magic), 0) == sizeof(magic) &&
		(magic == ABI_FILE_MAGIC || bswap_64(magic) == ABI_FILE_MAGIC);
}

/*
 * Refuses to install a recording in the build-ID cache: the few symbols of a
 * recording would hide the symbols of complete files.
 */
static struct error *check_recording_target(
	const struct unpack *unpack, const char *path)
{
	return unpack->directory
		? NULL
		: error_usage(
			  "%s: a recording contains only the symbols of "
			  "sampled functions, which would hide the complete "
			  "files in the build-ID cache; use --debug-dir DIR",
			  path);
}

static struct error *install_recording(
	const struct unpack *unpack, struct unpacked *unpacked)
{
	struct survey survey = { 0 };
	struct reader *reader = NULL;
	struct error *err = result_open(&unpack->common, &reader);

	if (!err)
		err = survey_run(reader, SURVEY_SIDEBAND, &survey);
	if (!err)
		err = unpack_recording(reader, &survey, unpacked);
	survey_deinit(&survey);
	incomplete_close(reader);
	return err;
}

/*
 * Sets IS_RECORDING_RET to whether PATH is a recording, not an archive. Opens
 * FD_RET unless PATH is NULL (the default recording), standard input or a
 * folder.
 */
static struct error *detect_input(
	const char *path, int *fd_ret, bool *is_recording_ret)
{
	struct stat status;
	struct error *err;

	*is_recording_ret = !path || string_is(path, "-") ||
		(stat(path, &status) == 0 && S_ISDIR(status.st_mode));
	if (*is_recording_ret)
		return NULL;
	err = open_archive(path, fd_ret);
	*is_recording_ret = !err && has_recording_magic(*fd_ret);
	return err;
}

/*
 * Installs the archive or the recording PATH. PATH is NULL for the default
 * recording.
 */
static struct error *install_input(
	const struct unpack *unpack, const char *path)
{
	const char *shown = path ? path : "the recording";
	struct unpacked *unpacked = NULL;
	_cleanup_close_ int fd = -1;
	bool is_recording;
	struct error *err = detect_input(path, &fd, &is_recording);

	if (!err && is_recording)
		err = check_recording_target(unpack, shown);
	if (!err)
		err = unpacked_open(unpack->directory, &unpacked);
	if (!err)
		err = is_recording ? install_recording(unpack, unpacked)
				   : unpack_archive(fd, path, unpacked);
	if (!err)
		err = report_unpacked(shown, unpacked);
	unpacked_close(unpacked);
	return err;
}

struct error *cmd_unpack(int argc, char **argv)
{
	static const struct cli cli = {
		"dwell unpack [options] [FILE]",
		"Installs the programs of an archive, or the symbols of a "
		"packed recording, by build ID.",
		unpack_options,
		ARRAY_SIZE(unpack_options),
		.complete = paths_complete,
	};
	struct unpack unpack = { .common.single = "dwell unpack" };
	struct name_list *inputs = &unpack.common.inputs;
	struct error *err = options_words(&cli, argc, argv, &unpack, inputs);

	if (!err && inputs->names.n > 1)
		err = error_usage("dwell unpack accepts one file, not %zu",
			inputs->names.n);
	if (!err)
		err = install_input(
			&unpack, inputs->names.n ? inputs->names.at[0] : NULL);
	options_deinit(&unpack.common);
	return err;
}
