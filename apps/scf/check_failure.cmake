# Runs COMMAND (words joined by '|'), which must fail within a minute and print exactly one line
# that starts with "scf:" and matches MESSAGE.
string(REPLACE "|" ";" command "${COMMAND}")
execute_process(COMMAND ${command} RESULT_VARIABLE status OUTPUT_VARIABLE output
                ERROR_VARIABLE errors TIMEOUT 60)
if(status STREQUAL "0")
  message(FATAL_ERROR "the command succeeded:\n${output}")
endif()
if(NOT status MATCHES "^[0-9]+$")
  message(FATAL_ERROR "the command did not exit by itself: ${status}\n${errors}")
endif()
string(REPLACE ";" "," errors "${errors}") # a semicolon would part a list
string(REGEX MATCHALL "scf: [^\n]*" sentences "${errors}")
list(LENGTH sentences count)
if(NOT count EQUAL 1)
  message(FATAL_ERROR "expected one sentence, not ${count}:\n${errors}")
endif()
if(NOT sentences MATCHES "${MESSAGE}")
  message(FATAL_ERROR "expected \"${MESSAGE}\" in:\n${sentences}")
endif()
