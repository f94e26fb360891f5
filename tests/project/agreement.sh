# Only src/core/team/agreement.h exchanges the errors of a team's members and compares their arguments. No other module
# exchanges errors by itself. MPI_Allreduce elsewhere is for data other than errors: space for the node's memory, addresses of
# zones, processes outside the world, turns and windows, cores and threads.
set -eu
cd "$SOURCE"
status=0
found=$(grep -rn 'cwi_team_exchange *(' src interfaces --include='*.[ch]' | grep -v '^src/core/team/' || true)
[ -z "$found" ] || { echo "$found"; echo 'only src/core/team exchanges entries; cwi_team_agree_on brings more than an error'; status=1; }
known='src/core/memory/zone_file.c src/core/memory/zone_placement.c src/core/memory/file_passing.c src/move/route/rma/window_creation.c src/move/server/server_start.c
  src/move/server/server_cores.c'
for file in $(grep -rl 'MPI_Allreduce' src interfaces --include='*.c' | grep -v '^src/core/team/\|^src/core/mpi/' | sort); do
  case " $(echo $known) " in
  *" $file "*) ;;
  *) echo "$file: MPI_Allreduce; src/core/team/agreement.h has what members tell each other"; status=1 ;;
  esac
done
exit $status
