// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/scene/scene.hpp"

#include "delassus/base/names.hpp"

namespace delassus {

BodyHandle Scene::body(const std::string& wanted) const {
  std::vector<std::string> names;
  for (const BodyDesc& x : desc.bodies) names.push_back(x.name.name);
  if (desc.lagrangian)
    for (const LagrangianDesc::Body& x : desc.lagrangian->bodies) names.push_back(x.name.name);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == wanted) return BodyHandle(static_cast<int>(i));
  throw InputError("there is no body " + quote(wanted) + name_advice(wanted, names));
}

}  // namespace delassus
