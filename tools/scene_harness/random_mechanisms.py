# SPDX-FileCopyrightText: 2026 the delassus authors
# SPDX-License-Identifier: Apache-2.0
"""Random trees of jointed bodies with stops, dry friction, springs, couplers and motors.

Motors that prescribe a motion (position, velocity) could squeeze a body against the ground, which has no solution: they only move
bodies of free mechanisms against each other, and rotors about their own axis of symmetry."""
import itertools
import math

from . import geometry as g
from .random_shapes import direction, log_uniform, pick, short, vector

JOINT_SHARES = {"revolute": 25, "spherical": 14, "prismatic": 10, "fixed": 8, "universal": 8, "distance": 8, "cylindrical": 6, "screw": 5,
                "planar": 4, "point_on_line": 4, "point_on_plane": 4, "parallel_axes": 4}
MOTOR_SHARES = {"force": 30, "servo": 30, "velocity": 20, "position": 20}
# Coordinates that have the same meaning in a mirror whatever axes the program chooses.
COORDINATES = {"revolute": ["angle"], "prismatic": ["slide"], "cylindrical": ["slide", "angle"], "screw": ["slide"], "planar": ["angle"],
               "point_on_line": ["slide"], "parallel_axes": ["angle"], "universal": ["angle_1", "angle_2"]}
LIMIT_SHARE, FRICTION_SHARE, SPRING_SHARE, MOTOR_SHARE = 0.3, 0.25, 0.15, 0.15  # of the joints with coordinates
COUPLER_SHARE, SKATE_SHARE, FREE_SPRING_SHARE = 0.3, 0.03, 0.1                  # of the mechanisms that can have them


class Mechanism:
    """Elements of a mechanism; names begin with its own."""

    def __init__(self, rng, name, free=True):
        """free: nothing but motors of its own holds it, so that motions may be prescribed."""
        self.rng, self.name, self.free = rng, name, free
        self.joints, self.limits, self.frictions, self.motors, self.forces = [], [], [], [], []
        self.apart = []                                              # pairs of bodies that do not touch

    def new_name(self, kind, elements):
        return f"{self.name}_{kind}{len(elements)}"

    def connect(self, first, second, size):
        """A joint between two bodies (dicts, or None for the world) halfway, or at the second one. size: of the smaller [m]."""
        rng = self.rng
        kind = pick(rng, JOINT_SHARES)
        joint = {"name": self.new_name("joint", self.joints), "type": kind, "between": [first["name"] if first else "world", second["name"]]}
        middle = g.scale(g.add(first["position"], second["position"]), 0.5) if first else g.add(second["position"], vector(rng, size))
        middle = [short(x) for x in middle]
        if kind == "distance":
            if not first:
                joint["anchor"] = [short(x) for x in g.add(second["position"], [0, 3 * size, 0])]
        elif kind == "parallel_axes":
            joint["axis"] = direction(rng)
        elif kind == "universal":
            a, b = direction(rng), direction(rng)
            across = g.cross(a, b) if g.norm(g.cross(a, b)) > 0.2 else g.cross(a, [a[1], a[2], -a[0]])
            joint.update(point=middle, axis=a, axis_2=g.scale(across, 1 / g.norm(across)))
        else:
            joint["point"] = middle
            if kind not in ("fixed", "spherical"):
                joint["axis"] = direction(rng)
            if kind == "screw":
                joint["pitch"] = short(rng.choice([-1, 1]) * size * rng.uniform(0.3, 3))
        self.joints.append(joint)
        for coordinate in COORDINATES.get(kind, []):
            self.equip(joint, coordinate, second["mass"], size, self.free and first is not None)

    def equip(self, joint, coordinate, mass, size, free):
        """Stops, friction, a spring and a motor on a coordinate. mass and size: of the body that moves."""
        rng = self.rng
        angular = coordinate.startswith("angle")
        unit = 1.0 if angular else size                              # a natural deflection: rad or m
        inertia = mass * size * size if angular else mass
        where = {"joint": joint["name"], "coordinate": coordinate}
        limited = rng.random() < LIMIT_SHARE
        if limited:
            self.limits.append({"name": self.new_name("stop", self.limits), **where, "lower": short(-unit * rng.uniform(0.1, 1)),
                                "upper": short(unit * rng.uniform(0.1, 1)), "restitution": rng.choice([0, 0, short(rng.random()), 1])})
        if rng.random() < FRICTION_SHARE and joint["type"] != "parallel_axes":
            friction = {"name": self.new_name("rub", self.frictions), **where}
            if rng.random() < 0.7:
                friction["constant"] = short(9.81 * mass * (size if angular else 1) * rng.uniform(0.01, 0.5))
            if rng.random() < 0.5 or "constant" not in friction:
                friction["coefficient"] = short(rng.uniform(0.05, 0.5))
                if angular:
                    friction["radius"] = short(0.2 * size)
            self.frictions.append(friction)
        if rng.random() < SPRING_SHARE:
            rate = log_uniform(rng, 5, 60)                           # [rad/s] of the body on the spring
            self.forces.append({"name": self.new_name("spring", self.forces), "type": "joint_spring", **where,
                                "stiffness": short(inertia * rate ** 2), "damping": short(inertia * rate * rng.choice([0, 0.1, 0.5])),
                                "rest": short(unit * rng.uniform(-0.5, 0.5))})
        elif rng.random() < MOTOR_SHARE:
            self.drive(where, joint, unit, inertia, free and not limited and joint["type"] in ("revolute", "prismatic"))

    def drive(self, where, joint, unit, inertia, may_prescribe):
        rng = self.rng
        kind = pick(rng, MOTOR_SHARES)
        if kind in ("position", "velocity") and not may_prescribe:
            kind = rng.choice(["force", "servo"])
        amplitude, rate = short(unit * rng.uniform(0.2, 1)), short(rng.uniform(2, 12))
        motor = {"name": self.new_name("motor", self.motors), "type": kind, **where}
        if kind == "velocity":
            motor["law"] = rng.choice([short(amplitude * rate), f"{amplitude * rate:.6g}*sin({rate}*t)"])
        elif kind == "force":
            motor["law"] = f"{9.81 * inertia * rng.uniform(0.2, 2):.6g}*sin({rate}*t) - {inertia * rng.uniform(0, 2):.6g}*v"
        else:
            motor["law"] = f"{amplitude}*(1 - cos({rate}*t))"
            if kind == "servo":
                own = log_uniform(rng, 10, 100)
                motor.update(stiffness=short(inertia * own ** 2), damping=short(inertia * own * rng.uniform(0.1, 2)))
        self.motors.append(motor)

    def couple(self, bodies):
        """Gears, racks and relations of coordinates; now and then a blade, or a spring or bushing across."""
        rng = self.rng
        driven = {m["joint"] for m in self.motors} | {limit["joint"] for limit in self.limits}
        hinges = [j for j in self.joints if j["type"] == "revolute" and j["name"] not in driven]
        slides = [j for j in self.joints if j["type"] == "prismatic" and j["name"] not in driven]
        name = self.new_name("joint", self.joints)
        if len(hinges) >= 2 and rng.random() < COUPLER_SHARE:
            pair = [j["name"] for j in rng.sample(hinges, 2)]
            ratio = short(rng.choice([-1, 1]) * rng.uniform(0.5, 2))
            self.joints.append(rng.choice([
                {"name": name, "type": "gear", "joints": pair, "ratio": ratio},
                {"name": name, "type": "coupler", "terms": [{"joint": pair[0], "coordinate": "angle", "coefficient": 1},
                                                            {"joint": pair[1], "coordinate": "angle", "coefficient": ratio}]}]))
        elif hinges and slides and rng.random() < COUPLER_SHARE:
            size = g.bounding_radius(bodies[0]["shapes"])
            self.joints.append({"name": name, "type": "rack_and_pinion", "pinion": hinges[0]["name"], "rack": slides[0]["name"],
                                "radius": short(size * rng.uniform(-1, 1) or size)})
        if rng.random() < SKATE_SHARE:
            self.joints.append({"name": self.new_name("joint", self.joints), "type": "skate", "body": bodies[0]["name"],
                                "across": direction(rng)})
        if rng.random() < FREE_SPRING_SHARE and len(bodies) > 1:
            self.spring(*rng.sample(bodies, 2))

    def avoid_jams(self, bodies):
        """A motion that is prescribed presses as hard as it takes: bodies of its own mechanism are not in its way, since no
        velocity satisfies what it would do to them."""
        if any(m["type"] in ("position", "velocity") for m in self.motors):
            self.apart = list(itertools.combinations(bodies, 2))

    def spring(self, first, second):
        rng = self.rng
        rate, mass = log_uniform(rng, 5, 60), min(first["mass"], second["mass"])
        size = g.bounding_radius(second["shapes"])
        k, c = short(mass * rate ** 2), short(mass * rate * rng.choice([0, 0.1, 0.5]))
        force = {"name": self.new_name("spring", self.forces), "type": rng.choice(["spring", "spring", "bushing"]),
                 "between": [first["name"], second["name"]]}
        point = [short(x) for x in g.scale(g.add(first["position"], second["position"]), 0.5)]
        if force["type"] == "spring":
            force.update(stiffness=k, damping=c)
        else:
            area = size * size
            force.update(point=point, stiffness=[k] * 3 + [short(k * area)] * 3, damping=[c] * 3 + [short(c * area)] * 3)
        self.forces.append(force)


def add_rotor(rng, name, body):
    """A body of revolution that a motor turns about its own axis, held in the world."""
    mechanism = Mechanism(rng, name)
    axis = g.turn(g.matrix_of_rotation(body["rotation"]), [0, 0, 1])
    joint = {"name": f"{name}_joint0", "type": "revolute", "between": ["world", body["name"]], "point": body["position"], "axis": axis}
    mechanism.joints.append(joint)
    rate = short(rng.uniform(-10, 10))
    law = rng.choice([rate, f"{rate}*sin(5*t)"]) if rng.random() < 0.5 else None
    motor = {"name": f"{name}_motor0", "type": "velocity" if law is not None else "position", "joint": joint["name"], "coordinate": "angle",
             "law": law if law is not None else f"{abs(rate) / 3:.6g}*(1 - cos(3*t))"}
    mechanism.motors.append(motor)
    body["velocity"], body["angular_velocity"] = [0.0] * 3, [0.0] * 3
    return mechanism
