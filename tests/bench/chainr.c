/* SPDX-License-Identifier: GPL-2.0-or-later */
/* chain.c with call chains that hardly ever repeat, as in real programs. */
#define CHAIN_RANDOM
#include "tests/bench/chain.c"
