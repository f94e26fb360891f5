/* Types of Fortran in C, under the names that GA's programs use. The include guard is the one of
 * GA's header, because a program may also include that. */
#ifndef TYPESF2C_H_
#define TYPESF2C_H_

#define FATR

/* The default kinds of Fortran's types. Integer has 8 bytes, as INTEGER has with gfortran's
 * -fdefault-integer-8. For libcwga-i4, where INTEGER has 4 bytes, compile the program with
 * CWGA_INTEGER_4 defined. */
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
