/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns calls of functions that have no safe use into compile errors.
 * Makefile.am includes this file on the compiler's command line. The
 * system headers are included first, because the macros below would break the
 * declarations in them.
 */
#ifndef DWELL_COMMON_UTIL_BANNED_H
#define DWELL_COMMON_UTIL_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BANNED(function) function##_is_banned

#undef strcpy
#define strcpy(a, b) BANNED(strcpy)
#undef strcat
#define strcat(a, b) BANNED(strcat)
#undef strncpy
#define strncpy(a, b, c) BANNED(strncpy)
#undef strncat
#define strncat(a, b, c) BANNED(strncat)
#undef strtok
#define strtok(a, b) BANNED(strtok)
#undef sprintf
#define sprintf(...) BANNED(sprintf)
#undef vsprintf
#define vsprintf(...) BANNED(vsprintf)
#undef gmtime
#define gmtime(a) BANNED(gmtime)
#undef localtime
#define localtime(a) BANNED(localtime)
#undef ctime
#define ctime(a) BANNED(ctime)
#undef asctime
#define asctime(a) BANNED(asctime)
#undef atoi
#define atoi(a) BANNED(atoi)

#endif
