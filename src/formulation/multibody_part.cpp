// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Parts of a multibody system: bodies that nothing ties to the others, as a system of their own. A part shares model and
// shapes with the whole and keeps the numbers of bodies, joints, coordinates and contacts; q, v and the rows are its own.
#include <algorithm>
#include <numeric>

#include "delassus/formulation/multibody_system.hpp"

namespace delassus {
namespace {

std::vector<int> all_of(std::size_t count) {
  std::vector<int> out(count);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

}  // namespace

void MultibodySystem::make_present() {
  for (std::size_t i = 0; i < coordinates_.size(); ++i)
    if (coordinates_[i].turn >= 0) present_.coordinates.push_back(static_cast<int>(i));
  present_.applied_forces = all_of(model_.applied_forces.size());
  present_.bushings = all_of(bushings_.size());
  present_.elements = all_of(model_.elements.size());
  present_.frictions = all_of(model_.frictions.size());
  present_.shapes = all_of(static_cast<std::size_t>(world_.num_shapes()));
  for (std::size_t i = 0; i < num_listed(); ++i) present_.listed.push_back(i);
}

// --- what acts on whom

void MultibodySystem::add_movers(const PairFunction& f, std::vector<int>& out) const {
  for (int body : {f.body_a, f.body_b})
    if (body != k_world && places_[body].nv > 0) out.push_back(body);
}

std::vector<int> MultibodySystem::movers_of(const RowGroup& group) const {
  std::vector<int> out;
  if (group.kind == RowGroup::Kind::pair) add_movers(equations_[group.first], out);
  for (const Term& term : group.terms) add_movers(coordinates_[term.coordinate].function, out);
  for (const BodyRow& row : group.body_rows)
    if (places_[row.body].nv > 0) out.push_back(row.body);
  return out;
}

std::vector<int> MultibodySystem::movers_of_listed(ContactId id) const {
  std::vector<int> out;
  if (is_limit(id)) {
    add_movers(coordinates_[coordinate_index(model_.limits[limit(id).limit].coordinate)].function, out);
    return out;
  }
  const ContactBodies bodies = contact_bodies(id);
  for (int body : {bodies.a, bodies.b})
    if (body != k_world && places_[body].nv > 0) out.push_back(body);
  return out;
}

std::vector<int> MultibodySystem::movers_of_element(const ForceElement& element) const {
  std::vector<int> out;
  for (int body : element.bodies())
    if (places_[body].nv > 0) out.push_back(body);
  return out;
}

void MultibodySystem::ties(std::vector<std::vector<int>>& out) const {
  out.clear();
  for (const RowGroup& group : row_groups_) out.push_back(movers_of(group));
  for (const Coordinate& c : coordinates_) add_movers(c.function, out.emplace_back());
  for (const Bushing& bushing : model_.bushings) {
    PairFunction ends;
    ends.body_a = bushing.a.body;
    ends.body_b = bushing.b.body;
    add_movers(ends, out.emplace_back());
  }
  for (const auto& element : model_.elements) out.push_back(movers_of_element(*element));
  for (ContactId id : present_.listed) out.push_back(movers_of_listed(id));
}

int MultibodySystem::mover(ContactId id) const {
  if (!is_shape(id)) {
    const std::vector<int> movers = movers_of_listed(id);
    return movers.empty() ? -1 : movers.front();
  }
  const CollisionWorld::Ends ends = world_.ends(id);
  return places_[ends.body_a].nv > 0 ? ends.body_a : ends.body_b;
}

// --- parts

template <class Keep>
void MultibodySystem::select_present(const MultibodySystem& whole, const Keep& keep) {
  const auto keeps = [&](const std::vector<int>& movers) { return !movers.empty() && keep(movers.front()); };
  for (int i : whole.present_.applied_forces)
    if (keep(model_.applied_forces[i].body)) present_.applied_forces.push_back(i);
  for (int i : whole.present_.bushings) {
    PairFunction ends;
    ends.body_a = bushings_[i].a.body;
    ends.body_b = bushings_[i].b.body;
    std::vector<int> movers;
    whole.add_movers(ends, movers);
    if (keeps(movers)) present_.bushings.push_back(i);
  }
  for (int i : whole.present_.elements)
    if (keeps(whole.movers_of_element(*model_.elements[i]))) present_.elements.push_back(i);
  for (int i : whole.present_.shapes)
    if (!world_.is_dynamic(i) || keep(world_.body_of(i))) present_.shapes.push_back(i);
  for (ContactId id : whole.present_.listed)
    if (keeps(whole.movers_of_listed(id))) present_.listed.push_back(id);
  for (const CoordinateElement& element : whole.coordinate_elements_) {
    std::vector<int> movers;
    whole.add_movers(coordinates_[element.coordinate].function, movers);
    if (keeps(movers)) coordinate_elements_.push_back(element);
  }
}

template <class Keep>
void MultibodySystem::select_rows(const MultibodySystem& whole, const Keep& keep, SystemPart& places) {
  first_row_of_joint_.assign(whole.first_row_of_joint_.size(), -1);
  int row = 0;
  for (const RowGroup& group : whole.row_groups_) {
    const std::vector<int> movers = whole.movers_of(group);
    if (!movers.empty() && keep(movers.front())) {
      const auto first = static_cast<int>(places.joint_rows.size());
      if (group.joint >= 0 && whole.first_row_of_joint_[group.joint] == row)
        first_row_of_joint_[group.joint] = first;
      for (int i = 0; i < group.num_rows(); ++i) {
        places.joint_rows.push_back(row + i);
        group_of_row_.push_back(static_cast<int>(row_groups_.size()));
      }
      row_groups_.push_back(group);
      if (row < whole.num_holonomic_) num_holonomic_ += group.num_rows();
    }
    row += group.num_rows();
  }
  for (std::size_t i = 0; i < whole.present_.frictions.size(); ++i) {
    const int friction = whole.present_.frictions[i];
    std::vector<int> movers;
    whole.add_movers(coordinates_[coordinate_index(model_.frictions[friction].coordinate)].function, movers);
    if (movers.empty() || !keep(movers.front())) continue;
    present_.frictions.push_back(friction);
    places.friction_rows.push_back(static_cast<int>(i));
  }
}

MultibodySystem::MultibodySystem(const MultibodySystem& whole, std::span<const int> bodies,
                                 SystemPart& places)
    : System(),
      shared_model_(whole.shared_model_),
      shared_world_(whole.shared_world_),
      model_(*shared_model_),
      world_(*shared_world_),
      places_(whole.places_.size()),
      kinematic_bodies_(whole.kinematic_bodies_),
      coordinates_(whole.coordinates_),
      num_named_coordinates_(whole.num_named_coordinates_),
      first_coordinate_(whole.first_coordinate_),
      measure_coordinate_(whole.measure_coordinate_),
      equations_(whole.equations_),
      num_force_rows_(whole.num_force_rows_),
      motor_rows_(whole.motor_rows_),
      motor_elements_(whole.motor_elements_),
      bushings_(whole.bushings_),
      limits_(whole.limits_),
      reference_normals_(whole.reference_normals_) {
  const auto take = [](int from, int count, std::vector<int>& out) {
    for (int i = 0; i < count; ++i) out.push_back(from + i);
  };
  for (int body : whole.present_.bodies) {
    const Place& place = whole.places_[body];
    const bool here = std::binary_search(bodies.begin(), bodies.end(), body);
    if (place.nv > 0 && !here) continue;
    present_.bodies.push_back(body);
    if (place.nv == 0) continue;
    const int nq = place.nv == 6 ? 7 : 3;
    places_[body] = {nq_, nv_, place.nv};
    take(place.q, nq, places.q);
    take(place.v, place.nv, places.v);
    nq_ += nq;
    nv_ += place.nv;
  }
  const auto keep = [&](int body) { return places_[body].nv > 0; };
  for (int i : whole.present_.coordinates) {
    std::vector<int> movers;
    whole.add_movers(coordinates_[i].function, movers);
    if (movers.empty() || !keep(movers.front())) continue;
    present_.coordinates.push_back(i);
    places.q.push_back(coordinates_[i].turn);
    coordinates_[i].turn = nq_++;
  }
  select_present(whole, keep);
  select_rows(whole, keep, places);
  make_mass();
  take(whole.nq_ - num_signals(), num_signals(), places.q);
  nq_ += num_signals();
}

SystemPart MultibodySystem::part(std::span<const int> bodies) const {
  SystemPart out;
  out.system = std::shared_ptr<const System>(new MultibodySystem(*this, bodies, out));
  return out;
}

// --- where they may get to

void MultibodySystem::extend_reach(const Configuration& at, const VectorRef& v, double h,
                                   Reach& reach) const {
  thread_local std::vector<BodyPlacement> placements;
  place_shapes(at, v.data(), placements);
  if (reach.shapes.empty()) {
    for (int shape : present_.shapes)
      if (world_.is_dynamic(shape)) reach.shapes.push_back(shape);
    reach.boxes.assign(reach.shapes.size(), {});
  }
  for (std::size_t i = 0; i < reach.shapes.size(); ++i) {
    const Bounds box = world_.swept_box(reach.shapes[i], placements, h, fall(h));
    reach.boxes[i].extend(box.lower, box.upper);
  }
}

void MultibodySystem::meetings(const Reach& reach, std::vector<std::pair<int, int>>& bodies) const {
  thread_local std::vector<Bounds> boxes;
  // Shapes that do not move meet nobody: their boxes are empty.
  const Reach::Box empty;
  boxes.assign(static_cast<std::size_t>(world_.num_shapes()), {empty.lower, empty.upper});
  for (std::size_t i = 0; i < reach.boxes.size(); ++i)
    boxes[static_cast<std::size_t>(reach.shapes[i])] = {reach.boxes[i].lower, reach.boxes[i].upper};
  world_.meetings(boxes, bodies);
}

}  // namespace delassus
