"use strict";
// Everything lives in one function scope: the page's only globals are DATA and scene3d.
(() => {
const { clamp, dot, cross, axpy, minusVector, norm, unit, finite, across, IDENTITY, rotationFrom, rotate, place, frameAlong, SHADES, FEW_SIDES, boxAround, MESHES, meshOf, Solid, View } = scene3d;

// ---------------------------------------------------------------- helpers
const $ = id => document.getElementById(id);
const el = (tag, props = {}, ...kids) => {
  const e = Object.assign(document.createElement(tag), props);
  e.append(...kids);
  return e;
};
const minus = s => s.replace(/-/g, "−");
const superscript = n => String(n).replace(/./g, c => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]);

function format(v) {
  if (!Number.isFinite(v)) return "–";
  const a = Math.abs(v);
  if (Number.isInteger(v) && a < 1e6) return minus(String(v + 0));
  return minus(a >= 1e-3 && a < 1e5 ? v.toPrecision(5) : v.toExponential(3));
}

function niceStep(raw) {
  const p = 10 ** Math.floor(Math.log10(raw)), m = raw / p;
  return (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10) * p;
}

// Ticks share one power of ten, shown once with the unit, so that labels of small quantities stay short.
function linearTicks(lo, hi, count) {
  const step = niceStep((hi - lo) / count), top = Math.max(Math.abs(lo), Math.abs(hi));
  const exponent = (top >= 1e5 || top < 1e-2) && Number.isFinite(top) ? 3 * Math.floor(Math.log10(top) / 3) : 0;
  const decimals = clamp(-Math.floor(Math.log10(step) - exponent + 1e-9), 0, 12), ticks = [];
  for (let i = Math.ceil(lo / step - 1e-9); i * step <= hi + 1e-9 * step; i++)
    ticks.push({ at: i * step, label: minus((i * step / 10 ** exponent + 0).toFixed(decimals)) });
  return { ticks, scaled: label => (exponent ? label.replace(/\(|$/, m => `${m ? "" : " "}(×10${superscript(exponent)}${m ? " " : ")"}`) : label) };
}

// Draw in CSS pixels whatever the density of the screen.
const FONT = '11px system-ui, "Segoe UI", Roboto, Arial, sans-serif';
function prepare(canvas) {
  const ratio = window.devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight, g = canvas.getContext("2d");
  const W = Math.round(w * ratio), H = Math.round(h * ratio);
  if (canvas.width !== W || canvas.height !== H) { canvas.width = W; canvas.height = H; }
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, w, h);
  g.font = FONT;
  return { g, w, h };
}

let theme;
function readTheme() {
  const style = getComputedStyle(document.documentElement), get = name => style.getPropertyValue("--" + name).trim();
  theme = { series: [1, 2, 3, 4, 5, 6, 7, 8].map(i => get("s" + i)) };
  for (const n of ["card", "ink", "muted", "line", "grid", "accent", "force", "contact", "event", "joint", "x", "y", "z"]) theme[n] = get(n);
  paints.clear();
}
const paints = new Map(); // what paintOf has made of a colour
readTheme();
const paletteColor = i => theme.series[i % 8];
const dashStyle = i => Math.floor(i / 8) % 3; // more than eight series: same colours, other dashes

// A body's own colour may be any CSS colour; the canvas normalises it to #rrggbb, which shading needs.
const scratch = document.createElement("canvas").getContext("2d");
const channels = color => {
  scratch.fillStyle = "#888888";
  scratch.fillStyle = color;
  return [1, 3, 5].map(i => parseInt(scratch.fillStyle.slice(i, i + 2), 16) || 0);
};
const mix = (color, other, amount) => { const b = channels(other); return `rgb(${channels(color).map((x, i) => Math.round(x + (b[i] - x) * amount)).join(",")})`; };
// All colours that a solid needs: shades from dark to bright (a face seen head on has the colour itself), the same for its lighter
// part, edges, marks.
const HEAD_ON = 0.75; // the part of the light that such a face catches
const shade = (color, light) => (light < HEAD_ON ? mix(color, "#000000", 0.5 * (1 - light / HEAD_ON)) : mix(color, "#ffffff", 0.25 * (light - HEAD_ON) / (1 - HEAD_ON)));
function paintOf(base) {
  if (!paints.has(base)) {
    const bright = mix(base, "#ffffff", 0.35), shades = color => Array.from({ length: SHADES }, (_, i) => shade(color, i / (SHADES - 1)));
    paints.set(base, { base, bright, shades: shades(base), accents: shades(bright), edge: mix(base, "#000000", 0.45), mark: mix(base, "#ffffff", 0.85) });
  }
  return paints.get(base);
}

// ---------------------------------------------------------------- data
if (!DATA) {
  $("banner").textContent = "This is the empty report template: no run has been written into it.";
  $("banner").hidden = false;
  return;
}
const N = (DATA.time || []).length;
// null must become NaN: arithmetic would silently take it for 0. Short columns are padded, absent ones stay null.
function column(a) {
  if (!a || !a.length) return null;
  const c = new Float64Array(N).fill(NaN);
  for (let k = 0; k < Math.min(N, a.length); k++) if (a[k] !== null) c[k] = a[k];
  return c;
}
const columns = (o, ...names) => Object.fromEntries(names.map(n => [n, column(o && o[n])]));
const some = (c, test) => !!c && c.some(test);
const hasValue = c => some(c, Number.isFinite), hasNonzero = c => some(c, v => v === v && v !== 0);

const time = N ? column(DATA.time) : new Float64Array(0), span = N > 1 ? time[N - 1] - time[0] : 0, tiny = 1e-9 * span;
const poseOf = i => columns((DATA.poses || [])[i], "x", "y", "z", "qw", "qx", "qy", "qz");
// A body has a list of shapes, or the one shape of older pages; with neither it is a dot.
// Hulls, meshes and height fields share their surfaces.
const surfaces = DATA.surfaces || [];
const shapesOf = b => (b.shapes && b.shapes.length ? b.shapes : [b.shape || { type: "point" }])
  .map(s => ({ position: [0, 0, 0], orientation: [1, 0, 0, 0], ...s, ...(s.surface === undefined ? {} : { surface: surfaces[s.surface] }) }));
const bodies = (DATA.bodies || []).map((b, i) => ({ ...b, shapes: shapesOf(b), ...poseOf(i), index: i }));
const bodyColor = i => (bodies[i].fixed ? mix(bodies[i].color || theme.muted, theme.card, 0.35) : bodies[i].color || paletteColor(i));
const joints = (DATA.joints || []).map(j => ({ axis_a: [0, 0, 1], point_b: j.point_a, ...j }));
const links = DATA.links || [], planes = [], bars = []; // fixtures: planes and segments
for (const f of DATA.fixtures || []) if (f.type === "plane") planes.push({ ...f, normal: unit(f.normal) }); else if (f.from && f.to) bars.push(f);
// Planes that are shapes of bodies move with them.
for (const b of bodies) for (const s of b.shapes) if (s.type === "plane") planes.push({ name: b.name, body: b.index, shape: s, point: s.position, normal: [0, 0, 1] });
const events = (DATA.events || []).slice().sort((a, b) => a.time - b.time);

// Rows of contacts; those of frame k are start[k] … start[k + 1] - 1. label: which contact, point, normal, force: three numbers a row.
const rowsOf = (a, width) => { const c = new Float64Array(width * (CONTACTS.label || []).length).fill(NaN); (a || []).forEach((x, i) => { if (x !== null) c[i] = x; }); return c; };
const CONTACTS = DATA.contacts || {}, contactLabels = CONTACTS.labels || [];
const contacts = {
  count: (CONTACTS.label || []).length, start: CONTACTS.start || [], label: CONTACTS.label || [], mode: CONTACTS.mode || [],
  gap: rowsOf(CONTACTS.gap, 1), normalForce: rowsOf(CONTACTS.normal_force, 1), tangentialForce: rowsOf(CONTACTS.tangential_force, 1),
  point: rowsOf(CONTACTS.point, 3), normal: rowsOf(CONTACTS.normal, 3), force: rowsOf(CONTACTS.force, 3),
};
const contactRows = k => [contacts.start[k] || 0, contacts.start[k + 1] || 0];
const triple = (a, row) => [a[3 * row], a[3 * row + 1], a[3 * row + 2]];
const modeOf = row => (CONTACTS.modes || [])[contacts.mode[row]] || "";
const contactName = row => (contactLabels[contacts.label[row]] || {}).name || `contact ${contacts.label[row] + 1}`;
const contactPair = row => ((contactLabels[contacts.label[row]] || {}).bodies || []).filter(Boolean).join(" – ");

// Index of the last entry at or before t, -1 if none; of duplicated times (before and after an impact) the later wins.
function lastAtOrBefore(count, timeOf, t) {
  let lo = -1, hi = count - 1;
  while (lo < hi) { const m = (lo + hi + 1) >> 1; if (timeOf(m) <= t) lo = m; else hi = m - 1; }
  return lo;
}
const frameAt = t => Math.max(0, lastAtOrBefore(N, k => time[k], t));
const nearestFrame = t => { const k = frameAt(t); return k + 1 < N && time[k + 1] - t < t - time[k] ? k + 1 : k; };
const eventAt = t => lastAtOrBefore(events.length, i => events[i].time, t + tiny);
// The frame that shows an event is the first one that does not precede it.
const frameOfEvent = e => { const k = frameAt(e.time + tiny); return k + 1 < N && time[k] < e.time - tiny ? k + 1 : k; };

// ---------------------------------------------------------------- player: one time for the animation and all plots
const player = { k: 0, t: N ? time[0] : 0, playing: false, speed: 1, hover: -1, last: 0 };
const plots = [];
let scene = null, pending = false;
function invalidate() { if (!pending) { pending = true; requestAnimationFrame(frame); } }
function seek(k) { player.k = clamp(k, 0, Math.max(0, N - 1)); player.t = time[player.k]; invalidate(); }
function play(on) {
  player.playing = on && N > 1;
  if (player.playing && player.k === N - 1) seek(0);
  player.last = 0;
  $("play").textContent = player.playing ? "❙❙" : "▶";
  $("play").setAttribute("aria-label", player.playing ? "Pause" : "Play");
  invalidate();
}
function frame(now) {
  pending = false;
  if (player.playing) {
    // A hidden tab stops the frames; without the cap the animation would leap when it comes back.
    if (player.last) player.t += clamp(now - player.last, 0, 100) / 1000 * player.speed;
    player.last = now;
    player.k = frameAt(player.t);
    if (player.k === N - 1) play(false); else invalidate();
  }
  if (scene && scene.onScreen) scene.draw();
  for (const p of plots) if (p.onScreen) p.drawOverlay();
  updateControls();
}

// ---------------------------------------------------------------- scene
function rotationOf(b, k) {
  return b.qw && b.qx && b.qy && b.qz ? rotationFrom(b.qw[k], b.qx[k], b.qy[k], b.qz[k]) : IDENTITY;
}
const at = (c, k) => [c.x ? c.x[k] : NaN, c.y ? c.y[k] : 0, c.z ? c.z[k] : 0];
function poseAt(b, k) { // remembered, because many points of a body are asked for in one frame
  if (b.frame !== k) Object.assign(b, { frame: k, R: rotationOf(b, k), p: at(b, k) });
  return b;
}
function toWorld(body, p, k) {
  const b = bodies[body]; // none for -1, the world
  return b ? place(poseAt(b, k).R, b.p, p) : p;
}
// Points of the body, each with a radius around it, that the body lies within.
function hull(b) {
  return b.shapes.flatMap(s => {
    const p = v => place(rotationFrom(...s.orientation), s.position, v), box = boxOf(s);
    if (s.type === "plane") return []; // has no end
    if (s.type === "segment") return [[p(s.from), 0], [p(s.to), 0]];
    if (!box) return [[s.position, s.radius || 0]];
    return [0, 1, 2, 3, 4, 5, 6, 7].map(c => [p([0, 1, 2].map(i => box[c >> i & 1][i])), 0]);
  });
}
// Box around a solid in its own axes, null for other shapes.
function boxOf(s) {
  if (!MESHES[s.type]) return null;
  if (s.surface) {
    if (!s.surface.box) { const p = s.surface.points; s.surface.box = boxAround(Array.from({ length: p.length / 3 }, (_, i) => triple(p, i))); }
    return s.surface.box;
  }
  const r = s.radius, end = s.length / 2 + (s.type === "capsule" ? r : 0), half = s.size ? s.size.map(x => x / 2) : [r, r, end];
  return [half.map(x => -x), half];
}
const girthOf = s => { // half its middle width
  const box = boxOf(s);
  return box ? minusVector(box[1], box[0]).sort((x, y) => x - y)[1] / 2 : s.radius || 0;
};

// Symbols of joints in units of their size, along z. Each consists of convex parts that only touch: ordered by depth they are right.
const rods = (radius, from, to) => [1, -1].map(sign => ({ type: "cylinder", radius, length: to - from, position: [0, 0, sign * (from + to) / 2] }));
const sleeve = [{ type: "cylinder", radius: 0.6, length: 1.5 }, ...rods(0.2, 0.75, 2)], quarterTurn = [Math.SQRT1_2, 0, Math.SQRT1_2, 0];
const SYMBOLS = {
  revolute: [{ type: "cylinder", radius: 0.85, length: 0.5 }, ...rods(0.35, 0.25, 1.1)],
  prismatic: [{ type: "box", size: [1, 1, 1.5] }, ...rods(0.2, 0.75, 2)],
  cylindrical: sleeve,
  screw: sleeve,
  universal: [{ type: "box", size: [0.5, 0.5, 0.5] }, ...rods(0.25, 0.25, 1.2),
    ...rods(0.25, 0.25, 1.2).map(s => ({ ...s, position: [s.position[2], 0, 0], orientation: quarterTurn }))],
  fixed: [{ type: "box", size: [1.2, 1.2, 1.2] }],
};
const scaled = (shape, s) => ({ ...shape, radius: s * shape.radius, length: s * shape.length, size: (shape.size || []).map(x => s * x), position: (shape.position || [0, 0, 0]).map(x => s * x) });
const SYMBOL_SIZE = 0.035, AXIS_LENGTH = 0.1; // of the radius of the scene
// Large faces are cut into pieces of this part of the radius (depth can be wrong only within a piece), unless there would be too many.
const TILE = 0.35, MAX_FACES = 6000;
// More faces than this are too slow to turn: surfaces become their boxes.
const MOST_FACES = 40000;
const asBox = s => {
  if (!s.surface) return s;
  const [lo, hi] = boxOf(s), center = lo.map((x, i) => (x + hi[i]) / 2);
  return { ...s, type: "box", size: minusVector(hi, lo), surface: undefined, position: place(rotationFrom(...s.orientation), s.position, center) };
};
const notes = DATA.notes ? DATA.notes.slice() : []; // on the picture

class Scene extends View {
  constructor(canvas) {
    super(canvas, invalidate);
    this.onScreen = true;
    this.measure();
    this.build();
    this.reset();
    this.pointer = null; // where it hovers
    canvas.addEventListener("pointermove", e => { this.pointer = e.buttons ? null : [e.offsetX, e.offsetY]; if (contacts.count) invalidate(); });
    canvas.addEventListener("pointerleave", () => { this.pointer = null; invalidate(); });
  }

  // Box around all that moves; fixtures count only when near, or one long floor would shrink the mechanism to a dot.
  measure() {
    const lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity], stride = Math.ceil(N / 2000);
    const moving = bodies.some(b => !b.fixed) ? bodies.filter(b => !b.fixed) : bodies;
    const add = (p, r = 0) => { if (finite(p)) for (let i = 0; i < 3; i++) { lo[i] = Math.min(lo[i], p[i] - r); hi[i] = Math.max(hi[i], p[i] + r); } };
    const summarise = () => {
      this.center = lo.map((x, i) => (x + hi[i]) / 2);
      this.radius = norm(minusVector(hi, lo)) / 2 || 1;
    };
    for (const b of bodies) {
      b.hull = hull(b);
      b.girth = Math.max(...b.shapes.map(girthOf)); // labels keep clear of it
    }
    const points = moving.reduce((sum, b) => sum + b.hull.length, 0), coarse = Math.max(stride, Math.ceil(N * points / 2e5));
    for (const b of moving) for (let k = 0; k < N; k += coarse) for (const [p, r] of b.hull) add(toWorld(b.index, p, k), r);
    for (const j of joints) for (let k = 0; k < N; k += stride) add(toWorld(j.body_a, j.point_a, k));
    for (const l of links) for (const e of [l.a, l.b]) for (let k = 0; k < (e.body < 0 ? 1 : N); k += stride) add(toWorld(e.body, e.point, k));
    summarise();
    this.movePlanes(0);
    const near = p => { if (norm(minusVector(p, this.center)) < 2 * this.radius) add(p); };
    for (const f of planes) near(this.foot(f));
    for (const f of bars) {
      const d = minusVector(f.to, f.from), s = dot(minusVector(this.center, f.from), d) / (dot(d, d) || 1);
      [f.from, f.to, axpy(clamp(s, 0, 1), d, f.from)].forEach(near);
    }
    for (const b of bodies) if (b.fixed) for (const [p] of b.hull) near(toWorld(b.index, p, 0));
    summarise();
    this.box = [lo, hi];
    // Arrow scale: the 95th percentile, so that one impact does not make every resting force invisible.
    const sizes = [], rowStride = Math.ceil(contacts.count / 1e5);
    for (let row = 0; row < contacts.count; row += rowStride) { const f = norm(triple(contacts.force, row)); if (f > 0) sizes.push(f); }
    sizes.sort((a, b) => a - b);
    this.forceUnit = sizes[Math.floor(0.95 * (sizes.length - 1))] || 1;
    // Where there are many contacts their arrows and dots are smaller.
    const crowd = clamp(Math.sqrt(30 * N / (contacts.count || 1)), 0.25, 1);
    this.arrow = 0.2 * crowd;
    this.dot = 3.2 * Math.sqrt(crowd);
    // Links between the same two points (a spring with its damper) are drawn side by side.
    const groups = new Map();
    for (const l of links) { const key = JSON.stringify([l.a, l.b]); groups.set(key, [...(groups.get(key) || []), l]); }
    this.offsets = new Map();
    for (const g of groups.values()) g.forEach((l, i) => this.offsets.set(l, 16 * (i - (g.length - 1) / 2)));
  }
  // Those of bodies, to where they are in frame k.
  movePlanes(k) {
    for (const f of planes) if (f.shape) {
      const { R } = poseAt(bodies[f.body], k);
      f.point = toWorld(f.body, f.shape.position, k);
      f.normal = rotate(R, rotate(rotationFrom(...f.shape.orientation), [0, 0, 1]));
    }
  }
  foot(plane) { return axpy(-dot(minusVector(this.center, plane.point), plane.normal), plane.normal, this.center); }

  // The solids of bodies and symbols: made once, placed in every frame.
  build() {
    const make = (shapes, ...fineness) => bodies.flatMap(b => shapes(b).map(s => meshOf(s, ...fineness)).filter(Boolean).map(mesh => new Solid(mesh, b.index, null)));
    const faces = () => this.solids.reduce((sum, s) => sum + s.faces.length, 0), asTheyAre = b => b.shapes;
    this.solids = make(asTheyAre, TILE * this.radius);
    if (faces() > MAX_FACES) this.solids = make(asTheyAre, Infinity, FEW_SIDES);
    if (faces() > MOST_FACES) {
      this.solids = make(b => b.shapes.map(asBox), Infinity, FEW_SIDES);
      notes.push("There are too many triangles to draw: hulls, meshes and height fields are shown by the boxes around them");
    }
    this.symbolSize = SYMBOL_SIZE * this.radius;
    this.symbols = new Map();
    for (const [kind, parts] of Object.entries(SYMBOLS)) if (joints.some(j => j.kind === kind))
      this.symbols.set(kind, parts.map(s => {
        const mesh = meshOf(scaled(s, this.symbolSize), Infinity, FEW_SIDES);
        mesh.faces = mesh.faces.filter(f => !f.decal).map(f => ({ ...f, accent: false }));
        return new Solid(mesh, -1, null);
      }));
  }

  // Planar means: every body stays in its plane, turns about the normal only, the planes lie close together, none is to be seen face on.
  isPlanar(axis) {
    const heights = bodies.map(b => { const c = b["xyz"[axis]]; return c ? c.find(Number.isFinite) || 0 : 0; });
    const flat = (b, i) => !some(b["xyz"[axis]], v => Math.abs(v - heights[i]) > 1e-6 * this.radius);
    const turns = b => {
      if (!b.qw || !b.qx || !b.qy || !b.qz) return false;
      // Vector part of q q₀⁻¹, the turn since the start.
      const w0 = b.qw[0], v0 = [b.qx[0], b.qy[0], b.qz[0]];
      for (let k = 0; k < N; k++) {
        const v = [b.qx[k], b.qy[k], b.qz[k]], n = cross(v0, v);
        for (let i = 0; i < 3; i++) if (i !== axis && Math.abs(w0 * v[i] - b.qw[k] * v0[i] + n[i]) > 1e-6) return true;
      }
      return false;
    };
    const close = Math.max(...heights) - Math.min(...heights) <= 0.25 * this.radius;
    return close && bodies.every((b, i) => flat(b, i) && !turns(b)) && planes.every(f => Math.abs(f.normal[axis]) < 1e-6);
  }

  // A plane motion is seen along the normal, any other from where three sides of a box show.
  reset() {
    const g = DATA.gravity, down = g && norm(g) > 0 ? unit(g) : null;
    const up = unit(DATA.up || (down ? down.map(x => -x) : planes.length ? planes[0].normal : [0, 1, 0]));
    let R;
    if (this.isPlanar(2)) R = IDENTITY;
    else if (this.isPlanar(1)) R = [[1, 0, 0], [0, 0, 1], [0, -1, 0]];
    else if (this.isPlanar(0)) R = Math.abs(up[1]) > 0.5 ? [[0, 0, -1], [0, 1, 0], [1, 0, 0]] : [[0, 1, 0], [0, 0, 1], [1, 0, 0]];
    else {
      // Isometric in kind, but off the exact angles, at which the far corner of a cube hides behind the near one.
      const e = IDENTITY[Math.abs(up[0]) < 0.9 ? 0 : 1];
      const e1 = unit(axpy(-dot(e, up), up, e)), e2 = cross(up, e1);
      const out = unit(axpy(0.55, up, axpy(-0.83, e2, axpy(0.56, e1, [0, 0, 0])))), right = unit(cross(up, out));
      R = [right, cross(out, right), out];
    }
    this.look(R, Math.abs(dot(up, R[2])) < 0.9 ? up : R[1]); // a plane seen from above turns about the screen's up
  }
  text(s, x, y, color) { // a halo in the card's colour keeps text legible over lines
    Object.assign(this.g, { strokeStyle: theme.card, lineWidth: 3, fillStyle: color });
    this.g.strokeText(s, x, y);
    this.g.fillText(s, x, y);
  }

  draw() {
    Object.assign(this, prepare(this.canvas));
    if (!this.w || !this.h) return;
    const k = player.k, [lo, hi] = this.box, half = [0, 0];
    // The fit uses the home camera, so turning the scene does not make it breathe.
    for (let c = 0; c < 8; c++) for (const i of [0, 1]) {
      const corner = [c & 1 ? lo[0] : hi[0], c & 2 ? lo[1] : hi[1], c & 4 ? lo[2] : hi[2]];
      half[i] = Math.max(half[i], Math.abs(dot(this.home[i], minusVector(corner, this.center))));
    }
    const fit = Math.min((this.w / 2 - 44) / half[0], (this.h / 2 - 48) / half[1]);
    this.scale = this.zoom * (Number.isFinite(fit) ? fit : this.h / 4);
    this.g.lineJoin = this.g.lineCap = "round";
    this.movePlanes(k);
    const behind = f => dot(f.normal, this.R[2]) > -1e-9;
    for (const f of planes) if (behind(f)) this.drawPlane(f);
    if ($("opt-trails").checked) for (const b of bodies) if (!b.fixed) this.drawTrail(b, k);
    // In a planar view all depths agree; what is added first then lies under what is added later.
    this.painter.begin(1e-6 * this.radius);
    for (const f of bars) this.addRod(f.from, f.to, theme.muted, 3);
    for (const l of links) this.addLink(l, k);
    for (const b of bodies) for (const s of b.shapes) this.addSpotOf(b, s, k);
    for (const s of this.solids) {
      const b = poseAt(bodies[s.owner], k);
      s.paint = paintOf(bodyColor(s.owner));
      if (s.place(this, b.R, b.p)) this.painter.addSolid(s);
    }
    if ($("opt-joints").checked) for (const j of joints) this.addJoint(j, k);
    this.painter.paint(this.g);
    for (const f of planes) if (!behind(f)) this.drawPlane(f);
    this.drawContacts(k);
    if ($("opt-frames").checked) for (const b of bodies) this.drawFrame(poseAt(b, k));
    if ($("opt-labels").checked) this.drawLabels(k);
    this.drawFlash(k);
    this.drawAxes();
    this.drawTip(k);
  }

  drawPlane(f) {
    const g = this.g, n = f.normal, o = this.foot(f), R = this.R;
    f.spot = null; // where the label goes
    if (norm(minusVector(o, this.center)) > 2.5 * this.radius) return;
    if (Math.abs(dot(n, R[2])) < 0.02) { // seen edge on: a line, hatched on the solid side
      const p = this.project(o), s = [dot(R[0], n), -dot(R[1], n)], d = [-s[1], s[0]], reach = this.w + this.h + Math.hypot(...this.pan);
      const point = (t, depth) => [p[0] + t * d[0] - depth * s[0], p[1] + t * d[1] - depth * s[1]];
      this.line([point(-reach, 0), point(reach, 0)], theme.muted, 1.6);
      const hatch = [];
      for (let t = -reach; t < reach; t += 9) hatch.push(point(t, 0), point(t + 7, 9), [NaN, NaN]);
      this.line(hatch, theme.muted, 0.8);
      f.spot = point(0, 24);
      return;
    }
    const u = across(n), v = cross(n, u);
    // The patch is the footprint of what moves over it, with a margin.
    const reach = axis => Math.max(1.2 * axis.reduce((sum, x, i) => sum + Math.abs(x) * (this.box[1][i] - this.box[0][i]) / 2, 0), 0.3 * this.radius);
    const U = reach(u), V = reach(v), step = niceStep(Math.max(U, V) / 5), point = (a, b) => this.project(axpy(a, u, axpy(b, v, o)));
    g.globalAlpha = 0.07;
    const corners = [point(-U, -V), point(U, -V), point(U, V), point(-U, V)];
    f.spot = axpy(1, [0, 12, 0], corners.reduce((a, b) => (b[1] > a[1] ? b : a)));
    this.polygon(corners, theme.muted, null);
    g.globalAlpha = 0.3;
    this.paint(null, theme.muted, 0.8);
    // Grid lines sit at multiples of the step from the plane's own point: they mark lengths, not the picture.
    const grid = [];
    for (const [dir, half, width, make] of [[u, U, V, point], [v, V, U, (t, s) => point(s, t)]]) {
      const shift = dot(minusVector(o, f.point), dir);
      for (let i = Math.ceil((shift - half) / step); i * step - shift <= half; i++)
        grid.push(make(i * step - shift, -width), make(i * step - shift, width), [NaN, NaN]);
    }
    this.line(grid, theme.muted, 0.8);
    g.globalAlpha = 1;
  }

  drawTrail(b, k) { // faint since the start, strong of late
    const g = this.g, path = (from, stride) => { // multiples of a fixed stride: the old part of the trail must not shimmer
      let pen = false;
      g.beginPath();
      for (let i = from - from % stride; i < k + stride; i += stride) {
        const [x, y] = this.project(at(b, Math.min(i, k))), ok = x === x && y === y;
        if (ok) g[pen ? "lineTo" : "moveTo"](x, y);
        pen = ok;
      }
      this.paint(null, bodyColor(b.index), 1.2);
    };
    const crowd = Math.ceil(bodies.length / 20); // many bodies share the points that one may have
    g.globalAlpha = 0.3;
    path(0, Math.ceil(N / 800) * crowd);
    g.globalAlpha = 0.8;
    path(Math.max(0, k - Math.ceil(N / 20)), Math.ceil(N / 5000) * crowd);
    g.globalAlpha = 1;
  }

  addLink(l, k) {
    const from = toWorld(l.a.body, l.a.point, k), to = toWorld(l.b.body, l.b.point, k), a = this.project(from), b = this.project(to);
    this.addSpot(axpy(0.5, from, axpy(0.5, to, [0, 0, 0])), 0, Math.hypot(b[0] - a[0], b[1] - a[1]) / 2 + 8, () => this.drawLink(l, a, b));
  }
  // Shapes that are no solids.
  addSpotOf(b, s, k) {
    const world = v => toWorld(b.index, place(s.R || (s.R = rotationFrom(...s.orientation)), s.position, v), k), paint = paintOf(bodyColor(b.index)), owner = b.index;
    if (s.type === "segment") {
      this.addRod(world(s.from), world(s.to), paint.base, 4, { owner });
      this.addSpot(world(s.from), 0, 3, p => this.disc(p, 2.2, paint.mark), { owner });
    } else if (s.type === "sphere" && s.radius * this.scale > 3)
      this.addSpot(world([0, 0, 0]), s.radius, s.radius * this.scale, p => this.drawSphere(p, s.radius, paint, world), { owner });
    else if (!MESHES[s.type] && s.type !== "plane") // small, a point, or unknown: a dot
      this.addSpot(world([0, 0, 0]), 0, 4.5, p => this.disc(p, 4.5, paint.base, paint.edge), { owner });
  }
  addJoint(j, k) {
    const p = toWorld(j.body_a, j.point_a, k), size = this.symbolSize, paint = paintOf(theme.joint), over = [j.body_a, j.body_b];
    if (j.kind === "distance") {
      const q = toWorld(j.body_b, j.point_b, k), pin = body => where => this.disc(where, 3.2, body < 0 ? theme.ink : theme.card, theme.ink);
      this.addRod(p, q, theme.ink, 2.2);
      this.addSpot(p, 0, 3.2, pin(j.body_a), { over });
      this.addSpot(q, 0, 3.2, pin(j.body_b), { over });
      return;
    }
    const parts = this.symbols.get(j.kind);
    // A joint lies over the bodies that it joins, or it would hide in them, and under whatever else is in front of it.
    this.addSpot(p, size, 2 * size * this.scale, q => {
      const r = size * this.scale;
      if (j.kind === "spherical") this.ball(q, 0.8 * r, paint);
      else if (!parts) this.polygon([[q[0] + 0.8 * r, q[1]], [q[0], q[1] + 0.8 * r], [q[0] - 0.8 * r, q[1]], [q[0], q[1] - 0.8 * r]], theme.card, paint.base);
      else {
        const axis = bodies[j.body_a] ? rotate(poseAt(bodies[j.body_a], k).R, j.axis_a) : j.axis_a, R = frameAlong(axis);
        for (const s of parts) { s.paint = paint; s.place(this, R, p); }
        parts.slice().sort((a, b) => a.center[2] - b.center[2]).forEach(s => s.draw(this.g));
      }
    }, { over });
  }

  drawLink(l, a, b) {
    const L = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1e-9, d = [(b[0] - a[0]) / L, (b[1] - a[1]) / L], off = L > 24 ? this.offsets.get(l) : 0;
    const p = (s, n = 0) => [a[0] + s * L * d[0] - (n + off) * d[1], a[1] + s * L * d[1] + (n + off) * d[0]]; // s along, n pixels aside
    const lift = [NaN, NaN], coils = 16, path = [a, p(0)];
    if (l.kind === "spring" && L > 12) {
      path.push(p(0.12));
      for (let i = 0; i < coils; i++) path.push(p(0.12 + 0.76 * (i + 0.5) / coils, i % 2 ? 6 : -6));
      path.push(p(0.88));
    } else if (l.kind === "damper" && L > 12) {
      path.push(p(0.35), lift, p(0.65, 6), p(0.35, 6), p(0.35, -6), p(0.65, -6), lift, p(0.52, 4), p(0.52, -4), lift, p(0.52));
    }
    this.line([...path, p(1), b], theme.ink, l.kind === "joint" ? 2.2 : 1.5);
    this.disc(a, 3.2, l.a.body < 0 ? theme.ink : theme.card, theme.ink); // pins: filled where the link meets the ground
    this.disc(b, 3.2, l.b.body < 0 ? theme.ink : theme.card, theme.ink);
  }

  drawSphere(p, radius, paint, world) {
    const r = radius * this.scale, local = v => this.project(world(v));
    this.ball(p, r, paint);
    if (r < 6) return;
    // Two meridians and an off-axis dot fixed in the body, front half only: any rotation shows, from any side.
    const front = q => (q[2] >= p[2] - 1e-9 * this.radius ? q : [NaN, NaN]), meridians = [];
    for (const axis of [0, 1]) {
      for (let i = 0; i <= 48; i++) {
        const c = radius * Math.cos(i * Math.PI / 24), w = radius * Math.sin(i * Math.PI / 24);
        meridians.push(front(local(axis ? [c, 0, w] : [0, c, w])));
      }
      meridians.push([NaN, NaN]);
    }
    this.g.globalAlpha = 0.55;
    this.line(meridians, paint.edge, 1.2);
    this.g.globalAlpha = 1;
    const q = local([0.6 * radius, 0, 0.8 * radius]);
    if (q[2] > p[2]) this.disc(q, clamp(0.16 * r, 1.5, 6), paint.mark);
  }

  drawFrame(b) { // x, y, z of the body in red, green, blue
    const o = this.project(b.p);
    if (finite(o)) for (const i of [0, 1, 2]) this.line([o, this.project(place(b.R, b.p, IDENTITY[i].map(x => x * AXIS_LENGTH * this.radius)))], theme["xyz"[i]], 2.2);
  }

  // All contacts of a frame in a few strokes, so that a thousand of them cost little. Forces are those on the second body, to which the
  // normal points.
  drawContacts(k) {
    const [first, last] = contactRows(k), g = this.g, forces = $("opt-forces").checked, reach = this.arrow * Math.min(this.w, this.h);
    const shown = $("opt-contacts").checked, arrows = (vectors, sizeOf, color, width) => {
      const heads = [];
      g.beginPath();
      for (let row = first; row < last; row++) {
        const size = sizeOf(row), v = triple(vectors, row);
        if (!(size > 1e-9 * this.forceUnit) || !finite(v) || modeOf(row) === "open") continue;
        const p = this.project(triple(contacts.point, row)), length = reach * Math.min(size / this.forceUnit, 1.8) / norm(v);
        const q = [p[0] + length * dot(this.R[0], v), p[1] - length * dot(this.R[1], v)];
        g.moveTo(p[0], p[1]);
        g.lineTo(q[0], q[1]);
        if (Math.hypot(q[0] - p[0], q[1] - p[1]) > 6) heads.push([p, q]);
      }
      this.paint(null, color, width);
      g.beginPath();
      for (const [p, q] of heads) {
        const a = Math.atan2(q[1] - p[1], q[0] - p[0]), barb = turn => [q[0] - 2.8 * this.dot * Math.cos(a + turn), q[1] - 2.8 * this.dot * Math.sin(a + turn)];
        g.moveTo(q[0], q[1]);
        g.lineTo(...barb(0.4));
        g.lineTo(...barb(-0.4));
      }
      this.paint(color, null);
    };
    if (shown) arrows(contacts.normal, row => contacts.normalForce[row], theme.contact, 1.4);
    if (forces) arrows(contacts.force, row => norm(triple(contacts.force, row)), theme.force, 2);
    if (!shown) return;
    // Filled: sticking, hollow: sliding, small: open, about to touch or just hit.
    for (const [mode, fill, edge, r] of [["open", theme.card, theme.contact, 0.6], ["slip", theme.card, theme.contact, 1], ["stick", theme.contact, theme.card, 1]]) {
      g.beginPath();
      for (let row = first; row < last; row++) {
        if (modeOf(row) !== mode) continue;
        const [x, y] = this.project(triple(contacts.point, row));
        if (x !== x || y !== y) continue;
        g.moveTo(x + r * this.dot, y);
        g.arc(x, y, r * this.dot, 0, 2 * Math.PI);
      }
      this.paint(fill, edge, mode === "stick" ? 1 : 0.5 * this.dot);
    }
  }

  // What the contact next to the pointer is, in words.
  drawTip(k) {
    const tip = $("tip"), [first, last] = contactRows(k);
    let best = -1, distance = 12; // pixels
    if (this.pointer && $("opt-contacts").checked) for (let row = first; row < last; row++) {
      const [x, y] = this.project(triple(contacts.point, row)), d = Math.hypot(x - this.pointer[0], y - this.pointer[1]);
      if (d < distance) [best, distance] = [row, d];
    }
    tip.hidden = best < 0;
    if (best < 0) return;
    const lines = [contactName(best), contactPair(best), modeOf(best), `gap ${format(contacts.gap[best])} m`, `normal force ${format(contacts.normalForce[best])} N`, `tangential force ${format(contacts.tangentialForce[best])} N`];
    tip.replaceChildren(...lines.filter(Boolean).map((textContent, i) => el(i ? "div" : "strong", { textContent })));
    const [x, y] = this.project(triple(contacts.point, best));
    tip.style.left = `${clamp(x + 12, 0, Math.max(0, this.w - tip.offsetWidth - 4))}px`;
    tip.style.top = `${clamp(y + 12, 0, Math.max(0, this.h - tip.offsetHeight - 4))}px`;
  }

  drawLabels(k) {
    this.g.textAlign = "left";
    for (const b of bodies.filter(x => x.shapes.some(s => s.type !== "plane")).slice(0, 40)) {
      const p = this.project(at(b, k)), r = clamp(b.girth * this.scale * 0.6, 4, 40) + 4;
      if (finite(p)) this.text(b.name || "", p[0] + r, p[1] - r, theme.ink);
    }
    this.g.textAlign = "center";
    for (const f of planes) if (f.spot) this.text(f.name || "", clamp(f.spot[0], 24, this.w - 24), clamp(f.spot[1] + 4, 12, this.h - 8), theme.muted);
  }

  // An event glows for a third of a second of watching, whatever the speed.
  drawFlash(k) {
    const glow = Math.max(0.35 * player.speed, k ? 1.01 * (time[k] - time[k - 1]) : 0) || 1, e = events[eventAt(time[k])], box = $("flash");
    const age = e ? Math.max(0, time[k] - e.time) / glow : 2;
    box.hidden = age > 1;
    if (box.hidden) return;
    box.textContent = [e.kind, e.name].filter(Boolean).join(" · ");
    const label = contactLabels.findIndex(c => c.name === e.name), b = bodies.find(x => x.name === e.name);
    const placeIn = j => { const [first, last] = contactRows(j); for (let row = first; row < last; row++) if (contacts.label[row] === label) return triple(contacts.point, row); return null; };
    // The contact may be open again in this frame: take its nearest known place.
    const near = label < 0 ? [] : [0, -1, 1, -2, 2, -3, 3].map(i => k + i).filter(j => j >= 0 && j < N).map(placeIn).filter(q => q && finite(q));
    const p = near.length ? near[0] : b ? at(b, k) : [NaN, NaN, NaN];
    if (!finite(p)) return;
    this.g.globalAlpha = 1 - 0.8 * age;
    this.disc(this.project(p), 8 + 22 * age, null, theme.force, 3);
    this.g.globalAlpha = 1;
  }

  drawAxes() { // and a scale bar
    const o = [34, this.h - 34];
    Object.assign(this.g, { textAlign: "center", textBaseline: "middle" });
    for (let i = 0; i < 3; i++) {
      const x = this.R[0][i], y = -this.R[1][i];
      if (Math.hypot(x, y) < 0.08) continue;
      this.line([o, [o[0] + 20 * x, o[1] + 20 * y]], theme.muted, 1.5);
      this.text("xyz"[i], o[0] + 27 * x, o[1] + 27 * y, theme.muted);
    }
    const length = niceStep(80 / this.scale), px = length * this.scale, x = this.w - 18 - px, y = this.h - 16;
    this.line([[x, y - 4], [x, y], [x + px, y], [x + px, y - 4]], theme.muted, 1.5);
    this.text(`${length >= 1e-3 && length < 1e4 ? Number(length.toPrecision(1)) : length.toExponential(0)} m`, x + px / 2, y - 11, theme.muted);
  }
}

// ---------------------------------------------------------------- plots
const FLOOR = 1e-17; // a log axis has no zero; below round-off all values are alike
class Plot {
  // spec: title, log, zero (the axis includes 0), variants: [{label, unit, series: [{name, y, color, hidden, note}]}]
  constructor(spec) {
    Object.assign(this, spec);
    this.onScreen = true;
    this.base = el("canvas");
    this.over = el("canvas"); // the moving cursor has its own layer: curves are drawn once, not 60 times a second
    this.over.setAttribute("role", "img");
    this.over.setAttribute("aria-label", spec.title + " against time");
    this.legend = el("div", { className: "legend" });
    this.area = el("div", { className: "area" }, this.base, this.over);
    const head = el("div", { className: "head" }, el("h3", { textContent: spec.title }));
    if (spec.variants.length > 1) {
      const select = el("select", {}, ...spec.variants.map((v, i) => el("option", { value: i, textContent: v.label })));
      select.setAttribute("aria-label", spec.title + ": quantity");
      select.addEventListener("change", () => this.choose(select.value));
      head.append(select);
    }
    this.node = el("section", { className: "card plot" }, head, this.legend, this.area);
    const pointed = e => nearestFrame(this.t0 + (e.offsetX - this.left) / (this.right - this.left) * (this.t1 - this.t0));
    this.over.addEventListener("pointerdown", e => { play(false); seek(pointed(e)); });
    this.over.addEventListener("pointerleave", () => { player.hover = -1; invalidate(); });
    this.over.addEventListener("pointermove", e => {
      player.hover = pointed(e);
      if (e.buttons & 1) seek(player.hover);
      invalidate();
    });
    new IntersectionObserver(list => { this.onScreen = list[list.length - 1].isIntersecting; invalidate(); }).observe(this.node);
    new ResizeObserver(() => this.draw()).observe(this.area);
  }

  choose(i) {
    this.v = this.variants[i];
    const all = this.v.series;
    const buttons = all.map((s, j) => {
      if (s.hidden === undefined) s.hidden = j >= 8; // more than eight curves at once tell nothing
      s.swatch = el("i");
      s.swatch.style.borderTopStyle = ["solid", "dashed", "dotted"][dashStyle(j)];
      s.out = el("output");
      const b = el("button", { type: "button", title: "Show or hide this curve" }, s.swatch, el("span", { textContent: s.name }), s.out);
      b.addEventListener("click", () => { s.hidden = !s.hidden; update(); });
      return b;
    });
    const update = () => { buttons.forEach((b, j) => b.setAttribute("aria-pressed", !all[j].hidden)); this.draw(); };
    this.legend.replaceChildren(...buttons);
    if (all.length > 8) {
      const b = el("button", { type: "button", className: "all", textContent: `all / none of ${all.length}` });
      b.addEventListener("click", () => { const hide = all.every(s => !s.hidden); for (const s of all) s.hidden = hide; update(); });
      this.legend.prepend(b);
    }
    update();
  }

  range() {
    let lo = Infinity, hi = -Infinity;
    for (const s of this.v.series) if (!s.hidden) for (let k = 0; k < N; k++) {
      const v = this.value(s.y[k]);
      if (v < lo) lo = v;
      if (v > hi) hi = v;
    }
    if (!(hi >= lo)) { lo = this.log ? -16 : 0; hi = lo + 1; }
    if (this.log) { lo = Math.floor(lo); return [lo, Math.max(Math.ceil(hi), lo + 2)]; }
    if (this.zero) { lo = Math.min(lo, 0); hi = Math.max(hi, 0); }
    // A constant up to round-off must look constant.
    const top = Math.max(Math.abs(lo), Math.abs(hi));
    if (hi - lo <= 1e-6 * top) { lo -= 0.1 * top || 1; hi += 0.1 * top || 1; }
    return [lo - 0.05 * (hi - lo), hi + 0.05 * (hi - lo)];
  }
  value(v) { return this.log ? Math.log10(Math.max(Math.abs(v), FLOOR)) : v; } // NaN passes through
  X(t) { return this.left + (t - this.t0) / (this.t1 - this.t0) * (this.right - this.left); }
  Y(v) { return this.bottom - (this.value(v) - this.lo) / (this.hi - this.lo) * (this.bottom - this.top); }
  color(s) { return s.color ? s.color() : paletteColor(this.v.series.indexOf(s)); }

  draw() {
    if (!this.v || !this.area.clientWidth) return;
    const { g, w, h } = prepare(this.base), line = (x0, y0, x1, y1) => { g.beginPath(); g.moveTo(x0, y0); g.lineTo(x1, y1); g.stroke(); };
    [this.lo, this.hi] = this.range();
    [this.t0, this.t1] = span > 0 ? [time[0], time[N - 1]] : [time[0] - 0.5, time[0] + 0.5];
    const axis = this.log ? { ticks: [], scaled: label => label } : linearTicks(this.lo, this.hi, 5), every = Math.ceil((this.hi - this.lo) / 6);
    if (this.log) for (let d = this.lo; d <= this.hi; d += every) axis.ticks.push({ at: 10 ** d, label: (10 ** d <= FLOOR ? "≤" : "") + "10" + superscript(d) });
    this.left = Math.max(44, 14 + Math.max(...axis.ticks.map(t => g.measureText(t.label).width)));
    [this.right, this.top, this.bottom] = [w - 10, 26, h - 22];
    Object.assign(g, { lineWidth: 1, strokeStyle: theme.grid, fillStyle: theme.muted, textBaseline: "middle", textAlign: "right" });
    for (const t of axis.ticks) { const y = Math.round(this.Y(t.at)) + 0.5; line(this.left, y, this.right, y); g.fillText(t.label, this.left - 6, y); }
    Object.assign(g, { textBaseline: "top", textAlign: "center" });
    const times = linearTicks(this.t0, this.t1, clamp(w / 90, 3, 8)), timeLabel = times.scaled("t (s)"), room = this.right - g.measureText(timeLabel).width - 8;
    for (const t of times.ticks) {
      const x = Math.round(this.X(t.at)) + 0.5;
      line(x, this.top, x, this.bottom);
      if (x + g.measureText(t.label).width / 2 < room) g.fillText(t.label, x, this.bottom + 7);
    }
    g.textAlign = "right";
    g.fillText(timeLabel, this.right, this.bottom + 7);
    g.textAlign = "left";
    const unitLabel = axis.scaled(this.v.unit);
    g.fillText(unitLabel, 2, 4);
    this.labelRight = g.measureText(unitLabel).width + 10;
    g.strokeStyle = theme.line;
    g.strokeRect(Math.round(this.left) + 0.5, this.top + 0.5, this.right - Math.round(this.left), this.bottom - this.top);
    g.save();
    g.beginPath();
    g.rect(this.left, this.top - 1, this.right - this.left + 1, this.bottom - this.top + 2);
    g.clip();
    // One line per pixel column, fainter when there are many: a chattering contact must not paint the plot over.
    const marks = new Set(events.map(e => Math.round(this.X(e.time)) + 0.5));
    Object.assign(g, { strokeStyle: theme.event, globalAlpha: clamp(20 / marks.size, 0.1, 0.6) });
    for (const x of marks) line(x, this.top, x, this.bottom);
    // Residuals are noise over many decades and fill an area; what lies under it has to show through.
    Object.assign(g, { globalAlpha: this.log ? 0.7 : 1, lineWidth: this.log ? 1.2 : 1.6, lineJoin: "round" });
    this.v.series.forEach((s, i) => {
      g.strokeStyle = g.fillStyle = s.swatch.style.borderTopColor = this.color(s);
      g.setLineDash([[], [7, 3], [2, 3]][dashStyle(i)]);
      if (!s.hidden) this.curve(g, s.y);
    });
    g.restore();
    invalidate();
  }

  // Per pixel column only entry, extremes and exit are drawn: no peak is lost and 5000 points cost no more than the width.
  curve(g, y) {
    let col = NaN, x = 0, lo = 0, hi = 0, last = 0, count = 0;
    const dots = []; // a value between two gaps has no line to be seen by
    const flush = () => { if (hi > lo) { g.lineTo(x, lo); g.lineTo(x, hi); g.lineTo(x, last); } };
    const lift = () => { flush(); if (count === 1) dots.push([x, last]); count = 0; col = NaN; lo = hi; };
    g.beginPath();
    for (let k = 0; k < N; k++) {
      const Y = this.Y(y[k]), X = this.X(time[k]), c = Math.round(X * 2);
      if (Y !== Y) { lift(); continue; }
      if (c === col) { lo = Math.min(lo, Y); hi = Math.max(hi, Y); } else {
        flush();
        g[count ? "lineTo" : "moveTo"](X, Y);
        [col, x, lo, hi] = [c, X, Y, Y];
      }
      last = Y;
      count++;
    }
    lift();
    g.stroke();
    for (const d of dots) { g.beginPath(); g.arc(d[0], d[1], 2.4, 0, 2 * Math.PI); g.fill(); }
  }

  drawOverlay() {
    if (!this.v || this.t1 === undefined) return;
    const { g, w } = prepare(this.over), hovering = player.hover >= 0, k = hovering ? player.hover : player.k;
    const cursor = (j, color, dash) => {
      g.strokeStyle = g.fillStyle = color;
      g.setLineDash(dash);
      g.beginPath();
      g.moveTo(this.X(time[j]), this.top);
      g.lineTo(this.X(time[j]), this.bottom);
      g.stroke();
      g.setLineDash([]);
    };
    g.lineWidth = 1.5;
    cursor(player.k, theme.accent, []);
    if (hovering) cursor(k, theme.ink, [3, 3]);
    const label = `t = ${clockText(time[k])} s`, half = g.measureText(label).width / 2;
    g.textAlign = "center";
    if (N > 1) g.fillText(label, clamp(this.X(time[k]), this.labelRight + half, w - half - 4), 13);
    for (const s of this.v.series) {
      const note = s.note && s.note(k);
      s.out.textContent = s.hidden ? "" : format(s.y[k]) + (note ? ` · ${note}` : "");
      if (s.hidden || !Number.isFinite(s.y[k])) continue;
      Object.assign(g, { fillStyle: this.color(s), strokeStyle: theme.card });
      g.beginPath();
      g.arc(this.X(time[k]), this.Y(s.y[k]), 3.5, 0, 2 * Math.PI);
      g.fill();
      g.stroke();
    }
  }
}

// A plot needs something to show: empty curves go, then empty variants, then the plot itself.
function addPlot(title, variants, options = {}) {
  variants = variants.map(v => ({ ...v, series: v.series.filter(s => hasValue(s.y)) })).filter(v => v.series.length);
  if (N && variants.length) plots.push(new Plot({ title, variants, ...options }));
}
// Either all coordinates of the run, {names, q, v}, or those of its joints, [{name, unit, values, rates}].
const jointCoordinates = Array.isArray(DATA.coordinates) ? DATA.coordinates : [];
const coordinates = jointCoordinates.length ? {} : DATA.coordinates || {};
const coordinateSeries = list => (list || []).map((y, i) => ({ name: (coordinates.names || [])[i] || `q${i + 1}`, y: column(y) }));
// Radians and metres share no axis.
const jointVariants = (key, symbol, per) => [...new Set(jointCoordinates.map(c => c.unit || ""))].map(u => ({ label: u + per, unit: `${symbol} (${u || "–"}${per})`,
  series: jointCoordinates.filter(c => (c.unit || "") === u).map(c => ({ name: c.name, y: column(c[key]) })) }));
const reactionSeries = key => (DATA.reactions || []).map(r => ({ name: r.name, y: column(r[key]) }));
const bodySeries = (list, axis) => bodies.filter(b => !b.fixed)
  .map(b => ({ name: b.name || `body ${b.index + 1}`, y: column(((list || [])[b.index] || {})[axis]), color: () => bodyColor(b.index) }));
// A component that is zero throughout (z of a planar run) is no choice worth offering.
const bodyVariants = (list, of) => ["x", "y", "z"].map(a => ({ label: "bodies, " + a, unit: `${a} (${of})`, series: bodySeries(list, a) }))
  .filter((v, i) => i === 0 || v.series.some(s => hasNonzero(s.y)));
const named = (group, entries) => entries.map(([key, name, hideZero]) => {
  const y = column((DATA[group] || {})[key]);
  return { name, y, hidden: !!hideZero && !hasNonzero(y) };
});
// Curves of contacts: the ones that carry most, in the order of the page.
const MOST_CURVES = 40;
function contactCurves() {
  const sums = contactLabels.map(() => 0);
  for (let row = 0; row < contacts.count; row++) sums[contacts.label[row]] += Math.abs(contacts.normalForce[row]) || 0;
  const chosen = sums.map((_, i) => i).sort((i, j) => sums[j] - sums[i]).slice(0, MOST_CURVES).sort((i, j) => i - j), empty = () => new Float64Array(N).fill(NaN);
  const curves = new Map(chosen.map(i => [i, { name: contactLabels[i].name || `contact ${i + 1}`, normalForce: empty(), gap: empty(), mode: [] }]));
  for (let k = 0; k < N; k++) for (let [row, last] = contactRows(k); row < last; row++) {
    const c = curves.get(contacts.label[row]);
    if (c) { c.normalForce[k] = contacts.normalForce[row]; c.gap[k] = contacts.gap[row]; c.mode[k] = modeOf(row); }
  }
  return [...curves.values()];
}
const carrying = contactCurves(), contactSeries = key => carrying.map(c => ({ name: c.name, y: c[key], note: k => c.mode[k] }));
// Sums of contact forces between two bodies, on the second one. The order of the bodies is that of the pair's first contact.
const PAIRS = [], pairNumbers = new Map(), pairOfLabel = contactLabels.map(({ bodies: of = [] }) => {
  if (!of[0] || !of[1]) return null;
  const key = JSON.stringify([...of].sort());
  if (!pairNumbers.has(key)) pairNumbers.set(key, PAIRS.push({ bodies: of, name: `${of[1]} by ${of[0]}` }) - 1);
  const i = pairNumbers.get(key);
  return { i, sign: PAIRS[i].bodies[0] === of[0] ? 1 : -1 };
});
function pairForces(k) { // one { force, count } a pair with contacts in frame k
  const sums = new Map();
  for (let [row, last] = contactRows(k); row < last; row++) {
    const pair = pairOfLabel[contacts.label[row]], f = triple(contacts.force, row);
    if (!pair || !finite(f)) continue;
    if (!sums.has(pair.i)) sums.set(pair.i, { force: [0, 0, 0], count: 0 });
    const sum = sums.get(pair.i);
    sum.force = sum.force.map((x, i) => x + pair.sign * f[i]);
    sum.count++;
  }
  return sums;
}
function pairSeries() {
  const curves = PAIRS.map(p => ({ name: p.name, y: new Float64Array(N).fill(NaN), sum: 0 }));
  for (let k = 0; k < N; k++) for (const [i, { force }] of pairForces(k)) { const size = norm(force); curves[i].y[k] = size; curves[i].sum += size; }
  return curves.sort((a, b) => b.sum - a.sum).slice(0, MOST_CURVES);
}
const contactCounts = () => { // how many are closed
  const closed = Float64Array.from({ length: N }, (_, k) => { const [first, last] = contactRows(k); let n = 0; for (let row = first; row < last; row++) if (modeOf(row) !== "open") n++; return n; });
  return contacts.count ? [{ name: "closed contacts", y: closed }] : [];
};

addPlot("Positions", [{ label: "coordinates", unit: "q (m, rad)", series: coordinateSeries(coordinates.q) }, ...bodyVariants(DATA.poses, "m")]);
addPlot("Velocities", [{ label: "coordinates", unit: "v (m/s, rad/s)", series: coordinateSeries(coordinates.v) }, ...bodyVariants(DATA.velocities, "m/s")]);
addPlot("Joint coordinates", jointVariants("values", "q", ""));
addPlot("Joint rates", jointVariants("rates", "q̇", "/s"));
addPlot("Joint reactions", [{ label: "force", unit: "force (N)", series: reactionSeries("force") }, { label: "torque", unit: "torque (N·m)", series: reactionSeries("torque") }], { zero: true });
addPlot("Energy", [{ unit: "E (J)", series: named("energy", [["kinetic", "kinetic"], ["potential", "potential"], ["total", "total"],
  ["friction", "work of friction", true], ["impact", "work of impacts", true], ["work", "external work", true], ["driven", "work of prescribed motions", true]]) }]);
addPlot("Energy error", [{ unit: "E − E(0) − all work (J)", series: named("energy", [["error", "error"], ["constraints", "by contacts and joints", true], ["projection", "by projection", true], ["defect", "by bookkeeping", true]]) }], { zero: true });
addPlot(contactLabels.length > MOST_CURVES ? `Contacts: the ${MOST_CURVES} of ${contactLabels.length} that carry most` : "Contacts",
  [{ label: "normal force", unit: "normal force (N)", series: contactSeries("normalForce") }, { label: "between bodies", unit: "contact force (N)", series: pairSeries() }, { label: "gap", unit: "gap (m)", series: contactSeries("gap") },
    { label: "number", unit: "closed contacts", series: contactCounts() }], { zero: true });
// Without joints or contacts their errors are zero by definition, not by merit.
const jointed = joints.length > 0 || links.some(l => l.kind === "joint");
const errors = named("certificate", [["drift", "joint drift (m)"], ["velocity_drift", "velocity drift (m/s)"], ["penetration", "penetration (m)"], ["turn", "joint drift (rad)"], ["stop_excess", "stops passed (rad)"]]);
addPlot("Joint drift and penetration", [{ unit: "error (m, m/s, rad)", series: errors.filter((s, i) => hasNonzero(s.y) || (i < 2 ? jointed : i === 2 && contacts.count > 0)) }], { log: true });
addPlot("How well the equations were solved", [{ unit: "residual", series: named("certificate", [["residual", "residual"]]) }], { log: true });
addPlot("Solver iterations", [{ unit: "iterations per step", series: named("certificate", [["iterations", "iterations"]]) }], { zero: true });

// ---------------------------------------------------------------- page
const digits = span > 0 ? clamp(Math.ceil(-Math.log10(span / (N - 1)) - 1e-6), 0, 9) : 4;
const clockText = t => (Number.isFinite(t) ? minus(t.toFixed(digits)) : "–");
let rows = [], marked = -1;
function updateControls() {
  if (!N) return;
  const { k } = player, label = `t = ${clockText(time[k])} s`, now = eventAt(time[k]);
  $("slider").value = k;
  $("slider").setAttribute("aria-valuetext", label);
  $("clock").replaceChildren(label, el("small", { textContent: `frame ${k + 1} / ${N}` }));
  updateContacts();
  if (now === marked) return;
  if (rows[marked]) rows[marked].removeAttribute("aria-current");
  if (rows[now]) rows[now].setAttribute("aria-current", "time");
  marked = now;
}

// Contacts of the frame, the largest forces first; only where it can be seen.
const SHOWN_CONTACTS = 100;
let tabled = -1;
function updateContacts() {
  const { k } = player, [first, last] = contactRows(k);
  if (!$("contacts").open || k === tabled) return;
  tabled = k;
  const list = Array.from({ length: last - first }, (_, i) => first + i).sort((a, b) => (contacts.normalForce[b] || 0) - (contacts.normalForce[a] || 0)).slice(0, SHOWN_CONTACTS);
  $("contact-rows").replaceChildren(...list.map(row => el("tr", {}, ...[contactName(row), contactPair(row), modeOf(row),
    ...[contacts.gap, contacts.normalForce, contacts.tangentialForce].map(c => format(c[row]))].map(textContent => el("td", { textContent })))));
  const pairs = [...pairForces(k)].sort((a, b) => norm(b[1].force) - norm(a[1].force)).slice(0, SHOWN_CONTACTS);
  $("pair-table").hidden = !pairs.length;
  $("pair-rows").replaceChildren(...pairs.map(([i, { force, count }]) => el("tr", {}, ...[PAIRS[i].bodies[1], PAIRS[i].bodies[0], ...force.map(format), format(norm(force)), String(count)]
    .map(textContent => el("td", { textContent })))));
  $("contacts-note").textContent = last - first > SHOWN_CONTACTS ? `The ${SHOWN_CONTACTS} with the largest normal force of ${last - first}.` : last > first ? "" : "None at this time.";
}

document.title = `${DATA.title || "run"} · Delassus`;
$("title").textContent = DATA.title || "Delassus report";
$("program").textContent = DATA.program || "Delassus";
$("description").textContent = DATA.description || "";
$("description").hidden = !DATA.description;
if (DATA.status) {
  const { ok, message, warnings } = DATA.status, target = $(ok ? "chip" : "banner");
  const warned = warnings ? ` with ${warnings} warning${warnings > 1 ? "s" : ""}` : "";
  target.textContent = ok ? (message || "completed") + warned : `The run did not complete: ${message || "no reason given"}`;
  if (ok && warnings) target.classList.add("warned");
  target.hidden = false;
}
$("warnings").hidden = !(DATA.warnings || []).length;
$("warnings").append(...(DATA.warnings || []).map(textContent => el("li", { textContent })));
for (const [key, value] of DATA.summary || []) $("summary-rows").append(el("tr", {}, el("th", { scope: "row", textContent: key }), el("td", { textContent: value })));
$("summary").hidden = !(DATA.summary || []).length;

const SHOWN = 200;
rows = events.slice(0, SHOWN).map(e => {
  const button = el("button", { type: "button", textContent: minus(e.time.toFixed(digits + 2)), title: "Go to this time" });
  const row = el("tr", {}, el("td", {}, button), ...["kind", "name", "detail"].map(n => el("td", { textContent: e[n] || "" })));
  row.addEventListener("click", () => { play(false); if (N) seek(frameOfEvent(e)); });
  return row;
});
$("event-rows").append(...rows);
$("events").hidden = !events.length;
$("events-note").hidden = events.length <= SHOWN;
$("events-note").textContent = `The first ${SHOWN} of ${events.length} events.`;

$("stage").hidden = !(N && bodies.some(b => hasValue(b.x)));
$("controls").hidden = $("keys").hidden = N < 2;
$("opt-forces-label").hidden = $("opt-contacts-label").hidden = !hasValue(contacts.point); // contacts of formulas have no place
$("opt-joints-label").hidden = !joints.length;
if (!$("stage").hidden) {
  scene = new Scene($("scene"));
  new ResizeObserver(invalidate).observe($("stage"));
  new IntersectionObserver(list => { scene.onScreen = list[list.length - 1].isIntersecting; invalidate(); }).observe($("stage"));
  for (const id of ["trails", "contacts", "forces", "joints", "frames", "labels"]) $("opt-" + id).addEventListener("change", invalidate);
  $("reset").addEventListener("click", () => scene.reset());
}
$("notes").textContent = notes.map(x => `${x}.`).join(" ");
$("notes").hidden = !notes.length || $("stage").hidden;
$("contacts").hidden = !contacts.count;
$("contacts").addEventListener("toggle", invalidate);

// Real time, unless that would be over in a blink or take more than half a minute.
const speeds = [1e-4, 1e-3, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 100, 1000];
player.speed = span < 2 ? speeds.filter(s => span / s >= 2).pop() || speeds[0] : speeds.find(s => s >= 1 && span / s <= 30) || 1000;
for (const s of speeds) $("speed").append(el("option", { value: s, textContent: `${s}×`, selected: s === player.speed }));
$("speed").addEventListener("change", e => { player.speed = Number(e.target.value); });
$("slider").max = Math.max(0, N - 1);
$("slider").addEventListener("input", e => { play(false); seek(Number(e.target.value)); });
const toggle = () => play(!player.playing), step = n => { play(false); seek(player.k + n); };
$("play").addEventListener("click", toggle);
$("back").addEventListener("click", e => step(e.shiftKey ? -10 : -1));
$("forward").addEventListener("click", e => step(e.shiftKey ? 10 : 1));
document.addEventListener("keydown", e => {
  const tag = e.target.tagName, n = e.shiftKey ? 10 : 1;
  const act = { " ": toggle, ArrowLeft: () => step(-n), ArrowRight: () => step(n), Home: () => step(-N), End: () => step(N) }[e.key];
  if (!act || N < 2 || e.ctrlKey || e.metaKey || e.altKey || tag === "SELECT") return;
  if (e.key === " " && (tag === "BUTTON" || e.target.type === "checkbox")) return; // these keep their own space bar
  e.preventDefault();
  act();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readTheme(); for (const p of plots) p.draw(); });
addEventListener("beforeprint", () => { for (const p of plots) { p.draw(); p.drawOverlay(); } });

for (const p of plots) { $("plots").append(p.node); p.choose(0); }
// report.html#t=0.5 opens at that time, so that a moment of a run can be cited.
const start = /^#t=([-+.\deE]+)$/.exec(location.hash);
if (N) seek(start ? frameAt(Number(start[1]) + tiny) : 0);
})();
