/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "report/servers.h"

#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#include <errno.h>

#include "common/alloc.h"
#include "common/clock.h"
#include "common/log.h"
#include "report/progress.h"

#define LIBRARY "libdebuginfod.so.1"
/* The library's own default is 90, which is long for who waits for a table. */
#define TIMEOUT_DEFAULT "20"
/* The library tries again what took too long: not for twice as long. */
#define PATIENCE_EXTRA NSEC_PER_SEC
/* One file may fail, but not all of a hundred. */
#define FAILURES_MAX 3u
/* A recording may name as many files as somebody likes. */
#define ASKED_MAX 2000u

struct servers {
	void *library;
	debuginfod_client *client;
	typeof(debuginfod_end) *end;
	typeof(debuginfod_find_debuginfo) *find_debug;
	typeof(debuginfod_find_executable) *find_file;
	uint64_t timeout_ns;
	bool is_over; /* nobody is asked any more */
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

	servers->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!servers->library)
		return false;
	begin = dlsym(servers->library, "debuginfod_begin");
	set_progress = dlsym(servers->library, "debuginfod_set_progressfn");
	set_user_data = dlsym(servers->library, "debuginfod_set_user_data");
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
	return true;
}

struct servers *servers_create(const char *urls)
{
	struct servers *servers = xcalloc(1, sizeof(*servers));

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
	return servers->was_too_slow;
}

/* In the end version 0.188 says of what has hung that it isn't there. */
static bool took_too_long(const struct servers *servers, int errnum)
{
	uint64_t waited = clock_now_ns() - servers->bytes_at;

	return servers->was_too_slow || errnum == ETIME ||
		errnum == ETIMEDOUT || waited >= servers->timeout_ns;
}

static void give_up(struct servers *servers, const char *name, int errnum,
	bool is_late)
{
	servers->is_over = is_late || ++servers->failures >= FAILURES_MAX;
	if (is_late)
		log_note("%s: the servers for debug files take too long "
			 "(DEBUGINFOD_TIMEOUT is %s s); they aren't asked any "
			 "more",
			name, getenv("DEBUGINFOD_TIMEOUT"));
	else
		log_note("%s: the servers for debug files can't be asked (%s)%s",
			name, strerror(errnum),
			servers->is_over ? "; they aren't any more" : "");
}

char *servers_find(struct servers *servers, enum servers_kind kind,
	const struct build_id *id, const char *name)
{
	typeof(debuginfod_find_debuginfo) *find;
	char *path = NULL;
	bool late;
	int fd;

	if (!servers || servers->is_over || !id->size)
		return NULL;
	if (++servers->n_asked > ASKED_MAX) {
		servers->is_over = true;
		log_note("%s and more: servers aren't asked for that many "
			 "files",
			name);
		return NULL;
	}
	find = kind == SERVERS_DEBUG ? servers->find_debug
					: servers->find_file;
	servers->name = name;
	servers->bytes = -1;
	servers->bytes_at = clock_now_ns();
	servers->was_too_slow = false;
	fd = find(servers->client, id->bytes, id->size, &path);
	progress_clear();
	if (fd >= 0) {
		close(fd);
		return path;
	}
	late = took_too_long(servers, -fd);
	if (late || fd != -ENOENT)
		give_up(servers, name, -fd, late);
	return NULL;
}

void servers_refuse(struct servers *servers _unused_,
	const char *path, const char *name)
{
	unlink(path);
	log_note("%s: what a server for debug files sent is another file, "
		 "and isn't used",
		name);
}
