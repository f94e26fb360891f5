# The files that `cmake --install` installs. The headers serve every MPI; library names contain their MPI, so
# that builds for several MPIs share one prefix:
#   include/              causeway.h, causeway/
#   include/cwarmci/      armci.h, message.h ...
#   include/cwga/         ga.h, mafdecls.fh ...: in folders of their own, so that no program gets them by accident
#   lib/cwga/             folders that builds on Global Arrays take for GA's own (CwGaPrefix.cmake)
#   lib/cwarmci/<mpi>/    what builds take for an installation of ARMCI: include, lib/libarmci.{a,so}
#   lib/                  lib{causeway,armci,cwga,cwga-i4}-<mpi>.{a,so,...}; links lib{causeway,...}.{a,so}
#                         to those of the MPI that was installed first
#   lib/pkgconfig/        {causeway,armci,cwga}-<mpi>.pc, and links without the MPI in the same way
#   lib/cmake/causeway/   the CMake package, for all MPIs; lib/cmake/globalarrays/: the same as GlobalArrays
#   bin/                  cw-info-<mpi> and cw-view-<mpi>, and links cw-info and cw-view;
#                         cw-report and cw-top, the same for every MPI
#   libexec/causeway/     the programs of `cw-info --selftest`, for each MPI (programs/CMakeLists.txt)
#   share/doc/causeway/   guides, reference, examples, licence, changelog
#
# Packages that install beside another ARMCI and GA in /usr set these:
option(CW_PLAIN_NAMES "Install links without the MPI in their names" ON)
set(CW_ARMCI_LIBDIR ${CMAKE_INSTALL_LIBDIR} CACHE STRING
    "Folder below the prefix for what programs link as libarmci-<mpi>: the static library and the link to the shared one")
mark_as_advanced(CW_PLAIN_NAMES CW_ARMCI_LIBDIR)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/causeway)

# Each library has its own file of targets, so that find_package finds those that are installed.
foreach(name ${libraries})
  get_target_property(shared causeway::${name} ALIASED_TARGET)
  if(name STREQUAL armci)
    install(TARGETS ${shared} EXPORT causeway-armci-targets LIBRARY NAMELINK_SKIP)
    install(TARGETS ${shared}_static EXPORT causeway-armci-targets ARCHIVE DESTINATION ${CW_ARMCI_LIBDIR})
  else()
    install(TARGETS ${shared} ${shared}_static EXPORT causeway-${name}-targets)
  endif()
  install(EXPORT causeway-${name}-targets FILE causeway-${CW_MPI}-${name}-targets.cmake NAMESPACE causeway::
          DESTINATION ${package_dir})
endforeach()
install(FILES include/causeway.h TYPE INCLUDE)
install(DIRECTORY include/causeway TYPE INCLUDE FILES_MATCHING PATTERN *.h)
set(armci_headers armci.h armciconf.h armcix.h message.h mp3.h)
list(TRANSFORM armci_headers PREPEND interfaces/armci/include/)
install(FILES ${armci_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cwarmci)
if(TARGET cwga)
  set(ga_headers cwga.h ga.h ga-layout.h ga-math.h ga-mpi.h ga-sparse.h gacommon.h macdecls.h macommon.h matypes.h tcgmsg.h
      typesf2c.h cwga-integer.fh global.fh mafdecls.fh msgtypesf.h tcgmsg.fh chemio.h dra.h dra.fh eaf.h eaf.fh sf.h sf.fh
      ga-mpi.fh msgtypesc.h coms.h farg.h)
  list(TRANSFORM ga_headers PREPEND interfaces/ga/include/)
  file(GLOB cxx_headers CONFIGURE_DEPENDS interfaces/ga/cxx/*.h)
  install(FILES ${ga_headers} ${cxx_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cwga)
endif()
include(CwGaPrefix)
set(tools cw-info)
if(TARGET cw-view)
  list(APPEND tools cw-view)
endif()
foreach(name ${tools})
  install(PROGRAMS $<TARGET_FILE:${name}> TYPE BIN RENAME ${name}-${CW_MPI})
endforeach()

install(TARGETS cw-top)
if(TARGET cw-report)
  install(TARGETS cw-report)
endif()

# The CMake package: one config file for all MPIs, and what it must know about this one.
configure_file(cmake/causeway-mpi.cmake.in causeway-${CW_MPI}.cmake @ONLY)
configure_file(cmake/causeway-config-version.cmake.in causeway-config-version.cmake @ONLY)
install(FILES cmake/causeway-config.cmake ${PROJECT_BINARY_DIR}/causeway-${CW_MPI}.cmake
              ${PROJECT_BINARY_DIR}/causeway-config-version.cmake
        DESTINATION ${package_dir})

# pkg-config files. MPI's own flags are written out: its .pc file has another name on each system. The linker searches
# /usr without an option.
list(TRANSFORM MPI_C_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE mpi_cflags)
list(JOIN mpi_cflags " " mpi_cflags)
list(JOIN MPI_C_LIBRARIES " " mpi_libs)
file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" prefix_from_pc ${prefix_from_pc})
set(pc_prefix "\${pcfiledir}/${prefix_from_pc}")
set(rpath "-Wl,-rpath,\${prefix}/${CMAKE_INSTALL_LIBDIR} ")
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(pc_prefix /usr)
  set(rpath)
endif()
set(armci_cflags "-I\${includedir}/cwarmci ")
set(cwga_cflags "-I\${includedir}/cwga ${armci_cflags}")
set(cwga-i4_cflags "${cwga_cflags}-DCWGA_INTEGER_4 ")
foreach(name ${libraries})
  set(own_cflags ${${name}_cflags})
  set(own_libdir ${CMAKE_INSTALL_LIBDIR})
  set(math_libs)
  if(name STREQUAL armci)
    set(own_libdir ${CW_ARMCI_LIBDIR})
  else()
    set(math_libs -lm)
  endif()
  configure_file(cmake/library.pc.in ${name}-${CW_MPI}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}-${CW_MPI}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# Documents and examples keep their places in the tree, on which the links in them rely.
install(FILES README.md CHANGELOG.md LICENSE TYPE DOC)
install(DIRECTORY docs TYPE DOC FILES_MATCHING PATTERN *.md PATTERN *.svg PATTERN *.png PATTERN *.csv PATTERN *.json
        PATTERN site EXCLUDE) # it would be an empty folder, which no list of files has
install(DIRECTORY vocl/docs DESTINATION ${CMAKE_INSTALL_DOCDIR}/vocl FILES_MATCHING PATTERN *.md)
install(DIRECTORY examples TYPE DOC PATTERN CMakeLists.txt EXCLUDE)
install(DIRECTORY bindings/python/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}/bindings/python
        PATTERN CMakeLists.txt EXCLUDE PATTERN __pycache__ EXCLUDE)
install(CODE "set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\")
  include(\"${PROJECT_SOURCE_DIR}/cmake/document-links.cmake\")")

configure_file(cmake/install-links.cmake.in install-links.cmake @ONLY)
install(SCRIPT ${PROJECT_BINARY_DIR}/install-links.cmake)

include(CwModuleFile)

# At last the list of what has been installed, for `make uninstall`, and how to use it.
configure_file(cmake/install-list.cmake.in install-list.cmake @ONLY)
install(SCRIPT ${PROJECT_BINARY_DIR}/install-list.cmake)
