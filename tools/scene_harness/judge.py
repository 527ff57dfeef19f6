# SPDX-FileCopyrightText: 2026 the delassus authors
# SPDX-License-Identifier: Apache-2.0
"""Judges of a run, by physics and not by the program's word where that can be avoided.

  completed    exit status 0 within 60 s of processor time, no signal, and tables to judge
  residual     largest relative residual of the certificate ≤ 1e-6
  gain         D = T + V − (work of forces and motors) never rises by more than 1e-3 of the energy in play,
               max(T + V) − min V + |work|; friction, impacts, stops and joints of resting frames only take energy
  impact gain  no impact of a scene without motors that prescribe a motion adds more than 1e-9 of that energy
  penetration  of the certificate, and of points of the shapes against planes, boxes and each other as found here,
               ≤ 1e-3 of the smallest body; stops of joints ≤ 1e-3 rad, or of the smallest body
  fell         no body is below the ground
               what has been beside a mesh or a field, which are open there, may come below it
"""
import math
import re

from . import geometry as g

RESIDUAL_LIMIT = 1e-6
GAIN_LIMIT = 1e-3
IMPACT_GAIN_LIMIT = 1e-9
PENETRATION_LIMIT = 1e-3
FRAMES_SEARCHED = 25    # for overlaps of shapes with each other


class Finding:
    """A judge that says no: its name (the class of failure), the value, its limit and where."""

    def __init__(self, name, value, limit, where=""):
        self.name, self.value, self.limit, self.where = name, value, limit, where

    def __str__(self):
        return f"{self.name} {self.value:.3g} (limit {self.limit:.3g}) {self.where}".rstrip()


class Stopped(Finding):
    def __init__(self, name, message):
        super().__init__(name, math.inf, 0, message)

    def __str__(self):
        return f"{self.name}: {self.where}".rstrip()


STOP_CLASSES = [("friction in joints", r"friction in joints?\b"), ("jam by friction", r"jams? by friction"), ("jam", r"\bjams?\b"),
                ("no progress", r"makes no progress"),
                ("no solution", r"has no solution|no solution"), ("not projected", r"could not be projected"), ("joints", r"joint")]


def judge_completed(result):
    if result.timed_out:
        return Stopped("time", f"more than {result.seconds:.0f} s of processor time")
    if result.status < 0:
        return Stopped("crash", f"signal {-result.status}")
    if result.status == 0:
        return None
    message = result.message.replace("\n", " ")
    if result.status == 3:
        for name, pattern in STOP_CLASSES:
            if re.search(pattern, message):
                return Stopped(f"stop, {name}", message[:300])
    return Stopped(f"status {result.status}", message[:300])


def column(rows, name):
    return [float(row[name]) for row in rows]


def largest(rows, name):
    """(value, row) of the largest entry; NaN counts as infinite."""
    best, where = 0.0, None
    for row in rows:
        value = float(row[name])
        value = math.inf if math.isnan(value) else value
        if value > best:
            best, where = value, row
    return best, where


def judge_residual(result):
    rows = result.table("certificate")[1:]
    for name in ("momentum_residual", "joint_residual", "contact_residual"):
        value, row = largest(rows, name)
        if value > RESIDUAL_LIMIT:
            yield Finding("residual", value, RESIDUAL_LIMIT, f"{name} at t = {row['t']}")
            return


def prescribed(scene):
    return [m for m in scene.get("motors", []) if m["type"] in ("position", "velocity")]


def motor_work(scene, result):
    """Work of motors that prescribe a motion, up to each frame: mean force of the step times the way of the coordinate. The ledger
    has it among the work of joints, where it cannot be told from an error."""
    times = column(result.table("energy"), "t")
    index = {t: i for i, t in enumerate(times)}
    steps = [0.0] * len(times)
    for motor in prescribed(scene):
        coordinate = f"{motor['joint']}.{motor['coordinate']}"
        values = {float(row["t"]): float(row["value"]) for row in result.table("joints") if row["name"] == coordinate}
        component = "tz" if motor["coordinate"].startswith("angle") else "fz"
        for row in result.table("reactions"):
            i = index[float(row["t"])]
            if row["name"] == motor["name"] and i > 0:
                steps[i] += float(row[component]) * (values[times[i]] - values[times[i - 1]])
    total, out = 0.0, []
    for step in steps:
        total += step
        out.append(total)
    return out


def energy_in_play(kinetic, potential, work):
    return max(t + v for t, v in zip(kinetic, potential)) - min(potential) + max(abs(w) for w in work)


def judge_energy(scene, result):
    rows = result.table("energy")
    kinetic, potential = column(rows, "kinetic"), column(rows, "potential")
    given = [w + m for w, m in zip(column(rows, "work"), motor_work(scene, result))]
    balance = [t + v - w for t, v, w in zip(kinetic, potential, given)]
    if not all(map(math.isfinite, balance)):
        yield Finding("gain", math.inf, GAIN_LIMIT, "the energy is not a number")
        return
    play = energy_in_play(kinetic, potential, given)
    if play <= 0:
        return
    lowest, rise, at, since = balance[0], 0.0, 0, 0
    first = 0
    for i, value in enumerate(balance):
        if value < lowest:
            lowest, first = value, i
        if value - lowest > rise:
            rise, at, since = value - lowest, i, first
    if rise > GAIN_LIMIT * play:
        yield Finding("gain", rise / play, GAIN_LIMIT, f"{rise:.4g} J from t = {rows[since]['t']} to {rows[at]['t']} s")
    if prescribed(scene):
        return
    value, row = largest([e for e in result.table("events") if e["kind"] == "impact"], "energy_change")
    if value > IMPACT_GAIN_LIMIT * play:
        yield Finding("impact gain", value / play, IMPACT_GAIN_LIMIT, f"{value:.4g} J at t = {row['t']} s, {row['name']}")


def rigid_bodies(scene):
    return [b for b in scene["bodies"] if b["type"] == "rigid"]


def smallest_body(scene):
    """Smallest width of any shape of a rigid body [m]."""
    return min(g.width(s) for b in rigid_bodies(scene) for s, _, _ in g.all_parts(b["shapes"]))


def frames(result):
    """Poses as [(t, {name: (position, matrix)})]."""
    out = []
    for row in result.table("bodies"):
        t = row["t"]
        if not out or out[-1][0] != t:
            out.append((t, {}))
        out[-1][1][row["name"]] = ([float(row[k]) for k in "xyz"], g.matrix_of_quaternion([float(row["q" + k]) for k in "wxyz"]))
    return out


def flat_walls(scene):
    """Half spaces of the ground as (direction out of the solid, offset): its plane; of a tray floor and walls, inside of which bodies stay."""
    out = []
    for body in scene["bodies"]:
        if body["type"] != "fixed" or "rotation" in body or "position" in body:
            continue
        kinds = [s["type"] for s in body["shapes"]]
        if kinds == ["plane"] and "normal" not in body["shapes"][0] and "position" not in body["shapes"][0]:
            out.append(([0, 1, 0], 0.0))
        elif kinds == ["box"] * 5 and body["name"] == "ground":
            out.append(([0, 1, 0], 0.0))
            for box in body["shapes"][1:]:
                axis = 0 if abs(box["position"][0]) > abs(box["position"][2]) else 2
                sign = 1 if box["position"][axis] > 0 else -1
                n = [0, 0, 0]
                n[axis] = -sign
                out.append((n, -(abs(box["position"][axis]) - box["size"][axis] / 2)))
    return out


def ground_height(scene):
    """Height of a mesh or field at (x, z) as a function, which is None beside it; from its vertices over a regular grid."""
    ground = next((b for b in scene["bodies"] if b["name"] == "ground"), None)
    if not ground or len(ground["shapes"]) != 1:
        return None
    shape = ground["shapes"][0]
    if shape["type"] == "height_field":
        heights, (dx, dy) = shape["heights"], shape["spacing"]
        n, m = len(heights[0]), len(heights)
        at = lambda x, z: (x / dx + (n - 1) / 2, (m - 1) / 2 - z / dy)
    elif shape["type"] == "mesh":
        m = n = round(math.sqrt(len(shape["vertices"])))
        if n * n != len(shape["vertices"]):
            return None
        heights = [[shape["vertices"][j * n + i][1] for i in range(n)] for j in range(n)]
        x0, z0, x1 = shape["vertices"][0][0], shape["vertices"][0][2], shape["vertices"][1][0]
        at = lambda x, z: ((x - x0) / (x1 - x0), (z0 - z) / (x1 - x0))
    else:
        return None

    def lowest(x, z):
        i, j = at(x, z)
        if not (0 <= i < n - 1 and 0 <= j < m - 1):
            return None
        i, j = int(i), int(j)
        return min(heights[b][a] for a in (i, i + 1) for b in (j, j + 1))
    return lowest


def judge_ground(scene, poses, size):
    """Supports of all bodies against flat grounds, and centres against the others."""
    walls, height, beside = flat_walls(scene), ground_height(scene), beside_ground(scene, poses)
    worst = (0.0, "")
    top = max([s["size"][1] for b in scene["bodies"] if b["name"] == "ground" for s in b["shapes"] if s["type"] == "box"] or [math.inf])
    for body in rigid_bodies(scene):
        simple, radius = g.all_parts(body["shapes"]), g.bounding_radius(body["shapes"])
        for t, frame in poses:
            p, R = frame[body["name"]]
            if p[1] + radius > top:
                break    # it may leave the tray over its walls
            for n, offset in walls:
                if g.dot(n, p) - radius >= offset:
                    continue
                beyond = offset - g.dot(n, p) + g.support(simple, g.turn_back(R, g.scale(n, -1)))
                if beyond > worst[0]:
                    worst = (beyond, f"{body['name']} in the ground at t = {t} s")
            below = height(p[0], p[2]) if height and float(t) < beside.get(body["name"], math.inf) else None
            if below is not None and p[1] < below - radius:
                yield Finding("fell through", below - p[1], 0, f"{body['name']} at t = {t} s")
                return
    if worst[0] > PENETRATION_LIMIT * size:
        yield Finding("penetration seen", worst[0] / size, PENETRATION_LIMIT, worst[1])


def touching_pairs(scene):
    """Pairs of bodies whose shapes may touch; grounds are judged on their own."""
    joined = {frozenset(j["between"]) for j in scene.get("joints", []) if "between" in j}
    joined |= {frozenset(p["bodies"]) for p in scene.get("contact", {}).get("pairs", []) if not p.get("touch", True)}
    bodies = [b for b in scene["bodies"] if b.get("shapes") and b["name"] != "ground"
              and not any(s["type"] in ("plane", "height_field") for s in b["shapes"])]
    return [(a, b) for i, a in enumerate(bodies) for b in bodies[i + 1:]
            if "rigid" in (a["type"], b["type"]) and frozenset((a["name"], b["name"])) not in joined]


def overlap(a, b, frame, cache):
    """Largest depth of points of one body in the other, a lower bound of their penetration."""
    def prepared(body):
        if body["name"] not in cache:
            cache[body["name"]] = [(s, p, R, g.sample_points(s), g.hull_planes(s["points"]) if s["type"] == "hull" else None)
                                   for s, p, R in g.all_parts(body["shapes"])]
        return cache[body["name"]]
    deepest = 0.0
    for first, second in ((a, b), (b, a)):
        (p1, R1), (p2, R2) = frame[first["name"]], frame[second["name"]]
        for _, at, R, points, _ in prepared(first):
            world = [g.add(p1, g.turn(R1, g.add(at, g.turn(R, x)))) for x in points]
            for shape, at2, inner, _, planes in prepared(second):
                for x in world:
                    local = g.turn_back(inner, g.sub(g.turn_back(R2, g.sub(x, p2)), at2))
                    deepest = max(deepest, g.depth_inside(shape, local, planes))
    return deepest


def judge_overlaps(scene, poses, size):
    pairs, cache = touching_pairs(scene), {}
    radius = {b["name"]: g.bounding_radius(b["shapes"]) for pair in pairs for b in pair}
    worst = (0.0, "")
    stride = max(1, len(poses) // FRAMES_SEARCHED)
    for t, frame in poses[stride::stride] + poses[-1:]:
        for a, b in pairs:
            if g.norm(g.sub(frame[a["name"]][0], frame[b["name"]][0])) < radius[a["name"]] + radius[b["name"]]:
                depth = overlap(a, b, frame, cache)
                if depth > worst[0]:
                    worst = (depth, f"{a['name']} and {b['name']} at t = {t} s")
    if worst[0] > PENETRATION_LIMIT * size:
        yield Finding("penetration seen", worst[0] / size, PENETRATION_LIMIT, worst[1])


def beside_ground(scene, poses):
    """Since when bodies have been beside a mesh or field, so that they may come below it: {name: t}."""
    height, out = ground_height(scene), {}
    if not height:
        return out
    for body in rigid_bodies(scene):
        radius = g.bounding_radius(body["shapes"])
        for t, frame in poses:
            (x, y, z), _ = frame[body["name"]]
            if any(height(x + dx, z + dz) is None for dx in (-radius, radius) for dz in (-radius, radius)):
                out[body["name"]] = float(t)
                break
    return out


def is_from_beside(name, t, beside):
    """Whether a contact with the ground is one of a body that has been beside it before."""
    bodies = bodies_of(name)
    return "ground" in bodies and any(t > beside.get(body, math.inf) for body in bodies)


def joined_bodies(scene):
    """Names of the bodies that joints connect to each body, itself among them: {name: set}."""
    groups = {b["name"]: {b["name"]} for b in rigid_bodies(scene)}
    for joint in scene.get("joints", []):
        first, *others = [groups[name] for name in joint.get("between", []) if name in groups] or [set()]
        for other in others:
            first |= other
            groups.update((name, first) for name in first)
    return groups


def bodies_of(contact):
    """Names of the bodies of a contact from its name."""
    return {end.split(" ")[0].split(".")[0] for end in contact.split(" / ")}


def judge_penetration(scene, result, poses):
    """As the program reports it: gaps of closed contacts, stops apart. What an open ground pushes out from below, and what joints tie to
    that, is thrown about by it."""
    size, beside = smallest_body(scene), beside_ground(scene, poses)
    joined, thrown = joined_bodies(scene), set()
    stops = {e["name"] for e in scene.get("limits", [])}
    worst = {}
    for row in result.table("certificate")[1:]:
        value, name = float(row["penetration"]), row["deepest_contact"]
        if not value > PENETRATION_LIMIT * size:
            continue
        if is_from_beside(name, float(row["t"]), beside):
            thrown = thrown.union(*(joined.get(body, set()) for body in bodies_of(name)))
            continue
        if thrown & bodies_of(name):
            continue
        kind = "stop passed" if name.rsplit(".", 1)[0] in stops else "penetration"
        if kind not in worst or value > worst[kind][0]:
            worst[kind] = (value, f"{value:.3g} m at t = {row['t']} s, {name}")
    for kind, (value, where) in worst.items():
        yield Finding(kind, value / size, PENETRATION_LIMIT, where)
    value, row = largest(result.table("certificate")[1:], "stop_excess")
    if value > PENETRATION_LIMIT:
        yield Finding("stop passed", value, PENETRATION_LIMIT, f"{value:.3g} rad at t = {row['t']} s, {row['deepest_contact']}")


def judge(scene, result):
    """All findings about a run."""
    stopped = judge_completed(result)
    out = [stopped] if stopped else []
    tables = ("energy", "certificate", "bodies")
    if result.timed_out or any(len(result.table(name)) < 2 for name in tables):
        return out or [Stopped("no tables", "status 0, but nothing to judge")]
    if not stopped:
        out += judge_residual(result)    # of a run that stops the last one is that of the step that failed
    poses, size = frames(result), smallest_body(scene)
    out += list(judge_energy(scene, result)) + list(judge_penetration(scene, result, poses))
    seen = list(judge_ground(scene, poses, size)) + list(judge_overlaps(scene, poses, size))
    if not any(f.name == "penetration" for f in out):
        out += seen[:1]    # otherwise it is the same
    return out
