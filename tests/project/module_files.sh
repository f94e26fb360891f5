# The installed module files, read by Environment Modules and by Lmod: `module load` in a shell without settings, a program
# compiled with pkg-config and run, the manual pages of the system, conflicts, and `module unload`, which restores every
# variable.
set -eu
root=${SOURCE}/build/modules-root
[ -e "$root/unpacked" ] || { echo 'skipped: sh scripts/modules-root.sh build/modules-root'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
case $MPI in mpich) other=openmpi ;; *) other=mpich ;; esac
cmake --install "$BUILD" --prefix "$work/prefix" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
name=$(cd "$work/prefix/share/modulefiles" && echo causeway/*-"$MPI")

# The site's own modules: the other MPI, and a second Causeway.
mkdir -p "$work/site/$other" "$work/site/causeway"
printf '#%%Module\nsetenv OTHER_MPI yes\n' | tee "$work/site/$other/1" >"$work/site/causeway/9"
modulecmd=$(find "$root" -type f -name modulecmd.tcl)
lmod=$(find "$root" -type f -path "*/libexec/lmod")
cat >"$work/tcl.sh" <<END
module() { eval "\$(tclsh '$modulecmd' bash "\$@")"; }
END
cat >"$work/lmod.sh" <<END
export LMOD_CMD='$lmod'
module() { eval "\$(lua5.3 '$lmod' bash "\$@")"; }
END

# The variables of the two programs themselves.
cat >"$work/visible" <<'END'
env | grep -vE '^(LMOD_CMD|LOADEDMODULES|_LMFILES_|MODULES?[A-Z_]*|__MODULES_[A-Z_]*|__LMOD_[A-Z_]*|_ModuleTable[0-9A-Za-z_]*|_)=' | sort
END
cat >"$work/session" <<'END'
module use "$work/site" "$work/prefix/share/modulefiles"
sh "$work/visible" >"$work/before"
module load "$name" || exit 1
[ "$CAUSEWAY_MPI" = "$MPI" ] || { echo "CAUSEWAY_MPI is $CAUSEWAY_MPI"; exit 1; }
[ "$(command -v "cw-info-$MPI")" = "$work/prefix/bin/cw-info-$MPI" ] || { echo 'cw-info is not in PATH'; exit 1; }
case :$CMAKE_PREFIX_PATH: in *:"$work/prefix":*) ;; *) echo "CMAKE_PREFIX_PATH is $CMAKE_PREFIX_PATH"; exit 1 ;; esac
case ,$(manpath -q | tr : ,), in
*",$work/prefix/share/man,"*,/usr/share/man,*) ;;
*) [ ! -d "$work/prefix/share/man" ] || { echo "man looks in $(manpath -q)"; exit 1; } ;;
esac
"$CC" "$SOURCE/tests/project/outside/native.c" $(pkg-config --cflags --libs "causeway-$MPI" | sed 's/-Wl,-rpath,[^ ]*//') \
  -o "$work/native" || exit 1
$MPIEXEC -n 2 "$work/native" || exit 1
# Lmod 8.6 looks at conflicts of the module that it loads, not at those of loaded ones.
module load "$other" 2>"$work/conflict"
[ -n "${LMOD_CMD:-}" ] || [ -z "${OTHER_MPI:-}" ] || { echo "$other was loaded beside $name"; exit 1; }
[ -z "${OTHER_MPI:-}" ] || module unload "$other"
module unload "$name" || exit 1
sh "$work/visible" >"$work/after"
diff "$work/before" "$work/after" || exit 1
module load "$other" || exit 1
module load "$name" 2>>"$work/conflict"
[ -z "${CAUSEWAY_MPI:-}" ] || { echo "$name was loaded beside $other"; exit 1; }
END
for program in tcl lmod; do
  echo "-- $program"
  if ! env -i PATH=/usr/bin:/bin HOME="$work" work="$work" name="$name" MPI="$MPI" other=$other CC="$CC" SOURCE="$SOURCE" MPIEXEC="$MPIEXEC" \
    bash --noprofile --norc -c ". '$work/$program.sh'; . '$work/session'" >"$work/out" 2>&1 || ! grep -q '^right$' "$work/out"; then
    cat "$work/out"
    failed=1
  fi
  grep -qi "conflict\|cannot load" "$work/conflict" || { cat "$work/conflict"; echo 'no message of a conflict'; failed=1; }
done

# A prefix that is in every shell's paths gets no module file.
DESTDIR=$work/staged cmake --install "$BUILD" --prefix /usr/local >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
[ ! -e "$work/staged/usr/local/share/modulefiles" ] || { echo '/usr/local has module files'; failed=1; }
exit $failed
