// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Joints of a multibody system: from the model's elements to rows of G, equation (2) of the header.
#include <numbers>

#include "delassus/base/work_time.hpp"
#include "delassus/formulation/multibody_system.hpp"
#include "delassus/model/joint/pair_placement.hpp"

namespace delassus {

// --- from the model to rows

Attachment MultibodySystem::shifted(const Attachment& attachment) const {
  Attachment out = attachment;
  if (out.body != k_world) out.point -= model_.bodies[out.body].center_of_mass;
  return out;
}

Joint MultibodySystem::shifted(const Joint& joint) const {
  Joint out = joint;
  out.a = shifted(joint.a);
  out.b = shifted(joint.b);
  return out;
}

int MultibodySystem::coordinate_index(const CoordinateRef& ref) const {
  return ref.measure >= 0 ? measure_coordinate_[ref.measure] : first_coordinate_[ref.joint] + ref.index;
}

int MultibodySystem::add_coordinate(std::string name, const PairFunction& function) {
  Coordinate c{std::move(name), function, -1};
  if (function.kind == PairKind::angle) c.turn = nq_++;
  coordinates_.push_back(std::move(c));
  return static_cast<int>(coordinates_.size()) - 1;
}

// Rows of positions first, then those of velocities alone: that is how the saddle point numbers them.
void MultibodySystem::make_joints() {
  make_named_coordinates();
  std::vector<RowGroup> velocity_groups;
  const std::vector<int> first_group_of_joint = add_joint_groups();
  const std::size_t first_coupler = row_groups_.size();
  add_coupler_groups();
  add_motor_groups(velocity_groups);
  add_rolling_groups(velocity_groups);
  add_velocity_groups(velocity_groups);
  number_rows(first_group_of_joint, velocity_groups);
  hold_coupler_offsets(first_coupler);
}

// Of joints and measures.
void MultibodySystem::make_named_coordinates() {
  std::vector<PairFunction> functions;
  for (const Joint& joint : model_.joints) {
    first_coordinate_.push_back(static_cast<int>(coordinates_.size()));
    num_force_rows_.push_back(num_force_equations(joint.kind));
    make_coordinates(shifted(joint), functions);
    const auto& names = delassus::joint_coordinates(joint.kind);
    for (std::size_t i = 0; i < functions.size(); ++i)
      add_coordinate(joint.name + "." + names[i].name, functions[i]);
  }
  for (const Measure& m : model_.measures) {
    // A measure is a coordinate of a joint that holds nothing.
    const JointKind like = m.kind == Measure::Kind::slide ? JointKind::prismatic : JointKind::revolute;
    Joint joint{.name = m.name, .kind = like, .a = m.a, .b = m.b};
    if (m.kind == Measure::Kind::length) {
      joint.kind = JointKind::distance;
      make_equations(shifted(joint), functions);
      functions[0].kind = PairKind::length;
    } else {
      make_coordinates(shifted(joint), functions);
    }
    measure_coordinate_.push_back(add_coordinate(m.name, functions[0]));
  }
  num_named_coordinates_ = static_cast<int>(coordinates_.size());
}

std::vector<int> MultibodySystem::add_joint_groups() {
  std::vector<PairFunction> functions;
  std::vector<int> first_group_of_joint;
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    first_group_of_joint.push_back(static_cast<int>(row_groups_.size()));
    make_equations(shifted(joint), functions);
    RowGroup group{.kind = RowGroup::Kind::pair, .name = joint.name, .joint = static_cast<int>(j)};
    group.first = static_cast<int>(equations_.size());
    group.count = static_cast<int>(functions.size());
    equations_.insert(equations_.end(), functions.begin(), functions.end());
    row_groups_.push_back(group);
    if (joint.kind != JointKind::screw) continue;
    RowGroup thread{.kind = RowGroup::Kind::coordinates, .name = joint.name, .joint = static_cast<int>(j)};
    const int slide = first_coordinate_[j];
    thread.terms = {{slide, 1.0}, {slide + 1, -joint.pitch / (2 * std::numbers::pi)}};
    row_groups_.push_back(thread);
  }
  return first_group_of_joint;
}

void MultibodySystem::add_coupler_groups() {
  for (const Coupler& coupler : model_.couplers) {
    RowGroup group{.kind = RowGroup::Kind::coordinates, .name = coupler.name};
    if (!coupler.offset_from_start) group.offset = coupler.offset;
    for (const Coupler::Term& term : coupler.terms)
      group.terms.push_back({coordinate_index(term.coordinate), term.coefficient});
    row_groups_.push_back(group);
  }
}

void MultibodySystem::add_motor_groups(std::vector<RowGroup>& velocity_groups) {
  for (std::size_t m = 0; m < model_.motors.size(); ++m) {
    const Motor& motor = model_.motors[m];
    if (motor.kind != Motor::Kind::position && motor.kind != Motor::Kind::velocity) continue;
    RowGroup group{.kind = RowGroup::Kind::coordinates, .name = motor.name, .motor = static_cast<int>(m)};
    group.terms = {{coordinate_index(motor.coordinate), 1.0}};
    group.law = motor.target;
    group.signal = motor.signal;
    group.holonomic = motor.kind == Motor::Kind::position;
    (group.holonomic ? row_groups_ : velocity_groups).push_back(group);
  }
}

void MultibodySystem::add_rolling_groups(std::vector<RowGroup>& velocity_groups) {
  for (const RollingDisk& disk : model_.rolling_disks) {
    BodyRow row{.kind = BodyRowKind::rolling, .body = disk.body};
    row.point = disk.center - model_.bodies[disk.body].center_of_mass;
    row.axis = disk.axis.normalized();
    row.normal = disk.plane_normal.normalized();
    row.radius = disk.radius;
    const Matrix3 frame = frame_with_axis(row.normal, Vector3::UnitX());
    RowGroup height{
        .kind = RowGroup::Kind::rolling, .name = disk.name, .count = 1, .plane_point = disk.plane_point};
    height.body_rows = {row};
    height.body_rows[0].linear = row.normal;
    row_groups_.push_back(height);
    RowGroup slip{.kind = RowGroup::Kind::rolling, .name = disk.name, .holonomic = false, .count = 2};
    slip.body_rows = {row, row};
    for (int i = 0; i < 2; ++i) slip.body_rows[i].linear = frame.col(i);
    velocity_groups.push_back(slip);
  }
}

// Skates and rows of the user.
void MultibodySystem::add_velocity_groups(std::vector<RowGroup>& velocity_groups) const {
  for (const Skate& skate : model_.skates) {
    RowGroup group{.kind = RowGroup::Kind::coordinates, .name = skate.name, .holonomic = false};
    group.body_rows = {{.kind = BodyRowKind::body, .body = skate.body}};
    group.body_rows[0].point = skate.point - model_.bodies[skate.body].center_of_mass;
    group.body_rows[0].linear = skate.across.normalized();
    velocity_groups.push_back(group);
  }
  for (const PfaffianRow& row : model_.pfaffian_rows) {
    RowGroup group{
        .kind = RowGroup::Kind::coordinates, .name = row.name, .holonomic = false, .law = row.target};
    for (const PfaffianRow::Term& term : row.terms) {
      BodyRow body_row{.kind = term.body_axes ? BodyRowKind::body : BodyRowKind::world, .body = term.body};
      body_row.point = term.point - model_.bodies[term.body].center_of_mass;
      body_row.linear = term.linear;
      body_row.angular = term.angular;
      group.body_rows.push_back(body_row);
    }
    for (const Coupler::Term& term : row.coordinates)
      group.terms.push_back({coordinate_index(term.coordinate), term.coefficient});
    velocity_groups.push_back(group);
  }
}

void MultibodySystem::number_rows(const std::vector<int>& first_group_of_joint,
                                  const std::vector<RowGroup>& velocity_groups) {
  std::vector<int> first_row;
  for (const RowGroup& group : row_groups_) {
    first_row.push_back(num_holonomic_);
    num_holonomic_ += group.num_rows();
  }
  for (int group : first_group_of_joint) first_row_of_joint_.push_back(first_row[group]);
  row_groups_.insert(row_groups_.end(), velocity_groups.begin(), velocity_groups.end());
  for (std::size_t g = 0; g < row_groups_.size(); ++g)
    group_of_row_.insert(group_of_row_.end(), static_cast<std::size_t>(row_groups_[g].num_rows()),
                         static_cast<int>(g));

  motor_rows_.assign(model_.motors.size(), -1);
  for (std::size_t row = 0; row < group_of_row_.size(); ++row) {
    const int motor = row_groups_[group_of_row_[row]].motor;
    if (motor >= 0) motor_rows_[motor] = static_cast<int>(row);
  }
}

// Couplers that hold what the start has.
void MultibodySystem::hold_coupler_offsets(std::size_t first_coupler) {
  const State start = initial_state();
  const Configuration at = configuration(0, start.q);
  Evaluation x;
  for (std::size_t i = 0; i < model_.couplers.size(); ++i) {
    if (!model_.couplers[i].offset_from_start) continue;
    RowGroup& group = row_groups_[first_coupler + i];
    for (const Term& term : group.terms) {
      evaluate_coordinate(term.coordinate, at, nullptr, false, x);
      group.offset += term.coefficient * x.pair.value;
    }
  }
}

std::string MultibodySystem::joint_name(int row) const {
  return row_groups_[group_of_row_[row]].name;
}

bool MultibodySystem::joint_row_is_angle(int row) const {
  int first = row;
  while (first > 0 && group_of_row_[first - 1] == group_of_row_[row]) --first;
  const RowGroup& group = row_groups_[group_of_row_[row]];
  const auto is_angle = [](const PairFunction& f) {
    return f.kind == PairKind::dot || f.kind == PairKind::angle;
  };
  if (group.kind == RowGroup::Kind::pair) return is_angle(equations_[group.first + row - first]);
  // Of a coupler that mixes both the unit is the user's; lengths are meant where there is any.
  return group.kind == RowGroup::Kind::coordinates && group.body_rows.empty() && !group.terms.empty() &&
         std::all_of(group.terms.begin(), group.terms.end(),
                     [&](const Term& term) { return is_angle(coordinates_[term.coordinate].function); });
}

// --- evaluation

void MultibodySystem::evaluate_pair(const PairFunction& f, const Configuration& at, const double* v,
                                    bool curvature, Evaluation& out) const {
  evaluate(f, body_at(f.body_a, at), body_at(f.body_b, at), curvature, out.pair);
  out.V << velocity_of(f.body_a, at, v), velocity_of(f.body_b, at, v);
}

void MultibodySystem::evaluate_coordinate(int coordinate, const Configuration& at, const double* v,
                                          bool curvature, Evaluation& out) const {
  evaluate_pair(coordinates_[coordinate].function, at, v, curvature, out);
  out.pair.value = on_branch(coordinate, out.pair.value, at.q);
}

double MultibodySystem::prescribed_acceleration(const PairFunction& f, const Configuration& at,
                                                const Vector12& g) const {
  double rate = 0;
  if (f.body_a != k_world && places_[f.body_a].nv == 0)
    rate += g.head<6>().dot(body_at(f.body_a, at).acceleration);
  if (f.body_b != k_world && places_[f.body_b].nv == 0)
    rate += g.tail<6>().dot(body_at(f.body_b, at).acceleration);
  return rate;
}

void MultibodySystem::add_pair_row(const PairFunction& f, const Vector12& g, double scale,
                                   BlockRows& rows) const {
  for (const auto& [body, at] : {std::pair{f.body_a, 0}, std::pair{f.body_b, 6}}) {
    if (body == k_world || places_[body].nv == 0) continue;
    rows.add_block(places_[body].v, places_[body].nv) = scale * g.segment(at, places_[body].nv).transpose();
  }
}

void MultibodySystem::add_pair_block(const PairFunction& f, const Matrix12& K, double scale,
                                     BlockMatrix& out) const {
  for (const auto& [row, i] : {std::pair{f.body_a, 0}, std::pair{f.body_b, 6}})
    for (const auto& [column, j] : {std::pair{f.body_a, 0}, std::pair{f.body_b, 6}}) {
      if (row == k_world || column == k_world) continue;
      const Place &a = places_[row], &b = places_[column];
      if (a.nv == 0 || b.nv == 0) continue;
      auto block = out.add_block(a.v, b.v, a.nv, b.nv);
      // Two rigid bodies: almost all.
      if (a.nv == 6 && b.nv == 6)
        Eigen::Map<Matrix6>(block.data()) = scale * K.block<6, 6>(i, j);
      else
        block = scale * K.block(i, j, a.nv, b.nv);
    }
}

// --- rows

void MultibodySystem::bilateral(const Configuration& at, BilateralRows& out) const {
  const WorkScope scope(WorkKind::joints);
  const auto n = static_cast<Eigen::Index>(group_of_row_.size());
  out.rows.clear(nv());
  out.violation.setZero(n);
  out.target.setZero(n);
  out.num_holonomic = num_holonomic_;
  int row = 0;
  for (const RowGroup& group : row_groups_) {
    switch (group.kind) {
      case RowGroup::Kind::pair:
        add_pair_rows(group, at, row, out);
        break;
      case RowGroup::Kind::coordinates:
        add_coordinate_row(group, at, row, out);
        break;
      case RowGroup::Kind::rolling:
        add_rolling_rows(group, at, row, out);
        break;
    }
    row += group.num_rows();
  }
}

// All equations of one joint: one group with a block a body.
void MultibodySystem::add_pair_rows(const RowGroup& group, const Configuration& at, int row,
                                    BilateralRows& out) const {
  const PairFunction& any = equations_[group.first];
  const BodyKinematics &a = body_at(any.body_a, at), &b = body_at(any.body_b, at);
  const PairPlacement placement(a, b);
  Eigen::Matrix<double, 6, 12> g;
  PairValue x;
  for (int i = 0; i < group.count; ++i) {
    evaluate(equations_[group.first + i], placement, false, x);
    g.row(i) = x.gradient.transpose();
    out.violation[row + i] = x.value;
    out.target[row + i] = -(x.gradient.head<6>().dot(a.velocity) + x.gradient.tail<6>().dot(b.velocity));
  }
  out.rows.add_group(group.count);
  for (const auto& [body, first] : {std::pair{any.body_a, 0}, std::pair{any.body_b, 6}}) {
    if (body == k_world || places_[body].nv == 0) continue;
    out.rows.add_block(places_[body].v, places_[body].nv) = g.block(0, first, group.count, places_[body].nv);
  }
}

void MultibodySystem::add_coordinate_row(const RowGroup& group, const Configuration& at, int row,
                                         BilateralRows& out) const {
  out.rows.add_group(1);
  double value = -group.offset, rate = 0;
  Evaluation x;
  for (const Term& term : group.terms) {
    const PairFunction& f = coordinates_[term.coordinate].function;
    evaluate_coordinate(term.coordinate, at, nullptr, false, x);
    add_pair_row(f, x.pair.gradient, term.coefficient, out.rows);
    value += term.coefficient * x.pair.value;
    rate += term.coefficient * x.pair.gradient.dot(x.V);
  }
  for (const BodyRow& body_row : group.body_rows) {
    const Place& place = places_[body_row.body];
    BodyRowValue y;
    const BodyKinematics& body = body_at(body_row.body, at);
    evaluate(body_row, body, y);
    rate += y.gradient.dot(body.velocity);
    if (place.nv > 0) out.rows.add_block(place.v, place.nv) = y.gradient.head(place.nv).transpose();
  }
  if (group.holonomic) {
    if (group.law) {
      value -= group.law.value(at.t);
      rate -= group.law.rate(at.t);
    }
    out.violation[row] = value;
    out.target[row] = -rate;
  } else {
    out.target[row] = (group.law ? signal_value(group.signal, at.q) * group.law.value(at.t) : 0.0) - rate;
  }
}

void MultibodySystem::add_rolling_rows(const RowGroup& group, const Configuration& at, int row,
                                       BilateralRows& out) const {
  const int body = group.body_rows[0].body;
  const BodyKinematics& kinematic = body_at(body, at);
  out.rows.add_group(group.count);
  auto block = out.rows.add_block(places_[body].v, places_[body].nv);
  BodyRowValue x;
  for (int i = 0; i < group.count; ++i) {
    evaluate(group.body_rows[i], kinematic, x);
    block.row(i) = x.gradient.transpose();
  }
  if (group.holonomic) out.violation[row] = rolling_height(group.body_rows[0], kinematic, group.plane_point);
}

// VᵀKV of all equations of one joint, and what prescribed motions add.
void MultibodySystem::add_pair_biases(const RowGroup& group, const Configuration& at, const VectorRef& v,
                                      int row, Vector& bias) const {
  const PairFunction& any = equations_[group.first];
  const PairPlacement placement(body_at(any.body_a, at), body_at(any.body_b, at));
  const auto is_prescribed = [&](int body) { return body != k_world && places_[body].nv == 0; };
  const bool prescribed = is_prescribed(any.body_a) || is_prescribed(any.body_b);
  Vector12 V;
  V << velocity_of(any.body_a, at, v.data()), velocity_of(any.body_b, at, v.data());
  PairValue x;
  for (int i = 0; i < group.count; ++i) {
    const PairFunction& f = equations_[group.first + i];
    bias[row + i] = velocity_bias(f, placement, V);
    if (!prescribed) continue;
    evaluate(f, placement, false, x);
    bias[row + i] += prescribed_acceleration(f, at, x.gradient);
  }
}

double MultibodySystem::row_bias(const RowGroup& group, int index, const Configuration& at,
                                 const VectorRef& v) const {
  double bias = 0;
  Evaluation x;
  for (const Term& term : group.terms) {
    const PairFunction& f = coordinates_[term.coordinate].function;
    evaluate_coordinate(term.coordinate, at, v.data(), true, x);
    bias += term.coefficient *
            (x.V.dot(x.pair.curvature * x.V) + prescribed_acceleration(f, at, x.pair.gradient));
  }
  const std::size_t first = group.kind == RowGroup::Kind::rolling ? static_cast<std::size_t>(index) : 0,
                    last = group.kind == RowGroup::Kind::rolling ? first + 1 : group.body_rows.size();
  BodyRowValue y;
  for (std::size_t i = first; i < last; ++i) {
    const BodyKinematics body = moving(group.body_rows[i].body, at, v);
    evaluate(group.body_rows[i], body, y);
    bias += body.velocity.dot(y.curvature * body.velocity) + y.gradient.dot(body.acceleration);
  }
  if (group.law)
    bias -= group.holonomic ? group.law.acceleration(at.t)
                            : signal_value(group.signal, at.q) * group.law.rate(at.t);
  return bias;
}

void MultibodySystem::bilateral_bias(const Configuration& at, const VectorRef& v, Vector& bias) const {
  const WorkScope scope(WorkKind::joints);
  bias.resize(static_cast<Eigen::Index>(group_of_row_.size()));
  int row = 0;
  for (const RowGroup& group : row_groups_) {
    if (group.kind == RowGroup::Kind::pair)
      add_pair_biases(group, at, v, row, bias);
    else
      for (int i = 0; i < group.num_rows(); ++i) bias[row + i] = row_bias(group, i, at, v);
    row += group.num_rows();
  }
}

void MultibodySystem::add_bilateral_stiffness(const Configuration& at, const VectorRef& lambda, double scale,
                                              BlockMatrix& out) const {
  const WorkScope scope(WorkKind::joints);
  int row = 0;
  Evaluation x;
  BodyRowValue y;
  for (const RowGroup& group : row_groups_) {
    if (group.kind == RowGroup::Kind::pair) {
      const PairFunction& any = equations_[group.first];
      const PairPlacement placement(body_at(any.body_a, at), body_at(any.body_b, at));
      Matrix12 sum = Matrix12::Zero();
      for (int i = 0; i < group.count; ++i)
        add_curvature(equations_[group.first + i], placement, lambda[row + i], sum);
      add_pair_block(any, sum, scale, out);
    }
    for (const Term& term : group.terms) {
      evaluate_coordinate(term.coordinate, at, nullptr, true, x);
      add_pair_block(coordinates_[term.coordinate].function, x.pair.curvature,
                     scale * term.coefficient * lambda[row], out);
    }
    for (std::size_t i = 0; i < group.body_rows.size(); ++i) {
      const BodyRow& body_row = group.body_rows[i];
      const Place& place = places_[body_row.body];
      if (place.nv == 0) continue;
      evaluate(body_row, body_at(body_row.body, at), y);
      const double force = lambda[row + (group.kind == RowGroup::Kind::rolling ? static_cast<int>(i) : 0)];
      out.add_block(place.v, place.v, place.nv, place.nv) =
          (scale * force) * y.curvature.topLeftCorner(place.nv, place.nv);
    }
    row += group.num_rows();
  }
}

void MultibodySystem::friction_rows(const Configuration& at, FrictionRows& out) const {
  out.clear(nv());
  out.drift_velocity.resize(static_cast<Eigen::Index>(present_.frictions.size()));
  Evaluation x;
  for (std::size_t i = 0; i < present_.frictions.size(); ++i) {
    const JointFriction& friction = model_.frictions[present_.frictions[i]];
    const int c = coordinate_index(friction.coordinate);
    evaluate_coordinate(c, at, nullptr, false, x);
    out.rows.add_group(1);
    add_pair_row(coordinates_[c].function, x.pair.gradient, 1.0, out.rows);
    out.drift_velocity[static_cast<Eigen::Index>(i)] = x.pair.gradient.dot(x.V);
    out.constant.push_back(friction.constant);
    out.coefficient.push_back(friction.coefficient);
    out.first_force.push_back(first_row_of_joint_[friction.coordinate.joint]);
    out.num_forces.push_back(num_force_rows_[friction.coordinate.joint]);
  }
}

}  // namespace delassus
