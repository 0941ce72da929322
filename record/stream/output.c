/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "common/util/alloc.h"
#include "common/util/cli.h"
#include "common/util/log.h"

static char *old_recording_name(const char *path)
{
	return xasprintf("%s.old", path);
}

/*
 * Returns the error for an output that is a symbolic link: another user could
 * have created the link, so that a file of this user is overwritten.
 */
static struct error *symbolic_link_error(const char *path)
{
	_cleanup_free_ char *target = realpath(path, NULL);
	struct error *err = error_new("cannot create %s: it is a symbolic "
				      "link, which is not followed",
		path);

	return target ? error_hint(err, "to write to its target: -o %s", target)
		      : error_hint(err, "use another name: -o FILE");
}

static struct error *rename_old_recording(struct output *output)
{
	_cleanup_free_ char *old = old_recording_name(output->path);
	struct stat status;

	if (lstat(output->path, &status) < 0)
		return NULL;
	if (S_ISLNK(status.st_mode))
		return symbolic_link_error(output->path);
	if (!S_ISREG(status.st_mode))
		return error_new(
			"cannot create %s: it exists and is not a regular "
			"file; use another name: -o FILE",
			output->path);
	if (rename(output->path, old) < 0)
		return error_errno(
			errno, "cannot rename %s to %s", output->path, old);
	output->has_old = true;
	return NULL;
}

static void restore_old_recording(struct output *output)
{
	_cleanup_free_ char *old = old_recording_name(output->path);

	if (output->has_old && rename(old, output->path) < 0)
		log_note("the older recording is now %s", old);
	output->has_old = false;
}

static bool read_sudo_id(const char *variable, unsigned *ret)
{
	const char *text = getenv(variable);
	char *end;

	if (!text || !*text)
		return false;
	*ret = (unsigned)strtoul(text, &end, 10);
	return *end == '\0';
}

/* Under sudo, the file belongs to the user who called sudo. */
static void set_owner_from_sudo(const struct output *output)
{
	unsigned uid, gid;

	if (geteuid() != 0 || !read_sudo_id("SUDO_UID", &uid) ||
		!read_sudo_id("SUDO_GID", &gid))
		return;
	if (fchown(output->fd, uid, gid) < 0)
		log_verbose("cannot change the owner of %s: it belongs to root",
			output->path);
}

bool output_is_stream(const char *path)
{
	return string_is(path, "-");
}

/* Documentation/admin-guide/devices.txt: /dev/null is 1:3. */
bool output_is_null(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISCHR(status.st_mode) &&
		status.st_rdev == makedev(1, 3);
}

/*
 * /dev/null is used to measure the cost of recording: nothing is renamed or
 * removed.
 */
static struct error *open_dev_null(struct output *output)
{
	output->is_stream = true;
	output->fd = open(output->path, O_WRONLY | O_CLOEXEC);
	if (output->fd < 0)
		return error_errno(errno, "cannot open %s", output->path);
	return NULL;
}

static struct error *open_stdout(struct output *output)
{
	output->is_stream = true;
	if (isatty(STDOUT_FILENO))
		return error_usage(
			"-o -: standard output is a terminal. Use a pipe: "
			"dwell record -o - ... | dwell report -i -");
	output->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (output->fd < 0)
		return error_errno(errno, "cannot duplicate standard output");
	return NULL;
}

struct error *output_create(const char *path, struct output *ret)
{
	struct error *err;

	*ret = (struct output){ .fd = -1, .path = xstrdup(path) };
	if (output_is_stream(path))
		return open_stdout(ret);
	if (output_is_null(path))
		return open_dev_null(ret);
	err = rename_old_recording(ret);
	if (err)
		return err;
	ret->fd = open(
		path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (ret->fd < 0) {
		err = error_hint(error_errno(errno, "cannot create %s", path),
			"use another name: -o FILE");
		restore_old_recording(ret);
		return err;
	}
	set_owner_from_sudo(ret);
	return NULL;
}

struct sink output_sink(struct output *output)
{
	return output->is_stream ? sink_of_stream(&output->fd)
				 : sink_of_file(&output->fd);
}

const char *output_name(const struct output *output)
{
	if (output->is_stream && output_is_stream(output->path))
		return "standard output";
	return output->path;
}

void output_discard(struct output *output)
{
	if (!output->path)
		return;
	if (output->fd >= 0 && !output->is_stream)
		unlink(output->path);
	error_free(output_close(output));
	restore_old_recording(output);
}

struct error *output_rename(struct output *output, const char *name)
{
	int result = renameat2(
		AT_FDCWD, output->path, AT_FDCWD, name, RENAME_NOREPLACE);

	/* Not all file systems support RENAME_NOREPLACE. */
	if (result < 0 && (errno == EINVAL || errno == ENOSYS))
		result = rename(output->path, name);
	if (result < 0)
		return error_errno(errno, "cannot rename it to %s", name);
	free(output->path);
	output->path = xstrdup(name);
	return NULL;
}

struct error *output_close(struct output *output)
{
	int fd = take_fd(output->fd);

	if (fd >= 0 && close(fd) < 0)
		return error_errno(
			errno, "cannot close %s", output_name(output));
	return NULL;
}

void output_deinit(struct output *output)
{
	if (output->path && output->fd >= 0)
		close(output->fd);
	free(output->path);
	*output = (struct output){ .fd = -1 };
}

struct error *output_file_begin(
	struct output_file *file, const char *path, const struct features *head)
{
	struct error *err;

	*file = (struct output_file){ .output.fd = -1 };
	err = output_create(path, &file->output);
	if (err)
		return err;
	file->sink = output_sink(&file->output);
	err = writer_create(&file->sink, head, &file->writer);
	return error_wrap(err, "%s", output_name(&file->output));
}

void output_file_count(struct output_file *file, const struct block_info *info)
{
	file->raw_bytes += info->raw_size;
	if (info->kind != BLOCK_SAMPLES)
		return;
	if (!file->first_time || info->first_time < file->first_time)
		file->first_time = info->first_time;
	file->last_time = MAX(file->last_time, info->last_time);
}

struct error *output_file_end(struct output_file *file)
{
	writer_destroy(file->writer);
	file->writer = NULL;
	return output_close(&file->output);
}

void output_file_deinit(struct output_file *file)
{
	writer_destroy(file->writer);
	file->writer = NULL;
	output_deinit(&file->output);
}

struct error *rotation_parse(const char *text, struct rotation *rotation)
{
	static const struct {
		char unit;
		uint64_t seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };
	size_t digits = strspn(text, "0123456789"), i;
	_cleanup_free_ char *number = xstrndup(text, digits);
	char unit = text[digits];
	uint64_t seconds = 0;

	*rotation = (struct rotation){
		.has_many = true, .is_stamped = true, .n_max = rotation->n_max
	};
	if (string_is(text, "signal"))
		return NULL;
	if (!digits || !unit || text[digits + 1] ||
		!strchr("smhdBKMGbkg", unit))
		return error_usage("--switch-output: '%s' is not \"signal\", a "
				   "size such as 100M, or a time such as 30s",
			text);
	for (i = 0; i < ARRAY_SIZE(units); i++) {
		struct error *err;

		if (units[i].unit != unit)
			continue;
		err = cli_number(number, "--switch-output", 1,
			1000000000u / units[i].seconds, &seconds);
		rotation->interval_ns =
			seconds * units[i].seconds * NSEC_PER_SEC;
		return err;
	}
	return cli_size(text, "--switch-output", 1, INT64_MAX, &rotation->size);
}
