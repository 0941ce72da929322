/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where capstone wasn't there when dwell was built. */
#include "config.h"

#include "report/code/disassemble.h"

struct error *disassemble(const struct code *code _unused_,
	enum disassemble_syntax syntax _unused_, struct disassembly *ret)
{
	*ret = (struct disassembly){ 0 };
	return error_new("instructions can't be read: dwell was built without "
			 "capstone (Debian's package is libcapstone-dev)");
}

void disassembly_deinit(struct disassembly *disassembly _unused_)
{
}
