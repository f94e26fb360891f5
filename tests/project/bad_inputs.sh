# Every public function has a row in the tables of bad inputs, and one for when nothing runs.
set -eu
cd "$SOURCE"
missing=0

# look_up FUNCTIONS TABLES...
look_up() {
  functions=$1
  shift
  for function in $functions; do
    for tables; do
      # shellcheck disable=SC2086 # a list of words
      grep -qE "^(REFUSED|HARMLESS)\($function," $tables && continue
      echo "$function has no row in $tables"
      missing=$((missing + 1))
    done
  done
}

# Names before an opening bracket, in declarations at the margin.
names() {
  pattern=$1
  shift
  sed -n "s/^[a-z][a-zA-Z_ *]*[ *]\($pattern\)(.*/\1/p" "$@" | sort -u
}

native=$(names 'cw_[a-z0-9_]*' include/causeway/*.h)
armci=$(names '[aA][rR][mM][cC][iI]X\{0,1\}_[A-Za-z_]*' compat/armci/armci.h compat/armci/armcix.h \
  compat/armci/message.h)
starts='cw_init cw_abort'
armci_starts='ARMCI_Init ARMCI_Init_args ARMCI_Init_mpi_comm ARMCI_Init_thread ARMCI_Init_thread_comm'
without() {
  for name in $1; do
    case " $2 " in *" $name "*) ;; *) echo "$name" ;; esac
  done
}

runtime=tests/runtime
look_up "$(without "$native" "$starts cw_finalize")" "$runtime/bad_input.def tests/file/bad_input.def" \
  "$runtime/not_running.def tests/file/not_running.def"
look_up "$starts cw_finalize" "$runtime/no_mpi.def $runtime/no_world.def"
look_up "$(without "$armci" 'ARMCI_Finalize ARMCI_Initialized')" tests/compat/bad_input.def
look_up "$(without "$armci" "$armci_starts")" tests/compat/not_running.def

count() {
  echo "$1" | wc -w
}
echo "$(count "$native") native and $(count "$armci") ARMCI functions, $missing rows are missing"
[ "$(count "$native")" -ge 60 ] && [ "$(count "$armci")" -ge 120 ] && [ $missing -eq 0 ]
