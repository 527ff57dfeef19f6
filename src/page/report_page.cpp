// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/page/report_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "delassus/base/embedded_file.hpp"
#include "delassus/page/report_shapes.hpp"

#include "delassus/scene/compile_mechanism.hpp"

namespace delassus {

// The files of page/web (cmake/embed.cmake).
const std::vector<EmbeddedFile>& embedded_page_files();

namespace {

using nlohmann::json;

// More frames than this do not make the page better, only larger.
constexpr int k_max_frames = 2000, k_min_frames = 100;
// Of all frames together: some 30 MB, which browsers still read in a second or two.
constexpr double k_max_numbers = 4e6;
constexpr int k_body_columns = 10, k_contact_columns = 14;  // numbers of a body and of a contact in a frame
constexpr std::size_t k_max_events = 2000;
// A plate without thickness could not be seen from its side: the least edge, as a part of the longest.
constexpr double k_thinnest = 0.02;
// Joints that nothing drives do work by the errors of the scheme only. Beside the energies less than this part of them
// is no curve to be seen.
constexpr double k_visible_work = 1e-3;

template <typename Get>
json column(const std::vector<int>& frames, const Get& get) {
  json out = json::array();
  for (int f : frames) out.push_back(json_number(get(f)));
  return out;
}

std::string replace_once(std::string text, const std::string& token, const std::string& by) {
  const std::size_t at = text.find(token);
  if (at != std::string::npos) text.replace(at, token.size(), by);
  return text;
}

const std::string& embedded(const std::string& name) {
  for (const EmbeddedFile& file : embedded_page_files())
    if (file.name == name) return file.content;
  throw std::logic_error("report file " + name + " is not embedded");
}

// Frames to show: evenly spread in time, and every frame at which something happened would be too many; events have their own list.
std::vector<int> choose_frames(const Recording& recording) {
  const int n = recording.num_frames();
  const double numbers_a_frame =
      k_body_columns * recording.num_bodies() +
      k_contact_columns * static_cast<double>(recording.contacts.size()) / std::max(n, 1);
  const double fitting = k_max_numbers / std::max(numbers_a_frame, 1.0);
  std::vector<int> frames;
  const int count = std::min({n, k_max_frames, std::max(k_min_frames, static_cast<int>(fitting))});
  frames.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    frames.push_back(
        count < 2 ? i : static_cast<int>(std::lround(static_cast<double>(i) * (n - 1) / (count - 1))));
  return frames;
}

// `radius` is that of a particle.
json describe_body(const Body& body, double radius, ShapeWriter& writer) {
  json out = {{"name", body.name}};
  if (body.kind == BodyKind::fixed) out["fixed"] = true;
  if (!body.shapes.empty()) {
    out["shapes"] = json::array();
    for (const Shape& shape : body.shapes) out["shapes"].push_back(writer.describe(shape));
  } else if (body.kind == BodyKind::rigid) {
    Shape box = equivalent_box({body.mass, body.center_of_mass, body.inertia});
    box.size = box.size.cwiseMax(k_thinnest * box.size.maxCoeff());
    out["shapes"] = json::array({writer.describe(box)});
  } else if (body.kind == BodyKind::particle) {
    out["shape"] = {{"type", "sphere"}, {"radius", radius}};
  }
  return out;
}

json describe_bodies(const SceneDesc& scene, const Model& model, ShapeWriter& writer) {
  json out = json::array();
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    out.push_back(describe_body(model.bodies[i], scene.bodies[i].radius, writer));
  if (scene.lagrangian)
    for (const auto& body : scene.lagrangian->bodies) {
      json shape = {{"type", "sphere"}, {"radius", body.radius}};
      if (!body.size.empty()) shape = {{"type", "box"}, {"size", body.size}};
      out.push_back({{"name", body.name.name}, {"shape", shape}});
    }
  return out;
}

json describe_fixtures(const SceneDesc& scene, const Model& model) {
  json out = json::array();
  std::vector<std::pair<Vector3, Vector3>> drawn;  // a plane hit by many bodies is drawn once
  const auto add_plane = [&](const std::string& name, const Vector3& at, const Vector3& normal) {
    const auto same = [&](const auto& plane) { return plane.first == at && plane.second == normal; };
    if (std::any_of(drawn.begin(), drawn.end(), same)) return;
    drawn.emplace_back(at, normal);
    out.push_back({{"type", "plane"},
                   {"name", name},
                   {"point", json_point(at)},
                   {"normal", json_point(normal.normalized())}});
  };
  for (const PlaneContact& contact : model.plane_contacts)
    add_plane(contact.name, contact.point, contact.normal);
  for (const RollingDisk& disk : model.rolling_disks)
    add_plane(disk.name, disk.plane_point, disk.plane_normal);
  for (const PictureDesc& picture : scene.picture) {
    if (picture.plane)
      out.push_back({{"type", "plane"},
                     {"name", picture.name},
                     {"point", json_point(picture.a)},
                     {"normal", json_point(picture.b.normalized())}});
    else
      out.push_back({{"type", "segment"},
                     {"name", picture.name},
                     {"from", json_point(picture.a)},
                     {"to", json_point(picture.b)}});
  }
  return out;
}

json link(const std::string& name, const char* kind, const Attachment& a, const Attachment& b) {
  const auto end = [](const Attachment& x) -> json {
    return {{"body", x.body}, {"point", json_point(x.point)}};
  };
  return {{"name", name}, {"kind", kind}, {"a", end(a)}, {"b", end(b)}};
}

// What is drawn as a line between two points: rods, springs, dampers, ropes.
json describe_links(const Model& model) {
  json out = json::array();
  for (const Joint& joint : model.joints)
    if (joint.kind == JointKind::distance) out.push_back(link(joint.name, "joint", joint.a, joint.b));
  for (const Coupler& coupler : model.couplers)
    for (const Coupler::Term& term : coupler.terms) {
      if (term.coordinate.measure < 0) continue;
      const Measure& measure = model.measures[term.coordinate.measure];
      if (measure.kind == Measure::Kind::length)
        out.push_back(link(coupler.name, "joint", measure.a, measure.b));
    }
  for (const SpringDamper& spring : model.springs)
    out.push_back(link(spring.name, spring.stiffness > 0 ? "spring" : "damper", spring.a, spring.b));
  return out;
}

// Joints that sit at a point. Parallel axes sit nowhere; gears and couplers relate joints that are drawn already.
json describe_joints(const Model& model) {
  json out = json::array();
  for (const Joint& joint : model.joints) {
    if (joint.kind == JointKind::distance || joint.kind == JointKind::parallel_axes) continue;
    out.push_back({{"name", joint.name},
                   {"kind", to_string(joint.kind)},
                   {"body_a", joint.a.body},
                   {"point_a", json_point(joint.a.point)},
                   {"axis_a", json_point(rotate(joint.a.orientation, Vector3::UnitZ()))},
                   {"body_b", joint.b.body},
                   {"point_b", json_point(joint.b.point)}});
  }
  const auto add = [&](const std::string& name, const char* kind, int body, const Vector3& at,
                       const Vector3& axis) {
    out.push_back({{"name", name},
                   {"kind", kind},
                   {"body_a", body},
                   {"point_a", json_point(at)},
                   {"axis_a", json_point(axis)},
                   {"body_b", k_world}});
  };
  for (const RollingDisk& disk : model.rolling_disks)
    add(disk.name, "rolling_disk", disk.body, disk.center, disk.axis);
  for (const Skate& skate : model.skates) add(skate.name, "skate", skate.body, skate.point, skate.across);
  return out;
}

// Of joints when there are any, otherwise all of the system.
json describe_coordinates(const Recording& recording, const std::vector<int>& frames) {
  if (recording.num_joint_coordinates() > 0) {
    json out = json::array();
    for (int i = 0; i < recording.num_joint_coordinates(); ++i)
      out.push_back({{"name", recording.joint_coordinate_names[i]},
                     {"unit", recording.joint_coordinate_units[i]},
                     {"values", column(frames, [&](int f) { return recording.joint_values(i, f); })},
                     {"rates", column(frames, [&](int f) { return recording.joint_rates(i, f); })}});
    return out;
  }
  // Velocities have the names of the coordinates only where they are their derivatives.
  const bool same = recording.q.rows() == recording.v.rows();
  json names = json::array(), q = json::array(), v = json::array();
  for (Eigen::Index i = 0; i < recording.q.rows(); ++i) {
    // Coordinates that never move (the third one of a planar scene) would only clutter the plots.
    if (same && recording.q.row(i).isZero(0) && recording.v.row(i).isZero(0)) continue;
    names.push_back(recording.coordinate_names[i]);
    q.push_back(column(frames, [&](int f) { return recording.q(i, f); }));
    if (same) v.push_back(column(frames, [&](int f) { return recording.v(i, f); }));
  }
  return {{"names", names}, {"q", q}, {"v", v}};
}

json describe_reactions(const Recording& recording, const Model& model, const std::vector<int>& frames) {
  json out = json::array();
  for (int i = 0; i < recording.num_reactions(); ++i) {
    json reaction = {{"name", recording.reaction_names[i]},
                     {"force", column(frames, [&](int f) { return recording.reaction(f, i).force.norm(); })}};
    // A joint that holds points only has no torque to show. After the joints come motors.
    const bool is_joint = i < static_cast<int>(model.joints.size());
    if (!is_joint || num_force_equations(model.joints[i].kind) < num_equations(model.joints[i].kind))
      reaction["torque"] = column(frames, [&](int f) { return recording.reaction(f, i).torque.norm(); });
    out.push_back(std::move(reaction));
  }
  return out;
}

// Rows of contacts, those of a frame one after the other: frame i has the rows start[i] … start[i + 1] − 1. Contacts come
// and go, so a column for each of them would be mostly empty.
json describe_contacts(const Recording& recording, const std::vector<int>& frames) {
  std::map<ContactId, int> labels;  // index of what is the same in all its rows
  json out = {{"labels", json::array()}, {"modes", json::array()}, {"start", {0}}};
  for (const ContactStatus status : {ContactStatus::open, ContactStatus::stick, ContactStatus::slip})
    out["modes"].push_back(to_string(status));
  const auto array = [] { return json::array(); };
  json label = array(), mode = array(), gap = array(), normal_force = array(), tangential_force = array();
  json position = array(), normal = array(), force = array();
  const auto add = [](json& list, const Vector3& x) {
    for (int k = 0; k < 3; ++k) list.push_back(json_number(x[k]));
  };
  for (int f : frames) {
    const double h = recording.step_length[f];
    for (const RecordedContact& contact : recording.contacts_at(f)) {
      const auto [it, is_new] = labels.try_emplace(contact.id, static_cast<int>(labels.size()));
      if (is_new)
        out["labels"].push_back({{"name", recording.contact_name(contact.id)},
                                 {"bodies", recording.contact_body_names(contact.id)}});
      label.push_back(it->second);
      mode.push_back(static_cast<int>(contact.status));
      gap.push_back(json_number(contact.gap));
      normal_force.push_back(json_number(contact.impulse[0] / h));
      tangential_force.push_back(json_number(contact.impulse.tail<2>().norm() / h));
      add(position, contact.point);
      add(normal, contact.normal);
      add(force, contact.force);
    }
    out["start"].push_back(label.size());
  }
  out["label"] = std::move(label);
  out["mode"] = std::move(mode);
  out["gap"] = std::move(gap);
  out["normal_force"] = std::move(normal_force);
  out["tangential_force"] = std::move(tangential_force);
  out["point"] = std::move(position);
  out["normal"] = std::move(normal);
  out["force"] = std::move(force);
  return out;
}

json describe_events(const Recording& recording) {
  json out = json::array();
  for (std::size_t i = 0; i < std::min(recording.events.size(), k_max_events); ++i) {
    const Event& event = recording.events[i];
    std::string detail;
    if (event.kind == EventKind::impact)
      detail = fmt::format("u_N {:.4g} → {:.4g} m/s, impulse {:.4g} N·s, energy {:+.3g} J",
                           event.velocity_before[0], event.velocity_after[0], event.impulse[0],
                           event.energy_change);
    if (event.kind == EventKind::zeno) detail = "events accumulate: event capturing for the rest of the step";
    out.push_back({{"time", event.time},
                   {"kind", to_string(event.kind)},
                   {"name", recording.contact_name(event.contact)},
                   {"detail", detail}});
  }
  return out;
}

json describe_summary(const Recording& recording, const RunSummary& summary) {
  json out = json::array();
  for (const auto& [key, value] : recording.info.settings) out.push_back({key, value});
  out.push_back({"steps", fmt::format("{}", summary.steps)});
  out.push_back({"events", fmt::format("{}", summary.events)});
  out.push_back({"rejected", fmt::format("{}", summary.rejected)});
  out.push_back({"iterations", fmt::format("{}", summary.iterations)});
  out.push_back(
      {"computed", fmt::format("{} right-hand sides, {} factorisations, {} one-step problems",
                               summary.work.forces, summary.work.factorisations, summary.work.problems)});
  out.push_back({"computing time", fmt::format("{:.3g} s", summary.seconds)});
  if (!summary.step_statistics.empty())
    out.push_back(
        {"steps of error control",
         fmt::format("{}, {:.2g} … {:.2g} s long; {}", summary.step_statistics.taken(), summary.smallest_step,
                     summary.step_statistics.longest(), summary.step_statistics.text())});
  const auto with_angle = [](double length, double angle) {
    return angle > 0 ? fmt::format("{:.2e} m, {:.2e} rad", length, angle) : fmt::format("{:.2e} m", length);
  };
  const RunSummary::Worst& worst = summary.worst;
  out.push_back({"equations solved to", fmt::format("{:.2e}", worst.residual)});
  out.push_back({"worst joint drift", with_angle(worst.joint_drift, worst.joint_turn)});
  out.push_back({"worst penetration", with_angle(worst.penetration, worst.stop_excess)});
  out.push_back({"worst energy error",
                 summary.energy_in_play > 0
                     ? fmt::format("{:.2e} J ({:.2g} % of the energy in play)", worst.energy_error,
                                   100 * worst.energy_error / summary.energy_in_play)
                     : fmt::format("{:.2e} J", worst.energy_error)});
  const EnergyReport& e = summary.energy;
  out.push_back({"work at the end", fmt::format("applied {:.3g}, prescribed motions {:.3g}, friction {:.3g}, "
                                                "impacts {:.3g} J",
                                                e.work, e.driven, e.friction, e.impact)});
  out.push_back({"energy error at the end",
                 fmt::format("{:.2e} J: contacts and joints {:.2e}, projection {:.2e}, bookkeeping {:.2e}",
                             e.error, e.normal + e.joints - e.driven, e.projection, e.defect)});
  if (const auto& estimate = summary.estimated_error)
    out.push_back({"estimated error at the end",
                   estimate->predictable
                       ? fmt::format("{:.2g} m or rad ({})", estimate->error, estimate->worst)
                       : fmt::format("not predictable after t = {:.4g} s", estimate->predictable_until)});
  if (!summary.warning_counts.empty()) out.push_back({"warnings", summary.warning_text()});
  for (const std::string& note : summary.notes) out.push_back({"note", note});
  if (!summary.reactions_not_unique.empty())
    out.push_back({"reactions that are not unique",
                   fmt::format("{} (least norm)", fmt::join(summary.reactions_not_unique, ", "))});
  return out;
}

// Poses and velocities of the bodies.
void describe_motions(const Recording& recording, const std::vector<int>& frames, json& data) {
  data["poses"] = json::array();
  data["velocities"] = json::array();
  for (int b = 0; b < recording.num_bodies(); ++b) {
    const auto at = [&](int k) {
      return column(frames, [&, k](int f) {
        return recording
            .bodies[(static_cast<std::size_t>(f) * recording.num_bodies() + b) * k_body_numbers + k];
      });
    };
    data["poses"].push_back({{"x", at(0)},
                             {"y", at(1)},
                             {"z", at(2)},
                             {"qw", at(3)},
                             {"qx", at(4)},
                             {"qy", at(5)},
                             {"qz", at(6)}});
    data["velocities"].push_back({{"x", at(7)}, {"y", at(8)}, {"z", at(9)}});
  }
}

json describe_energy(const Recording& recording, const std::vector<int>& frames) {
  const auto energy = [&](const auto& get) {
    return column(frames, [&](int f) { return get(recording.energy[f]); });
  };
  json out = {{"kinetic", energy([](const EnergyReport& e) { return e.kinetic; })},
              {"potential", energy([](const EnergyReport& e) { return e.potential; })},
              {"total", energy([](const EnergyReport& e) { return e.kinetic + e.potential; })},
              {"friction", energy([](const EnergyReport& e) { return e.friction; })},
              {"impact", energy([](const EnergyReport& e) { return e.impact; })},
              {"work", energy([](const EnergyReport& e) { return e.work; })},
              {"error", energy([](const EnergyReport& e) { return e.error; })},
              {"constraints", energy([](const EnergyReport& e) { return e.normal + e.joints - e.driven; })},
              {"projection", energy([](const EnergyReport& e) { return e.projection; })},
              {"defect", energy([](const EnergyReport& e) { return e.defect; })}};
  double largest = 0, size = 0;
  for (const EnergyReport& e : recording.energy) {
    largest = std::max(largest, std::abs(e.driven));
    size = std::max({size, std::abs(e.kinetic), std::abs(e.potential)});
  }
  if (largest > k_visible_work * size) out["driven"] = energy([](const EnergyReport& e) { return e.driven; });
  return out;
}

json describe_certificate(const Recording& recording, const std::vector<int>& frames) {
  const auto certificate = [&](const auto& get) {
    return column(frames, [&](int f) { return get(recording.certificate[f]); });
  };
  return {
      {"residual", certificate([](const Certificate& c) {
         return std::max({c.contact_residual, c.joint_residual, c.momentum_residual});
       })},
      {"drift", certificate([](const Certificate& c) { return c.joint_drift; })},
      {"turn", certificate([](const Certificate& c) { return c.joint_turn; })},
      {"stop_excess", certificate([](const Certificate& c) { return c.stop_excess; })},
      {"velocity_drift", certificate([](const Certificate& c) { return c.velocity_drift; })},
      {"penetration", certificate([](const Certificate& c) { return c.penetration; })},
      {"iterations", certificate([](const Certificate& c) { return static_cast<double>(c.iterations); })}};
}

std::string fill_page(const json& data) {
  std::string text = data.dump();
  // "</script>" in a name must not end the script.
  for (std::size_t at = text.find("</"); at != std::string::npos; at = text.find("</", at + 3))
    text.replace(at, 2, "<\\/");
  std::string page = replace_once(embedded("report.html"), "/*DELASSUS_CSS*/", embedded("report.css"));
  page = replace_once(std::move(page), "/*DELASSUS_SCENE3D*/", embedded("scene3d.js"));
  page = replace_once(std::move(page), "/*DELASSUS_JS*/", embedded("report.js"));
  return replace_once(std::move(page), "/*DELASSUS_DATA*/null", text);
}

}  // namespace

std::string make_report_page(const Recording& recording, const SceneDesc& scene, const RunSummary& summary) {
  const std::vector<int> frames = choose_frames(recording);
  const Model model = scene.lagrangian ? Model{} : compile_model(scene);
  json data;
  data["title"] = recording.info.title;
  data["description"] = recording.info.description;
  data["program"] = recording.info.program;
  data["status"] = {{"ok", recording.status == "completed"},
                    {"warnings", summary.num_warnings()},
                    {"message", recording.message.empty() ? recording.status : recording.message}};
  data["warnings"] = summary.warnings;
  data["summary"] = describe_summary(recording, summary);
  ShapeWriter writer;
  data["bodies"] = describe_bodies(scene, model, writer);
  data["surfaces"] = writer.surfaces();
  data["notes"] = writer.notes();
  data["fixtures"] = describe_fixtures(scene, model);
  data["links"] = describe_links(model);
  data["joints"] = describe_joints(model);
  if (!scene.lagrangian && scene.gravity.norm() > 0) data["up"] = json_point(-scene.gravity.normalized());
  data["time"] = column(frames, [&](int f) { return recording.time[f]; });
  describe_motions(recording, frames, data);
  data["coordinates"] = describe_coordinates(recording, frames);
  data["reactions"] = describe_reactions(recording, model, frames);
  data["contacts"] = describe_contacts(recording, frames);
  data["energy"] = describe_energy(recording, frames);
  data["certificate"] = describe_certificate(recording, frames);
  data["events"] = describe_events(recording);
  return fill_page(data);
}

}  // namespace delassus
