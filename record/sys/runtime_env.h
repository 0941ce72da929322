/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Environment variables that make language runtimes write the names of their code to
 * perf maps, for --runtime-env.
 */
#ifndef DWELL_RECORD_SYS_RUNTIME_ENV_H
#define DWELL_RECORD_SYS_RUNTIME_ENV_H

/*
 * Sets the variables of all known runtimes in this process, for children. Options that a
 * variable has already are kept.
 */
void runtime_env_set(void);

#endif
