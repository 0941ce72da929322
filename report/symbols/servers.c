/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/symbols/servers.h"

#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#include <errno.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "common/util/alloc.h"
#include "common/util/clock.h"
#include "common/util/escape.h"
#include "common/util/log.h"
#include "common/util/strbuf.h"
#include "report/util/progress.h"

#define LIBRARY "libdebuginfod.so.1"
/*
 * Default of DEBUGINFOD_TIMEOUT, in seconds. libdebuginfod's own default of 90
 * is too long for an interactive user.
 */
#define TIMEOUT_DEFAULT "20"
/*
 * libdebuginfod retries a slow request. The request is canceled this time after
 * the timeout, before the second try ends.
 */
#define TIMEOUT_EXTRA NSEC_PER_SEC
/*
 * Limits of one file: its size in bytes, and the time of its download in
 * seconds. DEBUGINFOD_MAXSIZE and DEBUGINFOD_MAXTIME set other ones.
 */
#define FILE_SIZE_MAX GIB(4)
#define FILE_SECONDS_MAX 3600u
/* After this number of failed requests, no more requests are sent. */
#define FAILURES_MAX 3u
/* Limit of requests: a hostile recording can name very many files. */
#define REQUESTS_MAX 2000u
/* Limit of libdebuginfod's messages that are read after a request, in bytes. */
#define MESSAGES_MAX 16384u

struct servers {
	void *library;
	debuginfod_client *client;
	typeof(debuginfod_end) *close;
	typeof(debuginfod_find_debuginfo) *find_debug;
	typeof(debuginfod_find_executable) *find_file;
	uint64_t timeout_ns, seconds_max, size_max;
	bool is_over;	 /* no more requests are sent */
	bool has_missed; /* no server has the file of the last request */
	int messages;	 /* memory file with libdebuginfod's messages; -1:
	                  * none */
	unsigned failures, n_requests;
	/* The following members describe the current request. */
	const char *name;
	uint64_t requested_at;
	long bytes;	   /* bytes received so far */
	uint64_t bytes_at; /* time at which .bytes last changed */
	enum {
		DOWNLOAD_GOES_ON,
		DOWNLOAD_TOO_SLOW,
		DOWNLOAD_TOO_LONG,
		DOWNLOAD_TOO_LARGE,
	} end;
};

/*
 * Progress callback of libdebuginfod, called a few times per second. A result
 * other than 0 cancels the request.
 */
static int follow_download(debuginfod_client *client, long done, long total);

static typeof(debuginfod_get_user_data) *get_user_data;

static bool load_library(struct servers *servers)
{
	typeof(debuginfod_begin) *begin;
	typeof(debuginfod_set_progressfn) *set_progress;
	typeof(debuginfod_set_user_data) *set_user_data;
	typeof(debuginfod_set_verbose_fd) *set_verbose;

	servers->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!servers->library)
		return false;
	begin = dlsym(servers->library, "debuginfod_begin");
	set_progress = dlsym(servers->library, "debuginfod_set_progressfn");
	set_user_data = dlsym(servers->library, "debuginfod_set_user_data");
	set_verbose = dlsym(servers->library, "debuginfod_set_verbose_fd");
	get_user_data = dlsym(servers->library, "debuginfod_get_user_data");
	servers->close = dlsym(servers->library, "debuginfod_end");
	servers->find_debug =
		dlsym(servers->library, "debuginfod_find_debuginfo");
	servers->find_file =
		dlsym(servers->library, "debuginfod_find_executable");
	if (!begin || !set_progress || !set_user_data || !get_user_data ||
		!servers->close || !servers->find_debug || !servers->find_file)
		return false;
	servers->client = begin();
	if (!servers->client)
		return false;
	set_user_data(servers->client, servers);
	set_progress(servers->client, follow_download);
	/*
	 * With DEBUGINFOD_VERBOSE, libdebuginfod prints its messages to stderr.
	 */
	if (set_verbose && !getenv("DEBUGINFOD_VERBOSE"))
		servers->messages = memfd_create("debuginfod", MFD_CLOEXEC);
	if (servers->messages >= 0)
		set_verbose(servers->client, servers->messages);
	return true;
}

/* Returns the number in the environment variable NAME, else FALLBACK. */
static uint64_t number_from_environment(const char *name, uint64_t fallback)
{
	const char *text = getenv(name);

	return (text ? strtoul(text, NULL, 10) : 0) ?: fallback;
}

struct servers *servers_create(const char *urls)
{
	struct servers *servers = xcalloc(1, sizeof(*servers));

	servers->messages = -1;
	if (urls)
		setenv("DEBUGINFOD_URLS", urls, true);
	const char *text = getenv("DEBUGINFOD_TIMEOUT");
	unsigned long seconds = text ? strtoul(text, NULL, 10) : 0;

	if (!seconds) {
		setenv("DEBUGINFOD_TIMEOUT", TIMEOUT_DEFAULT, true);
		seconds = strtoul(TIMEOUT_DEFAULT, NULL, 10);
	}
	servers->timeout_ns = MIN(seconds, 3600ul) * NSEC_PER_SEC;
	servers->seconds_max =
		number_from_environment("DEBUGINFOD_MAXTIME", FILE_SECONDS_MAX);
	servers->size_max =
		number_from_environment("DEBUGINFOD_MAXSIZE", FILE_SIZE_MAX);
	if (load_library(servers))
		return servers;
	log_note("cannot request debug files: " LIBRARY
		 " cannot be loaded (Debian package: libdebuginfod1)");
	servers_destroy(servers);
	return NULL;
}

void servers_destroy(struct servers *servers)
{
	if (!servers)
		return;
	if (servers->client)
		servers->close(servers->client);
	if (servers->messages >= 0)
		close(servers->messages);
	/* libdebuginfod stays loaded: unloading it is not safe. */
	free(servers);
}

static int follow_download(debuginfod_client *client, long done, long total)
{
	struct servers *servers = get_user_data(client);
	uint64_t now = clock_now_ns();

	/*
	 * If TOTAL is 0, no data was received, and DONE is the number of calls.
	 */
	if (total > 0 && done != servers->bytes) {
		servers->bytes = done;
		servers->bytes_at = now;
		if (getpid() == gettid())
			progress_show(
				servers->name, (uint64_t)done, (uint64_t)total);
	}
	/*
	 * If the server does not send the size, TOTAL is 0, and DONE can be the
	 * number of bytes.
	 */
	if (MAX(done, total) > 0 &&
		(uint64_t)MAX(done, total) > servers->size_max)
		servers->end = DOWNLOAD_TOO_LARGE;
	else if ((now - servers->requested_at) / NSEC_PER_SEC >=
		servers->seconds_max)
		servers->end = DOWNLOAD_TOO_LONG;
	else if (now - servers->bytes_at > servers->timeout_ns + TIMEOUT_EXTRA)
		servers->end = DOWNLOAD_TOO_SLOW;
	return servers->end || progress_is_given_up();
}

/*
 * Returns the HTTP status of a failed server, or 0 if no server failed.
 * libdebuginfod 0.188 returns ENOENT for every HTTP error, so the status is
 * read from libdebuginfod's messages.
 */
static unsigned long find_server_error(const struct servers *servers)
{
	static const char mark[] = "returned error: ";
	char text[MESSAGES_MAX + 1];
	ssize_t n = servers->messages < 0
		? 0
		: pread(servers->messages, text, MESSAGES_MAX, 0);
	const char *at = text;

	text[MAX(n, (ssize_t)0)] = '\0';
	while ((at = strstr(at, mark))) {
		unsigned long status = strtoul(at + strlen(mark), NULL, 10);

		/* The server failed or is overloaded. */
		if (status >= 500 || status == 408 || status == 429)
			return status;
		at += strlen(mark);
	}
	return 0;
}

/* Appends the path of the cache, as debuginfod_find_debuginfo(3) describes it. */
static void put_cache_path(struct strbuf *path)
{
	const char *home = getenv("HOME") ?: "/";
	const char *own = getenv("DEBUGINFOD_CACHE_PATH");
	const char *caches = getenv("XDG_CACHE_HOME");

	strbuf_printf(path, "%s/.debuginfod_client_cache", home);
	if (!own && access(path->at, F_OK) == 0)
		return;
	strbuf_clear(path);
	if (own)
		strbuf_puts(path, own);
	else if (caches)
		strbuf_printf(path, "%s/debuginfod_client", caches);
	else
		strbuf_printf(path, "%s/.cache/debuginfod_client", home);
}

/*
 * Removes the empty file by which libdebuginfod's cache records that no server
 * has the file with build ID ID. libdebuginfod 0.188 also creates the empty
 * file after a timeout or a server error, and all programs read it.
 */
static void forget_cached_miss(
	enum servers_kind kind, const struct build_id *id)
{
	_cleanup_strbuf_ struct strbuf path = { 0 };
	char text[BUILD_ID_TEXT];
	struct stat status;

	put_cache_path(&path);
	strbuf_printf(&path, "/%s/%s", build_id_text(id, text),
		kind == SERVERS_DEBUG ? "debuginfo" : "executable");
	if (stat(path.at, &status) == 0 && !status.st_size)
		unlink(path.at);
}

/* Appends why the request failed with ERRNUM or the HTTP error STATUS. */
static void put_request_error(const struct servers *servers, int errnum,
	unsigned long status, struct strbuf *why)
{
	_cleanup_strbuf_ struct strbuf cache = { 0 };
	struct statvfs system;

	if (servers->end == DOWNLOAD_TOO_LARGE) {
		strbuf_puts(why, "it exceeds ");
		strbuf_put_size(why, servers->size_max);
		strbuf_puts(why, ", the limit of DEBUGINFOD_MAXSIZE");
		return;
	}
	if (status) {
		strbuf_printf(why, "HTTP error %lu", status);
		return;
	}
	put_cache_path(&cache);
	/* libdebuginfod returns EIO if it cannot write the file, as on a full
	 * disk. It has removed the written part. */
	if (errnum != EIO || statvfs(cache.at, &system) < 0) {
		strbuf_puts(why, strerror(errnum));
		return;
	}
	strbuf_puts(why, "it cannot be written to ");
	escape_text(why, cache.at);
	strbuf_puts(why, ", whose disk has room for ");
	strbuf_put_size(why, (uint64_t)system.f_bavail * system.f_frsize);
}

/* Handles ERRNUM, the error of the request for NAME. */
static void handle_request_error(struct servers *servers,
	enum servers_kind kind, const struct build_id *id, const char *name,
	int errnum)
{
	unsigned long status = find_server_error(servers);
	uint64_t seconds =
		(clock_now_ns() - servers->requested_at) / NSEC_PER_SEC;

	/* libdebuginfod checks these limits, too, if the variables are set. */
	if (!servers->end && errnum == EFBIG)
		servers->end = DOWNLOAD_TOO_LARGE;
	if (!servers->end && errnum == ETIME && seconds >= servers->seconds_max)
		servers->end = DOWNLOAD_TOO_LONG;
	/*
	 * libdebuginfod 0.188 returns ENOENT for a server that did not answer,
	 * or that sent less than 100 KB per second until the timeout.
	 */
	uint64_t waited = clock_now_ns() -
		(errnum == ENOENT ? servers->requested_at : servers->bytes_at);
	bool late = servers->end == DOWNLOAD_GOES_ON
		? errnum == ETIME || errnum == ETIMEDOUT ||
			waited >= servers->timeout_ns
		: servers->end == DOWNLOAD_TOO_SLOW;
	_cleanup_strbuf_ struct strbuf why = { 0 };

	if (late || status || servers->end || progress_is_given_up())
		forget_cached_miss(kind, id);
	if (progress_is_given_up())
		return;
	servers->has_missed =
		!late && !status && !servers->end && errnum == ENOENT;
	if (servers->has_missed)
		return;
	servers->is_over = late || servers->end == DOWNLOAD_TOO_LONG ||
		++servers->failures >= FAILURES_MAX;
	if (late)
		log_note("%s: debuginfod servers did not answer in %s s "
			 "(DEBUGINFOD_TIMEOUT); no more files are requested",
			name, getenv("DEBUGINFOD_TIMEOUT"));
	else if (servers->end == DOWNLOAD_TOO_LONG)
		log_note("%s: debuginfod servers did not send it in %" PRIu64
			 " s (DEBUGINFOD_MAXTIME); no more files are requested",
			name, servers->seconds_max);
	if (late || servers->end == DOWNLOAD_TOO_LONG)
		return;
	put_request_error(servers, errnum, status, &why);
	log_note("%s: cannot request it from debuginfod servers (%s)%s", name,
		why.at,
		servers->is_over ? "; no more files are requested" : "");
}

char *servers_find(struct servers *servers, enum servers_kind kind,
	const struct build_id *id, const char *name)
{
	char *path = NULL;
	int fd;

	if (!servers)
		return NULL;
	servers->has_missed = false;
	if (servers->is_over || !id->size || progress_is_given_up())
		return NULL;
	if (++servers->n_requests > REQUESTS_MAX) {
		servers->is_over = true;
		log_note("%s: not requested from debuginfod servers: the limit "
			 "is %u files",
			name, REQUESTS_MAX);
		return NULL;
	}
	typeof(debuginfod_find_debuginfo) *find = kind == SERVERS_DEBUG
		? servers->find_debug
		: servers->find_file;

	servers->name = name;
	servers->bytes = -1;
	servers->requested_at = servers->bytes_at = clock_now_ns();
	servers->end = DOWNLOAD_GOES_ON;
	if (servers->messages >= 0 &&
		(ftruncate(servers->messages, 0) < 0 ||
			lseek(servers->messages, 0, SEEK_SET) < 0)) {
		fd = -errno;
	} else {
		fd = find(servers->client, id->bytes, id->size, &path);
		progress_clear();
	}
	if (fd >= 0) {
		close(fd);
		return path;
	}
	handle_request_error(servers, kind, id, name, -fd);
	return NULL;
}

bool servers_have_missed(const struct servers *servers)
{
	return servers && servers->has_missed;
}

void servers_refuse(
	struct servers *servers _unused_, const char *path, const char *name)
{
	unlink(path);
	log_note("%s: ignored the file from a debuginfod server: its build ID "
		 "differs",
		name);
}
