// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/scene/compile_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "delassus/base/names.hpp"
#include "delassus/collision/geometry.hpp"
#include "delassus/scene/compile_mechanism.hpp"

namespace delassus {
namespace {

std::vector<std::string> list_groups(const SceneDesc& scene) {
  std::vector<std::string> out{k_default_group};
  for (const BodyDesc& body : scene.bodies)
    for (const ShapeDesc& shape : body.shapes)
      for (const NameRef& group : shape.groups) {
        if (std::find(out.begin(), out.end(), group.name) != out.end()) continue;
        if (out.size() == k_max_groups)
          throw InputError(group.place,
                           fmt::format("group '{}' is one too many; allowed: {} groups, '{}' included",
                                       group.name, k_max_groups, k_default_group));
        out.push_back(group.name);
      }
  return out;
}

std::uint32_t bits_of(const std::vector<NameRef>& names, const std::vector<std::string>& groups) {
  std::uint32_t bits = 0;
  for (const NameRef& name : names) {
    const auto at = std::find(groups.begin(), groups.end(), name.name);
    if (at == groups.end())
      throw InputError(name.place, fmt::format("no shape belongs to a group '{}'{}", name.name,
                                               name_advice(name.name, groups)));
    bits |= std::uint32_t{1} << (at - groups.begin());
  }
  return bits;
}

// What is wrong with the shape; empty: nothing.
std::string find_mistake(const Shape& shape, BodyKind kind) {
  std::string why = check_shape(shape, kind);
  // How far a hull can be rounded is known once it is made.
  if (why.empty() && shape.kind == ShapeKind::hull && shape.margin > 0) try {
      make_geometry(shape);
    } catch (const InputError& error) {
      why = error.what();
    }
  return why;
}

}  // namespace

std::vector<std::vector<Shape>> compile_shapes(const SceneDesc& scene) {
  const std::vector<std::string> groups = list_groups(scene);
  std::vector<std::vector<Shape>> out;
  for (const BodyDesc& body : scene.bodies) {
    out.emplace_back();
    for (const ShapeDesc& desc : body.shapes) {
      if (const std::string why = find_mistake(desc.shape, body.kind); !why.empty())
        throw InputError(desc.place, fmt::format("body '{}': {}", body.name.name, why));
      out.back().push_back(desc.shape);
      if (!desc.groups.empty()) out.back().back().group = bits_of(desc.groups, groups);
      if (desc.touches) out.back().back().touches = bits_of(*desc.touches, groups);
    }
  }
  return out;
}

CollisionSettings compile_collision(const SceneDesc& scene) {
  CollisionSettings out = scene.collision.settings;
  std::set<std::pair<int, int>> seen;
  for (const CollisionDesc::Pair& pair : scene.collision.pairs) {
    PairRule rule = pair.rule;
    for (int k = 0; k < 2; ++k) {
      const int body = find_body(scene, pair.bodies[k], false);
      if (scene.bodies[body].shapes.empty())
        throw InputError(
            pair.bodies[k].place,
            fmt::format("body '{}' has no shapes, so that nothing touches it; allowed: bodies with "
                        "'shapes'",
                        pair.bodies[k].name));
      (k == 0 ? rule.body_a : rule.body_b) = body;
    }
    if (rule.body_a == rule.body_b)
      throw InputError(pair.bodies[1].place,
                       fmt::format("both bodies are '{}'; allowed: two different ones", pair.bodies[1].name));
    if (!seen.insert(std::minmax(rule.body_a, rule.body_b)).second)
      throw InputError(pair.place, fmt::format("the pair '{}', '{}' has a rule already; allowed: one a pair",
                                               pair.bodies[0].name, pair.bodies[1].name));
    const std::string why = check_pair_material(rule);
    if (!why.empty())
      throw InputError(pair.place,
                       fmt::format("the pair '{}', '{}': {}", pair.bodies[0].name, pair.bodies[1].name, why));
    out.pairs.push_back(rule);
  }
  return out;
}

}  // namespace delassus
