"""Line and bar charts as SVG text, without scripts, fonts or colours: the page styles them.

Series have the classes s0, s1, ..., text `tick` and `label`. A figure is 480 wide, so that its text
is readable on a phone.
"""

from collections.abc import Callable, Sequence
from html import escape
from math import ceil, floor, log10

from msgspec import Struct

WIDTH, HEIGHT = 480, 260
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 14, 42
COLOURS = 8  # s0 to s7; further series start again

Form = Callable[[float], str]

# Of a file of its own, which no page styles.
_PAINTS = (
    "#0b6e8a", "#d9822b", "#4c8c4a", "#b3446c", "#6b5fb0", "#9a7d0a", "#3a7bd5", "#7a5c43",
)  # fmt: skip
_FILE_STYLE = (
    "text{font-family:sans-serif;fill:#66727f}.tick{font-size:11.5px}.label{font-size:12px}"
    ".grid{stroke:#1c253016;fill:none}.line{fill:none;stroke-width:2.2;stroke-linejoin:round}"
    ".line.faint{stroke-width:1.3;stroke-dasharray:5 3}.band{opacity:.16}"
)


class ChartLine(Struct, frozen=True):
    """A curve. `low` and `high`: the spread around it, as a band."""

    name: str
    points: Sequence[tuple[float, float]]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    colour: int = 0
    faint: bool = False


class BarGroup(Struct, frozen=True):
    """Bars of one colour, one for each category; None: no bar."""

    name: str
    values: Sequence[float | None]
    colour: int = 0


def ticks(top: float, most: int = 5) -> list[float]:
    """Round numbers from 0 up to at least `top`.

    >>> ticks(0.13)
    [0.0, 0.05, 0.1, 0.15]
    """
    if top <= 0:
        return [0.0, 1.0]
    rough = top / most
    power = 10.0 ** floor(log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough * 0.999)
    return [round(step * number, 12) for number in range(ceil(top / step * 0.999) + 1)]


def short(value: float) -> str:
    """12,500 as "12.5k"."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.4g}{letter}"
    return f"{value:.4g}"


def share(value: float) -> str:
    return f"{100 * value:.3g} %"


def lines(series: Sequence[ChartLine], x_label: str, y_form: Form, label: str) -> str:
    """Curves over a common x from 0."""
    xs = ticks(max((x for line in series for x, _ in line.points), default=0), 6)
    values = (y for line in series for y in (*(y for _, y in line.points), *line.high))
    ys = ticks(max(values, default=0))
    x_of, y_of = _scale(xs[-1], LEFT, WIDTH - RIGHT), _scale(ys[-1], HEIGHT - BOTTOM, TOP)
    drawn = []
    for line in series:
        if line.low:
            outward = [*zip((x for x, _ in line.points), line.high, strict=True)]
            back = [*zip((x for x, _ in line.points), line.low, strict=True)][::-1]
            path = _path([*outward, *back], x_of, y_of)
            drawn.append(f'<path class="band s{line.colour % COLOURS}" d="{path}Z"/>')
        kind = f"line s{line.colour % COLOURS}" + (" faint" if line.faint else "")
        drawn.append(f'<path class="{kind}" d="{_path(line.points, x_of, y_of)}"/>')
    under = "".join(_text(x_of(x), HEIGHT - BOTTOM + 17, short(x)) for x in xs)
    return _figure(label, _grid(ys, y_of, y_form) + "".join(drawn) + under + _under(x_label))


def bars(
    categories: Sequence[str], groups: Sequence[BarGroup], x_label: str, y_form: Form, label: str
) -> str:
    """Vertical bars, a cluster for each category."""
    ys = ticks(_highest(groups))
    y_of = _scale(ys[-1], HEIGHT - BOTTOM, TOP)
    slot = (WIDTH - LEFT - RIGHT) / max(1, len(categories))
    wide = min(46.0, slot * 0.78 / max(1, len(groups)))
    letters = len(categories) * max(map(len, categories), default=1)
    every = ceil(letters * 7 / (WIDTH - LEFT - RIGHT) or 1)
    drawn = []
    for number, name in enumerate(categories):
        middle = LEFT + slot * (number + 0.5)
        for place, group in enumerate(groups):
            value = group.values[number]
            if value is not None:
                x = middle + (place - len(groups) / 2) * wide
                title = f"{group.name} {name}: {y_form(value)}"
                drawn.append(_bar(x, wide, y_of(value), group.colour, title))
        if number % every == 0:
            drawn.append(_text(middle, HEIGHT - BOTTOM + 17, name))
    return _figure(label, _grid(ys, y_of, y_form) + "".join(drawn) + _under(x_label))


def rows(categories: Sequence[str], groups: Sequence[BarGroup], x_form: Form, label: str) -> str:
    """Horizontal bars, a cluster for each category, with its name on the left."""
    wide = 8.5 * max(map(len, categories), default=0)
    left, right = min(220.0, wide + 12), 64
    xs = _highest(groups) or 1.0
    thick, gap = 13, 12
    drawn, y = [], 6.0
    for number, name in enumerate(categories):
        middle = y + thick * len(groups) / 2 + 4
        drawn.append(_text(left - 8, middle, name, "end"))
        for group in groups:
            value = group.values[number]
            if value is not None:
                long = (WIDTH - left - right) * value / xs
                drawn.append(
                    f'<rect class="bar s{group.colour % COLOURS}" x="{left:.1f}" y="{y:.1f}" '
                    f'width="{max(1.0, long):.1f}" height="{thick - 1}" rx="1.5"/>'
                    f'<text class="tick" x="{left + long + 5:.1f}" y="{y + 10:.1f}">'
                    f"{escape(x_form(value))}</text>"
                )
            y += thick
        y += gap
    return _figure(label, "".join(drawn), height=round(y))


def as_file(drawing: str, keys: Sequence[tuple[str, int]] = ()) -> str:
    """A drawing with colours and the meaning of its series, as a file of its own."""
    legend, x, y = [], LEFT, HEIGHT + 6
    for name, colour in keys:
        wide = 26 + round(6.6 * len(name))
        if x + wide > WIDTH:
            x, y = LEFT, y + 18
        legend.append(
            f'<rect class="bar s{colour % COLOURS}" x="{x}" y="{y - 9}" width="10" height="10"/>'
            + _text(x + 14, y, name, "start")
        )
        x += wide
    shapes = "".join(
        f".line.s{k}{{stroke:{paint}}}.bar.s{k},.band.s{k}{{fill:{paint}}}"
        for k, paint in enumerate(_PAINTS)
    )
    box = f"0 0 {WIDTH} {HEIGHT}"
    taller = f"0 0 {WIDTH} {y + 12 if keys else HEIGHT}"
    opened = drawing.replace(
        f'<svg viewBox="{box}"', f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{taller}"', 1
    )
    style = f"<style>{_FILE_STYLE}{shapes}</style>"
    inside = style + '<rect width="100%" height="100%" fill="#fff"/>'
    return opened.replace(">", f">{inside}", 1).replace("</svg>", "".join(legend) + "</svg>")


def _highest(groups: Sequence[BarGroup]) -> float:
    values = (value for group in groups for value in group.values if value is not None)
    return max(values, default=0)


def _bar(x: float, wide: float, top: float, colour: int, title: str) -> str:
    high = HEIGHT - BOTTOM - top
    return (
        f'<rect class="bar s{colour % COLOURS}" x="{x + 0.5:.1f}" y="{top:.1f}" '
        f'width="{max(1.0, wide - 1):.1f}" height="{high:.1f}" rx="1.5">'
        f"<title>{escape(title)}</title></rect>"
    )


def _text(x: float, y: float, text: str, anchor: str = "middle") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text class="tick" {place}>{escape(text)}</text>'


def _under(text: str) -> str:
    place = f'x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" text-anchor="middle"'
    return f'<text class="label" {place}>{escape(text)}</text>'


def _grid(ys: Sequence[float], y_of: Callable[[float], float], form: Form) -> str:
    return "".join(
        f'<path class="grid" d="M{LEFT} {y_of(y):.1f}H{WIDTH - RIGHT}"/>'
        + _text(LEFT - 7, y_of(y) + 4, form(y), "end")
        for y in ys
    )


def _scale(top: float, first: float, last: float) -> Callable[[float], float]:
    return lambda value: first + (last - first) * value / top


def _path(
    points: Sequence[tuple[float, float]],
    x_of: Callable[[float], float],
    y_of: Callable[[float], float],
) -> str:
    return "".join(
        f"{'L' if number else 'M'}{x_of(x):.1f} {y_of(y):.1f}"
        for number, (x, y) in enumerate(points)
    )


def _figure(label: str, inside: str, height: int = HEIGHT) -> str:
    view = f'viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(label)}"'
    return f"<svg {view}>{inside}</svg>"
