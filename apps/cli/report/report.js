"use strict";
// Everything lives in one function scope: the page's only global is DATA.
(() => {

// ---------------------------------------------------------------- helpers
const $ = id => document.getElementById(id);
const el = (tag, props = {}, ...kids) => {
  const e = Object.assign(document.createElement(tag), props);
  e.append(...kids);
  return e;
};
const minus = s => s.replace(/-/g, "−");
const superscript = n => String(n).replace(/./g, c => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]);
const clamp = (x, lo, hi) => Math.min(hi, Math.max(lo, x));
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const axpy = (s, a, b) => [b[0] + s * a[0], b[1] + s * a[1], b[2] + s * a[2]];
const minusVector = (a, b) => axpy(-1, b, a);
const norm = a => Math.hypot(a[0], a[1], a[2]);
const unit = a => (norm(a) > 0 ? a.map(x => x / norm(a)) : [0, 0, 1]);
const finite = p => Number.isFinite(p[0] + p[1] + p[2]);

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
  for (const n of ["card", "ink", "muted", "line", "grid", "accent", "force", "event"]) theme[n] = get(n);
}
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
const bodies = (DATA.bodies || []).map((b, i) => ({ shape: { type: "point" }, ...b, ...poseOf(i), index: i }));
const bodyColor = i => bodies[i].color || paletteColor(i);
const links = DATA.links || [], planes = [], bars = []; // fixtures: planes and segments
for (const f of DATA.fixtures || []) if (f.type === "plane") planes.push({ ...f, normal: unit(f.normal) }); else if (f.from && f.to) bars.push(f);
const contacts = (DATA.contacts || []).map(c => ({
  name: c.name, mode: c.mode || [], gap: column(c.gap), normal: column(c.normal_force),
  point: columns(c.point, "x", "y", "z"), force: columns(c.force, "x", "y", "z"),
}));
const events = (DATA.events || []).slice().sort((a, b) => a.time - b.time);

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
const IDENTITY = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
function rotationOf(b, k) {
  if (!b.qw || !b.qx || !b.qy || !b.qz) return IDENTITY;
  const w = b.qw[k], x = b.qx[k], y = b.qy[k], z = b.qz[k];
  return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
          [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
          [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]];
}
const at = (c, k) => [c.x ? c.x[k] : NaN, c.y ? c.y[k] : 0, c.z ? c.z[k] : 0];
function toWorld(body, p, k) {
  const b = bodies[body]; // none for -1, the world
  return b ? rotationOf(b, k).map((row, i) => dot(row, p) + at(b, k)[i]) : p;
}
function extent(shape) {
  if (shape.type === "box") return norm(shape.size) / 2;
  return shape.type === "segment" ? Math.max(norm(shape.from), norm(shape.to)) : shape.radius || 0;
}

class Scene {
  constructor(canvas) {
    this.canvas = canvas;
    this.onScreen = true;
    this.measure();
    this.reset();
    this.listen();
  }

  // Box around all that moves; fixtures count only when near, or one long floor would shrink the mechanism to a dot.
  measure() {
    const lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity], stride = Math.ceil(N / 2000);
    const add = (p, r = 0) => { if (finite(p)) for (let i = 0; i < 3; i++) { lo[i] = Math.min(lo[i], p[i] - r); hi[i] = Math.max(hi[i], p[i] + r); } };
    const summarise = () => {
      this.center = lo.map((x, i) => (x + hi[i]) / 2);
      this.radius = norm(minusVector(hi, lo)) / 2 || 1;
    };
    for (const b of bodies) for (let k = 0; k < N; k += stride) add(at(b, k), extent(b.shape));
    for (const l of links) for (const e of [l.a, l.b]) for (let k = 0; k < (e.body < 0 ? 1 : N); k += stride) add(toWorld(e.body, e.point, k));
    summarise();
    const near = p => { if (norm(minusVector(p, this.center)) < 2 * this.radius) add(p); };
    for (const f of planes) near(this.foot(f));
    for (const f of bars) {
      const d = minusVector(f.to, f.from), s = dot(minusVector(this.center, f.from), d) / (dot(d, d) || 1);
      [f.from, f.to, axpy(clamp(s, 0, 1), d, f.from)].forEach(near);
    }
    summarise();
    this.box = [lo, hi];
    // Arrow scale: the 95th percentile, so that one impact does not make every resting force invisible.
    const sizes = [];
    for (const c of contacts) for (let k = 0; k < N; k += stride) { const f = norm(at(c.force, k)); if (f > 0) sizes.push(f); }
    sizes.sort((a, b) => a - b);
    this.forceUnit = sizes[Math.floor(0.95 * (sizes.length - 1))] || 1;
    // Links between the same two points (a spring with its damper) are drawn side by side.
    const groups = new Map();
    for (const l of links) { const key = JSON.stringify([l.a, l.b]); groups.set(key, [...(groups.get(key) || []), l]); }
    this.offsets = new Map();
    for (const g of groups.values()) g.forEach((l, i) => this.offsets.set(l, 16 * (i - (g.length - 1) / 2)));
  }
  foot(plane) { return axpy(-dot(minusVector(this.center, plane.point), plane.normal), plane.normal, this.center); }

  // Planar means: flat poses, turning about the normal only, and no plane to be seen face on.
  isPlanar(axis) {
    const flat = b => !some(b["xyz"[axis]], v => Math.abs(v) > 1e-6 * this.radius);
    const turns = b => [0, 1, 2].some(i => i !== axis && some(b["q" + "xyz"[i]], v => Math.abs(v) > 1e-6));
    return bodies.every(b => flat(b) && !turns(b)) && planes.every(f => Math.abs(f.normal[axis]) < 1e-6);
  }

  // R holds the screen's axes in the world: right, up, towards the viewer.
  reset() {
    this.zoom = 1;
    this.pan = [0, 0];
    if (this.isPlanar(2)) this.R = IDENTITY;
    else if (this.isPlanar(1)) this.R = [[1, 0, 0], [0, 0, 1], [0, -1, 0]];
    else {
      // Isometric in kind, but off the exact angles, at which the far corner of a cube hides behind the near one.
      const up = unit(DATA.up || (planes.length ? planes[0].normal : [0, 0, 1])), e = IDENTITY[Math.abs(up[0]) < 0.9 ? 0 : 1];
      const e1 = unit(axpy(-dot(e, up), up, e)), e2 = cross(up, e1);
      const out = unit(axpy(0.55, up, axpy(-0.83, e2, axpy(0.56, e1, [0, 0, 0])))), right = unit(cross(up, out));
      this.R = [right, cross(out, right), out];
      this.up = up;
    }
    this.up = this.up || this.R[1];
    this.home = this.R;
    invalidate();
  }
  // Turntable: sideways about the world's up, up and down about the screen's right, so the horizon stays level.
  rotate(dx, dy) {
    const turn = (axis, angle) => v => { // Rodrigues
      const c = Math.cos(angle), n = cross(axis, v), d = dot(axis, v) * (1 - c);
      return v.map((x, i) => x * c + n[i] * Math.sin(angle) + axis[i] * d);
    };
    this.R = this.R.map(turn(this.up, -dx));
    this.R = this.R.map(turn(this.R[0], -dy));
    invalidate();
  }
  listen() {
    const c = this.canvas;
    let drag = null;
    c.addEventListener("pointerdown", e => { drag = [e.clientX, e.clientY]; c.setPointerCapture(e.pointerId); });
    c.addEventListener("pointermove", e => {
      if (!drag) return;
      const dx = e.clientX - drag[0], dy = e.clientY - drag[1];
      drag = [e.clientX, e.clientY];
      if (e.shiftKey) { this.pan = [this.pan[0] + dx, this.pan[1] + dy]; invalidate(); } else this.rotate(dx * 0.008, dy * 0.008);
    });
    for (const n of ["pointerup", "pointercancel"]) c.addEventListener(n, () => { drag = null; });
    c.addEventListener("wheel", e => {
      e.preventDefault();
      // Zoom about the pointer, not the middle: what one looks at stays where it is.
      const f = clamp(this.zoom * Math.exp(-e.deltaY * 0.0015), 0.05, 200) / this.zoom;
      const x = e.offsetX - this.w / 2, y = e.offsetY - this.h / 2;
      this.zoom *= f;
      this.pan = [x + (this.pan[0] - x) * f, y + (this.pan[1] - y) * f];
      invalidate();
    }, { passive: false });
    c.addEventListener("dblclick", () => this.reset());
  }

  // Drawing primitives; points are [x, y, …] in pixels, a null style leaves that part out.
  project(p) {
    const d = minusVector(p, this.center), R = this.R;
    return [this.w / 2 + this.pan[0] + this.scale * dot(R[0], d), this.h / 2 + this.pan[1] - this.scale * dot(R[1], d), dot(R[2], d)];
  }
  paint(fill, stroke, width = 1.2) {
    if (fill) { this.g.fillStyle = fill; this.g.fill(); }
    if (stroke) { this.g.strokeStyle = stroke; this.g.lineWidth = width; this.g.stroke(); }
  }
  line(points, stroke, width) { this.trace(points); this.paint(null, stroke, width); }
  polygon(points, fill, stroke) { this.trace(points); this.g.closePath(); this.paint(fill, stroke); }
  trace(points) { // a point that is not a number lifts the pen
    let pen = false;
    this.g.beginPath();
    for (const [x, y] of points) { const ok = x === x && y === y; if (ok) this.g[pen ? "lineTo" : "moveTo"](x, y); pen = ok; }
  }
  disc(p, r, fill, stroke, width) { this.g.beginPath(); this.g.arc(p[0], p[1], r, 0, 2 * Math.PI); this.paint(fill, stroke, width); }
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
    const behind = f => dot(f.normal, this.R[2]) > -1e-9;
    for (const f of planes) if (behind(f)) this.drawPlane(f);
    for (const f of bars) this.line([this.project(f.from), this.project(f.to)], theme.muted, 3);
    if ($("opt-trails").checked) for (const b of bodies) this.drawTrail(b, k);
    // Painter's order; in a planar view all depths agree and the stable sort keeps links under bodies.
    const items = [];
    for (const l of links) {
      const a = this.project(toWorld(l.a.body, l.a.point, k)), b = this.project(toWorld(l.b.body, l.b.point, k));
      if (finite(a) && finite(b)) items.push({ depth: (a[2] + b[2]) / 2, draw: () => this.drawLink(l, a, b) });
    }
    for (const b of bodies) {
      const p = this.project(at(b, k));
      if (finite(p)) items.push({ depth: p[2], draw: () => this.drawBody(b, p, k) });
    }
    items.sort((a, b) => a.depth - b.depth).forEach(i => i.draw());
    for (const f of planes) if (!behind(f)) this.drawPlane(f);
    if ($("opt-forces").checked) for (const c of contacts) this.drawContact(c, k);
    if ($("opt-labels").checked) this.drawLabels(k);
    this.drawFlash(k);
    this.drawAxes();
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
    const sizes = n.map(Math.abs), e = IDENTITY[sizes.indexOf(Math.min(...sizes))], u = unit(axpy(-dot(e, n), n, e)), v = cross(n, u);
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
    const path = (from, stride) => { // multiples of a fixed stride: the old part of the trail must not shimmer
      const points = [];
      for (let i = from - from % stride; i < k; i += stride) points.push(this.project(at(b, i)));
      this.line([...points, this.project(at(b, k))], bodyColor(b.index), 1.2);
    };
    this.g.globalAlpha = 0.3;
    path(0, Math.ceil(N / 800));
    this.g.globalAlpha = 0.8;
    path(Math.max(0, k - Math.ceil(N / 20)), Math.ceil(N / 5000));
    this.g.globalAlpha = 1;
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

  drawBody(b, p, k) {
    const g = this.g, s = b.shape, color = bodyColor(b.index), dark = mix(color, "#000000", 0.45), mark = mix(color, "#ffffff", 0.85);
    const local = v => this.project(toWorld(b.index, v, k)), r = (s.radius || 0) * this.scale;
    if (s.type === "sphere" && r > 3) {
      const shade = g.createRadialGradient(p[0] - 0.4 * r, p[1] - 0.4 * r, 0.1 * r, p[0], p[1], 1.1 * r);
      shade.addColorStop(0, mix(color, "#ffffff", 0.35));
      shade.addColorStop(1, color);
      this.disc(p, r, shade, dark);
      if (r < 6) return;
      // Two meridians and an off-axis dot fixed in the body, front half only: any rotation shows, from any side.
      const front = q => (q[2] >= p[2] - 1e-9 * this.radius ? q : [NaN, NaN]), meridians = [];
      for (const axis of [0, 1]) {
        for (let i = 0; i <= 48; i++) {
          const c = s.radius * Math.cos(i * Math.PI / 24), w = s.radius * Math.sin(i * Math.PI / 24);
          meridians.push(front(local(axis ? [c, 0, w] : [0, c, w])));
        }
        meridians.push([NaN, NaN]);
      }
      g.globalAlpha = 0.55;
      this.line(meridians, dark, 1.2);
      g.globalAlpha = 1;
      const q = local([0.6 * s.radius, 0, 0.8 * s.radius]);
      if (q[2] > p[2]) this.disc(q, clamp(0.16 * r, 1.5, 6), mark);
    } else if (s.type === "box") {
      const R = rotationOf(b, k), h = s.size.map(x => x / 2), light = unit([-0.3, 0.6, 0.75]);
      for (let i = 0; i < 3; i++) for (const sign of [1, -1]) {
        const n = R.map(row => sign * row[i]), seen = this.R.map(row => dot(row, n)), u = (i + 1) % 3, v = (i + 2) % 3;
        if (seen[2] < 1e-3) continue; // a convex body needs no more than its front faces
        const corner = (a, c) => { const x = [0, 0, 0]; x[i] = sign * h[i]; x[u] = a * h[u]; x[v] = c * h[v]; return local(x); };
        this.polygon([corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)], mix(color, "#000000", 0.45 * (1 - clamp(dot(seen, light), 0, 1))), dark);
        // The corner +x +y +z of the box carries a dot on each of its three faces.
        if (sign > 0) this.disc(corner(0.6, 0.6), clamp(0.22 * Math.min(h[u], h[v]) * this.scale, 1.5, 5), mark);
      }
    } else if (s.type === "segment") {
      this.line([local(s.from), local(s.to)], color, 4);
      this.disc(local(s.from), 2.2, mark);
    } else this.disc(p, 4.5, color, dark);
  }

  drawContact(c, k) {
    const p = this.project(at(c.point, k)), f = at(c.force, k), size = norm(f);
    if (!finite(p) || c.mode[k] === "open") return;
    if (size > 1e-9 * this.forceUnit) {
      const length = 0.2 * Math.min(size / this.forceUnit, 1.8) * Math.min(this.w, this.h) / size;
      const q = [p[0] + length * dot(this.R[0], f), p[1] - length * dot(this.R[1], f)], a = Math.atan2(q[1] - p[1], q[0] - p[0]);
      const barb = turn => [q[0] - 9 * Math.cos(a + turn), q[1] - 9 * Math.sin(a + turn)];
      this.line([p, q], theme.force, 2);
      if (Math.hypot(q[0] - p[0], q[1] - p[1]) > 6) this.polygon([q, barb(0.4), barb(-0.4)], theme.force, null);
    }
    this.disc(p, 3.2, c.mode[k] === "slip" ? theme.card : theme.force, theme.force, 2); // filled: sticking, hollow: sliding
  }

  drawLabels(k) {
    this.g.textAlign = "left";
    for (const b of bodies.slice(0, 40)) {
      const p = this.project(at(b, k)), r = b.shape.type === "segment" ? 8 : clamp(extent(b.shape) * this.scale * 0.6, 4, 40) + 4;
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
    const c = contacts.find(x => x.name === e.name), b = bodies.find(x => x.name === e.name);
    // The contact may be open again in this frame: take its nearest known place.
    const near = [0, -1, 1, -2, 2, -3, 3].map(i => k + i).find(j => c && j >= 0 && j < N && finite(at(c.point, j)));
    const p = near !== undefined ? at(c.point, near) : b ? at(b, k) : [NaN, NaN, NaN];
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
const coordinates = DATA.coordinates || {};
const coordinateSeries = list => (list || []).map((y, i) => ({ name: (coordinates.names || [])[i] || `q${i + 1}`, y: column(y) }));
const bodySeries = (list, axis) => bodies.map((b, i) => ({ name: b.name || `body ${i + 1}`, y: column(((list || [])[i] || {})[axis]), color: () => bodyColor(i) }));
// A component that is zero throughout (z of a planar run) is no choice worth offering.
const bodyVariants = (list, unit) => ["x", "y", "z"].map(a => ({ label: "bodies, " + a, unit: `${a} (${unit})`, series: bodySeries(list, a) }))
  .filter((v, i) => i === 0 || v.series.some(s => hasNonzero(s.y)));
const named = (group, entries) => entries.map(([key, name, hideZero]) => {
  const y = column((DATA[group] || {})[key]);
  return { name, y, hidden: !!hideZero && !hasNonzero(y) };
});
const contactSeries = key => contacts.map((c, i) => ({ name: c.name || `contact ${i + 1}`, y: c[key], note: k => c.mode[k] }));

addPlot("Positions", [{ label: "coordinates", unit: "q (m, rad)", series: coordinateSeries(coordinates.q) }, ...bodyVariants(DATA.poses, "m")]);
addPlot("Velocities", [{ label: "coordinates", unit: "v (m/s, rad/s)", series: coordinateSeries(coordinates.v) }, ...bodyVariants(DATA.velocities, "m/s")]);
addPlot("Energy", [{ unit: "E (J)", series: named("energy", [["kinetic", "kinetic"], ["potential", "potential"], ["total", "total"],
  ["friction", "friction loss", true], ["impact", "impact loss", true], ["work", "external work", true]]) }]);
addPlot("Energy balance defect", [{ unit: "defect (J)", series: named("energy", [["defect", "defect"]]) }], { zero: true });
addPlot("Contacts", [{ label: "normal force", unit: "normal force (N)", series: contactSeries("normal") },
  { label: "gap", unit: "gap (m)", series: contactSeries("gap") }], { zero: true });
// Without joints or contacts their errors are zero by definition, not by merit.
const jointed = links.some(l => l.kind === "joint");
const errors = named("certificate", [["drift", "joint drift (m)"], ["velocity_drift", "velocity drift (m/s)"], ["penetration", "penetration (m)"]]);
addPlot("Joint drift and penetration", [{ unit: "error (m, m/s)", series: errors.filter((s, i) => hasNonzero(s.y) || (i < 2 ? jointed : contacts.length)) }], { log: true });
addPlot("Certificate residual", [{ unit: "residual", series: named("certificate", [["residual", "residual"]]) }], { log: true });
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
  if (now === marked) return;
  if (rows[marked]) rows[marked].removeAttribute("aria-current");
  if (rows[now]) rows[now].setAttribute("aria-current", "time");
  marked = now;
}

document.title = `${DATA.title || "run"} · Delassus`;
$("title").textContent = DATA.title || "Delassus report";
$("program").textContent = DATA.program || "Delassus";
$("description").textContent = DATA.description || "";
$("description").hidden = !DATA.description;
if (DATA.status) {
  const { ok, message } = DATA.status, target = $(ok ? "chip" : "banner");
  target.textContent = ok ? message || "completed" : `The run did not complete: ${message || "no reason given"}`;
  target.hidden = false;
}
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
$("opt-forces-label").hidden = !contacts.length;
if (!$("stage").hidden) {
  scene = new Scene($("scene"));
  new ResizeObserver(invalidate).observe($("stage"));
  new IntersectionObserver(list => { scene.onScreen = list[list.length - 1].isIntersecting; invalidate(); }).observe($("stage"));
  for (const id of ["trails", "forces", "labels"]) $("opt-" + id).addEventListener("change", invalidate);
  $("reset").addEventListener("click", () => scene.reset());
}

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
