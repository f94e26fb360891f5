/* What the failing vendor (failing.c) does not write. */
#ifndef TESTS_VOCL_FAILING_H
#define TESTS_VOCL_FAILING_H

enum { VOCL_FAILS = 0x0fa11ed5 };

#endif
