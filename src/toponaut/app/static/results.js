// The list of hits.

import { count, day, kilometres, linkOut, make, many, marked, placeName, steps } from "./dom.js";
import { address } from "./state.js";

export class Results {
  /** `on` has hover(pages or null), go(change to the state) and more(). */
  constructor(element, on) {
    this.element = element;
    this.on = on;
    this.list = make("ol", { class: "hits" });
  }

  clear(...instead) {
    this.list.replaceChildren();
    this.element.replaceChildren(...instead);
  }

  show(answer, state) {
    this.list.replaceChildren();
    this.element.replaceChildren(this.list);
    this.add(answer, state);
  }

  /** Add hits to the list, and a button for more. */
  add(answer, state) {
    this.element.querySelector(".more")?.remove();
    const first = this.list.childElementCount;
    this.list.append(...answer.hits.map((hit) => this.hit(hit, state, answer.where)));
    const copies = [...answer.hits].reduce((sum, hit) => sum + hit.copies, 0);
    this.seen = (first ? this.seen : 0) + answer.hits.length + copies;
    if (answer.hits.length && this.seen < answer.total) {
      const left = `More results (${count(answer.total - this.seen)})`;
      this.element.append(
        make(
          "button",
          { type: "button", class: "button more", onclick: () => this.on.more(this.list.childElementCount) },
          left,
        ),
      );
    }
  }

  hit(hit, state, where) {
    const open = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.on.go({ page: hit.url });
    };
    const title = make("a", { class: "title", href: address({ ...state, page: hit.url }), onclick: open }, hit.title);
    const marks = hit.extract.marks.map(([start, end]) => [start, end, (text) => make("mark", {}, text)]);
    return make(
      "li",
      {
        class: "hit",
        "data-number": hit.number,
        onmouseenter: () => this.on.hover(new Set([hit.number])),
        onmouseleave: () => this.on.hover(null),
        onfocusin: () => this.on.hover(new Set([hit.number])),
        onfocusout: () => this.on.hover(null),
      },
      make("h2", {}, title, linkOut(hit.url, shortened(hit.url), "url")),
      contact(hit, where),
      make("p", { class: "extract" }, marked(hit.extract.text, marks)),
      this.foot(hit),
    );
  }

  /** Its place, capture date, copies, and why it matched. */
  foot(hit) {
    const [, why, sum] = /^(.*?)(?: \((.*)\))?$/.exec(hit.why);
    const place = hit.path.length
      ? make(
          "button",
          {
            type: "button",
            class: "plain path",
            title: `Only in ${placeName(hit.path)}`,
            onclick: () => this.on.within(hit.place),
          },
          steps(hit.path).join(" › "),
        )
      : null;
    const parts = [
      place,
      day(hit.captured) && make("time", { datetime: hit.captured, title: "Captured" }, day(hit.captured)),
      hit.copies ? make("span", {}, `${many(hit.copies, "near copy", "near copies")} hidden`) : null,
      why && make("span", { class: "why", title: sum ?? "" }, why),
    ];
    return make("p", { class: "foot" }, parts);
  }

  /** Highlight the hits of these pages, or the cards with these numbers. */
  light(numbers) {
    for (const item of this.element.querySelectorAll("li.hit"))
      item.classList.toggle("lit", numbers?.has(Number(item.dataset.number)) ?? false);
  }

  /** Scroll to a card. */
  reveal(number) {
    this.light(new Set([number]));
    this.element.querySelector(`[data-number="${number}"]`)?.scrollIntoView({ block: "center" });
  }

  links() {
    return [...this.list.querySelectorAll("a.title")];
  }
}

/** Organisation, address, phone; and the distance for "near" and "within". */
function contact(hit, where) {
  const distance =
    !where || where.manner === "in" || hit.distance_km === null || !hit.point
      ? null
      : `${hit.point.precision === "given" ? "" : "about "}${kilometres(hit.distance_km)} away`;
  const parts = [
    hit.organisation && make("b", {}, hit.organisation),
    hit.address && make("span", {}, hit.address),
    hit.phone && make("span", { class: "phone" }, hit.phone),
    distance && make("span", { class: "distance" }, distance),
  ].filter(Boolean);
  return parts.length
    ? make(
        "p",
        { class: "contact" },
        parts.flatMap((one, k) => (k ? [" · ", one] : [one])),
      )
    : null;
}

/** "bakery.example › bread › rye", shortened. */
export function shortened(url) {
  const [, host = url, path = ""] = /^https?:\/\/(?:www\.)?([^/?#]+)(?:\/([^?#]*))?/i.exec(url) ?? [];
  const parts = path.split("/").filter(Boolean);
  return [host, ...(parts.length > 2 ? ["…", parts[parts.length - 1]] : parts)].join(" › ").slice(0, 90);
}
