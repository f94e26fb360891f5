# Writes what a project can see of itself: its variables, also those of the cache, properties, targets and tests.

# Variables that may change: Causeway's, those of find_package(MPI) and FetchContent, and what CMake keeps for itself.
set(snapshot_ignored
  "^(CW_|cw_|causeway_|Causeway_|MPI_|MPIEXEC_|_?FETCHCONTENT_|__cmake_|FIND_PACKAGE_MESSAGE_DETAILS_MPI|PKG_CONFIG_|snapshot_)"
  "^(HAVE_CLOCK_GETTIME|CMAKE_NUMBER_OF_MAKEFILES|CMAKE_MATCH_.*|CMAKE_CURRENT_LIST_.*|name|ARG[CNV].*)$")
# A project without C gets it.
if(NOT CMAKE_C_COMPILER)
  list(APPEND snapshot_ignored "^(_?CMAKE_C_|CMAKE_COMPILER_IS_GNUCC$|CMAKE_EXECUTABLE_FORMAT$)")
endif()
if(CW_INSTALL_RULES)
  list(APPEND snapshot_ignored "^CMAKE_INSTALL_(FULL_)?[A-Z]*DIR$" "^_?GNUInstallDirs_")
endif()

# snapshot(label): keeps all of it in snapshot_<label>_names and snapshot_<label>_<name>.
macro(snapshot label)
  get_cmake_property(snapshot_variables VARIABLES)
  foreach(snapshot_pattern ${snapshot_ignored})
    list(FILTER snapshot_variables EXCLUDE REGEX "${snapshot_pattern}")
  endforeach()
  set(snapshot_${label}_names ${snapshot_variables})
  foreach(snapshot_name ${snapshot_variables})
    set(snapshot_${label}_${snapshot_name} "${${snapshot_name}}")
  endforeach()
  foreach(snapshot_property COMPILE_DEFINITIONS COMPILE_OPTIONS INCLUDE_DIRECTORIES LINK_DIRECTORIES LINK_OPTIONS
          BUILDSYSTEM_TARGETS IMPORTED_TARGETS TESTS)
    list(APPEND snapshot_${label}_names property-${snapshot_property})
    get_property(snapshot_${label}_property-${snapshot_property} DIRECTORY PROPERTY ${snapshot_property})
  endforeach()
  foreach(snapshot_property RULE_LAUNCH_COMPILE RULE_LAUNCH_CUSTOM RULE_LAUNCH_LINK USE_FOLDERS
          FIND_LIBRARY_USE_LIB64_PATHS ALLOW_DUPLICATE_CUSTOM_TARGETS JOB_POOLS)
    list(APPEND snapshot_${label}_names global-${snapshot_property})
    get_property(snapshot_${label}_global-${snapshot_property} GLOBAL PROPERTY ${snapshot_property})
  endforeach()
endmacro()

# require_same(label label): reports each difference as an error.
function(require_same first second)
  set(names ${snapshot_${first}_names} ${snapshot_${second}_names})
  list(REMOVE_DUPLICATES names)
  foreach(name ${names})
    if(NOT "${snapshot_${first}_${name}}" STREQUAL "${snapshot_${second}_${name}}")
      message(SEND_ERROR "${name} was '${snapshot_${first}_${name}}', and is '${snapshot_${second}_${name}}'")
    endif()
  endforeach()
endfunction()

# require_own_names(source folder): every target below begins with causeway or cw; there are no tests.
function(require_own_names folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(tests DIRECTORY ${folder} PROPERTY TESTS)
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(target ${targets})
    if(NOT target MATCHES "^(causeway|cw|CW)")
      message(SEND_ERROR "Causeway has the target ${target}, a name that a project may have itself")
    endif()
  endforeach()
  if(tests)
    message(SEND_ERROR "Causeway adds the tests ${tests}")
  endif()
  foreach(below ${folders})
    require_own_names(${below})
  endforeach()
endfunction()
