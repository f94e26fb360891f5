# Objects are kept in build/objects, where there is ccache, and taken from there by every build folder of build/ that compiles
# the same text with the same options: both MPIs' for files that see no MPI (cw_without_mpi), `make install` for all of the
# library. A launcher that is chosen already (CMAKE_C_COMPILER_LAUNCHER) stays.
find_program(CW_CCACHE ccache DOC "ccache, by which build folders share objects")
mark_as_advanced(CW_CCACHE)
if(PROJECT_IS_TOP_LEVEL AND CW_CCACHE AND NOT CMAKE_C_COMPILER_LAUNCHER AND NOT CMAKE_CROSSCOMPILING)
  # Paths below the source folder count as relative to the build folder; Ninja's list of headers is ccache's, too.
  set(CMAKE_C_COMPILER_LAUNCHER env CCACHE_DIR=${cw_root}/build/objects CCACHE_BASEDIR=${cw_root}
      CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 CCACHE_MAXSIZE=2G ${CW_CCACHE})
endif()

# What these folders have knows no MPI: MPI's headers are not found from there, so that the objects are the same for both.
set(cw_without_mpi "/src/core/(base|wait|machine|profile)/|/vocl/(src/)?(client|command|executor|handler|memory|migrate|program|remote|replica|service|stub|wire)/")

# cw_use_mpi(sources...): these of them may include mpi.h.
list(TRANSFORM MPI_C_INCLUDE_DIRS PREPEND -isystem OUTPUT_VARIABLE folders)
list(TRANSFORM MPI_C_COMPILE_DEFINITIONS PREPEND -D OUTPUT_VARIABLE definitions)
set(cw_mpi_options ${folders} ${definitions} ${MPI_C_COMPILE_OPTIONS})
function(cw_use_mpi)
  list(FILTER ARGN EXCLUDE REGEX "${cw_without_mpi}")
  foreach(source ${ARGN}) # some are in several libraries
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    if(NOT options)
      set(options)
    endif()
    list(APPEND options ${cw_mpi_options})
    list(REMOVE_DUPLICATES options)
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${options}")
  endforeach()
endfunction()
