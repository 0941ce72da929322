/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replaces terminal.c in a build without ncurses. */
#include "config.h"

#include "report/tui/terminal.h"

bool terminal_is_interactive(void)
{
	return false;
}

struct error *terminal_check(void)
{
	return error_new("dwell was built without ncurses (Debian package: "
			 "libncurses-dev); for text, use --stdio");
}

struct error *terminal_open(bool has_colour _unused_)
{
	return terminal_check();
}

void terminal_close(void)
{
}

void terminal_resize_grid(struct grid *grid _unused_)
{
}

void terminal_show(const struct grid *grid _unused_)
{
}

uint32_t terminal_key(int wait_ms _unused_)
{
	return TERMINAL_CLOSED;
}
