# The language, the warnings and the sanitizers: what every target of this project is compiled with.
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH cw_root) # the repository, also where vocl/ is built alone
set(CW_SANITIZE "" CACHE STRING "Sanitizers to compile with, e.g. address,undefined")
# Other compilers than Debian 12's, which the tests use, warn of other things. That must not stop a user's build.
if(PROJECT_IS_TOP_LEVEL AND "${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}" MATCHES "^GNU 12\\.")
  option(CW_WERROR "Warnings are errors" ON)
else()
  option(CW_WERROR "Warnings are errors" OFF)
endif()
if(NOT CMAKE_C_STANDARD OR CMAKE_C_STANDARD MATCHES "^9") # C90, C99
  set(CMAKE_C_STANDARD 11)
endif()
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
  endif()
  # Our own checks stay in (CWI_ASSERT is no assert()); tests may use assert().
  set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")
  set(CMAKE_C_FLAGS_RELEASE "-O2")
else()
  # A parent's headers must not hide ours, nor its compiler's warnings be errors in our files.
  set_property(DIRECTORY PROPERTY INCLUDE_DIRECTORIES)
  set(CMAKE_C_VISIBILITY_PRESET default) # the maps of the shared libraries choose what is exported
  set(CMAKE_UNITY_BUILD OFF)             # files have static functions of the same name
  set(CMAKE_COMPILE_WARNING_AS_ERROR OFF)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE RelWithDebInfo) # in this folder
  endif()
endif()

# Linux and glibc: memfd, robust mutexes, affinity. Public headers do not rely on it.
add_compile_definitions(_GNU_SOURCE)

add_library(CW_WARNINGS INTERFACE)
target_compile_options(CW_WARNINGS INTERFACE
  -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wwrite-strings)
if(CW_WERROR)
  target_compile_options(CW_WARNINGS INTERFACE -Werror)
endif()
if(CMAKE_C_COMPILER_ID STREQUAL Clang)
  target_compile_options(CW_WARNINGS INTERFACE -Wno-unknown-pragmas) # gcc's hints for loops
endif()

if(CW_SANITIZE)
  add_compile_options(-fsanitize=${CW_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${CW_SANITIZE})
  # The slow unwinder sees through MPI's libraries, so that their leaks can be distinguished from ours. LLVM, in
  # PoCL, gives threads that build a signal stack of its own, which ASan would free as if it were its. A call
  # that requests too much memory gets NULL, as without ASan. hwloc unloads its PCI plugin, whose leaks then have no name
  # to suppress. TSan cannot live with UCX's memory hooks, and it leaves only this address range free for the zone.
  set(CW_SANITIZE_ENVIRONMENT
    ASAN_OPTIONS=fast_unwind_on_malloc=0:use_sigaltstack=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
    LSAN_OPTIONS=suppressions=${cw_root}/cmake/leaks.supp:print_suppressions=0 HWLOC_COMPONENTS=-pci)
  if(CW_SANITIZE MATCHES thread)
    list(APPEND CW_SANITIZE_ENVIRONMENT TSAN_OPTIONS=ignore_noninstrumented_modules=1:suppressions=${cw_root}/cmake/races.supp
         UCX_MEM_EVENTS=n CW_ZONE_ADDRESS=0x550000000000 CW_ZONE_SIZE=1G)
    if(CMAKE_C_COMPILER_ID STREQUAL GNU)
      # gcc warns that TSan does not model fences: what they order may show as a false alarm.
      target_compile_options(CW_WARNINGS INTERFACE -Wno-tsan)
    endif()
  endif()
  # gcc knows less of values that a sanitizer looks at, and warns of what cannot be: its manual advises against -Werror.
  target_compile_options(CW_WARNINGS INTERFACE -Wno-error)
endif()
