# cw_find_python(variable code doc): a python3 that runs the code, which imports what is needed. Prefers Debian's own Python,
# because another one that comes first on PATH often lacks the packages.
function(cw_runs_python found path)
  execute_process(COMMAND ${path} -c "${code}" RESULT_VARIABLE status ERROR_QUIET)
  if(NOT status EQUAL 0)
    set(${found} FALSE PARENT_SCOPE)
  endif()
endfunction()
function(cw_find_python variable code doc)
  find_program(${variable} python3 HINTS /usr/bin VALIDATOR cw_runs_python DOC "${doc}")
  mark_as_advanced(${variable})
endfunction()
