# The first step of `cmake --install`. --prefix may name a relative folder. CMake takes it from the working directory for
# files, but not for what it does to installed ones below DESTDIR, nor in our own scripts.
get_filename_component(CMAKE_INSTALL_PREFIX "${CMAKE_INSTALL_PREFIX}" ABSOLUTE)
# Folders that exist before, which `make uninstall` leaves (install-list.cmake.in).
set(cw_root_before "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
file(GLOB cw_folders_before LIST_DIRECTORIES true RELATIVE "${cw_root_before}"
     "${cw_root_before}/*" "${cw_root_before}/*/*" "${cw_root_before}/*/*/*")
if(EXISTS "${cw_root_before}")
  list(APPEND cw_folders_before .)
endif()
