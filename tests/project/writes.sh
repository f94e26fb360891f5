# Files must be written without signals: beyond the limit on their size (ulimit -f) SIGXFSZ would end the program, and for a
# pipe without a reader SIGPIPE would. src/core/base/file_write.h has the calls for descriptors, and those that surround code
# that writes streams. This does not apply to the programs' own streams (stdout, stderr, those of cw_array_print).
set -eu
cd "$SOURCE"
status=0
# write() may be used only there, in the handler of a fault, and for descriptors that are no files: event descriptors and pipes
# of the library, the standard output of cw-vocl. A function of json.c also has this name.
found=$(grep -rnE '\<(write|pwrite|pwritev|writev|ftruncate|truncate|posix_fallocate|copy_file_range|sendfile)\(' \
  src interfaces vocl/src --include='*.[ch]' | grep -vE '>write\(|^[^:]*:[0-9]*:(/\*| \*)|src/core/base/file_write\.c:|src/core/region/fault\.c:|src/core/mpi/mpi_sleep\.c:|vocl/src/(relay/watch|relay/proxy_watch|proxy/heartbeat)\.c:|src/observe/report/profile_json\.c:' || true)
[ -z "$found" ] || { echo "$found"; echo 'cwi_write_at and cwi_file_resize return an error where these raise a signal'; status=1; }
# A source that opens a stream for writing must block the signals.
for file in $(grep -rlE '\<(fdopen|fopen|H5Fcreate|otf2\.Archive_Open)\(' src interfaces vocl/src --include='*.c'); do
  grep -qE '\<(fdopen|fopen)\([^;]*"[wa]|H5Fcreate\(|otf2\.Archive_Open\(' "$file" || continue
  case $file in
    src/data/file/dataset_make.c) file=src/data/file/hdf5.c ;; # between cwi_hdf5_enter and cwi_hdf5_leave
    src/observe/timeline/timeline_otf2.c) file=src/observe/output/atomic_archive.c ;; # until the archive is closed
  esac
  grep -q 'cwi_write_signals_block(' "$file" || { echo "$file writes a stream, and does not block the signals of writes"; status=1; }
done
exit $status
