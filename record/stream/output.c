/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/stream/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "common/util/alloc.h"
#include "common/util/cli.h"
#include "common/util/log.h"
#include "common/util/trusted_file.h"

static char *old_recording_name(const char *path)
{
	return xasprintf("%s.old", path);
}

/*
 * A recorder holds a lock (flock(2)) on its output file while it writes the
 * file. The kernel releases the lock of a recorder that is killed. Some file
 * systems have no such locks; errors are ignored.
 */
static bool lock_output_file(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

/*
 * Locks the recording PATH, so that no other recorder renames it at the same
 * time. Returns an error if another recorder writes the recording. The caller
 * closes *FD_RET, which is -1 if the file cannot be opened. *IS_GONE_RET is true if
 * another recorder has renamed the file.
 */
static struct error *lock_old_recording(
	const char *path, int *fd_ret, bool *is_gone_ret)
{
	int fd = open(path,
		O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct stat opened, named;

	*fd_ret = fd;
	*is_gone_ret = fd < 0 && errno == ENOENT;
	if (fd < 0)
		return NULL;
	/* Another recorder may have renamed the file meanwhile. */
	if (lock_output_file(fd) && fstat(fd, &opened) == 0 &&
		lstat(path, &named) == 0 && opened.st_ino == named.st_ino &&
		opened.st_dev == named.st_dev)
		return NULL;
	return error_hint(
		error_new("cannot create %s: another recorder writes it", path),
		"use another name: -o FILE");
}

/*
 * Renames the file at OUTPUT's path, if there is one. The caller closes
 * *LOCK_RET, which may be -1, when the new file exists.
 */
static struct error *rename_old_recording(struct output *output, int *lock_ret)
{
	_cleanup_free_ char *old = old_recording_name(output->path);
	struct error *err;
	struct stat status;
	bool is_gone;

	if (lstat(output->path, &status) < 0)
		return NULL;
	/* Another user could have created the link, to overwrite a file. */
	if (S_ISLNK(status.st_mode)) {
		_cleanup_free_ char *target = realpath(output->path, NULL);
		err = error_new("cannot create %s: it is a symbolic "
				"link, which is not followed",
			output->path);

		return target ? error_hint(err, "to write to its target: -o %s",
					target)
			      : error_hint(err, "use another name: -o FILE");
	}
	if (!S_ISREG(status.st_mode))
		return error_new(
			"cannot create %s: it exists and is not a regular "
			"file; use another name: -o FILE",
			output->path);
	err = lock_old_recording(output->path, lock_ret, &is_gone);
	if (err || is_gone)
		return err;
	if (rename(output->path, old) < 0)
		return error_errno(
			errno, "cannot rename %s to %s", output->path, old);
	output->has_old = true;
	return NULL;
}

/* Renames FROM to TO. Fails with EEXIST if TO exists. */
static int rename_unless_exists(const char *from, const char *to)
{
	int result = renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);

	/* Not all file systems support RENAME_NOREPLACE. */
	if (result < 0 && (errno == EINVAL || errno == ENOSYS))
		result = rename(from, to);
	return result;
}

static void restore_old_recording(struct output *output)
{
	_cleanup_free_ char *old = old_recording_name(output->path);

	if (output->has_old && rename_unless_exists(old, output->path) < 0)
		log_note("the older recording is now %s", old);
	output->has_old = false;
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
 * Creates a locked file at PATH, from a file without a name, so that the file
 * has its lock before another recorder can find it. Returns a descriptor, or -1
 * if the file system or the lack of /proc does not permit this, or with EEXIST
 * if PATH exists.
 */
static int link_locked_file(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t folder_size = slash ? (size_t)(slash - path + 1) : 1;
	_cleanup_free_ char *folder = xstrndup(slash ? path : ".", folder_size);
	_cleanup_close_ int fd =
		open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	_cleanup_free_ char *self = xasprintf("/proc/self/fd/%d", fd);

	if (fd < 0 || !lock_output_file(fd) ||
		linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) < 0)
		return -1;
	return take_fd(fd);
}

/*
 * Renames an older recording and creates OUTPUT's file. If another recorder
 * creates the file in between, the second try finds the lock of that recorder.
 */
static struct error *create_output_file(struct output *output)
{
	_cleanup_close_ int lock = -1;
	struct error *err;
	unsigned tries = 2;

	do {
		err = rename_old_recording(output, &lock);
		if (err)
			return err;
		output->fd = link_locked_file(output->path);
		if (output->fd >= 0 || errno == EEXIST)
			continue;
		output->fd = open(output->path,
			O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0600);
		if (output->fd >= 0)
			lock_output_file(output->fd);
	} while (output->fd < 0 && errno == EEXIST && !output->has_old &&
		--tries);
	if (output->fd >= 0)
		return NULL;
	err = error_hint(error_errno(errno, "cannot create %s", output->path),
		"use another name: -o FILE");
	restore_old_recording(output);
	return err;
}

struct error *output_create(const char *path, struct output *ret)
{
	struct error *err;

	*ret = (struct output){ .fd = -1, .path = xstrdup(path) };
	if (output_is_stream(path)) {
		ret->is_stream = true;
		if (isatty(STDOUT_FILENO))
			return error_usage(
				"-o -: standard output is a terminal. Use a pipe: "
				"dwell record -o - ... | dwell report -i -");
		ret->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		return ret->fd < 0
			? error_errno(errno, "cannot duplicate standard output")
			: NULL;
	}
	if (output_is_null(path)) {
		/*
		 * /dev/null is used to measure the cost of recording: nothing
		 * is renamed or removed.
		 */
		ret->is_stream = true;
		ret->fd = open(ret->path, O_WRONLY | O_CLOEXEC);
		return ret->fd < 0
			? error_errno(errno, "cannot open %s", ret->path)
			: NULL;
	}
	err = create_output_file(ret);
	if (err)
		return err;
	/* Under sudo, the file belongs to the user who called sudo. */
	unsigned uid, gid;

	if (trusted_file_sudo_id("SUDO_UID", &uid) &&
		trusted_file_sudo_id("SUDO_GID", &gid)) {
		if (fchown(ret->fd, uid, gid) < 0)
			log_verbose(
				"cannot change the owner of %s: it belongs to root",
				ret->path);
	}
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
	if (rename_unless_exists(output->path, name) < 0)
		return error_errno(errno, "cannot rename it to %s", name);
	free(output->path);
	output->path = xstrdup(name);
	return NULL;
}

/*
 * Returns an error if OUTPUT's file was removed, which may have happened with
 * its folder. Its last name is not known if it was renamed.
 */
static struct error *check_output_exists(const struct output *output)
{
	struct stat status, named;

	if (output->fd < 0 || output->is_stream ||
		fstat(output->fd, &status) < 0 || status.st_nlink)
		return NULL;
	/* Some file systems do not count links. */
	if (lstat(output->path, &named) == 0 && named.st_ino == status.st_ino &&
		named.st_dev == status.st_dev)
		return NULL;
	return error_new("cannot keep %s: the file was removed while it was "
			 "written",
		output->path);
}

struct error *output_close(struct output *output)
{
	struct error *err = check_output_exists(output);
	int fd = take_fd(output->fd);

	if (err) {
		close(fd);
		return err;
	}
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

struct error *output_rotation_parse(
	const char *text, struct output_rotation *rotation)
{
	static const struct {
		char unit;
		uint64_t seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };
	size_t digits = strspn(text, "0123456789"), i;
	_cleanup_free_ char *number = xstrndup(text, digits);
	char unit = text[digits];
	uint64_t seconds = 0;

	*rotation = (struct output_rotation){
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
