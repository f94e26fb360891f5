/* Types of Fortran in C, as programs on GA know them. The guard is GA's: a program may meet its
 * header, too.
 */
#ifndef TYPESF2C_H_
#define TYPESF2C_H_

#define FATR

/* Of the compilers' default kinds, with Integer as wide as an address. */
typedef long Integer;
typedef Integer logical;
typedef Integer Logical;
typedef float Real;
typedef double DoublePrecision;
typedef long intp;

typedef struct {
  Real real;
  Real imag;
} SingleComplex;

typedef struct {
  DoublePrecision real;
  DoublePrecision imag;
} DoubleComplex;

#endif
