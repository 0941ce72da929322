/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stub for builds without capstone. */
#include "config.h"

#include "report/code/disassembly.h"

struct error *disassembly_make(const struct disassembly_code *code _unused_,
	enum disassembly_syntax syntax _unused_, struct disassembly *ret)
{
	*ret = (struct disassembly){ 0 };
	return error_new("cannot disassemble: dwell was built without capstone "
			 "(Debian package: libcapstone-dev)");
}

void disassembly_deinit(struct disassembly *disassembly _unused_)
{
}
