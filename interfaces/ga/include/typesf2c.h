/* Types of Fortran in C, under the names that programs on GA use. The guard is the one of GA's
 * header, because a program may also include that. */
#ifndef TYPESF2C_H_
#define TYPESF2C_H_

#define FATR

/* The compilers' default kinds. Integer is as wide as an address, as with gfortran's
 * -fdefault-integer-8. Programs on libcwga-i4, where Fortran's INTEGER has 4 bytes, are compiled
 * with CWGA_INTEGER_4. */
#ifdef CWGA_INTEGER_4
typedef int Integer;
#else
typedef long Integer;
#endif
typedef Integer logical;
typedef Integer Logical;
typedef float Real;
typedef double DoublePrecision;
typedef long intp;

/* The handle of a non-blocking operation. */
typedef long ga_nbhdl_t;

typedef struct {
  Real real;
  Real imag;
} SingleComplex;

typedef struct {
  DoublePrecision real;
  DoublePrecision imag;
} DoubleComplex;

#endif
