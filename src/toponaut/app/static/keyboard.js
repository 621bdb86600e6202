// "/" focuses the search box, arrows or j and k move through the results, Enter opens one, Escape goes back.

export function keyboard({ input, links, back }) {
  const moved = (key, typing) => {
    if (key === "ArrowDown" || (key === "j" && !typing)) return step(links(), 1, null);
    return !typing && (key === "ArrowUp" || key === "k") && step(links(), -1, input);
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const typing = event.target === input;
    const inMap = event.target.closest?.("#map"); // where the arrows move the map
    if (event.key === "/" && !typing) focus(input);
    else if (event.key === "Escape" && typing) input.blur();
    else if (event.key === "Escape") back();
    else if (inMap || !moved(event.key, typing)) return;
    event.preventDefault();
  });
}

function focus(element) {
  element.focus();
  element.select?.();
  return true;
}

/** Focus the next link; before the first is the search box. False if there is none: then the key scrolls. */
function step(links, by, before) {
  if (!links.length) return false;
  const at = links.indexOf(document.activeElement);
  if (at === 0 && before) return focus(before);
  const next = links[Math.max(0, Math.min(links.length - 1, at < 0 ? 0 : at + by))];
  next.closest("li").scrollIntoView({ block: "nearest" });
  return focus(next);
}
