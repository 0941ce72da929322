/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stub for builds without capstone. */
#include "config.h"

#include "report/code/disassemble.h"

struct error *disassemble(const struct code *code _unused_,
	enum disassemble_syntax syntax _unused_, struct disassembly *ret)
{
	*ret = (struct disassembly){ 0 };
	return error_new("cannot disassemble: dwell was built without capstone "
			 "(Debian package: libcapstone-dev)");
}

void disassembly_deinit(struct disassembly *disassembly _unused_)
{
}
