# SPDX-FileCopyrightText: 2026 the delassus authors
# SPDX-License-Identifier: Apache-2.0
"""Random valid scenes. The same seed gives the same scene.

A scene has 5 to 40 bodies above a ground. They come in units: single bodies (falling, or at rest on a flat ground), trees of jointed
bodies (free, or hanging from the world), stacks of boxes, and rotors. Balls about the bodies do not overlap at the start, nor does a
body and the ground: no start violates anything."""
import math
import random

from . import geometry as g
from .random_mechanisms import Mechanism, add_rotor
from .random_shapes import GROUND_SHARES, SHAPE_SHARES, log_uniform, make_ground, pick, random_shapes, short, vector

UNIT_SHARES = {"falling": 45, "resting": 20, "tree": 22, "hanging": 8, "stack": 3, "rotor": 2}
SMALLEST, LARGEST = 0.03, 0.3            # [m] half extents of bodies
LEAST_MASS, LARGEST_MASS = 1e-3, 1e3     # [kg]
STEP = 1e-3                              # [s]
# Seeds below it are in use and keep the scenes they gave when no mesh could meet another one.
FIRST_SEED_OF_TWO_MESHES = 10_000
# And what hangs from the world, whose motions could press it against the ground, was driven.
FIRST_SEED_OF_FREE_DRIVES = 50_000
# And surfaces had no rolling and spinning friction.
FIRST_SEED_OF_ROLLING = 150_000


def random_surface(rng, rolls):
    """Friction 0 … 2 and restitution 0 … 1, their ends included; rarely kinetic friction, rarely that of couples too [m]."""
    surface = {"friction": 0 if rng.random() < 0.15 else short(rng.uniform(0, 2)),
               "restitution": rng.choice([0, 0, 0, 1, *(short(rng.random()) for _ in range(6))])}
    if surface["friction"] and rng.random() < 0.05:
        surface["kinetic_friction"] = short(surface["friction"] * rng.uniform(0.4, 0.95))
    for kind in ("rolling", "spinning") if rolls else ():
        if rng.random() < 0.1:
            surface[f"{kind}_friction"] = short(log_uniform(rng, 1e-4, 1e-2))
    return surface


class Generator:
    def __init__(self, seed, bodies=(5, 40), duration=(0.2, 0.8)):
        self.rng = rng = random.Random(seed)
        self.seed = seed
        self.rolls = seed >= FIRST_SEED_OF_ROLLING
        self.wanted = round(math.exp(rng.uniform(math.log(bodies[0]), math.log(bodies[1]))))
        self.duration = short(rng.uniform(*duration))
        self.wide_masses = rng.random() < 0.5
        self.surface = random_surface(rng, self.rolls) if rng.random() < 0.3 else None   # one for all, or each body its own
        self.mid = log_uniform(rng, 1.5 * SMALLEST, LARGEST / 1.5)
        self.ground_kind = pick(rng, GROUND_SHARES)
        self.half = short(self.mid * (2 + 1.6 * math.sqrt(self.wanted)))
        self.bodies, self.balls, self.mechanisms = [], [], []
        shapes, self.top = make_ground(rng, self.ground_kind, self.half)
        self.ground = {"name": "ground", "type": "fixed", **(self.surface or random_surface(rng, self.rolls)), "shapes": shapes}

    def new_body(self, kind=None):
        rng = self.rng
        if kind is None:
            kind = pick(rng, SHAPE_SHARES)
            second = self.ground_kind in ("mesh", "height_field") or any(b["kind"] == "mesh" for b in self.bodies)
            if kind == "mesh" and second and self.seed < FIRST_SEED_OF_TWO_MESHES:
                kind = "hull"
        half = min(max(self.mid * math.exp(rng.uniform(-0.8, 0.8)), SMALLEST), LARGEST)
        natural = min(max(rng.uniform(200, 4000) * half ** 3 * 4, LEAST_MASS), LARGEST_MASS)
        return {"name": f"b{len(self.bodies)}", "type": "rigid", "kind": kind,
                "mass": log_uniform(rng, LEAST_MASS, LARGEST_MASS) if self.wide_masses else short(natural), "position": [0.0] * 3,
                "rotation": vector(rng, 2), "velocity": [0.0] * 3, "angular_velocity": [0.0] * 3,
                **(self.surface or random_surface(rng, self.rolls)), "shapes": random_shapes(rng, kind, half)}

    def is_free(self, balls):
        walls = self.half if self.ground_kind == "tray" else math.inf
        return (all(max(abs(p[0]), abs(p[2])) + r < walls for p, r in balls)
                and all(g.norm(g.sub(p, q)) > 1.001 * (r + s) for p, r in balls for q, s in self.balls))

    def place(self, balls, resting):
        """Where to put a unit of balls (position, radius) about its origin; None where a resting one finds no place."""
        rng = self.rng
        reach = max(g.norm(p) + r for p, r in balls)
        room = max(self.half - reach, 0.01 * self.half)
        for attempt in range(400):
            height = 0.0
            if not resting:
                lowest = min(p[1] - r for p, r in balls)
                height = self.top - lowest + (0.02 + 0.02 * attempt * rng.random()) * reach + 0.5 * reach * rng.random()
            at = [short(rng.uniform(-room, room)), short(height), short(rng.uniform(-room, room))]
            if self.is_free([(g.add(p, at), r) for p, r in balls]):
                return at
        return None

    def add_unit(self, bodies, balls, at):
        for body in bodies:
            body["position"] = [short(x) for x in g.add(body["position"], at)]
        self.balls += [(g.add(p, at), r) for p, r in balls]
        self.bodies += bodies

    def throw(self, bodies):
        """The same velocity for all bodies of a unit; single ones also spin."""
        rng = self.rng
        speed = rng.choice([0, 1, 1, 3]) * math.sqrt(self.mid)
        velocity = vector(rng, speed)
        for body in bodies:
            body["velocity"] = list(velocity)
        if len(bodies) == 1:
            bodies[0]["angular_velocity"] = vector(rng, rng.choice([0, 3, 10]))

    def add_single(self, resting):
        body = self.new_body()
        if resting:
            flat = self.rng.random() < 0.7
            body["rotation"] = [0.0, short(self.rng.uniform(-3, 3)), 0.0] if flat else self.rng.choice(
                [[short(math.pi / 2), 0.0, 0.0], [short(-math.pi / 2), 0.0, 0.0]])
            R = g.matrix_of_rotation(body["rotation"])
            body["position"] = [0.0, g.support(g.all_parts(body["shapes"]), g.turn_back(R, [0, -1, 0])), 0.0]
        balls = [(body["position"], g.bounding_radius(body["shapes"]))]
        at = self.place(balls, resting)
        if at is None:
            return
        if resting:
            at[1] = 0.0
            lift = body["position"][1]
        else:
            self.throw([body])
        self.add_unit([body], balls, at)
        if resting:
            body["position"][1] = lift                               # all digits: it touches

    def add_stack(self):
        rng = self.rng
        bodies, height, radius = [], 0.0, 0.0
        for i in range(rng.randint(2, 5)):
            body = self.new_body("box")
            body["name"] = f"b{len(self.bodies) + i}"
            body["rotation"] = [0.0, short(rng.uniform(-3, 3)), 0.0]
            half = body["shapes"][0]["size"][1] / 2
            body["position"] = [0.0, height + half, 0.0]
            height += 2 * half
            radius = max(radius, g.bounding_radius(body["shapes"]))
            bodies.append(body)
        balls = [(b["position"], radius) for b in bodies]
        at = self.place(balls, True)
        if at is None:
            return
        heights = [b["position"][1] for b in bodies]
        self.add_unit(bodies, balls, [at[0], 0.0, at[2]])
        for body, y in zip(bodies, heights):
            body["position"][1] = y

    def add_tree(self, hanging):
        """Bodies one after the other beside a random earlier one, their balls apart."""
        rng = self.rng
        bodies, radii, parents = [], [], []
        for i in range(rng.randint(1 if hanging else 2, 6)):
            body = self.new_body()
            body["name"] = f"b{len(self.bodies) + i}"
            radius = g.bounding_radius(body["shapes"])
            if bodies:
                for _ in range(50):
                    parent = rng.randrange(len(bodies))
                    d = vector(rng, 1)
                    if g.norm(d) < 0.1:
                        continue
                    at = g.add(bodies[parent]["position"], g.scale(d, 1.05 * (radius + radii[parent]) / g.norm(d)))
                    if all(g.norm(g.sub(at, b["position"])) > 1.02 * (radius + r) for b, r in zip(bodies, radii)):
                        break
                else:
                    break
                body["position"] = [short(x) for x in at]
                parents.append(parent)
            bodies.append(body)
            radii.append(radius)
        balls = [(list(b["position"]), r) for b, r in zip(bodies, radii)]
        at = self.place(balls, False)
        if at is None:
            return
        self.add_unit(bodies, balls, at)
        mechanism = Mechanism(rng, f"m{len(self.mechanisms)}", not hanging or self.seed < FIRST_SEED_OF_FREE_DRIVES)
        if hanging:
            mechanism.connect(None, bodies[0], radii[0])
        else:
            self.throw(bodies)
        for i, parent in enumerate(parents):
            mechanism.connect(bodies[parent], bodies[i + 1], min(radii[parent], radii[i + 1]))
        mechanism.couple(bodies)
        mechanism.avoid_jams([b["name"] for b in bodies])
        self.mechanisms.append(mechanism)

    def add_rotor(self):
        body = self.new_body(self.rng.choice(["cylinder", "cone", "sphere", "capsule"]))
        balls = [([0.0] * 3, g.bounding_radius(body["shapes"]))]
        at = self.place(balls, False)
        if at:
            self.add_unit([body], balls, at)
            self.mechanisms.append(add_rotor(self.rng, f"m{len(self.mechanisms)}", body))

    def scene(self):
        for _ in range(10 * self.wanted):
            if len(self.bodies) >= self.wanted:
                break
            unit = pick(self.rng, UNIT_SHARES)
            flat = self.ground_kind in ("plane", "tray")
            if unit in ("tree", "hanging"):
                self.add_tree(unit == "hanging")
            elif unit == "stack" and flat:
                self.add_stack()
            elif unit == "rotor":
                self.add_rotor()
            else:
                self.add_single(unit == "resting" and flat)
        scene = {"delassus": 1, "name": f"random_{self.seed}", "gravity": [0, -9.81, 0], "duration": self.duration,
                 "bodies": [self.ground] + [{k: v for k, v in b.items() if k != "kind"} for b in self.bodies]}
        for key in ("joints", "limits", "frictions", "motors", "forces"):
            elements = [e for m in self.mechanisms for e in getattr(m, key)]
            if elements:
                scene[key] = elements
        apart = [pair for m in self.mechanisms for pair in m.apart]
        if apart:
            scene["contact"] = {"pairs": [{"bodies": list(pair), "touch": False} for pair in apart]}
        scene["stepper"] = {"step": STEP}
        scene["output"] = {"every": 1}
        return scene


def make_scene(seed, **limits):
    return Generator(seed, **limits).scene()
