"""A small web whose sites show their addresses in different ways: as plain pages, or only after
their scripts ran. Most pages are plain, as on the web."""

import json

from tests.support.web_answers import Answer, Page
from tests.support.webserver import Site

START = "http://start.test/"
PLAIN_SITES, PLAIN_PAGES = 12, 24
ENDLESS = "http://loop.test/"
SPY = "http://spy.test/"
FILLER = (
    "We are open all year round and look forward to your visit. Ask us for a quote, for our "
    "brochure or for the way. Our team has worked in this trade for many years, and we are proud "
    "of it. Parking is behind the house, and the bus stops at the door."
)
_JS = "text/javascript"
_JSON = "application/json"


def address(number: int) -> str:
    """An address in Springfield, IL, another for each number."""
    return f"{100 + number} W Monroe St<br>Springfield, IL 62704"


def _plain(number: int) -> Site:
    """Pages with text, of which one has an address. All have a script, as most pages have."""
    head = "<title>Shop</title><script>window.dataLayer=[]</script>"
    menu = "".join(f"<a href='/p{page}'>Page {page}</a> " for page in range(PLAIN_PAGES))
    site: dict[str, bytes | str | Answer] = {
        f"/p{page}": f"{head}<h1>Part {page} of shop {number}</h1><p>{FILLER} {page}</p>{menu}"
        for page in range(PLAIN_PAGES)
    }
    site["/"] = f"{head}<h1>Shop {number}</h1><p>{address(number)}</p><p>{FILLER}</p>{menu}"
    return site


def _shell(script: str) -> str:
    return (
        "<!doctype html><title>App</title><nav><a href='/'>Home</a></nav>"
        "<noscript>You need to enable JavaScript to run this app, please do so now.</noscript>"
        f"<div id=root></div><script src='{script}'></script>"
    )


def _filled_by_fetch() -> Site:
    """A shell, and data that a script fetches from another path."""
    script = """
      fetch('/api' + (location.pathname == '/' ? '/home' : location.pathname))
        .then(r => r.json()).then(page => {
          document.getElementById('root').innerHTML = '<h1>' + page.title + '</h1>' + page.html;
        });"""
    home = {"title": "Bakery", "html": "<p>Fresh bread.</p><a href='/kontakt'>Contact</a>"}
    contact = {"title": "Contact", "html": f"<p>Bakery Miller<br>{address(50)}</p>"}
    return {
        "/": _shell("/app.js"),
        "/kontakt": _shell("/app.js"),
        "/app.js": Page(script, _JS),
        "/api/home": Page(json.dumps(home), _JSON),
        "/api/kontakt": Page(json.dumps(contact), _JSON),
    }


def _filled_by_json() -> Site:
    """A shell with its data in the page, as some frameworks write it."""
    data = json.dumps({"street": address(51), "name": "Dr. Ames, dentist"})
    script = (
        "const d = JSON.parse(document.getElementById('data').textContent);"
        "document.getElementById('root').innerHTML = '<p>' + d.name + '<br>' + d.street;"
    )
    page = f"<div id=root></div><script id=data type=application/json>{data}</script>"
    return {"/": f"<title>Dentist</title>{page}<script src=/x.js></script>", "/x.js": _js(script)}


def _frames() -> Site:
    """A script adds a frame, which is a page of its own."""
    script = "const f = document.createElement('iframe'); f.src = '/inner'; document.body.append(f)"
    return {
        "/": f"<title>Frames</title><div id=here></div><script>{script}</script>",
        "/inner": f"<p>Museum<br>{address(52)}</p><p>{FILLER}</p>",
    }


def _noscript() -> Site:
    """Everything that matters is there without scripts: nothing is to be rendered."""
    note = f"<p>Garage Lee<br>{address(53)}</p><p>{FILLER}</p>"
    return {"/": f"<title>Garage</title><noscript>{note}</noscript><script>var a = 1</script>"}


def _spy() -> Site:
    """Asks for hosts that only the machine itself can reach, and shows what it gets."""
    script = """
      const hosts = ['http://127.0.0.1:PORT/', 'http://localhost/', 'http://10.0.0.1/',
                     'http://169.254.169.254/latest/meta-data/'];
      const asked = hosts.map(h => fetch(h).then(r => r.text(), e => 'refused'));
      new WebSocket('ws://127.0.0.1/');
      fetch('/collect', {method: 'POST', body: 'x'});
      Promise.all(asked).then(got => {
        document.getElementById('root').textContent = 'answers: ' + got.join(', '); });"""
    return {"/": _shell("/spy.js"), "/spy.js": _js(script), "/collect": "got it"}


def _js(text: str) -> Page:
    return Page(text, _JS)


def script_web() -> dict[str, Site]:
    """The hosts of the web, with a page that links to them all."""
    sites: dict[str, Site] = {f"plain{k}.test": _plain(k) for k in range(PLAIN_SITES)}
    sites |= {
        "fetch.test": _filled_by_fetch(),
        "json.test": _filled_by_json(),
        "frames.test": _frames(),
        "noscript.test": _noscript(),
        "loop.test": {"/": "<div id=root></div><script>while (true) {}</script>"},
        "spy.test": _spy(),
    }
    links = "".join(f"<a href='http://{host}/'>{host}</a><br>" for host in sites)
    return {"start.test": {"/": f"<h1>Directory</h1><p>{FILLER}</p>{links}"}, **sites}
