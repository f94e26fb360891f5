/* TCGMSG for C: what a program adds to the type of a message, to say what is in it. The guard is
 * GA's: a program may meet its header, too. */
#ifndef MSGTYPES_H_
#define MSGTYPES_H_

#define MSGDBL 65536
#define MSGINT 131072
#define MSGCHR 262144

#endif
