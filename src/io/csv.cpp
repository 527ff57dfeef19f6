// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
#include "delassus/io/csv.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>

#include "delassus/base/error.hpp"
#include "delassus/base/files.hpp"
#include "delassus/recorder/pair_forces.hpp"

namespace delassus {
namespace {

std::string quoted(const std::string& name) {
  if (name.find_first_of(",\"\r\n") == std::string::npos) return name;
  std::string text = "\"";
  for (char c : name) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + '"';
}

// A table that grows row by row: row(t) begins one, add() continues it.
class Table {
 public:
  explicit Table(const std::string& header) : text_(header) {}

  Table& row(double t) {
    text_ += '\n';
    fmt::format_to(std::back_inserter(text_), "{:.17g}", t);
    return *this;
  }
  Table& add(double value) {
    fmt::format_to(std::back_inserter(text_), ",{:.17g}", value);
    return *this;
  }
  Table& add(std::int64_t value) {
    fmt::format_to(std::back_inserter(text_), ",{}", value);
    return *this;
  }
  Table& add(int value) { return add(std::int64_t{value}); }
  // Names must be quoted.
  Table& add(const std::string& name) {
    text_ += ',';
    text_ += name;
    return *this;
  }
  template <class Derived>
  Table& add(const Eigen::MatrixBase<Derived>& values) {
    for (Eigen::Index i = 0; i < values.size(); ++i) add(double{values[i]});
    return *this;
  }
  void write(const std::string& directory, const char* name) {
    text_ += '\n';
    write_file((std::filesystem::path(directory) / name).string(), text_);
  }

 private:
  std::string text_;
};

std::vector<std::string> all_quoted(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const std::string& name : names) out.push_back(quoted(name));
  return out;
}

Table bodies(const Recording& recording) {
  Table table("t,name,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz");
  const std::vector<std::string> names = all_quoted(recording.body_names);
  for (int f = 0; f < recording.num_frames(); ++f)
    for (int i = 0; i < recording.num_bodies(); ++i) {
      const BodyMotion m = recording.body(f, i);
      table.row(recording.time[f]).add(names[i]);
      table.add(m.position).add(m.orientation).add(m.velocity).add(m.angular_velocity);
    }
  return table;
}

Table coordinates(const Recording& recording) {
  const std::vector<std::string>& names = recording.coordinate_names;
  const bool same = recording.q.rows() == recording.v.rows();
  std::string header = "t";
  for (const std::string& name : names) header += "," + quoted("q_" + name);
  for (Eigen::Index i = 0; i < recording.v.rows(); ++i)
    header += "," + quoted("v_" + (same ? names[i] : std::to_string(i)));
  Table table(header);
  for (int f = 0; f < recording.num_frames(); ++f)
    table.row(recording.time[f]).add(recording.q.col(f)).add(recording.v.col(f));
  return table;
}

Table joints(const Recording& recording) {
  Table table("t,name,value,rate");
  const std::vector<std::string> names = all_quoted(recording.joint_coordinate_names);
  for (int f = 0; f < recording.num_frames(); ++f)
    for (int i = 0; i < recording.num_joint_coordinates(); ++i)
      table.row(recording.time[f])
          .add(names[i])
          .add(recording.joint_values(i, f))
          .add(recording.joint_rates(i, f));
  return table;
}

Table reactions(const Recording& recording) {
  Table table("t,name,fx,fy,fz,tx,ty,tz");
  const std::vector<std::string> names = all_quoted(recording.reaction_names);
  for (int f = 0; f < recording.num_frames(); ++f)
    for (int i = 0; i < recording.num_reactions(); ++i) {
      const JointReaction r = recording.reaction(f, i);
      table.row(recording.time[f]).add(names[i]).add(r.force).add(r.torque);
    }
  return table;
}

Table energy(const Recording& recording) {
  Table table(
      "t,kinetic,potential,work,friction,impact,constraint,defect,driven,normal,joints,projection,error");
  for (int f = 0; f < recording.num_frames(); ++f) {
    const EnergyReport& e = recording.energy[f];
    table.row(recording.time[f]);
    for (double x : {e.kinetic, e.potential, e.work, e.friction, e.impact, e.constraint, e.defect, e.driven,
                     e.normal, e.joints, e.projection, e.error})
      table.add(x);
  }
  return table;
}

Table certificate(const Recording& recording) {
  Table table(
      "t,step,step_length,status,momentum_residual,joint_residual,contact_residual,joint_drift,velocity_"
      "drift,"
      "penetration,iterations,solves,substeps,rejected,redundant_joint_rows,worst_joint,worst_contact,joint_"
      "turn,"
      "stop_excess,deepest_contact");
  for (int f = 0; f < recording.num_frames(); ++f) {
    const Certificate& c = recording.certificate[f];
    table.row(recording.time[f]).add(recording.step[f]).add(recording.step_length[f]);
    table.add(std::string(to_string(c.status)));
    table.add(c.momentum_residual).add(c.joint_residual).add(c.contact_residual);
    table.add(c.joint_drift).add(c.velocity_drift).add(c.penetration);
    table.add(c.iterations).add(c.solves).add(recording.substeps[f]).add(recording.rejected[f]);
    table.add(c.redundant_joint_rows);
    const bool has_joint =
        c.worst_joint_row >= 0 && c.worst_joint_row < static_cast<int>(recording.joint_names.size());
    table.add(has_joint ? quoted(recording.joint_names[c.worst_joint_row]) : "");
    table.add(c.has_worst_contact ? quoted(recording.contact_name(c.worst_contact)) : "");
    table.add(c.joint_turn).add(c.stop_excess);
    table.add(c.deepest_contact != k_no_contact ? quoted(recording.contact_name(c.deepest_contact)) : "");
  }
  return table;
}

Table contacts(const Recording& recording) {
  Table table(
      "t,name,status,gap,impulse_n,impulse_t1,impulse_t2,velocity_n,velocity_t1,velocity_t2,px,py,pz,fx,fy,"
      "fz,nx,ny,nz,force_n,force_t,body_a,body_b,cx,cy,cz");
  for (int f = 0; f < recording.num_frames(); ++f) {
    const double h = recording.step_length[f];
    for (const RecordedContact& c : recording.contacts_at(f)) {
      table.row(recording.time[f]).add(quoted(recording.contact_name(c.id)));
      table.add(std::string(to_string(c.status))).add(c.gap);
      table.add(c.impulse).add(c.velocity).add(c.point).add(c.force).add(c.normal);
      table.add(c.impulse[0] / h).add(c.impulse.tail<2>().norm() / h);
      for (const std::string& body : recording.contact_body_names(c.id)) table.add(quoted(body));
      table.add(c.couple);
    }
  }
  return table;
}

std::string body_name(const Recording& recording, int body) {
  return body < 0 ? "world" : quoted(recording.body_names[body]);
}

Table pairs(const Recording& recording) {
  Table table("t,body_a,body_b,fx,fy,fz,mx,my,mz,contacts");
  for (int f = 0; f < recording.num_frames(); ++f)
    for (const PairForce& pair : sum_contact_forces(recording, f).pairs) {
      table.row(recording.time[f]).add(body_name(recording, pair.bodies.a));
      table.add(body_name(recording, pair.bodies.b)).add(pair.force).add(pair.moment).add(pair.contacts);
    }
  return table;
}

Table wrenches(const Recording& recording) {
  Table table("t,body,fx,fy,fz,mx,my,mz");
  for (int f = 0; f < recording.num_frames(); ++f)
    for (const BodyWrench& wrench : sum_contact_forces(recording, f).wrenches)
      table.row(recording.time[f])
          .add(body_name(recording, wrench.body))
          .add(wrench.force)
          .add(wrench.moment);
  return table;
}

Table events(const Recording& recording) {
  Table table(
      "t,kind,name,velocity_before_n,velocity_before_t1,velocity_before_t2,velocity_after_n,velocity_after_"
      "t1,"
      "velocity_after_t2,impulse_n,impulse_t1,impulse_t2,energy_change");
  for (const Event& e : recording.events) {
    table.row(e.time).add(std::string(to_string(e.kind))).add(quoted(recording.contact_name(e.contact)));
    table.add(e.velocity_before).add(e.velocity_after).add(e.impulse).add(e.energy_change);
  }
  return table;
}

struct NamedTable {
  const char* name;
  Table (*make)(const Recording&);
};
constexpr NamedTable k_tables[] = {{"bodies.csv", bodies},     {"coordinates.csv", coordinates},
                                   {"joints.csv", joints},     {"reactions.csv", reactions},
                                   {"energy.csv", energy},     {"certificate.csv", certificate},
                                   {"contacts.csv", contacts}, {"pairs.csv", pairs},
                                   {"wrenches.csv", wrenches}, {"events.csv", events}};

}  // namespace

const std::vector<std::string>& csv_file_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const NamedTable& table : k_tables) out.emplace_back(table.name);
    return out;
  }();
  return names;
}

void write_csv(const Recording& recording, const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw InputError("cannot create the directory " + directory + ": " + error.message());
  for (const NamedTable& table : k_tables) table.make(recording).write(directory, table.name);
}

}  // namespace delassus
