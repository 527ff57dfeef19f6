# As a script (-P): writes OUTPUT, a C++ source that defines FUNCTION, the FILES (separated by commas) as strings.
# Included: defines delassus_embed(TARGET FUNCTION file…), which adds such a source to a target. The function is
#   namespace delassus { const std::vector<EmbeddedFile>& FUNCTION(); }   (base/embedded_file.hpp)
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(delassus_embed_script ${CMAKE_CURRENT_LIST_FILE})
  function(delassus_embed target function)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
    string(REPLACE ";" "," files "${ARGN}")
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DFUNCTION=${function} -DFILES=${files} -P ${delassus_embed_script}
      DEPENDS ${ARGN} ${delassus_embed_script}
      COMMENT "Embedding ${function}")
    target_sources(${target} PRIVATE ${output})
  endfunction()
  return()
endif()

string(REPLACE "," ";" FILES "${FILES}")
set(text "// Made by cmake/embed.cmake.\n#include <vector>\n\n#include \"delassus/base/embedded_file.hpp\"\n\nnamespace delassus {\n\n")
string(APPEND text "const std::vector<EmbeddedFile>& ${FUNCTION}();\n")
string(APPEND text "const std::vector<EmbeddedFile>& ${FUNCTION}() {\n  static const std::vector<EmbeddedFile> files{\n")
foreach(path ${FILES})
  get_filename_component(name ${path} NAME)
  # Read by bytes in hexadecimal: file(READ) as text would drop brackets and semicolons.
  file(READ ${path} bytes HEX)
  string(LENGTH "${bytes}" length)
  math(EXPR size "${length} / 2")
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${bytes}")
  string(REGEX REPLACE "\n" "\"\n    \"" bytes "${bytes}")
  string(APPEND text "    {\"${name}\", std::string(\"${bytes}\", ${size})},\n")
endforeach()
string(APPEND text "  };\n  return files;\n}\n\n}  // namespace delassus\n")
file(WRITE ${OUTPUT} "${text}")
