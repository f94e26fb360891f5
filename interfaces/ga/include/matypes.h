/* Types of MA. The include guard is the one of GA's header, because a program may also include
 * that. */
#ifndef _MATYPES_H
#define _MATYPES_H

#include "typesf2c.h"

typedef Integer Boolean;
typedef char *Pointer;
typedef long MA_AccessIndex;
typedef long double MA_LongDouble;

typedef struct {
  float dummy[2];
} MA_SingleComplex;

typedef struct {
  double dummy[2];
} MA_DoubleComplex;

typedef struct {
  double dummy[4];
} MA_LongDoubleComplex;

#endif
