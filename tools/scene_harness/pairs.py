# SPDX-FileCopyrightText: 2026 the delassus authors
# SPDX-License-Identifier: Apache-2.0
"""Every ordered pair of shapes, the second flying at the first, sliding over it and set down on it.

The first body is fixed, or (flying) free; the second moves. A plane and a height field can only be the first."""
import math
import random

from . import geometry as g
from .random_shapes import SHAPE_SHARES, direction, grid_heights, random_shapes, short, vector

MOTIONS = ("flying", "sliding", "resting")
SIZE = 0.1    # [m] half extent


def kinds():
    """(first, second) of all ordered pairs."""
    solids = list(SHAPE_SHARES)
    return [(a, b) for a in solids + ["plane", "height_field"] for b in solids]


def make_body(rng, name, kind, size):
    return {"name": name, "type": "rigid", "mass": short(math.exp(rng.uniform(-2, 2))), "position": [0.0] * 3, "rotation": vector(rng, 2),
            "velocity": [0.0] * 3, "angular_velocity": [0.0] * 3, "shapes": random_shapes(rng, kind, size)}


def make_first(rng, kind, motion):
    """The first body and its top."""
    if kind == "plane":
        return {"name": "a", "type": "fixed", "shapes": [{"type": "plane"}]}, 0.0
    if kind == "height_field":
        heights = grid_heights(rng, 7, 0.3 * SIZE)
        return {"name": "a", "type": "fixed", "shapes": [{"type": "height_field", "spacing": [SIZE, SIZE], "heights": heights}]}, max(map(max, heights))
    body = make_body(rng, "a", kind, SIZE if motion == "flying" else 3 * SIZE)
    if motion == "flying" and rng.random() < 0.5:
        return body, 0.0
    fixed = {k: v for k, v in body.items() if k not in ("mass", "velocity", "angular_velocity")}
    fixed["type"] = "fixed"
    R = g.matrix_of_rotation(fixed["rotation"])
    return fixed, g.support(g.all_parts(fixed["shapes"]), g.turn_back(R, [0, 1, 0]))


def make_pair(first, second, motion, seed):
    rng = random.Random(f"{first} {second} {motion} {seed}")
    a, top = make_first(rng, first, motion)
    b = make_body(rng, "b", second, SIZE)
    R = g.matrix_of_rotation(b["rotation"])
    radius = g.bounding_radius(b["shapes"])
    flat = first in ("plane", "height_field")
    gravity = [0, -9.81, 0]
    if motion == "flying":
        d = direction(rng)
        if flat:
            d[1] = abs(d[1]) + 0.2
        distance = 1.1 * (radius + (top if flat else g.bounding_radius(a["shapes"])))
        b["position"] = [short(x) for x in g.scale(d, distance / (d[1] if flat else 1))]
        b["velocity"] = [short(x) for x in g.add(g.scale(d, -rng.uniform(1, 4)), vector(rng, 0.2))]
        b["angular_velocity"] = vector(rng, 8)
        gravity = [0, 0, 0]
    else:
        lowest = g.support(g.all_parts(b["shapes"]), g.turn_back(R, [0, -1, 0]))
        b["position"] = [short(rng.uniform(-0.2, 0.2) * SIZE), top + lowest + 1e-6, short(rng.uniform(-0.2, 0.2) * SIZE)]
        if motion == "sliding":
            b["velocity"] = [short(rng.uniform(-1, 1)), 0.0, short(rng.uniform(-1, 1))]
    return {"delassus": 1, "name": f"pair_{first}_{second}_{motion}", "gravity": gravity, "duration": 0.4 if motion == "resting" else 0.25,
            "bodies": [a, b], "contact": {"friction": short(rng.uniform(0, 1.5)) if motion != "resting" else 1.0,
                                          "restitution": rng.choice([0, short(rng.random()), 1]) if motion == "flying" else 0},
            "stepper": {"step": 1e-3}, "output": {"every": 1}}
