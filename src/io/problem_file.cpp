// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/io/problem_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "delassus/base/error.hpp"
#include "delassus/base/files.hpp"
#include "delassus/io/fclib.hpp"
#include "delassus/io/siconos_text.hpp"
#include "delassus/problems/reduction.hpp"

namespace delassus {
namespace {

constexpr std::string_view k_hdf5_signature = "\x89HDF\r\n\x1a\n";

enum class FileFormat { unknown, fclib, siconos, ours_global, ours_local };

// The beginning of a file; enough for the signature and the first word.
std::string read_start(const std::string& path) {
  constexpr std::size_t size = 256;
  if (std::filesystem::is_directory(path)) throw InputError("cannot read " + path + ": it is a directory");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError("cannot read " + path + ": " + std::strerror(errno));
  std::string start(size, '\0');
  in.read(start.data(), size);
  start.resize(static_cast<std::size_t>(in.gcount()));
  return start;
}

FileFormat detect(const std::string& start) {
  if (start.starts_with(k_hdf5_signature)) return FileFormat::fclib;
  std::istringstream words(start);
  std::string word;
  words >> word;
  if (word == k_problem_header) return FileFormat::ours_global;
  if (word == k_local_problem_header) return FileFormat::ours_local;
  // The text of Siconos begins with the number of components of a contact.
  const bool digits = !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
  return digits ? FileFormat::siconos : FileFormat::unknown;
}

std::string ending(const std::string& path) {
  return std::filesystem::path(path).extension().string();
}

bool is_fclib_name(const std::string& path) {
  return ending(path) == ".hdf5" || ending(path) == ".h5";
}

struct ToStored {
  StoredProblem operator()(const StoredProblem& problem) const { return problem; }
  StoredProblem operator()(const Problem& problem) const { return from_problem(problem); }
  StoredProblem operator()(const LocalProblem& problem) const { return from_local(problem); }
};

void write_ours(const std::string& path, const AnyProblem& problem) {
  std::ostringstream out;
  if (const auto* global = std::get_if<Problem>(&problem))
    save(*global, out);
  else if (const auto* local = std::get_if<LocalProblem>(&problem))
    save(*local, out);
  else if (const auto& stored = std::get<StoredProblem>(problem); stored.form == StoredForm::local)
    save(to_local(stored), out);
  else
    save(to_problem(stored), out);
  write_file(path, out.str());
}

}  // namespace

AnyProblem read_problem_file(const std::string& path) {
  switch (detect(read_start(path))) {
    case FileFormat::fclib:
      return read_fclib(path);
    case FileFormat::siconos:
      return read_siconos_text(path);
    case FileFormat::ours_global: {
      std::istringstream in(read_file(path));
      return load_problem(in, path);
    }
    case FileFormat::ours_local: {
      std::istringstream in(read_file(path));
      return load_local_problem(in, path);
    }
    case FileFormat::unknown:
      break;
  }
  throw InputError(
      path +
      ": it is not a problem file; allowed: FCLIB (HDF5), the text of Siconos, and delassus-problem or "
      "delassus-local-problem");
}

void write_problem_file(const std::string& path, const AnyProblem& problem) {
  try {
    if (is_fclib_name(path))
      write_fclib(path, std::visit(ToStored(), problem));
    else if (ending(path) == ".dat")
      write_siconos_text(path, std::visit(ToStored(), problem));
    else if (ending(path) == ".txt")
      write_ours(path, problem);
    else
      throw InputError(
          "its ending says no format; allowed: .hdf5 and .h5 (FCLIB), .dat (Siconos), .txt (ours)");
  } catch (const InputError& error) {
    const std::string prefix = "cannot write ";
    const std::string what = error.what();
    throw InputError(what.starts_with(prefix) ? what : prefix + path + ": " + what);
  }
}

LocalProblem to_local(const AnyProblem& problem, const std::string& name) {
  if (const auto* stored = std::get_if<StoredProblem>(&problem)) return to_local(*stored, name);
  if (const auto* local = std::get_if<LocalProblem>(&problem)) return *local;
  Reduction reduction;
  if (!reduction.compute(std::get<Problem>(problem)))
    throw InputError(name + ": A is not positive definite; allowed: positive definite matrices");
  return reduction.local();
}

std::vector<std::string> list_problem_files(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code error;
  std::filesystem::directory_iterator entries(directory, error);
  if (error) throw InputError("cannot read " + directory + ": " + error.message());
  for (const auto& entry : entries) {
    const std::string path = entry.path().string();
    if (!entry.is_regular_file()) continue;
    const auto is_ours = [&] {
      const FileFormat format = detect(read_start(path));
      return format == FileFormat::ours_global || format == FileFormat::ours_local;
    };
    if (is_fclib_name(path) || ending(path) == ".dat" || (ending(path) == ".txt" && is_ours()))
      files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace delassus
