# SPDX-FileCopyrightText: 2026 the delassus authors
# SPDX-License-Identifier: Apache-2.0
"""A smaller scene with the same verdict: bodies, joints and what refers to them, and shapes are left out as long as it stays."""
import copy

LISTS = ("motors", "frictions", "limits", "forces", "joints")


def names_in(element):
    """Names of joints and bodies that an element refers to."""
    out = set()
    for key in ("joint", "body", "pinion", "rack"):
        if key in element:
            out.add(element[key])
    for key in ("between", "joints"):
        out.update(element.get(key, []))
    out.update(term["joint"] for term in element.get("terms", []) if "joint" in term)
    return out


def without(scene, names):
    """The scene without the named bodies and elements and all that refers to them."""
    scene, gone = copy.deepcopy(scene), set(names)
    scene["bodies"] = [b for b in scene["bodies"] if b["name"] not in gone]
    before = -1
    while before != len(gone):
        before = len(gone)
        for key in LISTS:
            gone.update(e["name"] for e in scene.get(key, []) if names_in(e) & gone)
    for key in LISTS:
        left = [e for e in scene.get(key, []) if e["name"] not in gone]
        scene.pop(key, None)
        if left:
            scene[key] = left
    return scene


def droppable(scene):
    return [b["name"] for b in scene["bodies"]] + [e["name"] for key in LISTS for e in scene.get(key, [])]


def drop_names(scene, still_fails):
    """Halves first, then smaller groups, then one by one."""
    size = max(1, len(droppable(scene)) // 2)
    while size >= 1:
        names, at, dropped = droppable(scene), 0, False
        while at < len(names):
            group = [n for n in names[at:at + size] if n in droppable(scene)]
            smaller = without(scene, group)
            if group and any(b["type"] == "rigid" for b in smaller["bodies"]) and still_fails(smaller):
                scene, dropped = smaller, True
            at += size
        size = size // 2 if size > 1 or not dropped else 1
    return scene


def drop_shapes(scene, still_fails):
    for i in range(len(scene["bodies"])):
        j = 0
        while len(scene["bodies"][i].get("shapes", [])) > 1 and j < len(scene["bodies"][i]["shapes"]):
            smaller = copy.deepcopy(scene)
            del smaller["bodies"][i]["shapes"][j]
            if still_fails(smaller):
                scene = smaller
            else:
                j += 1
    return scene


def shorten(scene, still_fails):
    for _ in range(6):
        shorter = copy.deepcopy(scene)
        shorter["duration"] = float(f"{0.7 * scene['duration']:.4g}")
        if not still_fails(shorter):
            return scene
        scene = shorter
    return scene


def minimise(scene, still_fails):
    """still_fails(scene): whether the verdict is the same. Shorter runs first: they make all others cheaper."""
    scene = shorten(scene, still_fails)
    scene = drop_names(scene, still_fails)
    scene = drop_shapes(scene, still_fails)
    return shorten(scene, still_fails)
