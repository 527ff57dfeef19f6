// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/io/fclib.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "delassus/base/error.hpp"
#include "delassus/recorder/hdf5_file.hpp"

namespace delassus {
namespace {

// Entries that a matrix or vector of a file may have: an int counts them, and a corrupt size asks for no absurd memory.
constexpr std::int64_t k_max_entries = 200'000'000;

constexpr std::int64_t k_compressed_columns = -1, k_compressed_rows = -2;

struct GroupName {
  StoredForm form;
  const char* name;
};
constexpr GroupName k_groups[] = {{StoredForm::local, "/fclib_local"},
                                  {StoredForm::global, "/fclib_global"},
                                  {StoredForm::global_rolling, "/fclib_global_rolling"}};

// --- reading

class FclibReader {
 public:
  explicit FclibReader(const std::string& path) : path_(path), file_(Hdf5File::open(path)) {}

  StoredProblem read() {
    StoredProblem problem;
    problem.form = find_form();
    const bool rolling = problem.form == StoredForm::global_rolling;
    const std::int64_t spacedim = number("spacedim");
    // Files with rolling count all five components.
    if (spacedim != 3 && spacedim != (rolling ? 5 : 2))
      fail("spacedim", fmt::format("it is {}; allowed: {}", spacedim, rolling ? "3, 5" : "2, 3"));
    problem.spacedim = rolling ? 3 : static_cast<int>(spacedim);
    problem.mu = vector("vectors/mu");
    if (problem.form == StoredForm::local) {
      problem.W = matrix("W");
      problem.q = vector("vectors/q");
      if (contains("V") || contains("R")) {
        problem.V = matrix("V");
        problem.R = matrix("R");
        problem.s = vector("vectors/s");
      }
    } else {
      problem.M = matrix("M");
      problem.H = matrix("H");
      problem.f = vector("vectors/f");
      problem.w = vector("vectors/w");
      if (contains("G")) {
        problem.G = matrix("G");
        problem.b = vector("vectors/b");
      }
      if (rolling) problem.mu_r = vector("vectors/mu_r");
    }
    read_info(problem.info);
    if (const std::string wrong = check_consistent(problem); !wrong.empty())
      throw InputError(fmt::format("{}: {}: {}", path_, group_, wrong));
    return problem;
  }

 private:
  [[noreturn]] void fail(const std::string& name, const std::string& what) const {
    throw InputError(fmt::format("{}: {}/{}: {}", path_, group_, name, what));
  }
  std::string full(const std::string& name) const { return group_ + "/" + name; }
  bool contains(const std::string& name) const {
    // Links are asked for one after the other: HDF5 knows no path through a group that is not there.
    const std::size_t slash = name.rfind('/');
    if (slash != std::string::npos && !file_.contains(full(name.substr(0, slash)))) return false;
    return file_.contains(full(name));
  }

  StoredForm find_form() {
    const GroupName* found = nullptr;
    for (const GroupName& group : k_groups) {
      if (!file_.contains(group.name)) continue;
      if (found != nullptr)
        throw InputError(
            fmt::format("{}: it has both {} and {}; allowed: one of them", path_, found->name, group.name));
      found = &group;
    }
    if (found == nullptr)
      throw InputError(path_ +
                       ": it holds no friction problem; allowed: a group /fclib_local, /fclib_global or "
                       "/fclib_global_rolling");
    group_ = found->name;
    return found->form;
  }

  template <class T>
  std::vector<T> array(const std::string& name) const {
    if (!contains(name)) fail(name, "it is missing");
    const Hdf5Dataset dataset = file_.open_dataset(full(name));
    std::int64_t size = 1;
    for (std::int64_t extent : dataset.shape()) {
      size = extent == 0 ? 0 : size > k_max_entries / extent ? k_max_entries + 1 : size * extent;
      if (size > k_max_entries)
        fail(name, fmt::format("it is too large; allowed: up to {} values", k_max_entries));
    }
    return dataset.read<T>(dataset.rows());
  }
  std::int64_t number(const std::string& name) const {
    const std::vector<std::int64_t> values = array<std::int64_t>(name);
    if (values.size() != 1) fail(name, fmt::format("it has {} values; allowed: 1", values.size()));
    return values[0];
  }
  Vector vector(const std::string& name) const {
    const std::vector<double> values = array<double>(name);
    return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
  }

  void require_size(const std::string& name, std::size_t size, std::int64_t expected) const {
    if (static_cast<std::int64_t>(size) != expected)
      fail(name, fmt::format("it has {} values; allowed here: {}", size, expected));
  }
  void require_index(const std::string& name, std::size_t place, std::int64_t index, std::int64_t end) const {
    if (index < 0 || index >= end)
      fail(name, fmt::format("index {} at place {} is out of range; allowed: 0 … {}", index, place, end - 1));
  }

  SparseMatrix matrix(const std::string& name) const {
    if (!contains(name)) fail(name, "it is missing");
    const auto dimension = [&](const char* which) {
      const std::string whole = name + "/" + which;
      const std::int64_t value = number(whole);
      if (value < 0 || value > k_max_entries)
        fail(whole, fmt::format("it is {}; allowed: 0 … {}", value, k_max_entries));
      return value;
    };
    const std::int64_t m = dimension("m"), n = dimension("n"), nz = number(name + "/nz");
    if (nz < k_compressed_rows || nz > k_max_entries)
      fail(name + "/nz",
           fmt::format("it is {}; allowed: a number of triplets, −1 for compressed columns, −2 for "
                       "compressed rows",
                       nz));
    const std::vector<std::int64_t> p = array<std::int64_t>(name + "/p"),
                                    i = array<std::int64_t>(name + "/i");
    const std::vector<double> x = array<double>(name + "/x");
    for (std::size_t k = 0; k < x.size(); ++k)
      if (!std::isfinite(x[k]))
        fail(name + "/x", fmt::format("value {} is {}; allowed: finite numbers", k, x[k]));
    std::vector<Eigen::Triplet<double>> triplets;
    triplets.reserve(x.size());
    if (nz >= 0) {
      require_size(name + "/p", p.size(), nz);
      require_size(name + "/i", i.size(), nz);
      require_size(name + "/x", x.size(), nz);
      for (std::size_t k = 0; k < x.size(); ++k) {
        require_index(name + "/i", k, i[k], m);
        require_index(name + "/p", k, p[k], n);
        triplets.emplace_back(static_cast<int>(i[k]), static_cast<int>(p[k]), x[k]);
      }
    } else {
      add_compressed(name, nz == k_compressed_columns, m, n, p, i, x, triplets);
    }
    SparseMatrix out(static_cast<int>(m), static_cast<int>(n));
    out.setFromTriplets(triplets.begin(), triplets.end());
    return out;
  }

  // p: where the columns (or rows) begin in i and x, which may have unused room at their ends.
  void add_compressed(const std::string& name, bool by_columns, std::int64_t m, std::int64_t n,
                      const std::vector<std::int64_t>& p, const std::vector<std::int64_t>& i,
                      const std::vector<double>& x, std::vector<Eigen::Triplet<double>>& triplets) const {
    const std::int64_t outer = by_columns ? n : m, inner = by_columns ? m : n;
    require_size(name + "/p", p.size(), outer + 1);
    const auto room = static_cast<std::int64_t>(std::min(i.size(), x.size()));
    if (p[0] != 0) fail(name + "/p", fmt::format("it begins with {}; allowed: 0", p[0]));
    for (std::size_t k = 1; k < p.size(); ++k)
      if (p[k] < p[k - 1] || p[k] > room)
        fail(name + "/p",
             fmt::format("value {} is {}; allowed: ascending numbers up to {}, the length of i and x", k,
                         p[k], room));
    for (std::int64_t j = 0; j < outer; ++j)
      for (std::int64_t k = p[j]; k < p[j + 1]; ++k) {
        require_index(name + "/i", static_cast<std::size_t>(k), i[k], inner);
        const int a = static_cast<int>(i[k]), b = static_cast<int>(j);
        triplets.emplace_back(by_columns ? a : b, by_columns ? b : a, x[k]);
      }
  }

  void read_info(StoredInfo& info) const {
    if (!contains("info")) return;
    const auto text = [&](const char* name) {
      return contains(name) ? file_.read_text(full(name)) : std::string();
    };
    info.title = text("info/title");
    info.description = text("info/description");
    info.math_info = text("info/math_info");
    info.attributes = file_.read_attributes(full("info"));
  }

  std::string path_, group_;
  Hdf5File file_;
};

// --- writing

void write_number(Hdf5File& file, const std::string& name, std::int32_t value) {
  file.write_array<std::int32_t>(name, std::span(&value, 1));
}

void write_vector(Hdf5File& file, const std::string& name, const Vector& values) {
  file.write_array<double>(name, std::span(values.data(), static_cast<std::size_t>(values.size())));
}

void write_matrix(Hdf5File& file, const std::string& name, SparseMatrix matrix) {
  matrix.makeCompressed();
  const auto entries = static_cast<std::size_t>(matrix.nonZeros());
  file.create_group(name);
  write_number(file, name + "/m", static_cast<std::int32_t>(matrix.rows()));
  write_number(file, name + "/n", static_cast<std::int32_t>(matrix.cols()));
  write_number(file, name + "/nz", k_compressed_columns);
  write_number(file, name + "/nzmax", static_cast<std::int32_t>(entries));
  file.write_array<std::int32_t>(
      name + "/p", std::span(matrix.outerIndexPtr(), static_cast<std::size_t>(matrix.cols()) + 1));
  file.write_array<std::int32_t>(name + "/i", std::span(matrix.innerIndexPtr(), entries));
  file.write_array<double>(name + "/x", std::span(matrix.valuePtr(), entries));
}

void write_info(Hdf5File& file, const std::string& name, const StoredInfo& info) {
  // With the zero at the end that readers in C rely on.
  const auto text = [&](const char* which, const std::string& content) {
    file.write_text(name + "/" + which, content + '\0');
  };
  file.create_group(name);
  text("title", info.title);
  text("description", info.description);
  text("math_info", info.math_info);
  for (const Hdf5Attribute& attribute : info.attributes)
    std::visit([&](const auto& value) { file.write_attribute(name, attribute.name, value); },
               attribute.value);
}

void write_problem(Hdf5File& file, const StoredProblem& problem) {
  std::string group;
  for (const GroupName& candidate : k_groups)
    if (candidate.form == problem.form) group = candidate.name;
  const bool equalities = problem.num_equalities() > 0;
  file.create_group(group);
  write_number(file, group + "/spacedim",
               problem.form == StoredForm::global_rolling ? problem.contact_dim() : problem.spacedim);
  file.create_group(group + "/vectors");
  const std::string vectors = group + "/vectors/";
  write_vector(file, vectors + "mu", problem.mu);
  if (problem.form == StoredForm::local) {
    write_matrix(file, group + "/W", problem.W);
    write_vector(file, vectors + "q", problem.q);
    if (equalities) {
      write_matrix(file, group + "/V", problem.V);
      write_matrix(file, group + "/R", problem.R);
      write_vector(file, vectors + "s", problem.s);
    }
  } else {
    write_matrix(file, group + "/M", problem.M);
    write_matrix(file, group + "/H", problem.H);
    write_vector(file, vectors + "f", problem.f);
    write_vector(file, vectors + "w", problem.w);
    if (equalities) {
      write_matrix(file, group + "/G", problem.G);
      write_vector(file, vectors + "b", problem.b);
    }
    if (problem.form == StoredForm::global_rolling) write_vector(file, vectors + "mu_r", problem.mu_r);
  }
  write_info(file, group + "/info", problem.info);
}

void write_solution(Hdf5File& file, const StoredProblem& problem, const Solution& solution) {
  file.create_group("/solution");
  if (problem.form != StoredForm::local) write_vector(file, "/solution/v", solution.v);
  write_vector(file, "/solution/u", solution.u);
  write_vector(file, "/solution/r", solution.r);
  if (problem.num_equalities() > 0) write_vector(file, "/solution/l", solution.lambda);
}

// What of a solution does not fit the problem, or nothing.
std::string check_solution(const StoredProblem& problem, const Solution& solution) {
  const Eigen::Index m = static_cast<Eigen::Index>(problem.contact_dim()) * problem.num_contacts();
  if (solution.r.size() != m || solution.u.size() != m)
    return fmt::format("r has {} values and u {}, but the problem has {} contact components",
                       solution.r.size(), solution.u.size(), m);
  if (problem.form != StoredForm::local && solution.v.size() != problem.M.rows())
    return fmt::format("v has {} values, but M has {} rows", solution.v.size(), problem.M.rows());
  if (problem.num_equalities() > 0 && solution.lambda.size() != problem.num_equalities())
    return fmt::format("lambda has {} values, but the problem has {} equality rows", solution.lambda.size(),
                       problem.num_equalities());
  return {};
}

}  // namespace

StoredProblem read_fclib(const std::string& path) {
  return FclibReader(path).read();
}

void write_fclib(const std::string& path, const StoredProblem& problem, const Solution* solution) {
  if (const std::string wrong = check_consistent(problem); !wrong.empty())
    throw InputError("cannot write " + path + ": " + wrong);
  if (solution != nullptr)
    if (const std::string wrong = check_solution(problem, *solution); !wrong.empty())
      throw InputError("cannot write " + path + ": " + wrong);
  // Under another name until it is whole.
  const std::string part = path + ".part";
  std::error_code error;
  try {
    Hdf5File file = Hdf5File::create_portable(part);
    write_problem(file, problem);
    if (solution != nullptr) write_solution(file, problem, *solution);
    file.close();
  } catch (...) {
    std::filesystem::remove(part, error);
    throw;
  }
  std::filesystem::rename(part, path, error);
  if (error) {
    const std::string reason = error.message();
    std::filesystem::remove(part, error);
    throw InputError("cannot write " + path + ": " + reason);
  }
}

}  // namespace delassus
