# CASES has calls check(case message command...): each command must fail within the time of a test and print exactly one
# line that starts with PROGRAM and a colon, and matches the message.
set(failed FALSE)
function(check_failed what)
  message("${case}: ${what}")
  set(failed TRUE PARENT_SCOPE)
endfunction()

macro(check case_ message_)
  set(case ${case_})
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors TIMEOUT 250)
  string(REPLACE ";" "," errors "${errors}") # a semicolon would part a list
  string(REGEX MATCHALL "${PROGRAM}: [^\n]*" sentences "${errors}")
  list(LENGTH sentences count)
  if(status STREQUAL "0")
    check_failed("the command succeeded:\n${output}")
  elseif(NOT status MATCHES "^[0-9]+$")
    check_failed("the command did not exit by itself: ${status}\n${errors}")
  elseif(NOT count EQUAL 1)
    check_failed("expected one sentence, not ${count}:\n${errors}")
  elseif(NOT sentences MATCHES "${message_}")
    check_failed("expected \"${message_}\" in:\n${sentences}")
  endif()
endmacro()

include(${CASES})
if(failed)
  message(FATAL_ERROR "not all failed as they should")
endif()
