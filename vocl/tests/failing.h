/* What the failing vendor (failing.c) does not write; what, written to a buffer, makes it the one
 * whose reads fail while they are under way; and what its devices say is the most that a buffer may
 * have: they take more. */
#ifndef TESTS_VOCL_FAILING_H
#define TESTS_VOCL_FAILING_H

enum { VOCL_FAILS = 0x0fa11ed5, VOCL_SPOILS = 0x05901150, VOCL_SMALL = 1 << 20 };

#endif
