/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *	mute FOLDER COMMAND...
 *
 * Runs COMMAND while FOLDER is a file system that never answers: open() of a
 * file in it blocks until COMMAND has ended. Exits with 77 if it cannot be
 * mounted.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd = open("/dev/fuse", O_RDWR);
	char options[128];

	if (argc < 3 || fd < 0 || unshare(CLONE_NEWNS) < 0 ||
		mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return 77;
	snprintf(options, sizeof(options),
		"fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	if (mount("mute", argv[1], "fuse", 0, options) < 0)
		return 77;
	execvp(argv[2], argv + 2);
	return 127;
}
