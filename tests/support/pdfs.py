"""Small PDFs, written by hand."""


def pdf(lines: list[str], link: str = "", pages: int = 1, packed_last: bytes = b"") -> bytes:
    """A PDF with these lines on every page, and perhaps a link.

    `packed_last`: the content of its last page, packed with zlib.
    """
    text = " ".join(f"({line}) Tj 0 -14 Td" for line in lines)
    content = f"BT /F1 12 Tf 72 720 Td {text} ET".encode("latin-1")
    note = f"/Annots [<< /Subtype /Link /A << /S /URI /URI ({link}) >> >>]" if link else ""
    kids = " ".join(f"{5 + k} 0 R" for k in range(pages))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /Lang (en-US) >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {pages} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Length %d >> stream\n%s\nendstream" % (len(content), content),
    ]
    fonts = "/Resources << /Font << /F1 3 0 R >> >>"
    page = f"<< /Type /Page /Parent 2 0 R /Contents 4 0 R {note} {fonts} >>"
    objects += [page.encode()] * pages
    if packed_last:
        number, head = (
            len(objects) + 1,
            b"<< /Filter /FlateDecode /Length %d >> stream\n%s\nendstream",
        )
        objects[-1] = objects[-1].replace(b"/Contents 4 0 R", b"/Contents %d 0 R" % number)
        objects.append(head % (len(packed_last), packed_last))
    return _file(objects)


def _file(objects: list[bytes]) -> bytes:
    written = b"%PDF-1.4\n"
    places = []
    for number, one in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj %s endobj\n" % (number, one)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(objects) + 1
    end = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        count,
        len(written),
    )
    return written + b"xref\n0 %d\n0000000000 65535 f \n" % count + table + end
