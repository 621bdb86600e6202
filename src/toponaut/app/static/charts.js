// SVG charts: line charts with axes, and sparklines for table rows. Colours and fonts are CSS classes. One unit is one
// pixel, so that text has the same size on a phone.

const SPACE = "http://www.w3.org/2000/svg";
const LEFT = 46, RIGHT = 12, TOP = 12, BOTTOM = 34;

/** Create an SVG element. */
export function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Round numbers from 0 to `top` or just above it. */
export function ticks(top, most = 4) {
  if (!(top > 0)) return [0, 1];
  const rough = top / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => power * factor).find((size) => size >= rough * 0.999);
  return Array.from({ length: Math.ceil((top / step) * 0.999) + 1 }, (_, number) => Number((number * step).toPrecision(12)));
}

/** 12500 as "12.5k". */
export function short(value) {
  const [size, letter] = [[1e9, "G"], [1e6, "M"], [1e3, "k"]].find(([size]) => value >= size) ?? [1, ""];
  return `${Number((value / size).toPrecision(4))}${letter}`;
}

const path = (points) => points.map(([x, y], at) => `${at ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

/** Lines over a common x axis. `series`: [{ name, colour, points: [[x, y], ...], faint, filled }]. */
export class LineChart {
  constructor(figure, { height = 220, xLabel = "", xForm = short, xLong = xForm, yForm = short, empty = "No data yet" } = {}) {
    Object.assign(this, { figure, height, xLabel, xForm, xLong, yForm, empty, series: [], pointer: null });
    this.drawing = draw("svg", { role: "img" });
    figure.append(this.drawing);
    this.drawing.addEventListener("pointermove", (event) => this.point(event.offsetX));
    this.drawing.addEventListener("pointerleave", () => this.point(null));
    new ResizeObserver(() => this.redraw()).observe(figure);
  }

  show(series, label) {
    this.series = series;
    this.drawing.setAttribute("aria-label", label);
    this.redraw();
  }

  point(x) {
    this.pointer = x;
    this.redraw();
  }

  redraw() {
    const width = Math.max(200, Math.floor(this.figure.clientWidth));
    const { height } = this;
    this.drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.drawing.setAttribute("height", height);
    const points = this.series.flatMap((one) => one.points);
    if (points.length < 2) {
      this.drawing.replaceChildren(draw("text", { class: "label", x: width / 2, y: height / 2, "text-anchor": "middle" }, this.empty));
      return;
    }
    const first = Math.min(...points.map(([x]) => x)), last = Math.max(...points.map(([x]) => x));
    const start = first < last / 4 ? 0 : first; // a crawl may be watched from its middle
    const ys = ticks(Math.max(...points.map(([, y]) => y)), height > 200 ? 5 : 4);
    const xOf = (x) => LEFT + ((x - start) / (last - start || 1)) * (width - LEFT - RIGHT);
    const yOf = (y) => height - BOTTOM - (y / ys.at(-1)) * (height - BOTTOM - TOP);
    this.drawing.replaceChildren(
      ...this.grid(ys, yOf, width),
      ...this.under(start, last, xOf, width),
      ...this.series.flatMap((one) => this.line(one, xOf, yOf)),
      ...this.reading(xOf, yOf, width),
    );
  }

  grid(ys, yOf, width) {
    return ys.flatMap((y) => [
      draw("path", { class: "grid", d: `M${LEFT} ${yOf(y).toFixed(1)}H${width - RIGHT}` }),
      draw("text", { class: "tick", x: LEFT - 8, y: (yOf(y) + 4).toFixed(1), "text-anchor": "end" }, this.yForm(y)),
    ]);
  }

  under(start, last, xOf, width) {
    const room = Math.max(2, Math.floor((width - LEFT) / 110));
    const step = ticks(last - start, room)[1];
    const first = Math.ceil(start / step) * step;
    const marks = Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, at) => first + at * step);
    const drawn = marks.map((x) => draw("text", {
      class: "tick", x: xOf(x).toFixed(1), y: this.height - BOTTOM + 17, "text-anchor": xOf(x) < LEFT + 12 ? "start" : xOf(x) > width - 40 ? "end" : "middle",
    }, this.xForm(x)));
    return [...drawn, draw("text", { class: "label", x: width - RIGHT, y: this.height - 4, "text-anchor": "end" }, this.xLabel)];
  }

  line({ points, colour, faint, filled }, xOf, yOf) {
    if (!points.length) return [];
    const there = points.map(([x, y]) => [xOf(x), yOf(y)]);
    const drawn = [draw("path", { class: `line ${colour}${faint ? " faint" : ""}`, d: path(there) })];
    if (!filled) return drawn;
    const ground = yOf(0).toFixed(1);
    const area = `${path(there)}L${there.at(-1)[0].toFixed(1)} ${ground}L${there[0][0].toFixed(1)} ${ground}Z`;
    return [draw("path", { class: `band ${colour}`, d: area }), ...drawn];
  }

  /** The values at the pointer. */
  reading(xOf, yOf, width) {
    if (this.pointer === null) return [];
    const nearest = (points) => points.reduce((best, one) => (Math.abs(xOf(one[0]) - this.pointer) < Math.abs(xOf(best[0]) - this.pointer) ? one : best));
    const hit = this.series.filter((one) => one.points.length).map((one) => ({ ...one, at: nearest(one.points) }));
    if (!hit.length) return [];
    const x = xOf(hit[0].at[0]);
    const lines = [`${this.xLong(hit[0].at[0])} ${this.xLabel}`, ...hit.map((one) => `${one.name} ${this.yForm(one.at[1])}`)];
    const after = x < width / 2;
    return [
      draw("path", { class: "pointer", d: `M${x.toFixed(1)} ${TOP}V${this.height - BOTTOM}` }),
      ...hit.map((one) => draw("circle", { class: `dot ${one.colour}`, cx: xOf(one.at[0]).toFixed(1), cy: yOf(one.at[1]).toFixed(1), r: 3.5 })),
      ...lines.map((text, line) => draw("text", {
        class: "readout", x: (x + (after ? 9 : -9)).toFixed(1), y: TOP + 12 + 16 * line, "text-anchor": after ? "start" : "end",
      }, text)),
    ];
  }
}

/** A line without axes, for a table row. `top`: the value at the upper edge, the same for all rows. */
export function sparkline(values, top, label) {
  const width = 90, height = 22;
  const step = width / Math.max(1, values.length - 1);
  const points = values.map((value, at) => [at * step, height - 2 - (value / (top || 1)) * (height - 4)]);
  return draw("svg", { class: "spark", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label },
    draw("path", { class: "line s1", d: points.length > 1 ? path(points) : "" }));
}
