# Symbol versions do not bind programs to one library: a program linked with another shared libarmci runs on ours under that
# one's name, and a tool without versions stands before ours (ARMCI_Put calls PARMCI_Put). Usage: drop_in.sh LIBARMCI
set -eu
library=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0

cat >program.c <<'END'
#include <armci.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  int me, processes, value, got = -1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  ARMCI_Init();
  void **slices = malloc((size_t)processes * sizeof *slices);
  ARMCI_Malloc(slices, sizeof(int));
  value = 40 + me;
  ARMCI_Put(&value, slices[(me + 1) % processes], sizeof(int), (me + 1) % processes);
  ARMCI_Barrier();
  ARMCI_Get(slices[me], &got, sizeof got, me);
  printf("%s %d\n", got == 40 + (me + processes - 1) % processes ? "right" : "wrong", me);
  ARMCI_Free(slices[me]);
  ARMCI_Finalize();
  MPI_Finalize();
  return 0;
}
END
cat >other.c <<'END'
/* Another library, without symbol versions: it does nothing. */
int ARMCI_Init(void) { return 0; }
int ARMCI_Malloc(void **slices, long bytes) { (void)slices; return (int)bytes; }
int ARMCI_Put(void *from, void *to, int bytes, int process) { (void)from; (void)to; return bytes + process; }
int ARMCI_Get(void *from, void *to, int bytes, int process) { (void)from; (void)to; return bytes + process; }
void ARMCI_Barrier(void) {}
int ARMCI_Free(void *memory) { return memory != 0; }
void ARMCI_Finalize(void) {}
END
cat >tool.c <<'END'
#include <stdio.h>
int PARMCI_Put(void *from, void *to, int bytes, int process);
int ARMCI_Put(void *from, void *to, int bytes, int process)
{
  printf("put %d\n", bytes);
  return PARMCI_Put(from, to, bytes, process);
}
END
mkdir other
cat >other/armci.h <<'END'
int ARMCI_Init(void);
int ARMCI_Malloc(void **slices, long bytes);
int ARMCI_Put(void *from, void *to, int bytes, int process);
int ARMCI_Get(void *from, void *to, int bytes, int process);
void ARMCI_Barrier(void);
int ARMCI_Free(void *memory);
void ARMCI_Finalize(void);
END
include="-I$SOURCE/interfaces/armci/include -I$SOURCE/include $MPI_CFLAGS"
mpi=$(ldd "$library" | sed -n 's/.*libmpi[^ ]* => \([^ ]*\) .*/\1/p' | head -n 1)
$CC -shared -fPIC -Wl,-soname,libarmci.so.9 -o libarmci.so.9 other.c
$CC -shared -fPIC -o tool.so tool.c
mkdir ours
ln -s "$library" ours/libarmci.so.9

# runs WORDS COMMAND...: two processes are right, and the words are printed so often.
runs() {
  count=$1 words=$2
  shift 2
  "$@" >said 2>&1 || { echo "fails: $*"; cat said; failed=1; }
  [ "$(grep -c '^right' said)" = 2 ] && [ "$(grep -c "$words" said || true)" = "$count" ] ||
    { echo "not right, or not $count times '$words': $*"; cat said; failed=1; }
}
for linker in bfd gold; do
  command -v ld.$linker >/dev/null || continue
  $CC -fuse-ld=$linker -Iother $MPI_CFLAGS -o on_other program.c ./libarmci.so.9 "$mpi" -Wl,-z,now
  $CC -fuse-ld=$linker $include -o on_ours program.c "$library" "$mpi" -Wl,-z,now -Wl,-rpath,"$(dirname "$library")"
  $CC -fuse-ld=$linker $include -o on_static program.c -Wl,--whole-archive "${library%.so*}.a" -Wl,--no-whole-archive "$mpi" -lm -lpthread -ldl
  ! readelf -VW on_other | grep -q ARMCI_0 || { echo 'the program of the other library needs our versions'; failed=1; }
  readelf -VW on_ours | grep -q ARMCI_0 || { echo 'the program of our library does not need versions'; failed=1; }
  runs 0 '^put' env LD_LIBRARY_PATH="$work/ours" $MPIEXEC -n 2 ./on_other
  runs 0 '^put' $MPIEXEC -n 2 ./on_ours
  runs 0 '^put' $MPIEXEC -n 2 ./on_static
  runs 2 '^put 4$' $MPIEXEC -n 2 env LD_PRELOAD="$work/tool.so" ./on_ours
  runs 2 '^put 4$' env LD_LIBRARY_PATH="$work/ours" $MPIEXEC -n 2 env LD_PRELOAD="$work/tool.so" ./on_other
done
exit $failed
