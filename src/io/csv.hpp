// SPDX-FileCopyrightText: 2026 the delassus authors
// SPDX-License-Identifier: Apache-2.0
//
// Recordings as tables of text.
#pragma once
#include <string>
#include <vector>

#include "delassus/recorder/recording.hpp"

namespace delassus {

// Writes into `directory`, which is created when it is not there:
//
//   bodies.csv       t,name,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz                      a row a frame and body
//   coordinates.csv  t,q_<name>…,v_<name>…                                           a row a frame
//   joints.csv       t,name,value,rate                                               a row a frame and joint
//                                                                                    coordinate
//   reactions.csv    t,name,fx,fy,fz,tx,ty,tz                                        a row a frame and joint
//   energy.csv       t,kinetic,potential,work,friction,impact,constraint,defect,driven,normal,joints,projection,error
//   certificate.csv  t,step,step_length,status,residuals and drifts,counts,names of the worst joint and
//                    contact
//   contacts.csv     t,name,status,gap,impulse_n,impulse_t1,impulse_t2,velocity_n,velocity_t1,velocity_t2,
//                    px,py,pz,fx,fy,fz,nx,ny,nz,force_n,force_t,body_a,body_b        a row a frame and contact
//   events.csv       t,kind,name,velocities before and after,impulse,energy_change   a row an event
//
// Of a contact: status open, stick or slip; gap at the end of the step; impulse over the step and velocity at its end in
// the contact's frame (n: normal, t1, t2: tangents); point p, force f (mean over the step, on body_b) and unit normal n
// (from body_a to body_b) in world axes; normal force and size of the tangential force, means over the step; names of
// the bodies, "world" for what belongs to none, empty where they are not known.
//
// Units and axes are those of recording.hpp. Numbers have 17 significant digits, so that reading gives back
// every bit; names with commas or quotes are quoted. Where velocities are not the derivatives of coordinates
// (nq ≠ nv) their columns are numbered, v_0, v_1, …. Each file is written to a temporary name and renamed;
// InputError names the path and the reason.
void write_csv(const Recording& recording, const std::string& directory);
// "bodies.csv", …
const std::vector<std::string>& csv_file_names();

}  // namespace delassus
