/* Constants of the failing vendor (failing.c): a value that it does not write; a value that,
 * written to a buffer, makes the buffer's reads fail in progress; and the largest buffer that its
 * devices report, although they accept larger ones. */
#pragma once

enum { VOCL_FAILS = 0x0fa11ed5, VOCL_SPOILS = 0x05901150, VOCL_SMALL = 1 << 20 };
