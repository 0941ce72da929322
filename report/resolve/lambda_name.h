/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of lambdas. Compilers number lambdas in their linkage names, each in
 * its own way, and debug information can lack the scopes of a lambda.
 */
#ifndef DWELL_REPORT_RESOLVE_LAMBDA_NAME_H
#define DWELL_REPORT_RESOLVE_LAMBDA_NAME_H

/*
 * Returns NAME, the demangled name of a lambda's call operator, without numbers
 * of lambdas and without the parameters of functions:
 * "f::{lambda}::operator()" for "f(int)::{lambda(char)#2}::operator()" and for
 * "f(int)::$_1::operator()". The caller frees the name.
 */
char *lambda_name(const char *name);

#endif
