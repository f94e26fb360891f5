/* Operations on two numbers a and b of one type, as expressions: reductions of teams and atomic
 * updates have the same. Logical and bitwise ones are for integers. */
#ifndef CWI_TRANSFER_OPERATORS_H
#define CWI_TRANSFER_OPERATORS_H

/* With zeros of both signs, and with numbers that are none, it matters which comes first: a does.
 */
#define CWI_MINIMUM_OF(a, b) ((b) < (a) ? (b) : (a))
#define CWI_MAXIMUM_OF(a, b) ((b) > (a) ? (b) : (a))

/* Of unsigned numbers of any width, without the signed ones that C makes of short ones. */
#define CWI_WRAPPING_SUM(a, b) (1U * (a) + (b))
#define CWI_WRAPPING_PRODUCT(a, b) (1U * (a) * (b))

/* Parts of a product of complex numbers. */
#define CWI_REAL_OF_PRODUCT(ar, ai, br, bi) ((ar) * (br) - (ai) * (bi))
#define CWI_IMAGINARY_OF_PRODUCT(ar, ai, br, bi) ((ar) * (bi) + (ai) * (br))

#endif
