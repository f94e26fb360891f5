/* Kernels of backends.c. They are compiled as those of src/move/device/library_kernels.cl, and trial.c says
 * the same in C. */
#ifdef __NVPTX__
static inline ulong item(uint dimension)
{
  switch (dimension) {
  case 0:
    return (ulong)__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +
           __nvvm_read_ptx_sreg_tid_x();
  case 1:
    return (ulong)__nvvm_read_ptx_sreg_ctaid_y() * __nvvm_read_ptx_sreg_ntid_y() +
           __nvvm_read_ptx_sreg_tid_y();
  default:
    return (ulong)__nvvm_read_ptx_sreg_ctaid_z() * __nvvm_read_ptx_sreg_ntid_z() +
           __nvvm_read_ptx_sreg_tid_z();
  }
}
#else
#define item(dimension) get_global_id(dimension)
#endif

struct two {
  ulong first, second;
};

struct table {
  uint numbers[50];
};

/* Each item writes who it is. */
kernel void trial_index(global uint *to, uint size0, uint size1)
{
  to[item(0) + size0 * (item(1) + size1 * item(2))] += item(0) + 1000 * item(1) + 1000000 * item(2);
}

/* Scalars of 1, 2, 4, 8, 16 and 200 bytes. */
kernel void trial_scalars(global uchar *to, uchar one, ushort two, uint four, ulong eight,
                          struct two sixteen, struct table table)
{
  global ulong *words = (global ulong *)to;
  words[0] = one;
  words[1] = two;
  words[2] = four;
  words[3] = eight;
  words[4] = sixteen.first;
  words[5] = sixteen.second;
  for (int i = 0; i < 50; i++)
    words[6 + i] = table.numbers[i];
}

/* Whose result tells in which order it ran. */
kernel void trial_step(global uint *to, uint number)
{
  to[item(0)] = 3 * to[item(0)] + number;
}

kernel void trial_copy(global uint *to, global const uint *from)
{
  to[item(0)] = from[item(0)];
}
