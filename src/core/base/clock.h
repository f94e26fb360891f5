/* Seconds from a clock that never goes back. */
#ifndef CWI_BASE_CLOCK_H
#define CWI_BASE_CLOCK_H

#ifdef __cplusplus
extern "C" {
#endif

double cwi_now(void);

#ifdef __cplusplus
}
#endif
#endif
