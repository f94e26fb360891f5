# The shared libraries must export the functions that the public headers declare, and nothing else. Global names of the static
# ones must have their prefixes. Usage: symbols.sh NAME=FILE..., with the names causeway, armci, armci_static, and
# cwga, cwga_static, cwga_i4, cwga_i4_static and vocl where they are built.
set -eu
cd "$SOURCE"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
report() { [ ! -s "$1" ] || { echo "$2"; cat "$1"; failed=1; }; }

exported() { nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u; }
# Prints functions declared in headers: the name before a parenthesis, if a declaration starts a line.
declared() { sed -nE "s/^[a-zA-Z][a-zA-Z0-9_ *]*[ *]($1[a-zA-Z0-9_]+)\(.*/\1/p" $2 | sort -u; }

cwga_static= vocl=
for pair; do eval "${pair%%=*}=\${pair#*=}"; done

# Names that libraries export in addition to their headers' functions. One replaces a function that libmpich calls
# (src/core/mpi/ucx_disconnect.c); the bindings wrap MPI_Init (interfaces/start/).
foreign=ucp_disconnect_nb
starts='MPI_Finalize$|mpi_finalize_(f08_)?$|MPI_Init(_thread)?$|(mpi_init|MPI_INIT)(_thread|_THREAD)?_{0,2}$|mpi_init(_thread)?_f08_$'
headers=$(find include -name '*.h')
# Modules that libarmci leaves out: views, arrays, tasks, and those above them.
runtime_headers=$(echo "$headers" | grep -vE '/(array|arithmetic|matrix|linear|file|protect|task|typed)\.h$')
# Functions that libcauseway lacks without BLAS, ScaLAPACK and HDF5; there is no libcwga then.
[ -n "$cwga_static" ] || headers=$(echo "$headers" | grep -vE '/(linear|file)\.h$')
declared cw_ "$headers" >"$work/all"
declared cw_ "$runtime_headers" >"$work/runtime"
declared 'P?(ARMCI|ARMCIX|armci|parmci)_' 'interfaces/armci/include/armci.h interfaces/armci/include/armcix.h
  interfaces/armci/include/message.h' >"$work/binding"
for list in all runtime binding; do [ -s "$work/$list" ] || { echo "no declarations: $list"; failed=1; }; done

# check NAME PATTERN LISTS...: lib<NAME> must export the names of the lists, and only names that match the pattern.
check() {
  name=$1 pattern=$2
  shift 2
  eval "exported \"\$$name\"" >"$work/$name"
  (cd "$work" && sort -u "$@" | comm -13 "$name" -) >"$work/missing"
  report "$work/missing" "declared, but not exported by lib$name:"
  grep -qx $foreign "$work/$name" || { echo "lib$name does not export $foreign"; failed=1; }
  eval "objdump -R \"\$$name\"" | awk '$2 ~ /JUMP_SLOT/ { sub(/@.*/, "", $3); print $3 }' | grep -v ^MPI_ | sort -u |
    comm -12 - "$work/$name" >"$work/extra"
  report "$work/extra" "calls within lib$name that another library would take:"
  grep -vE "^($pattern|$foreign\$)" "$work/$name" >"$work/extra" || true
  report "$work/extra" "lib$name exports these too:"
}
check causeway cw_ all
check armci "cw_|P?ARMCIX?_|p?armci_|$starts" runtime binding

# check_static NAME PATTERN: its global names must match the pattern.
check_static() {
  eval "nm -g --defined-only \"\$$1\"" | awk 'NF == 3 { print $3 }' | sort -u |
    grep -vE "^(cwi?_|$2|$starts|$foreign\$)" >"$work/extra" || true
  report "$work/extra" "global names in the static lib${1%_static} that may clash with a program:"
}
check_static armci_static 'P?ARMCIX?_|p?armci_'

# State that several files use is in one struct of a module; state of one file is static.
# at_most NUMBER SECTIONS: counts the global variables of the largest library in these sections, without
# those of MA, which are a part of its interface.
at_most() {
  objdump -t "${cwga_static:-$armci_static}" |
    awk -v sections="^($2)\$" '$2 == "g" && ($3 ~ sections || $4 ~ sections) { print $NF }' |
    grep -vE '^(ma_cb|mbc)_' | sort -u >"$work/extra" || true
  [ -s "$work/extra" ] || { echo "no global variables in $2 were found"; failed=1; }
  [ "$(wc -l <"$work/extra")" -le "$1" ] || report "$work/extra" "more than $1 global variables that can change, in $2:"
}
at_most 15 '[.]bss|[.]data|[.]data[.]rel|[*]COM[*]'
at_most 8 '[.]tbss|[.]tdata'

if [ -n "$cwga_static" ]; then
  declared '(N?GA|N?DRA|EAF|SF|MA|ma|cw|tcg)_' "$(find interfaces/ga/include -name '*.h')" >"$work/ga"
  # Names for Fortran, and the common blocks of mafdecls.fh.
  sed -nE 's/^(CWI_FORTRAN\([A-Za-z_ ]+, |NOTHING\()([a-z0-9_]+_)[,)].*/\2/p; s/^SIZES\((m[a-z]+),.*/\1_/p; s/^(MOVE|START|SECTION|PATCH|OF_HANDLE)\(([a-z_]+),.*/\2_/p; s/^COMMON\([A-Za-z_]+, ([a-z_]+)\).*/\1/p' \
    interfaces/*/*.c interfaces/ga/*/*.c "$BUILD/ga_fortran/names.c" | sort -u >"$work/fortran"
  [ "$(wc -l <"$work/fortran")" -ge 600 ] || { echo 'hardly any Fortran names were found'; failed=1; }
  # Names of GA's library that no header declares, and those of farg.h.
  printf '%s\n' Error str_len str_match CheckByte f2c_getarg_ f2c_iargc_ ga_c2fstring ga_f2cstring ga_f2c_get_cmd_args >"$work/helpers"
  names="cw_|N?GA_|N?DRA_|EAF_|SF_|MA_|ma_set_error_callback\$|ma_cb_|tcg_|ga_(malloc|free)\$|($(sort "$work/fortran" "$work/helpers" | tr '\n' '|')none)\$"
  for name in cwga cwga_i4; do
    check $name "$names|P?ARMCIX?_|p?armci_|$starts" all ga fortran helpers binding
    check_static ${name}_static "$names|P?ARMCIX?_|p?armci_"
  done
fi
if [ -n "$vocl" ]; then
  printf '%s\n' clGetExtensionFunctionAddress clIcdGetPlatformIDsKHR vocl_library_version >"$work/wanted"
  exported "$vocl" | comm -3 - "$work/wanted" >"$work/extra"
  report "$work/extra" 'libcw-vocl exports these too (or, indented, not):'
  readelf -d "$vocl" | grep -E 'NEEDED.*(mpi|OpenCL)' >"$work/extra" || true
  report "$work/extra" 'libcw-vocl needs these, and MPI and loaders of OpenCL open it:'
fi
exit $failed
