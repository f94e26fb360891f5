# Every public function must have a row in the tables of bad inputs, and one in those for calls while the library does not run.
set -eu
cd "$SOURCE"
missing=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# look_up FUNCTIONS TABLES...
look_up() {
  echo "$1" | tr -s ' ' '\n' | grep . | sort -u >"$work/functions"
  shift
  for tables; do
    # shellcheck disable=SC2086 # a list of words
    sed -nE 's/^(REJECTED|HARMLESS)\(([^,]*),.*/\2/p' $tables | sort -u | comm -23 "$work/functions" - >"$work/without_row"
    sed "s|\$| has no row in $tables|" "$work/without_row"
    missing=$((missing + $(wc -l <"$work/without_row")))
  done
}

# Prints the names before a parenthesis, in declarations at the start of a line.
names() {
  pattern=$1
  shift
  sed -n "s/^[a-zA-Z][a-zA-Z_ *]*[ *]\($pattern\)(.*/\1/p" "$@" | sort -u
}

native=$(names 'cw_[a-z0-9_]*' include/causeway/*.h)
armci=$(names '[aA][rR][mM][cC][iI]X\{0,1\}_[A-Za-z_]*' interfaces/armci/include/armci.h \
  interfaces/armci/include/armcix.h interfaces/armci/include/message.h)
starts='cw_init cw_abort cw_error_end cw_failure_end'
armci_starts='ARMCI_Init ARMCI_Init_args ARMCI_Init_mpi_comm ARMCI_Init_thread ARMCI_Init_thread_comm'
without() {
  for name in $1; do
    case " $2 " in *" $name "*) ;; *) echo "$name" ;; esac
  done
}

runtime=tests/runtime
look_up "$(without "$native" "$starts cw_finalize")" \
  "$runtime/bad_input.def tests/view/bad_input.def tests/linear/bad_input.def tests/matrix/bad_input.def tests/file/bad_input.def \
   tests/task/bad_input.def tests/device/bad_input.def" \
  "$runtime/not_running.def tests/view/not_running.def tests/linear/not_running.def tests/matrix/not_running.def tests/file/not_running.def \
   tests/task/not_running.def tests/device/not_running.def"
look_up "$starts cw_finalize" "$runtime/no_mpi.def $runtime/no_world.def"
look_up "$(without "$armci" 'ARMCI_Finalize ARMCI_Initialized')" tests/interfaces/armci/bad_input.def
look_up "$(without "$armci" "$armci_starts")" tests/interfaces/armci/not_running.def

# GA: each operation once, by its first name, without those that cannot have a bad argument and those that Causeway does not
# have.
names 'N\{0,1\}GA_[A-Za-z0-9_]*' interfaces/ga/include/ga*.h | sed 's/64$//' | sort -u >"$work/names"
sed -n 's/^LEFT_OUT(\(.*\))$/\1/p' interfaces/ga/base/unsupported.def >"$work/without"
printf 'GA_%s\n' Get_debug Set_debug Initialized Mask_sync Memory_limited Set_memory_limit Wtime Uses_fapi Uses_ma \
  Register_stack_memory Pgroup_get_default Pgroup_get_mirror Pgroup_get_world Terminate >>"$work/without"
sed -n 's/^GA_/NGA_/p' "$work/names" >>"$work/without"
echo NGA_Free_gatscat_buf >>"$work/without"
ga="$(sort -u "$work/without" | comm -23 "$work/names" -) $(names 'cw_[a-z_]*' interfaces/ga/include/cwga.h)"
ga_starts='GA_Initialize GA_Initialize_args GA_Initialize_comm GA_Initialize_ltd'
no_arguments='GA_Cluster_nnodes GA_Cluster_nodeid GA_Create_handle GA_Init_fence GA_MPI_Comm GA_MPI_Comm_pgroup_default
  GA_Nnodes GA_Nodeid GA_Pgroup_self GA_Sync'
look_up "$(without "$ga" "$(echo $no_arguments)")" 'tests/interfaces/ga/*bad_input.def'
look_up "$(without "$ga" "$ga_starts")" 'tests/interfaces/ga/*not_running.def'

# MA and TCGMSG in C. MA needs no start. TCGMSG has no rows for calls that only return a value, or that end it.
ma=$(names 'MA_[A-Za-z_]*' interfaces/ga/include/macdecls.h)
switches='MA_set_auto_verify MA_set_error_print MA_set_hard_fail MA_set_error_callback MA_trace'
look_up "$(without "$ma" "$switches MA_initialized MA_print_stats MA_summarize_allocated_blocks")" tests/interfaces/ma/bad_input.def
tcg=$(names 'tcg_[a-z0-9_]*' interfaces/ga/include/tcgmsg.h)
anywhere='tcg_drand48 tcg_srand48 tcg_mtime tcg_time tcg_niceftn tcg_setdbg tcg_ready tcg_error tcg_parerr tcg_mdtoi tcg_mitob tcg_mitod'
look_up "$(without "$tcg" "$anywhere tcg_nnodes tcg_nodeid tcg_pend tcg_synch tcg_llog tcg_stats tcg_mdtob")" tests/interfaces/tcgmsg/bad_input.def
look_up "$(without "$tcg" "$anywhere tcg_pbeginf tcg_pbginf tcg_pbegin tcg_alt_pbegin")" tests/interfaces/tcgmsg/not_running.def

# SF and DRA; EAF returns codes (tests/interfaces/pario/eaf.c).
files="$(names 'SF_[A-Za-z_]*' interfaces/ga/include/sf.h) $(names 'N\{0,1\}DRA_[A-Za-z_]*' interfaces/ga/include/dra.h)"
look_up "$(without "$files" 'DRA_Terminate DRA_Set_default_config DRA_Set_debug DRA_Flick')" tests/interfaces/pario/bad_input.def
at_once='SF_Open SF_Close SF_Rwtor SF_Fsync SF_Write SF_Read SF_Wait SF_Waitall SF_Errmsg NDRA_Inquire DRA_Wait DRA_Probe'
look_up "$(without "$files" "$at_once DRA_Print_internals DRA_Set_default_config DRA_Set_debug DRA_Flick")" \
  tests/interfaces/pario/not_running.def

count() {
  echo "$1" | wc -w
}
echo "$(count "$native") native, $(count "$armci") ARMCI, $(count "$ga") GA, $(count "$ma") MA, $(count "$tcg") TCGMSG and $(count "$files") SF and DRA functions, $missing rows are missing"
[ "$(count "$native")" -ge 60 ] && [ "$(count "$armci")" -ge 120 ] && [ $missing -eq 0 ]
