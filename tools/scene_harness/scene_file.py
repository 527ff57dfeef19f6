# SPDX-FileCopyrightText: 2026 the delassus authors
# SPDX-License-Identifier: Apache-2.0
"""Scenes as files: one element a line, in YAML's flow style, with comments in front. What is written here is read here, too."""
import re

PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_\-]*$")
TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"][^\[\]{},:"]*)')


def flow(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(flow(v) for v in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    return value if PLAIN.match(value) and value not in ("true", "false", "null", "yes", "no") else '"' + value.replace('"', '\\"') + '"'


def text_of(scene, comments=()):
    lines = [f"# {line}" for comment in comments for line in comment.split("\n")]
    for key, value in scene.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            lines += [f"{key}:"] + [f"  - {flow(item)}" for item in value]
        else:
            lines.append(f"{key}: {flow(value)}")
    return "\n".join(lines) + "\n"


def scalar(word):
    word = word.strip()
    if word in ("true", "false"):
        return word == "true"
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            pass
    return word


def parse(tokens):
    token = tokens.pop(0)
    if token == "[":
        out = []
        while tokens[0] != "]":
            out.append(parse(tokens))
            if tokens[0] == ",":
                tokens.pop(0)
        tokens.pop(0)
        return out
    if token == "{":
        out = {}
        while tokens[0] != "}":
            key = tokens.pop(0).strip()
            tokens.pop(0)  # the colon
            out[key] = parse(tokens)
            if tokens[0] == ",":
                tokens.pop(0)
        tokens.pop(0)
        return out
    return token[1:-1].replace('\\"', '"') if token.startswith('"') else scalar(token)


def parse_flow(text):
    return parse(TOKEN.findall(text))


def read_scene(text):
    """A scene of text_of, or any whose elements stand on a line each in flow style."""
    scene, key = {}, None
    for line in text.split("\n"):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        item = re.match(r"\s+- (.*)", line)
        if item:
            scene[key].append(parse_flow(item.group(1)))
            continue
        key, _, rest = line.partition(":")
        rest = rest.strip()
        scene[key] = parse_flow(rest) if rest and key not in ("name", "description") else rest.strip('"') or []
    return scene
