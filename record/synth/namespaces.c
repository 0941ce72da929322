/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/synth/namespaces.h"

#include <sys/stat.h>

#include "common/perf/record.h"
#include "common/util/alloc.h"

/* Files of /proc/PID/ns, in the order of linux/perf_event.h's *_NS_INDEX. */
static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt",
	"cgroup" };

void namespaces_add(pid_t pid, pid_t tid, const void *trailer,
	size_t trailer_size, struct strbuf *out)
{
	_cleanup_strbuf_ struct strbuf payload = { 0 };
	struct stat file;
	size_t i;

	strbuf_put_u32(&payload, (uint32_t)pid);
	strbuf_put_u32(&payload, (uint32_t)tid);
	strbuf_put_u64(&payload, ARRAY_SIZE(names));
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_free_ char *path = xasprintf(
			"/proc/%d/task/%d/ns/%s", (int)pid, (int)tid, names[i]);

		if (stat(path, &file) < 0)
			return;
		strbuf_put_u64(&payload, file.st_dev);
		strbuf_put_u64(&payload, file.st_ino);
	}
	strbuf_put(&payload, trailer, trailer_size);
	record_write(out, RECORD_NAMESPACES, 0, payload.at, payload.n);
}
