// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/report_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "apps/cli/embedded.hpp"

namespace delassus::cli {
namespace {

using nlohmann::json;

// More frames than this do not make the page better, only larger.
constexpr int k_max_frames = 2000;
constexpr std::size_t k_max_events = 2000;

// Seven digits are enough for a picture; NaN has no JSON number.
json number(double x) {
  if (!std::isfinite(x)) return nullptr;
  return std::strtod(fmt::format("{:.7g}", x).c_str(), nullptr);
}

json point(const Vector3& x) {
  return {number(x.x()), number(x.y()), number(x.z())};
}

template <typename Get>
json column(const std::vector<int>& frames, const Get& get) {
  json out = json::array();
  for (int f : frames) out.push_back(number(get(f)));
  return out;
}

std::string replace_once(std::string text, const std::string& token, const std::string& by) {
  const std::size_t at = text.find(token);
  if (at != std::string::npos) text.replace(at, token.size(), by);
  return text;
}

const std::string& embedded(const std::string& name) {
  for (const EmbeddedFile& file : embedded_report())
    if (file.name == name) return file.content;
  throw std::logic_error("report file " + name + " is not embedded");
}

// Frames to show: evenly spread in time, and every frame at which something happened would be too many; events have their own list.
std::vector<int> choose_frames(const Recording& recording) {
  const int n = recording.num_frames();
  std::vector<int> frames;
  const int count = std::min(n, k_max_frames);
  frames.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    frames.push_back(
        count < 2 ? i : static_cast<int>(std::lround(static_cast<double>(i) * (n - 1) / (count - 1))));
  return frames;
}

int body_index(const SceneDesc& scene, const std::string& name) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i)
    if (scene.bodies[i].name.name == name) return static_cast<int>(i);
  return -1;
}

json link(const SceneDesc& scene, const std::string& name, const char* kind,
          const std::vector<NameRef>& between, const Vector3& anchor) {
  const auto end = [&](const NameRef& ref) -> json {
    const int body = body_index(scene, ref.name);
    return {{"body", body}, {"point", body < 0 ? point(anchor) : json{0, 0, 0}}};
  };
  return {{"name", name}, {"kind", kind}, {"a", end(between[0])}, {"b", end(between[1])}};
}

json describe_bodies(const SceneDesc& scene) {
  json out = json::array();
  for (const BodyDesc& body : scene.bodies)
    out.push_back({{"name", body.name.name}, {"shape", {{"type", "sphere"}, {"radius", body.radius}}}});
  if (scene.lagrangian)
    for (const auto& body : scene.lagrangian->bodies) {
      json shape = {{"type", "sphere"}, {"radius", body.radius}};
      if (!body.size.empty()) shape = {{"type", "box"}, {"size", body.size}};
      out.push_back({{"name", body.name.name}, {"shape", shape}});
    }
  return out;
}

json describe_fixtures(const SceneDesc& scene) {
  json out = json::array();
  std::vector<std::pair<Vector3, Vector3>> drawn;  // a plane hit by many bodies is drawn once
  for (const ContactDesc& contact : scene.contacts) {
    if (contact.kind != ContactDesc::Kind::plane) continue;
    const auto same = [&](const auto& plane) {
      return plane.first == contact.point && plane.second == contact.normal;
    };
    if (std::any_of(drawn.begin(), drawn.end(), same)) continue;
    drawn.emplace_back(contact.point, contact.normal);
    out.push_back({{"type", "plane"},
                   {"name", contact.name.name},
                   {"point", point(contact.point)},
                   {"normal", point(contact.normal.normalized())}});
  }
  for (const PictureDesc& picture : scene.picture) {
    if (picture.plane)
      out.push_back({{"type", "plane"},
                     {"name", picture.name},
                     {"point", point(picture.a)},
                     {"normal", point(picture.b.normalized())}});
    else
      out.push_back({{"type", "segment"},
                     {"name", picture.name},
                     {"from", point(picture.a)},
                     {"to", point(picture.b)}});
  }
  return out;
}

json describe_links(const SceneDesc& scene) {
  json out = json::array();
  for (const JointDesc& joint : scene.joints)
    if (joint.frames.between.size() == 2)  // couplers and rolling disks have no ends to draw
      out.push_back(link(scene, joint.name.name, "joint", joint.frames.between, joint.frames.anchor));
  for (const ForceDesc& force : scene.forces)
    if (force.type == "spring")
      out.push_back(link(scene, force.name.name, force.stiffness > 0 ? "spring" : "damper",
                         force.frames.between, force.frames.anchor));
  return out;
}

json describe_contacts(const Recording& recording, const std::vector<int>& frames) {
  std::map<ContactId, json> contacts;
  const auto empty = [&] { return json(std::vector<std::nullptr_t>(frames.size(), nullptr)); };
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const double h = recording.step_length[frames[i]];
    for (const RecordedContact& contact : recording.contacts_at(frames[i])) {
      json& out = contacts[contact.id];
      if (out.is_null()) {
        out = {{"name", recording.contact_name(contact.id)},
               {"gap", empty()},
               {"normal_force", empty()},
               {"mode", empty()}};
        for (const char* key : {"point", "force"})
          out[key] = {{"x", empty()}, {"y", empty()}, {"z", empty()}};
      }
      out["gap"][i] = number(contact.gap);
      out["normal_force"][i] = number(contact.impulse[0] / h);
      out["mode"][i] = to_string(contact.status);
      const char* const axes[] = {"x", "y", "z"};
      for (int k = 0; k < 3; ++k) {
        out["point"][axes[k]][i] = number(contact.point[k]);
        out["force"][axes[k]][i] = number(contact.force[k]);
      }
    }
  }
  json out = json::array();
  for (auto& [id, contact] : contacts) out.push_back(std::move(contact));
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

}  // namespace

std::string make_report_page(const Recording& recording, const SceneDesc& scene,
                             const nlohmann::json& summary) {
  const std::vector<int> frames = choose_frames(recording);
  json data;
  data["title"] = recording.info.title;
  data["description"] = recording.info.description;
  data["program"] = recording.info.program;
  data["status"] = {{"ok", recording.status == "completed"},
                    {"message", recording.message.empty() ? recording.status : recording.message}};
  data["summary"] = json::array();
  for (const auto& [key, value] : recording.info.settings) data["summary"].push_back({key, value});
  for (const char* key : {"steps", "events", "rejected", "iterations"})
    data["summary"].push_back({key, fmt::format("{}", summary[key].get<long>())});
  data["summary"].push_back({"computing time", fmt::format("{:.3g} s", summary["seconds"].get<double>())});
  for (const auto& [key, unit] :
       {std::pair{"residual", ""}, {"joint_drift", " m"}, {"penetration", " m"}, {"energy_defect", " J"}})
    data["summary"].push_back(
        {fmt::format("worst {}", key), fmt::format("{:.2e}{}", summary["worst"][key].get<double>(), unit)});
  data["bodies"] = describe_bodies(scene);
  data["fixtures"] = describe_fixtures(scene);
  data["links"] = describe_links(scene);
  if (!scene.lagrangian && scene.gravity.norm() > 0) data["up"] = point(-scene.gravity.normalized());
  data["time"] = column(frames, [&](int f) { return recording.time[f]; });
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
  // Coordinates that never move (the third one of a planar scene) would only clutter the plots.
  json names = json::array(), q = json::array(), v = json::array();
  for (Eigen::Index i = 0; i < recording.q.rows(); ++i) {
    if (recording.q.rows() == recording.v.rows() && recording.q.row(i).isZero(0) &&
        recording.v.row(i).isZero(0))
      continue;
    names.push_back(recording.coordinate_names[i]);
    q.push_back(column(frames, [&](int f) { return recording.q(i, f); }));
    if (i < recording.v.rows()) v.push_back(column(frames, [&](int f) { return recording.v(i, f); }));
  }
  data["coordinates"] = {{"names", names}, {"q", q}, {"v", v}};
  data["contacts"] = describe_contacts(recording, frames);
  const auto energy = [&](const auto& get) {
    return column(frames, [&](int f) { return get(recording.energy[f]); });
  };
  data["energy"] = {{"kinetic", energy([](const EnergyReport& e) { return e.kinetic; })},
                    {"potential", energy([](const EnergyReport& e) { return e.potential; })},
                    {"total", energy([](const EnergyReport& e) { return e.kinetic + e.potential; })},
                    {"friction", energy([](const EnergyReport& e) { return e.friction; })},
                    {"impact", energy([](const EnergyReport& e) { return e.impact; })},
                    {"work", energy([](const EnergyReport& e) { return e.work; })},
                    {"defect", energy([](const EnergyReport& e) { return e.defect; })}};
  const auto certificate = [&](const auto& get) {
    return column(frames, [&](int f) { return get(recording.certificate[f]); });
  };
  data["certificate"] = {
      {"residual", certificate([](const Certificate& c) {
         return std::max({c.contact_residual, c.joint_residual, c.momentum_residual});
       })},
      {"drift", certificate([](const Certificate& c) { return c.joint_drift; })},
      {"velocity_drift", certificate([](const Certificate& c) { return c.velocity_drift; })},
      {"penetration", certificate([](const Certificate& c) { return c.penetration; })},
      {"iterations", certificate([](const Certificate& c) { return static_cast<double>(c.iterations); })}};
  data["events"] = describe_events(recording);

  std::string text = data.dump();
  // "</script>" in a name must not end the script.
  for (std::size_t at = text.find("</"); at != std::string::npos; at = text.find("</", at + 3))
    text.replace(at, 2, "<\\/");
  std::string page = replace_once(embedded("report.html"), "/*DELASSUS_CSS*/", embedded("report.css"));
  page = replace_once(std::move(page), "/*DELASSUS_SCENE3D*/", embedded("scene3d.js"));
  page = replace_once(std::move(page), "/*DELASSUS_JS*/", embedded("report.js"));
  return replace_once(std::move(page), "/*DELASSUS_DATA*/null", text);
}

}  // namespace delassus::cli
