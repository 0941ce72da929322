/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/sys/user_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "common/util/clock.h"
#include "common/util/log.h"
#include "common/util/strbuf.h"
#include "record/sys/file_identity.h"
#include "record/sys/sysfile.h"

/* Limits of the kept copies. */
#define COPIES_MAX 256u
#define COPIED_BYTES_MAX MIB(256)
/* A copy may take this time: less than the limits of the jobs that open files. */
#define COPY_LIMIT_MS 500u
#define COPY_POLL_MS 5u
/* After such a number of copies that took too long, none of any user is made. */
#define SLOW_COPIES_MAX 16u

/* What the helper process returns, in memory that it shares. */
struct user_copy_result {
	struct stat file;
	uint32_t known; /* index + 1 in kept_copies of a copy of the file */
	int errnum;	/* 0: the file is known, or was copied */
};

/* What the helper process gets: descriptors, and the user as which it reads. */
struct user_copy_request {
	int found, copy;
	int space; /* the user namespace of the process; -1: not known */
	uint32_t user, group;
};

/* The descriptors of the helper process, which closes all others. */
enum user_copy_descriptor {
	USER_COPY_FOUND,
	USER_COPY_COPY,
	USER_COPY_SPACE,
	USER_COPY_DESCRIPTORS
};

static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept_copy {
	struct file_identity file;
	int fd;
} kept_copies[COPIES_MAX];
static uint32_t n_kept;
static uint64_t kept_bytes;
/* Users whose files took too long: a file system that hangs costs its user alone. */
static uint32_t slow_users[SLOW_COPIES_MAX];
static uint32_t n_slow;
static bool may_not_copy; /* the recorder may not take IDs of users */

static bool read_user_ids(pid_t pid, struct user_copy_request *ret)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	char path[64];
	const char *users, *groups;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (!sysfile_slurp(AT_FDCWD, path, &text) || !text.n)
		return false;
	users = strstr(text.at, "\nUid:");
	groups = strstr(text.at, "\nGid:");
	/* The fourth number is the ID for file systems. */
	return users && groups &&
		sscanf(users, "\nUid: %*u %*u %*u %" SCNu32, &ret->user) == 1 &&
		sscanf(groups, "\nGid: %*u %*u %*u %" SCNu32, &ret->group) == 1;
}

/* --- the helper process ------------------------------------------------- */

/*
 * FUSE compares all IDs of a process, not only those for file systems. The
 * functions of libc would change the IDs of other threads, too.
 */
static bool take_user_ids(const struct user_copy_request *request)
{
	uint32_t user = request->user, group = request->group;

	/* Without privileges, the groups stay. */
	if ((syscall(SYS_setgroups, 0, NULL) < 0 && errno != EPERM) ||
		syscall(SYS_setresgid, group, group, group) < 0 ||
		syscall(SYS_setresuid, user, user, user) < 0)
		return false;
	/*
	 * A FUSE mount with allow_other is for all users of its namespace. This
	 * fails if the process has the namespace of the recorder.
	 */
	(void)!setns(USER_COPY_SPACE, CLONE_NEWUSER);
	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 &&
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0;
}

/*
 * A helper process that does not end must not hold the output of the recorder
 * open.
 */
static bool take_descriptors(const struct user_copy_request *request)
{
	if (dup2(request->found, USER_COPY_FOUND) < 0 ||
		dup2(request->copy, USER_COPY_COPY) < 0)
		return false;
	if (request->space < 0)
		close(USER_COPY_SPACE);
	else if (dup2(request->space, USER_COPY_SPACE) < 0)
		return false;
	return syscall(SYS_close_range, USER_COPY_DESCRIPTORS, UINT32_MAX, 0) ==
		0;
}

/* Copies SIZE bytes of the file. Returns 0 or the error. */
static int copy_bytes(uint64_t size)
{
	char bytes[KIB(64)];
	ssize_t n;
	int from = open("/proc/self/fd/0",
		O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

	if (from < 0)
		return errno;
	while (size) {
		n = read(from, bytes, MIN(size, sizeof(bytes)));
		if (n <= 0)
			return n < 0 ? errno : EIO;
		if (write(USER_COPY_COPY, bytes, (size_t)n) != n)
			return errno ?: EIO;
		size -= (uint64_t)n;
	}
	return 0;
}

/*
 * Runs in a copy of one thread of the recorder: the function allocates nothing
 * and takes no locks.
 */
static int run_user_copy(const struct user_copy_request *request,
	struct user_copy_result *result)
{
	struct stat *file = &result->file;
	struct file_identity identity;
	uint32_t i;

	if (!take_descriptors(request) || !take_user_ids(request) ||
		fstat(USER_COPY_FOUND, file) < 0)
		return errno;
	if (!S_ISREG(file->st_mode))
		return EINVAL;
	identity = file_identity_of(file);
	for (i = 0; i < n_kept; i++)
		if (file_identity_equal(&kept_copies[i].file, &identity)) {
			result->known = i + 1;
			return 0;
		}
	if (n_kept == COPIES_MAX || file->st_size < 0 ||
		(uint64_t)file->st_size > COPIED_BYTES_MAX - kept_bytes)
		return EFBIG;
	return copy_bytes((uint64_t)file->st_size);
}

/* --- the recorder ------------------------------------------------------- */

static bool is_refused(uint32_t user)
{
	bool is_slow;
	uint32_t i;

	pthread_mutex_lock(&kept_lock);
	is_slow = n_slow == SLOW_COPIES_MAX || may_not_copy;
	for (i = 0; i < n_slow; i++)
		is_slow |= slow_users[i] == user;
	pthread_mutex_unlock(&kept_lock);
	return is_slow;
}

/*
 * Waits for the helper PID, and kills it after the time limit. A helper that waits for a
 * file system may end later: it is not waited for.
 */
static bool wait_for_helper(pid_t pid, int *status_ret)
{
	const struct timespec pause = { .tv_nsec =
						COPY_POLL_MS * NSEC_PER_MSEC };
	uint64_t until = clock_now_ns() + COPY_LIMIT_MS * NSEC_PER_MSEC;
	pid_t ended;

	while ((ended = waitpid(pid, status_ret, __WALL | WNOHANG)) <= 0) {
		if (ended < 0 && errno != EINTR)
			return false;
		if (clock_now_ns() >= until) {
			kill(pid, SIGKILL);
			return false;
		}
		nanosleep(&pause, NULL);
	}
	return true;
}

/*
 * Runs run_user_copy() in a process without an exit signal, which other code
 * that waits for processes does not see.
 */
static bool run_helper(const struct user_copy_request *request,
	struct user_copy_result *result)
{
	pid_t pid;
	int status;

	result->errnum = EIO;
	pthread_mutex_lock(&kept_lock);
	pid = (pid_t)syscall(SYS_clone, 0, NULL, NULL, NULL, 0);
	if (!pid) {
		result->errnum = run_user_copy(request, result);
		_exit(0);
	}
	pthread_mutex_unlock(&kept_lock);
	if (pid < 0)
		return false;
	if (!wait_for_helper(pid, &status)) {
		pthread_mutex_lock(&kept_lock);
		if (n_slow < SLOW_COPIES_MAX)
			slow_users[n_slow++] = request->user;
		pthread_mutex_unlock(&kept_lock);
		result->errnum = ETIMEDOUT;
		return false;
	}
	if (result->errnum == EPERM) {
		pthread_mutex_lock(&kept_lock);
		may_not_copy = true;
		pthread_mutex_unlock(&kept_lock);
	}
	return status == 0 && !result->errnum;
}

/*
 * Keeps COPY, a copy of the file in RESULT, if there is room. Returns a
 * descriptor of the copy or, if another thread has copied the file, of the other
 * copy.
 */
static int keep_copy(const struct user_copy_result *result, int copy)
{
	const struct stat *file = &result->file;
	char name[64];
	int fd = copy;

	pthread_mutex_lock(&kept_lock);
	if (result->known && result->known <= n_kept) {
		fd = kept_copies[result->known - 1].fd;
	} else if (n_kept < COPIES_MAX &&
		(uint64_t)file->st_size <= COPIED_BYTES_MAX - kept_bytes) {
		fd = fcntl(copy, F_DUPFD_CLOEXEC, 0);
		if (fd >= 0) {
			kept_copies[n_kept++] =
				(struct kept_copy){ file_identity_of(file),
					fd };
			kept_bytes += (uint64_t)file->st_size;
		}
	}
	pthread_mutex_unlock(&kept_lock);
	/* Each reader has its own file offset. */
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return fd < 0 ? -1 : open(name, O_RDONLY | O_CLOEXEC);
}

static void report_unreadable(
	pid_t pid, const struct user_copy_request *request, int errnum)
{
	static bool is_reported;

	if (__atomic_exchange_n(&is_reported, true, __ATOMIC_RELAXED))
		return;
	log_note(
		"cannot read a file of process %d, which only user %" PRIu32
		" can read (a FUSE or NFS mount): %s; its functions have no names. "
		"Record as this user, or mount with -o allow_other",
		(int)pid, request->user, strerror(errnum));
}

/* Copies the file of REQUEST for user_copy_open(). */
static int make_user_copy(
	pid_t pid, const struct user_copy_request *request, struct stat *ret)
{
	struct user_copy_result *shared = mmap(NULL, sizeof(*shared),
		PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	/* The helper may still write to *shared. */
	struct user_copy_result result;
	bool is_copied;

	if (shared == MAP_FAILED)
		return -1;
	is_copied = run_helper(request, shared);
	result = *shared;
	munmap(shared, sizeof(*shared));
	if (!is_copied) {
		if (result.errnum != EPERM)
			report_unreadable(pid, request, result.errnum);
		return -1;
	}
	*ret = result.file;
	if (!result.known) {
		struct timespec times[2] = { result.file.st_atim,
			result.file.st_mtim };

		/* The copy has the owner whose limits it counts for. */
		(void)!fchown(request->copy, request->user, (gid_t)-1);
		if (futimens(request->copy, times) < 0)
			return -1;
	}
	return keep_copy(&result, request->copy);
}

int user_copy_open(int found, pid_t pid, struct stat *ret)
{
	_cleanup_close_ int copy = memfd_create("copy", MFD_CLOEXEC);
	_cleanup_close_ int space = -1;
	struct user_copy_request request = { .found = found, .copy = copy };
	char name[64];

	if (copy < 0 || !read_user_ids(pid, &request) ||
		is_refused(request.user))
		return -1;
	snprintf(name, sizeof(name), "/proc/%d/ns/user", (int)pid);
	space = request.space = open(name, O_RDONLY | O_CLOEXEC);
	return make_user_copy(pid, &request, ret);
}
