# The public headers and what they include, one library per part, the program, and a package for find_package(delassus).
include(CMakePackageConfigHelpers)
set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/delassus)

get_property(parts GLOBAL PROPERTY DELASSUS_PARTS)
install(TARGETS ${parts} delassus_all EXPORT delassusTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET delassus)
  install(TARGETS delassus RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# What delassus.hpp includes changes between configuring and installing: found when installing.
install(CODE "set(delassus_sources \"${PROJECT_SOURCE_DIR}/src\")\nset(delassus_destination \"${CMAKE_INSTALL_INCLUDEDIR}/delassus\")")
install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/install_headers.cmake)
install(EXPORT delassusTargets NAMESPACE delassus:: DESTINATION ${package_directory})

configure_package_config_file(cmake/delassusConfig.cmake.in ${PROJECT_BINARY_DIR}/delassusConfig.cmake INSTALL_DESTINATION ${package_directory})
# Before 1.0 every minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/delassusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/delassusConfig.cmake ${PROJECT_BINARY_DIR}/delassusConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindKLU.cmake DESTINATION ${package_directory})
