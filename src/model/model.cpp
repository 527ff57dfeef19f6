// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/model/model.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>
#include <set>

#include "delassus/base/error.hpp"

namespace delassus {
namespace {

void require(bool condition, const std::string& kind, const std::string& name, const std::string& what) {
  if (!condition) throw InputError(fmt::format("{} '{}': {}", kind, name, what));
}

}  // namespace

int Model::add(Particle particle) {
  particles.push_back(std::move(particle));
  return static_cast<int>(particles.size()) - 1;
}

int Model::find_body(const std::string& name) const {
  for (std::size_t i = 0; i < particles.size(); ++i)
    if (particles[i].name == name) return static_cast<int>(i);
  return -1;
}

void require_valid(const Model& model) {
  const int n = static_cast<int>(model.particles.size());
  std::set<std::string> names;
  const auto check_name = [&](const char* kind, const std::string& name) {
    require(!name.empty(), kind, name, "the name is empty");
    require(names.insert(name).second, kind, name, "the name is used twice");
  };
  const auto check_body = [&](const char* kind, const std::string& name, int body, bool world) {
    require(body >= (world ? k_world : 0) && body < n, kind, name,
            fmt::format("body index {} is not in 0 … {}", body, n - 1));
  };
  const auto check_ends = [&](const char* kind, const std::string& name, const Attachment& a,
                              const Attachment& b) {
    check_body(kind, name, a.body, true);
    check_body(kind, name, b.body, true);
    require(a.body != b.body, kind, name,
            a.body == k_world ? "both ends are fixed in the world" : "both ends are on the same body");
  };
  const auto check_not_negative = [&](const char* kind, const std::string& name, const char* what,
                                      double value) {
    require(std::isfinite(value) && value >= 0, kind, name,
            fmt::format("{} is {}; allowed: >= 0", what, value));
  };
  const auto check_surface = [&](const char* kind, const std::string& name, double friction,
                                 double restitution) {
    check_not_negative(kind, name, "friction", friction);
    require(restitution >= 0 && restitution <= 1, kind, name,
            fmt::format("restitution is {}; allowed: 0 … 1", restitution));
  };
  require(model.gravity.allFinite(), "model", "gravity", "not finite");
  for (const Particle& p : model.particles) {
    check_name("body", p.name);
    require(std::isfinite(p.mass) && p.mass > 0, "body", p.name,
            fmt::format("mass is {}; allowed: > 0", p.mass));
    require(p.position.allFinite() && p.velocity.allFinite(), "body", p.name,
            "position or velocity is not finite");
  }
  for (const DistanceJoint& j : model.distance_joints) {
    check_name("joint", j.name);
    check_ends("joint", j.name, j.a, j.b);
    require(std::isfinite(j.length) && j.length > 0, "joint", j.name,
            fmt::format("length is {}; allowed: > 0", j.length));
  }
  for (const SpringDamper& s : model.springs) {
    check_name("force", s.name);
    check_ends("force", s.name, s.a, s.b);
    check_not_negative("force", s.name, "stiffness", s.stiffness);
    check_not_negative("force", s.name, "damping", s.damping);
    check_not_negative("force", s.name, "rest_length", s.rest_length);
  }
  for (const AppliedForce& f : model.applied_forces) {
    check_name("force", f.name);
    check_body("force", f.name, f.body, false);
    require(static_cast<bool>(f.force), "force", f.name, "has no function");
  }
  for (const PlaneContact& c : model.plane_contacts) {
    check_name("contact", c.name);
    check_body("contact", c.name, c.body, false);
    require(c.normal.allFinite() && c.normal.norm() > 0, "contact", c.name,
            "the normal is zero or not finite");
    check_not_negative("contact", c.name, "radius", c.radius);
    check_surface("contact", c.name, c.friction, c.restitution);
  }
  for (const PairContact& c : model.pair_contacts) {
    check_name("contact", c.name);
    check_body("contact", c.name, c.body_a, false);
    check_body("contact", c.name, c.body_b, false);
    require(c.body_a != c.body_b, "contact", c.name, "both ends are on the same body");
    require(std::isfinite(c.distance) && c.distance > 0, "contact", c.name,
            fmt::format("distance is {}; allowed: > 0", c.distance));
    check_surface("contact", c.name, c.friction, c.restitution);
  }
}

const std::vector<std::string>& force_variables() {
  static const std::vector<std::string> names{"t", "x", "y", "z", "vx", "vy", "vz"};
  return names;
}

ForceFunction force_from_expressions(const Expression (&components)[3]) {
  struct Formulas {
    std::array<Expression, 3> f;
    std::array<std::array<Expression, 6>, 3> df;
  };
  auto formulas = std::make_shared<Formulas>();
  for (int i = 0; i < 3; ++i) {
    formulas->f[i] = components[i];
    for (int j = 0; j < 6; ++j) formulas->df[i][j] = components[i].derivative(1 + j);
  }
  return [formulas](double t, const Vector3& x, const Vector3& v, Vector3& force, Matrix3* df_dx,
                    Matrix3* df_dv) {
    const std::array<double, 7> values{t, x[0], x[1], x[2], v[0], v[1], v[2]};
    for (int i = 0; i < 3; ++i) {
      force[i] = formulas->f[i].evaluate(values);
      for (int j = 0; j < 3; ++j) {
        if (df_dx != nullptr) (*df_dx)(i, j) = formulas->df[i][j].evaluate(values);
        if (df_dv != nullptr) (*df_dv)(i, j) = formulas->df[i][3 + j].evaluate(values);
      }
    }
  };
}

ForceFunction force_from_function(std::function<Vector3(double, const Vector3&, const Vector3&)> function) {
  return [function = std::move(function)](double t, const Vector3& x, const Vector3& v, Vector3& force,
                                          Matrix3* df_dx, Matrix3* df_dv) {
    force = function(t, x, v);
    // Central differences: the step balances truncation and round-off, ε^{1/3}.
    constexpr double step = 6e-6;
    for (int j = 0; j < 3; ++j) {
      const double dx = step * (1.0 + std::abs(x[j])), dv = step * (1.0 + std::abs(v[j]));
      const Vector3 ex = dx * Vector3::Unit(j), ev = dv * Vector3::Unit(j);
      if (df_dx != nullptr) df_dx->col(j) = (function(t, x + ex, v) - function(t, x - ex, v)) / (2 * dx);
      if (df_dv != nullptr) df_dv->col(j) = (function(t, x, v + ev) - function(t, x, v - ev)) / (2 * dv);
    }
  };
}

}  // namespace delassus
