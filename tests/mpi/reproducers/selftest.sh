# selftest.sh CW_INFO: runs cw-info --selftest with a launcher that simulates an MPI, so that every result occurs: a bug that
# the table does not have, one that is fixed, a race that does not occur, a crash, a hang, an error of the launcher, a program
# without a result.
set -eu
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# launcher -n N PROGRAM: programs that `has` names report the bug, the others report that it is absent.
cat >"$work/launcher" <<'END'
name=${3##*/}
echo "$1 $2 $name" >>"$WORK/started"
case " $CRASHES " in *" $name "*) kill -SEGV $$ ;; esac
case " $HANGS " in *" $name "*) sleep 1000 ;; esac
case " $REFUSES " in *" $name "*) echo 'no slots are left'; echo ----; exit 9 ;; esac
case " $SKIPS " in *" $name "*) echo "$name: cannot tell: one host only"; exit 0 ;; esac
case " $UNSEEN " in *" $name "*) echo "$name: not seen"; exit 0 ;; esac
case " $HAS " in *" $name "*) echo "$name: has it" ;; *) echo "$name: has it not" ;; esac
END
export WORK="$work" HAS='' CRASHES='' HANGS='' REFUSES='' SKIPS='' UNSEEN=''

# expect STATUS PATTERN...: the selftest must end with the status and print the patterns.
expect() {
  wanted=$1 status=0
  shift
  : >"$work/started"
  "$program" --selftest $only --limit $limit --launcher "sh $work/launcher" >"$work/out" 2>&1 || status=$?
  [ $status -eq "$wanted" ] || { echo "status $status instead of $wanted:"; cat "$work/out"; failed=1; }
  for pattern; do
    grep -qE -- "$pattern" "$work/out" || { echo "not printed: $pattern"; cat "$work/out"; failed=1; }
  done
}

only='' limit=100
own='mpich_flush_local mpich_win_allocate'
HAS=$own
expect 0 '^MPICH ' '^mpich_flush_local +has it +yes +avoids it$' '^openmpi_bits +has it not +no +need not avoid it$' \
  '^mpich_win_allocate +has it +(yes|no) +never makes such calls$' '^All bugs that were found are avoided'
sed 's/.* //' "$work/started" | sort >"$work/tried"
(cd "$(dirname "$0")" && ls ./*.c | sed 's|^\./\(.*\)\.c$|\1|') | sort | diff - "$work/tried" ||
  { echo 'not all reproducers are tried (above)'; failed=1; }
grep -q '^-n 4 openmpi_win_disjoint$' "$work/started" || { echo 'win_disjoint wants 4 processes'; failed=1; }

HAS="$own openmpi_bits openmpi_stride"
expect 1 '^openmpi_bits +has it +no +does NOT AVOID it$' \
  '^  export CW_WORKAROUNDS=\+openmpi_stride,\+openmpi_bits$' 'Please report this output'
export CW_WORKAROUNDS=+openmpi_stride,+openmpi_bits # as it was told
expect 0 '^openmpi_bits +has it +no +avoids it, by CW_WORKAROUNDS$'
export CW_WORKAROUNDS=-mpich_flush_local
HAS=$own
expect 1 '^mpich_flush_local +has it +yes +does NOT AVOID it, because of CW_WORKAROUNDS$' 'CW_WORKAROUNDS=\+mpich_flush_local$'
export CW_WORKAROUNDS=extremes
expect 2 "CW_WORKAROUNDS is 'extremes'; it may be"
unset CW_WORKAROUNDS

# The names that CW_WORKAROUNDS accepts and the table's rows are in the same order: each name must change its own row, and no
# other.
names=$("$program" --settings-markdown | sed -n 's/^| `CW_WORKAROUNDS`.*between: all,\([a-z_,]*\).*/\1/p' | tr , ' ')
[ -n "$names" ] || { echo 'CW_WORKAROUNDS names no bug'; failed=1; }
for name in $names; do
  turned=$(for sign in + -; do
    CW_WORKAROUNDS=$sign$name "$program" --all | sed -n 's/^ *\([a-z_]*\) .*; by CW_WORKAROUNDS$/\1/p'
  done)
  [ "$turned" = "$name" ] || { echo "CW_WORKAROUNDS=$name turns: $turned"; failed=1; }
done

only=mpich_flush_local
HAS=''
expect 0 '^mpich_flush_local +has it not +yes +avoids it without need$'
UNSEEN=mpich_flush_local expect 0 '^mpich_flush_local +not seen +yes +avoids it$'
CW_WORKAROUNDS=-mpich_flush_local UNSEEN=mpich_flush_local expect 0 '^mpich_flush_local +not seen +yes +does not avoid it, because of'
only=openmpi_win_disjoint
UNSEEN=openmpi_win_disjoint expect 0 '^openmpi_win_disjoint +not seen +no +does not avoid it$'
only=openmpi_bits
CRASHES=openmpi_bits expect 3 '^openmpi_bits +not tested +no +does NOT AVOID it, if' 'signal 11' 'CW_WORKAROUNDS=\+NAME'
HANGS=openmpi_bits limit=1 expect 3 '^openmpi_bits +no answer +no +does not avoid it: it hangs, or the machine is busy$' \
  'did not end within 1 seconds' 'while the$' 'CW_WORKAROUNDS=\+NAME'
REFUSES=openmpi_bits expect 3 'status 9: no slots are left'
SKIPS=openmpi_bits expect 0 'not tested +no +does not avoid it$' 'one host only'
only=mpich_flush_local
CRASHES=mpich_flush_local expect 0 'not tested +yes +avoids it'
only=openmpi_bit
expect 2 "'openmpi_bit' is not an option" 'openmpi_bits'
only=openmpi_bits
OMPI_COMM_WORLD_SIZE=3 expect 2 'run it without'
exit $failed
