# SPDX-FileCopyrightText: 2026 the delassus authors
# SPDX-License-Identifier: Apache-2.0
"""Two runs of one scene: in other units of mass and time (same bits), mirrored and enlarged (the same motion until the third impact)."""
import math

from .judge import Finding, smallest_body

POSITION, ORIENTATION, VELOCITY, TURNING = ("x", "y", "z"), ("qw", "qx", "qy", "qz"), ("vx", "vy", "vz"), ("wx", "wy", "wz")
# Of the smallest body. Round-off of gaps (1e-13 m) and tolerances of solvers (1e-10 of the velocities) differ there; two
# impacts between bodies that differ in size by up to ten multiply them by some hundred each.
MOTION_LIMIT = 1e-5


def compare_rescaled(result, other, exponents):
    """Every number of every frame, by bits. Exponents must be even: factorisations take square roots of masses."""
    length, _, time = exponents
    factors = {**dict.fromkeys(POSITION, 2.0 ** length), **dict.fromkeys(ORIENTATION, 1.0), **dict.fromkeys(VELOCITY, 2.0 ** (length - time)),
               **dict.fromkeys(TURNING, 2.0 ** -time), "t": 2.0 ** time}
    units = ", ".join(f"{name} 2^{e}" for name, e in zip(("length", "mass", "time"), exponents) if e)
    name = "rescaled"
    if result.status != other.status:
        return [Finding(name, math.inf, 0, f"({units}) ends with status {other.status}: {other.message[:200]}")]
    for row, image in zip(result.table("bodies"), other.table("bodies")):
        for key, factor in factors.items():
            a, b = float(row[key]) * factor, float(image[key])
            # Numbers that underflow lose digits.
            if a != b and not (math.isnan(a) and math.isnan(b)) and max(abs(a), abs(b)) > 1e-290:
                difference = abs(a - b) / max(abs(a), abs(b))
                return [Finding(name, difference, 0, f"({units}) from t = {row['t']} s on, {key} of {row['name']}")]
    if len(result.table("bodies")) != len(other.table("bodies")):
        return [Finding(name, math.inf, 0, f"({units}) has another number of frames")]
    return []


def impact_times(result):
    """Times of impacts, those of one instant once."""
    times = []
    for row in result.table("events"):
        if row["kind"] == "impact" and (not times or float(row["t"]) > times[-1] + 1e-9):
            times.append(float(row["t"]))
    return times


def end_of_comparison(result):
    """Before the third impact, or the end of the run."""
    times = impact_times(result)
    last = float(result.table("energy")[-1]["t"]) if result.table("energy") else 0.0
    return min(times[2], last) if len(times) > 2 else last


def compare_motion(name, size, result, image, factors):
    """Positions times factors against those of the image, until the third impact of either."""
    if not image.table("bodies") or image.status not in (0, 3):
        return [Finding(name, math.inf, MOTION_LIMIT, f"ends with status {image.status}: {image.message[:200]}")]
    end = min(end_of_comparison(result), end_of_comparison(image))
    for row, other in zip(result.table("bodies"), image.table("bodies")):
        if float(row["t"]) >= end:
            break
        distance = math.hypot(*(float(row[key]) * factor - float(other[key]) for key, factor in zip(POSITION, factors)))
        if not distance <= MOTION_LIMIT * size:
            return [Finding(name, distance / size, MOTION_LIMIT, f"{row['name']} at t = {row['t']} s")]
    return []


def compare_mirrored(scene, result, image):
    return compare_motion("mirrored", smallest_body(scene), result, image, (-1, 1, 1))


def compare_enlarged(scene, result, image, length):
    return compare_motion("enlarged", smallest_body(scene) * 2.0 ** length, result, image, (2.0 ** length,) * 3)
