/* TCGMSG for C: the numbers that a program adds to the type of a message to state what it contains.
 * The include guard is the one of GA's header, because a program may also include that. */
#ifndef MSGTYPES_H_
#define MSGTYPES_H_

#define MSGDBL 65536
#define MSGINT 131072
#define MSGCHR 262144

#endif
