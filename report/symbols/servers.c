/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/symbols/servers.h"

#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "common/util/alloc.h"
#include "common/util/clock.h"
#include "common/util/log.h"
#include "common/util/strbuf.h"
#include "report/util/progress.h"

#define LIBRARY "libdebuginfod.so.1"
/* The library's own default is 90, which is long for who waits for a table. */
#define TIMEOUT_DEFAULT "20"
/* The library tries again what took too long: not for twice as long. */
#define PATIENCE_EXTRA NSEC_PER_SEC
/* One file may fail, but not all of a hundred. */
#define FAILURES_MAX 3u
/* A recording may name as many files as somebody likes. */
#define ASKED_MAX 2000u
/* Of what the library tells about a file, in bytes. */
#define TOLD_MAX 16384u

struct servers {
	void *library;
	debuginfod_client *client;
	typeof(debuginfod_end) *end;
	typeof(debuginfod_find_debuginfo) *find_debug;
	typeof(debuginfod_find_executable) *find_file;
	uint64_t timeout_ns;
	bool is_over; /* nobody is asked any more */
	bool has_missed; /* none has what was asked for last */
	int told; /* what the library tells about it, in memory; -1: nothing */
	unsigned failures, n_asked;
	/* While something is on its way: */
	const char *name;
	long bytes;         /* that came */
	uint64_t bytes_at;  /* when they came */
	bool was_too_slow;
};

/* The library calls this a few times a second. */
static int follow(debuginfod_client *client, long done, long total);

/* Seconds, by what the library reads as well. */
static uint64_t read_timeout(void)
{
	const char *text = getenv("DEBUGINFOD_TIMEOUT");
	unsigned long seconds = text ? strtoul(text, NULL, 10) : 0;

	if (!seconds) {
		setenv("DEBUGINFOD_TIMEOUT", TIMEOUT_DEFAULT, true);
		seconds = strtoul(TIMEOUT_DEFAULT, NULL, 10);
	}
	return MIN(seconds, 3600ul);
}

static typeof(debuginfod_get_user_data) *get_user_data;

static bool load(struct servers *servers)
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
	servers->end = dlsym(servers->library, "debuginfod_end");
	servers->find_debug = dlsym(
		servers->library, "debuginfod_find_debuginfo");
	servers->find_file = dlsym(
		servers->library, "debuginfod_find_executable");
	if (!begin || !set_progress || !set_user_data || !get_user_data ||
		!servers->end || !servers->find_debug ||
		!servers->find_file)
		return false;
	servers->client = begin();
	if (!servers->client)
		return false;
	set_user_data(servers->client, servers);
	set_progress(servers->client, follow);
	/* Who wants to read that on stderr has set this. */
	if (set_verbose && !getenv("DEBUGINFOD_VERBOSE"))
		servers->told = memfd_create("debuginfod", MFD_CLOEXEC);
	if (servers->told >= 0)
		set_verbose(servers->client, servers->told);
	return true;
}

struct servers *servers_create(const char *urls)
{
	struct servers *servers = xcalloc(1, sizeof(*servers));

	servers->told = -1;
	if (urls)
		setenv("DEBUGINFOD_URLS", urls, true);
	servers->timeout_ns = read_timeout() * NSEC_PER_SEC;
	if (load(servers))
		return servers;
	log_note("no server is asked for debug files: " LIBRARY
		 " can't be loaded (Debian's package is libdebuginfod1)");
	servers_destroy(servers);
	return NULL;
}

void servers_destroy(struct servers *servers)
{
	if (!servers)
		return;
	if (servers->client)
		servers->end(servers->client);
	if (servers->told >= 0)
		close(servers->told);
	/* It stays loaded: libraries of its kind don't like to be taken out. */
	free(servers);
}

static int follow(debuginfod_client *client, long done, long total)
{
	struct servers *servers = get_user_data(client);
	uint64_t now = clock_now_ns();

	/* Without a total nothing has come, and DONE is how often it looked. */
	if (total > 0 && done != servers->bytes) {
		servers->bytes = done;
		servers->bytes_at = now;
		if (getpid() == gettid())
			progress_show(servers->name, (uint64_t)done,
				(uint64_t)total);
	}
	servers->was_too_slow =
		now - servers->bytes_at > servers->timeout_ns + PATIENCE_EXTRA;
	return servers->was_too_slow || progress_is_given_up();
}

/* In the end version 0.188 says of what has hung that it isn't there. */
static bool took_too_long(const struct servers *servers, int errnum)
{
	uint64_t waited = clock_now_ns() - servers->bytes_at;

	return servers->was_too_slow || errnum == ETIME ||
		errnum == ETIMEDOUT || waited >= servers->timeout_ns;
}

/* Not that there is no such file: it can't tell, or is asked too often. */
static bool is_trouble(unsigned long status)
{
	return status >= 500 || status == 408 || status == 429;
}

/*
 * Version 0.188 says of whatever status a server answers with that the file isn't
 * there; which one it was is only in what it tells beside that. 0: no trouble.
 */
static unsigned long find_trouble(const struct servers *servers)
{
	static const char mark[] = "returned error: ";
	char text[TOLD_MAX + 1];
	ssize_t n = servers->told < 0
		? 0
		: pread(servers->told, text, TOLD_MAX, 0);
	const char *at = text;

	text[MAX(n, (ssize_t)0)] = '\0';
	while ((at = strstr(at, mark))) {
		unsigned long status = strtoul(at + strlen(mark), NULL, 10);

		if (is_trouble(status))
			return status;
		at += strlen(mark);
	}
	return 0;
}

static void give_up(struct servers *servers, const char *name,
	const char *why, bool is_late)
{
	servers->is_over = is_late || ++servers->failures >= FAILURES_MAX;
	if (is_late)
		log_note("%s: the servers for debug files take too long "
			 "(DEBUGINFOD_TIMEOUT is %s s); they aren't asked any "
			 "more",
			name, getenv("DEBUGINFOD_TIMEOUT"));
	else
		log_note("%s: the servers for debug files can't be asked (%s)%s",
			name, why,
			servers->is_over ? "; they aren't any more" : "");
}

/* Where the library's manual says that its cache is. */
static void put_cache(struct strbuf *out)
{
	const char *home = getenv("HOME") ?: "/";
	const char *own = getenv("DEBUGINFOD_CACHE_PATH");
	const char *caches = getenv("XDG_CACHE_HOME");

	if (own) {
		strbuf_puts(out, own);
		return;
	}
	strbuf_printf(out, "%s/.debuginfod_client_cache", home);
	if (access(out->at, F_OK) == 0)
		return;
	strbuf_clear(out);
	if (caches)
		strbuf_printf(out, "%s/debuginfod_client", caches);
	else
		strbuf_printf(out, "%s/.cache/debuginfod_client", home);
}

/*
 * What nobody waited for to the end, or what a server was in no state to tell of,
 * is no file that no server has; version 0.188 keeps that in mind, for all
 * programs.
 */
static void forget_miss(enum servers_kind kind, const struct build_id *id)
{
	_cleanup_strbuf_ struct strbuf path = { 0 };
	char text[BUILD_ID_TEXT];
	struct stat status;

	put_cache(&path);
	strbuf_printf(&path, "/%s/%s", build_id_text(id, text),
		kind == SERVERS_DEBUG ? "debuginfo" : "executable");
	if (stat(path.at, &status) == 0 && !status.st_size)
		unlink(path.at);
}

/* As find_debuginfo() of the library, of KIND. */
static int ask(struct servers *servers, enum servers_kind kind,
	const struct build_id *id, const char *name, char **path_ret)
{
	typeof(debuginfod_find_debuginfo) *find = kind == SERVERS_DEBUG
		? servers->find_debug
		: servers->find_file;
	int fd;

	servers->name = name;
	servers->bytes = -1;
	servers->bytes_at = clock_now_ns();
	servers->was_too_slow = false;
	if (servers->told >= 0 && (ftruncate(servers->told, 0) < 0 ||
					  lseek(servers->told, 0, SEEK_SET) < 0))
		return -errno;
	fd = find(servers->client, id->bytes, id->size, path_ret);
	progress_clear();
	return fd;
}

/* Whether ERRNUM, for NAME, is what servers answer, which is kept in mind. */
static void take_refusal(struct servers *servers, enum servers_kind kind,
	const struct build_id *id, const char *name, int errnum)
{
	unsigned long status = find_trouble(servers);
	bool late = took_too_long(servers, errnum);
	char why[64] = "";

	if (late || status || progress_is_given_up())
		forget_miss(kind, id);
	if (progress_is_given_up())
		return;
	servers->has_missed = !late && !status && errnum == ENOENT;
	if (servers->has_missed)
		return;
	if (status)
		snprintf(why, sizeof(why), "HTTP error %lu", status);
	give_up(servers, name, status ? why : strerror(errnum), late);
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
	if (++servers->n_asked > ASKED_MAX) {
		servers->is_over = true;
		log_note("%s and more: servers aren't asked for that many "
			 "files",
			name);
		return NULL;
	}
	fd = ask(servers, kind, id, name, &path);
	if (fd >= 0) {
		close(fd);
		return path;
	}
	take_refusal(servers, kind, id, name, -fd);
	return NULL;
}

bool servers_have_missed(const struct servers *servers)
{
	return servers && servers->has_missed;
}

void servers_refuse(struct servers *servers _unused_,
	const char *path, const char *name)
{
	unlink(path);
	log_note("%s: what a server for debug files sent is another file, "
		 "and isn't used",
		name);
}
