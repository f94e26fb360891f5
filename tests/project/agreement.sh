# Members of a team find out in one place how it went with all and whether they were given the same:
# src/team/agree.h. No other room exchanges errors by itself. MPI_Allreduce elsewhere is for what is
# no error: room for the node's memory, places of zones, guests, turns and windows, cores and threads.
set -eu
cd "$SOURCE"
status=0
found=$(grep -rn 'cwi_team_exchange *(' src compat --include='*.[ch]' | grep -v '^src/team/' || true)
[ -z "$found" ] || { echo "$found"; echo 'only src/team exchanges entries; cwi_team_agree_on brings more than an error'; status=1; }
known='src/memory/backing.c src/memory/site.c src/memory/pass.c src/route/window/turn.c src/server/host.c
  src/server/cores.c'
for file in $(grep -rl 'MPI_Allreduce' src compat --include='*.c' | grep -v '^src/team/\|^src/mpi/' | sort); do
  case " $(echo $known) " in
  *" $file "*) ;;
  *) echo "$file: MPI_Allreduce; src/team/agree.h has what members tell each other"; status=1 ;;
  esac
done
exit $status
