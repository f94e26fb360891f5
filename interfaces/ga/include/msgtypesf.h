!     TCGMSG for Fortran: what a program adds to the type of a message, to
!     say what is in it. docs/reference/fortran.md
      integer msgdbl, msgint, msgchr
      parameter (msgdbl = 65536)
      parameter (msgint = 131072)
      parameter (msgchr = 262144)
