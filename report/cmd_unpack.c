/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell unpack: files by build ID, for those who look for symbols there. */
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
	struct options common; /* only its input; the first member */
	const char *folder;    /* NULL: the usual one */
};

static struct error *take_input(void *context, const char *value, bool is_on)
{
	struct unpack *unpack = context;

	return options_take_input(&unpack->common, value, is_on);
}

static struct error *take_folder(
	void *context, const char *value, bool is_on _unused_)
{
	struct unpack *unpack = context;

	unpack->folder = value;
	return *value ? NULL : error_usage("--debug-dir: a folder has a name");
}

static const struct cli_option unpack_options[] = {
	{ 'i', "input", CLI_VALUE, "FILE",
		"archive or recording to read, - for a recording on stdin "
		"(dwell.data, else perf.data)",
		take_input },
	{ 0, "debug-dir", CLI_VALUE, "DIR",
		"unpack into this folder (where dwell report looks by itself)",
		take_folder },
	CLI_LOG_OPTIONS,
};

/* A FIFO or a device must not be waited for. */
static struct error *open_regular(const char *path, int *ret)
{
	_cleanup_close_ int fd = open(
		path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		return error_errno(errno, "%s", path);
	if (!S_ISREG(status.st_mode))
		return error_new("%s: not a file", path);
	*ret = take_fd(fd);
	return NULL;
}

static struct error *tell(const char *path, const struct unpacked *unpacked)
{
	struct unpacked_counts counts = unpacked_counts(unpacked);

	if (!counts.placed && !counts.kept)
		return error_new("%s: there is nothing in it that has a build "
				 "ID", path);
	log_note("%" PRIu64 " file%s in %s now, %" PRIu64 " %s there before",
		counts.placed, counts.placed == 1 ? " is" : "s are",
		unpacked_path(unpacked), counts.kept,
		counts.kept == 1 ? "was" : "were");
	return NULL;
}

static bool is_recording(int fd)
{
	uint64_t magic;

	return pread(fd, &magic, sizeof(magic), 0) == sizeof(magic) &&
		(magic == ABI_FILE_MAGIC || bswap_64(magic) == ABI_FILE_MAGIC);
}

/* Its few names would hide all those that other files have. */
static struct error *check_folder(const struct unpack *unpack, const char *path)
{
	return unpack->folder
		? NULL
		: error_usage("%s: a recording has only the names that were "
			      "hit; name a folder for them with --debug-dir",
			  path);
}

static struct error *take_recording(
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

/* FD_RET is open if it is an archive; NAMED may be NULL, as recordings may be. */
static struct error *tell_apart(
	const char *named, int *fd_ret, bool *is_recording_ret)
{
	struct stat status;
	struct error *err;

	*is_recording_ret = !named || string_is(named, "-") ||
		(stat(named, &status) == 0 && S_ISDIR(status.st_mode));
	if (*is_recording_ret)
		return NULL;
	err = open_regular(named, fd_ret);
	*is_recording_ret = !err && is_recording(*fd_ret);
	return err;
}

/* NAMED: NULL if nothing is. */
static struct error *run(const struct unpack *unpack, const char *named)
{
	const char *shown = named ? named : "the recording";
	struct unpacked *unpacked = NULL;
	_cleanup_close_ int fd = -1;
	bool is_ours;
	struct error *err = tell_apart(named, &fd, &is_ours);

	if (!err && is_ours)
		err = check_folder(unpack, shown);
	if (!err)
		err = unpacked_open(unpack->folder, &unpacked);
	if (!err)
		err = is_ours ? take_recording(unpack, unpacked)
			      : unpack_archive(fd, named, unpacked);
	if (!err)
		err = tell(shown, unpacked);
	unpacked_close(unpacked);
	return err;
}

struct error *cmd_unpack(int argc, char **argv)
{
	static const struct cli cli = {
		"dwell unpack [options] [FILE]",
		"Unpacks programs of an archive, or names of a recording, by build ID.",
		unpack_options, ARRAY_SIZE(unpack_options), false, NULL, 0,
	};
	struct unpack unpack = { .common.single = "dwell unpack" };
	struct name_list *inputs = &unpack.common.inputs;
	struct error *err =
		options_words(&cli, argc, argv, &unpack, inputs);

	if (!err && inputs->names.n > 1)
		err = error_usage("dwell unpack takes one file, and these are "
				  "%zu", inputs->names.n);
	if (!err)
		err = run(&unpack, inputs->names.n ? inputs->names.at[0] : NULL);
	options_deinit(&unpack.common);
	return err;
}
