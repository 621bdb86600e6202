"""Recorded sites with a sites.tsv, as `toponaut compare --replay` reads them."""

import random
from pathlib import Path

HEAD = "site\tplace\tcountry\tkind\tseed\tpages"
WORDS = (
    "barrel canvas dragon eagle fiddle garden hammer island jacket kitchen ladder meadow".split()
)


def sites_in(folder: Path, *lines: str, head: str = HEAD) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sites.tsv").write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    return folder


def recorded_sites(folder: Path) -> Path:
    """Two sites of 40 pages in chains of four: one has addresses in Denver, the other none."""
    sites_in(
        folder,
        "denver\tDenver, CO\tUS\tdirectory\thttp://denver.example/\t41",
        "plain\tBoston, MA\tUS\tclub\thttp://plain.example/\t41",
        "odd\tNowhere at all\tUS\tclub\thttp://plain.example/\t41",
    )
    words, manifest = random.Random(1), []
    for site, address in (("denver", "{} East Colfax Avenue, Denver, CO 80203"), ("plain", "")):
        links = "".join(f"<a href='/{k}'>page {k}</a> " for k in range(0, 40, 4))
        pages = {"": f"<p>Welcome to {site}</p>{links}"}
        for k in range(40):
            text = " ".join(words.choices(WORDS, k=60))
            onward = f"<a href='/{k + 1}'>next</a><a href='/gone{k}'>gone</a>" if k % 4 < 3 else ""
            pages[str(k)] = f"<p>{text}</p><p>{address.format(100 + k)}</p>{onward}"
        for name, text in pages.items():
            file = f"{site}-{name or 'home'}.html"
            (folder / file).write_text(f"<html><body>{text}</body></html>", encoding="utf-8")
            manifest.append(f"http://{site}.example/{name}\t{file}\ttext/html")
    (folder / "manifest.tsv").write_text("\n".join(manifest) + "\n", encoding="utf-8")
    return folder
