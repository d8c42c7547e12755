# ruff: noqa: E501 (markup as attackers write it)
"""The table: every way known here in which a page, feed or answer makes a crawler or a browser ask for an address.

A case is markup in which ``{T}`` stands for a URL on the canary (its path is the case's name),
``{R}`` for a redirect to it on the blog's own host, ``{N}`` for the name. ``port``: the case is
known by the port that it reaches, because no path is ever seen (TLS, UDP). ``alone``: it leaves the
page, so it has one of its own. Cases of ``head`` stand in the page's head, those of ``feed`` in an
item of the feed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

INSIDE = "10.66.0.1"
"""The canary's address in most cases; any other address of the namespace but the blog's is the canary's too."""
BLOG = "blog.example.org"
REDIRECTS = (301, 302, 303, 307, 308)


@dataclass(frozen=True, kw_only=True)
class Case:
    name: str
    html: str = ""
    head: str = ""
    feed: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Path on the blog -> (type, body)."""
    host: str = INSIDE
    port: int | None = None
    alone: bool = False

    def filled(self, text: str) -> str:
        target = f"http://{self.host}/{self.name}"
        return (
            text.replace("{T}", target)
            .replace("{R}", f"/r/302/{self.name}")
            .replace("{N}", self.name)
        )


NOTATIONS = (
    *(
        "127.0.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "127.1",
        "017700000001",
        "127.0.0.1.",
        "0x7F.0.0.1",
    ),
    *(
        "１２７.0.0.1",
        "127。0。0。1",
        "①②⑦.0.0.1",
        "%31%32%37.0.0.1",
        "127.0.0\u00ad.1",
        "127.66.6.6",
        "0.0.0.0",
        "0",
        "0.1.2.3",
    ),
    *(
        "10.66.0.1",
        "171966465",
        "0x0a.0x42.0.1",
        "012.0102.0.1",
        "10.4325377",
        "a@10.66.0.1",
        "10.66.0.1:80",
        "10.66.0.1:8080",
    ),
    *("172.16.5.5", "172.31.255.254", "192.168.7.7", "3232237319", "192.168.1799"),
    *(
        "169.254.169.254",
        "2852039166",
        "0xa9fea9fe",
        "0251.0376.0251.0376",
        "168.63.129.16",
        "100.100.100.200",
        "192.0.0.192",
    ),
    *(
        "100.64.0.1",
        "198.18.0.1",
        "192.0.2.1",
        "192.88.99.1",
        "198.51.100.1",
        "203.0.113.1",
        "240.0.0.1",
        "224.0.0.1",
        "255.255.255.255",
    ),
    *(
        "[::1]",
        "[::]",
        "[0:0:0:0:0:0:0:1]",
        "[::ffff:10.66.0.1]",
        "[::ffff:a42:1]",
        "[0:0:0:0:0:ffff:7f00:1]",
        "[::10.66.0.1]",
    ),
    *(
        "[64:ff9b::a42:1]",
        "[64:ff9b:1::a42:1]",
        "[2002:a42:1::1]",
        "[2001:0:a42:1::1]",
        "[2606:4700::5efe:10.66.0.1]",
    ),
    *(
        "[2606:4700::200:5efe:a42:1]",
        "[::ffff:0:10.66.0.1]",
        "[fd00::1]",
        "[fd00:ec2::254]",
        "[fc00::1]",
        "[fe80::1]",
        "[fec0::1]",
    ),
    *("[2001:db8::1]", "[3fff::1]", "[100::1]", "[5f00::1]", "[4000::1]"),
    *(
        "localhost",
        "any.localhost",
        "router",
        "metadata.google.internal",
        "printer.local",
        "nas.lan",
        "inside.example.net",
    ),
    *(
        "metadata.example.net",
        "six.example.net",
        "mapped.example.net",
        "alias.example.net",
        "both.example.net",
        "INSIDE.example.NET.",
    ),
    *(f"{BLOG}:8080", f"{BLOG}:22", "93.184.216.34:8081"),
)
"""Hosts as they stand in a URL; all but the blog's other ports are private or special."""


def _notations() -> Iterator[Case]:
    for number, host in enumerate(NOTATIONS):
        name = f"notation-{number}"
        yield Case(
            name=name,
            host=host,
            html='<img src="{T}.png"><img srcset="{T}.s.png 2x" src="/ok.png">',
        )


KINDS = {
    "img": '<img src="{r}">',
    "iframe": '<iframe src="{r}"></iframe>',
    "script": '<script src="{r}"></script>',
    "style": '<link rel=stylesheet href="{r}">',
    "fetch": "<script>fetch('{r}').catch(() => 0)</script>",
    "fetch-no-cors": "<script>fetch('{r}', {mode: 'no-cors'}).catch(() => 0)</script>",
    "xhr": "<script>{ const x = new XMLHttpRequest(); x.open('POST', '{r}'); x.send('a=1') }</script>",
    "object": '<object data="{r}"></object>',
    "navigation": "<script>setTimeout(() => { location.href = '{r}' }, 200)</script>",
    "form": "<form id=f{N} method=post action='{r}'><input name=a></form><script>setTimeout(() => f{N}.submit(), 200)</script>",
}


def _redirects() -> Iterator[Case]:
    for code in REDIRECTS:
        for kind, html in KINDS.items():
            name = f"redirect{code}-{kind}"
            alone = kind in ("navigation", "form")
            yield Case(
                name=name.replace("-", "_"),
                html=html.replace("{r}", f"/r/{code}/{{N}}"),
                alone=alone,
            )


def _js(code: str) -> str:
    return f"<script>try {{ {code} }} catch (e) {{ console.error(String(e)) }}</script>"


JS = "text/javascript"


def _worker(name: str, start: str, code: str) -> Case:
    """A worker whose script is the blog's own."""
    return Case(
        name=name,
        html=_js(start.replace("{W}", f"/w/{name}.js")),
        files={f"/w/{name}.js": (JS, code)},
    )


def _secure(name: str, code: str, host: str = "127.0.0.1", port: int | None = None) -> Case:
    """What browsers do in secure contexts only: a page on the blog's HTTPS, to which the post leads."""
    page = (
        f"<!doctype html><title>x</title><article><p>Some text of a page.</p></article>{_js(code)}"
    )
    leave = f"<script>setTimeout(() => {{ location.href = 'https://{BLOG}/sec/{name}.html' }}, 100)</script>"
    return Case(
        name=name,
        html=leave,
        host=host,
        port=port,
        files={f"/sec/{name}.html": ("text/html", page)},
        alone=True,
    )


SVG = "http://www.w3.org/2000/svg"
RTC = "const p = new RTCPeerConnection({iceServers: [{urls: '%s', username: 'u', credential: 'c'}]}); p.createDataChannel('x'); p.createOffer().then(o => p.setLocalDescription(o)); (window.kept ||= []).push(p)"

WAYS = (
    # documents and windows
    Case(name="popup", html=_js("open('{T}')")),
    Case(name="popup_redirect", html=_js("open('{R}')")),
    Case(name="popup_written", html=_js("open('').document.write('<img src={T}>')")),
    Case(
        name="blank_link",
        html="<a id=bl target=_blank rel=opener href='{T}'>x</a>" + _js("bl.click()"),
    ),
    Case(
        name="blank_form",
        html="<form id=bf target=_blank action='{T}'></form>" + _js("bf.submit()"),
    ),
    Case(
        name="blank_form_post",
        html="<form id=bp target=_blank method=post action='{R}'></form>" + _js("bp.submit()"),
    ),
    Case(
        name="named_frame_form",
        html="<iframe name=nf></iframe><form id=nff target=nf action='{T}'></form>"
        + _js("nff.submit()"),
    ),
    Case(name="location", html=_js("setTimeout(() => { location.href = '{T}' }, 200)"), alone=True),
    Case(
        name="location_replace",
        html=_js("setTimeout(() => { location.replace('{R}') }, 200)"),
        alone=True,
    ),
    Case(name="meta_refresh", head='<meta http-equiv=refresh content="0; url={T}">', alone=True),
    Case(
        name="meta_refresh_redirect",
        head='<meta http-equiv=refresh content="0; url={R}">',
        alone=True,
    ),
    Case(name="refresh_header", headers={"Refresh": "0; url={T}"}, alone=True),
    Case(
        name="form_submit",
        html="<form id=fs action='{T}'></form>" + _js("setTimeout(() => fs.submit(), 200)"),
        alone=True,
    ),
    Case(name="iframe", html="<iframe src='{T}'></iframe>"),
    Case(name="iframe_srcdoc", html="<iframe srcdoc=\"<img src='{T}'>\"></iframe>"),
    Case(
        name="iframe_sandbox",
        html="<iframe sandbox='allow-scripts' srcdoc=\"<script>fetch('{T}')</script>\"></iframe>",
    ),
    Case(name="iframe_data", html="<iframe src=\"data:text/html,<img src='{T}'>\"></iframe>"),
    Case(name="iframe_javascript", html="<iframe src=\"javascript:'<img src={T}>'\"></iframe>"),
    Case(
        name="iframe_blob",
        html=_js(
            "const f = document.createElement('iframe'); f.src = URL.createObjectURL(new Blob(['<img src={T}>'], {type: 'text/html'})); document.body.append(f)"
        ),
    ),
    Case(
        name="frame_document",
        html="<iframe src='/f/frame_document.html'></iframe>",
        files={
            "/f/frame_document.html": (
                "text/html",
                "<meta http-equiv=refresh content='0; url={T}'>",
            )
        },
    ),
    Case(
        name="frame_own_domain",
        html="<iframe id=fo src='/ok.html'></iframe>"
        + _js("fo.onload = () => { fo.onload = null; fo.contentWindow.location = '{T}' }"),
    ),
    Case(
        name="document_write",
        html="<iframe id=dw></iframe>"
        + _js(
            "const d = dw.contentDocument; d.open(); d.write('<script src={T}><\\/script>'); d.close()"
        ),
    ),
    Case(name="object", html="<object data='{T}' type=text/html></object>"),
    Case(name="embed", html="<embed src='{T}' type=text/html>"),
    Case(
        name="base_href",
        html="<iframe srcdoc=\"<base href='http://10.66.0.1/'><img src='{N}'>\"></iframe>",
    ),
    Case(
        name="xslt",
        html="<iframe src='/f/xslt.xml'></iframe>",
        files={
            "/f/xslt.xml": (
                "text/xml",
                "<?xml version='1.0'?><?xml-stylesheet type='text/xsl' href='/f/xslt.xsl'?><a/>",
            ),
            "/f/xslt.xsl": (
                "text/xml",
                "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'><xsl:template match='/'><html><img src='{T}'/></html></xsl:template></xsl:stylesheet>",
            ),
        },
    ),
    Case(
        name="xslt_redirect",
        html="<iframe src='/f/xslt2.xml'></iframe>",
        files={
            "/f/xslt2.xml": (
                "text/xml",
                "<?xml version='1.0'?><?xml-stylesheet type='text/xsl' href='{R}'?><a/>",
            )
        },
    ),
    Case(
        name="xml_css",
        html="<iframe src='/f/css.xml'></iframe>",
        files={
            "/f/css.xml": (
                "text/xml",
                "<?xml version='1.0'?><?xml-stylesheet type='text/css' href='{T}'?><a/>",
            )
        },
    ),
    Case(
        name="xhtml_external_dtd",
        html="<iframe src='/f/dtd.xhtml'></iframe>",
        files={
            "/f/dtd.xhtml": (
                "application/xhtml+xml",
                "<!DOCTYPE html SYSTEM '{T}'><html xmlns='http://www.w3.org/1999/xhtml'><body>x</body></html>",
            )
        },
    ),
    # pictures, sound, video
    Case(name="img", html="<img src='{T}'>"),
    Case(name="img_lazy", html="<img loading=lazy src='{T}' width=1 height=1>"),
    Case(name="img_data_src", html="<img data-src='{T}' data-lazy-src='{T}' src='/ok.png'>"),
    Case(name="img_script", html=_js("new Image().src = '{T}'")),
    Case(name="srcset", html="<img srcset='{T} 1x, {T}-2 2x'>"),
    Case(name="picture_source", html="<picture><source srcset='{T}'><img src='/ok.png'></picture>"),
    Case(name="input_image", html="<input type=image src='{T}'>"),
    Case(
        name="body_background",
        html="<table background='{T}'><tr><td background='{T}-2'>x</td></tr></table>",
    ),
    Case(name="video", html="<video src='{T}.mp4' preload=auto autoplay muted></video>"),
    Case(
        name="video_source",
        html="<video preload=auto autoplay muted><source src='{R}' type=video/mp4></video>",
    ),
    Case(name="poster", html="<video poster='{T}'></video>"),
    Case(name="audio", html="<audio src='{T}.mp3' preload=auto></audio>"),
    Case(name="track", html="<video muted><track default kind=captions src='{T}'></video>"),
    Case(
        name="svg_image", html=f"<svg xmlns='{SVG}'><image href='{{T}}' width=10 height=10 /></svg>"
    ),
    Case(name="svg_use", html=f"<svg xmlns='{SVG}'><use href='{{R}}#a'/></svg>"),
    Case(
        name="svg_feimage",
        html=f"<svg xmlns='{SVG}' width=9 height=9><filter id=fi><feImage href='{{T}}'/></filter><rect width=9 height=9 filter='url(#fi)'/></svg>",
    ),
    Case(
        name="svg_foreign",
        html=f"<svg xmlns='{SVG}'><foreignObject width=9 height=9><img xmlns='http://www.w3.org/1999/xhtml' src='{{T}}'/></foreignObject></svg>",
    ),
    Case(name="svg_script", html=f"<svg xmlns='{SVG}'><script href='{{T}}'></script></svg>"),
    Case(
        name="svg_document",
        html="<object data='/f/doc.svg' type=image/svg+xml></object>",
        files={
            "/f/doc.svg": (
                "image/svg+xml",
                f"<svg xmlns='{SVG}'><image href='{{T}}' width='9' height='9'/></svg>",
            )
        },
    ),
    # style
    Case(name="css_url", html="<div style=\"background: url('{T}')\">x</div>"),
    Case(name="css_import", html="<style>@import '{T}';</style>"),
    Case(name="css_import_redirect", html="<style>@import url({R});</style>"),
    Case(
        name="css_font",
        html="<style>@font-face { font-family: X; src: url('{T}') } .x { font-family: X }</style><p class=x>x</p>",
    ),
    Case(
        name="css_image_set",
        html="<div style=\"background: image-set('{T}' 1x, '{T}-2' 2x)\">x</div>",
    ),
    Case(name="css_cursor", html="<div style=\"cursor: url('{T}'), auto\">x</div>"),
    Case(name="css_list", html="<ul><li style=\"list-style-image: url('{T}')\">x</li></ul>"),
    Case(
        name="css_content", html="<style>.c::before { content: url('{T}') }</style><p class=c>x</p>"
    ),
    Case(
        name="css_border",
        html="<div style=\"border: 3px solid; border-image: url('{T}') 3\">x</div>",
    ),
    Case(name="css_mask", html="<div style=\"mask: url('{T}'); width: 9px; height: 9px\">x</div>"),
    Case(name="css_filter", html="<div style=\"filter: url('{R}#f')\">x</div>"),
    Case(name="css_shape", html="<div style=\"float: left; shape-outside: url('{T}')\">x</div>"),
    Case(
        name="css_file",
        html="<link rel=stylesheet href='/f/a.css'>",
        files={"/f/a.css": ("text/css", "@import url('{T}'); body { background: url('{T}-2') }")},
    ),
    # scripts
    Case(name="script", html="<script src='{T}'></script>"),
    Case(name="script_module", html="<script type=module src='{R}'></script>"),
    Case(name="script_import", html="<script type=module>import('{T}').catch(() => 0)</script>"),
    Case(
        name="script_importmap",
        head='<script type=importmap>{"imports": {"x": "{T}"}}</script>',
        html="<script type=module>import('x').catch(() => 0)</script>",
        alone=True,
    ),
    Case(name="fetch", html=_js("fetch('{T}', {mode: 'no-cors'}).catch(() => 0)")),
    Case(name="fetch_cors", html=_js("fetch('{T}').catch(() => 0)")),
    Case(
        name="fetch_preflight",
        html=_js("fetch('{T}', {method: 'PUT', headers: {'X-A': 'b'}}).catch(() => 0)"),
    ),
    Case(
        name="fetch_keepalive",
        html=_js("fetch('{R}', {keepalive: true, mode: 'no-cors'}).catch(() => 0)"),
    ),
    Case(name="xhr", html=_js("const x = new XMLHttpRequest(); x.open('GET', '{T}'); x.send()")),
    Case(
        name="xhr_sync",
        html=_js("const x = new XMLHttpRequest(); x.open('GET', '{T}', false); x.send()"),
    ),
    Case(name="beacon", html=_js("navigator.sendBeacon('{T}', 'x')")),
    Case(name="beacon_redirect", html=_js("navigator.sendBeacon('{R}', 'x')")),
    Case(name="eventsource", html=_js("new EventSource('{T}')")),
    Case(name="eventsource_redirect", html=_js("new EventSource('{R}')")),
    Case(name="ping", html="<a id=pg ping='{T}' href='#x'>x</a>" + _js("pg.click()")),
    Case(name="websocket", html=_js("new WebSocket('ws://10.66.0.1/{N}')")),
    Case(name="websocket_tls", html=_js("new WebSocket('wss://10.66.0.1:8443/')"), port=8443),
    Case(name="websocket_redirect", html=_js(f"new WebSocket('ws://{BLOG}/r/302/{{N}}')")),
    # workers
    _worker("worker_fetch", "new Worker('{W}')", "fetch('{T}', {mode: 'no-cors'}).catch(() => 0)"),
    _worker("worker_import", "new Worker('{W}')", "importScripts('{T}')"),
    _worker("worker_import_redirect", "new Worker('{W}')", "importScripts('{R}')"),
    _worker("worker_module", "new Worker('{W}', {type: 'module'})", "import('{T}').catch(() => 0)"),
    _worker("worker_socket", "new Worker('{W}')", "new WebSocket('ws://10.66.0.1/{N}')"),
    _worker("worker_eventsource", "new Worker('{W}')", "new EventSource('{T}')"),
    _worker(
        "worker_nested",
        "new Worker('{W}')",
        "new Worker(URL.createObjectURL(new Blob([\"fetch('{T}', {mode: 'no-cors'})\"])))",
    ),
    _worker(
        "shared_worker", "new SharedWorker('{W}')", "fetch('{T}', {mode: 'no-cors'}).catch(() => 0)"
    ),
    _worker("shared_worker_import", "new SharedWorker('{W}')", "importScripts('{T}')"),
    _worker(
        "shared_worker_redirect",
        "new SharedWorker('{W}')",
        "fetch('{R}', {mode: 'no-cors'}).catch(() => 0)",
    ),
    _worker(
        "shared_worker_socket", "new SharedWorker('{W}')", "new WebSocket('ws://10.66.0.1/{N}')"
    ),
    Case(name="worker_script_redirect", html=_js("new Worker('{R}')")),
    Case(name="shared_worker_script_redirect", html=_js("new SharedWorker('{R}')")),
    Case(
        name="worker_blob",
        html=_js(
            "new Worker(URL.createObjectURL(new Blob([\"fetch('{T}', {mode: 'no-cors'})\"])))"
        ),
    ),
    Case(
        name="shared_worker_blob",
        html=_js(
            "new SharedWorker(URL.createObjectURL(new Blob([\"fetch('{T}', {mode: 'no-cors'})\"])))"
        ),
    ),
    # WebRTC, WebTransport
    Case(name="stun", html=_js(RTC % "stun:10.66.0.1:3478"), port=3478),
    Case(name="turn_udp", html=_js(RTC % "turn:10.66.0.1:3479?transport=udp"), port=3479),
    Case(name="turn_tcp", html=_js(RTC % "turn:10.66.0.1:3480?transport=tcp"), port=3480),
    Case(name="turns_tcp", html=_js(RTC % "turns:10.66.0.1:3481?transport=tcp"), port=3481),
    Case(name="turn_name", html=_js(RTC % "turn:inside.example.net:3482?transport=tcp"), port=3482),
    _secure("webtransport", "new WebTransport('https://10.66.0.1:8444/')", port=8444),
    # in secure contexts
    _secure("audio_worklet", "new AudioContext().audioWorklet.addModule('{T}').catch(() => 0)"),
    _secure(
        "audio_worklet_redirect",
        "new AudioContext().audioWorklet.addModule('/r/302/audio_worklet_redirect').catch(() => 0)",
    ),
    _secure("paint_worklet", "CSS.paintWorklet.addModule('/r/302/paint_worklet').catch(() => 0)"),
    _secure(
        "service_worker",
        "navigator.serviceWorker.register('/w/sw.js').then(r => r.active && r.active.postMessage(1))",
    ),
    _secure(
        "speculation_prefetch",
        "const s = document.createElement('script'); s.type = 'speculationrules'; s.text = JSON.stringify({prefetch: [{source: 'list', urls: ['/r/302/speculation_prefetch'], eagerness: 'immediate'}]}); document.head.append(s)",
    ),
    _secure(
        "speculation_prerender",
        "const s = document.createElement('script'); s.type = 'speculationrules'; s.text = JSON.stringify({prerender: [{source: 'list', urls: ['/r/302/speculation_prerender'], eagerness: 'immediate'}]}); document.head.append(s)",
    ),
    _secure("https_redirect", "fetch('/r/307/https_redirect', {mode: 'no-cors'}).catch(() => 0)"),
    _secure(
        "https_inside",
        "fetch('https://10.66.0.1:8445/', {mode: 'no-cors'}).catch(() => 0)",
        port=8445,
    ),
    _secure("https_image_name", "new Image().src = 'https://inside.example.net:8446/'", port=8446),
    # links
    Case(name="link_preload", html="<link rel=preload as=image href='{T}'>"),
    Case(name="link_preload_redirect", html="<link rel=preload as=fetch crossorigin href='{R}'>"),
    Case(name="link_prefetch", html="<link rel=prefetch href='{T}'>"),
    Case(name="link_prerender", html="<link rel=prerender href='{R}'>"),
    Case(name="link_modulepreload", html="<link rel=modulepreload href='{R}'>"),
    Case(
        name="link_preconnect",
        html="<link rel=preconnect href='http://10.66.0.1:8082/'>",
        port=8082,
    ),
    Case(
        name="link_dns_prefetch", html="<link rel=dns-prefetch href='//10.66.0.1:8083/'>", port=8083
    ),
    Case(name="link_manifest", head="<link rel=manifest href='{T}'>"),
    Case(name="link_icon", head="<link rel=icon href='{T}'>"),
    Case(name="link_touch_icon", head="<link rel=apple-touch-icon href='{T}'>"),
    Case(name="header_preload", headers={"Link": "<{T}>; rel=preload; as=image"}, alone=True),
    Case(name="header_style", headers={"Link": "<{T}>; rel=stylesheet"}, alone=True),
    Case(
        name="csp_report",
        headers={"Content-Security-Policy-Report-Only": "img-src 'none'; report-uri {T}"},
        html="<img src='/ok.png'>",
        alone=True,
    ),
    Case(
        name="reporting",
        headers={
            "Reporting-Endpoints": 'd="{T}"',
            "NEL": '{"report_to": "d", "max_age": 9, "success_fraction": 1}',
        },
        alone=True,
    ),
    Case(name="attribution", html="<img attributionsrc='{T}' src='/ok.png'>"),
    # names that answer differently
    Case(
        name="rebind_img",
        host="rebind-img.example.net",
        html="<img src='{T}.first.png'>"
        + _js("setTimeout(() => { new Image().src = '{T}' }, 1500)"),
    ),
    Case(
        name="rebind_fetch",
        host="rebind-fetch.example.net",
        html=_js(
            "fetch('{T}.first.png', {mode: 'no-cors'}).then(() => setTimeout(() => fetch('{T}', {mode: 'no-cors'}), 1200))"
        ),
    ),
    Case(
        name="rebind_frame",
        host="rebind-frame.example.net",
        html="<iframe src='{T}.first.png'></iframe>"
        + _js("setTimeout(() => { document.querySelector('iframe').src = '{T}' }, 1500)"),
        alone=True,
    ),
    Case(
        name="rebind_media",
        host="rebind-media.example.net",
        html="<img src='{T}.first.png'><img src='{T}.second.png'><img src='{T}.third.png'>",
    ),
    # other schemes
    Case(
        name="scheme_ftp",
        html="<iframe src='ftp://10.66.0.1:21/x'></iframe><img src='ftp://10.66.0.1/x'>",
        port=21,
    ),
    Case(
        name="scheme_file",
        html="<iframe src='file://10.66.0.1/x'></iframe><img src='file:////10.66.0.1/x'>",
        port=445,
    ),
    Case(name="scheme_gopher", html="<iframe src='gopher://10.66.0.1:70/x'></iframe>", port=70),
    Case(name="scheme_view_source", html="<iframe src='view-source:{T}'></iframe>"),
    Case(
        name="scheme_relative",
        html="<img src='//10.66.0.1/{N}'><img src='http:\\\\10.66.0.1/{N}-2'><img src='http:/\\10.66.0.1/{N}-3'>",
    ),
    # what a crawler reads besides
    Case(name="head_canonical", head="<link rel=canonical href='{T}'>"),
    Case(name="head_next", head="<link rel=next href='{T}'><link rel=prev href='{R}'>"),
    Case(name="head_feed", head="<link rel=alternate type=application/rss+xml href='{T}'>"),
    Case(name="head_oembed", head="<link rel=alternate type=application/json+oembed href='{T}'>"),
    Case(name="head_amp", head="<link rel=amphtml href='{T}'>"),
    Case(
        name="head_rsd",
        head="<link rel=EditURI type=application/rsd+xml href='{T}'><link rel=wlwmanifest href='{T}'>",
    ),
    Case(
        name="head_pingback",
        head="<link rel=pingback href='{T}'><link rel=webmention href='{T}'>",
        headers={"X-Pingback": "{T}"},
        alone=True,
    ),
    Case(
        name="head_api",
        head="<link rel='https://api.w.org/' href='{T}'>",
        headers={"Link": '<{T}>; rel="https://api.w.org/"'},
        alone=True,
    ),
    Case(
        name="head_og",
        head="<meta property=og:image content='{T}'><meta property=og:url content='{T}'>",
    ),
    Case(
        name="json_ld",
        head='<script type=application/ld+json>{"@type": "BlogPosting", "url": "{T}", "image": "{T}", "mainEntityOfPage": "{T}"}</script>',
    ),
    Case(
        name="link_older",
        html="<a rel=next class=older-posts href='{T}'>Older posts</a> <a href='{R}'>next page</a>",
    ),
    Case(
        name="link_post",
        html="<a href='/r/301/{N}'>2020/01/01 another post</a><a href='{T}'>a post</a>",
    ),
    Case(name="disqus", html="<div id=disqus_thread></div><script src='{R}'></script>"),
    Case(
        name="isso",
        html="<script data-isso='{T}' src='{T}/js/embed.min.js'></script><section id=isso-thread></section>",
    ),
    Case(
        name="remark",
        html="<script>var remark_config = {host: '{T}', site_id: 'x'}</script><div id=remark42></div>",
    ),
    Case(name="feed_enclosure", feed="<enclosure url='{T}' type='image/png' length='9'/>"),
    Case(
        name="feed_media",
        feed="<media:content url='{T}' medium='image'/><media:thumbnail url='{R}'/>",
    ),
    Case(name="feed_comments", feed="<wfw:commentRss>{T}</wfw:commentRss><comments>{T}</comments>"),
    Case(name="feed_comments_redirect", feed="<wfw:commentRss>{BLOG}{R}</wfw:commentRss>"),
    Case(name="feed_source", feed="<source url='{T}'>x</source><guid>{T}</guid>"),
)

SITE_FILES = {
    "/robots.txt": (
        "text/plain",
        "User-agent: *\nDisallow:\nSitemap: http://10.66.0.1/robots_sitemap\nSitemap: http://blog.example.org/sitemap.xml\n",
    ),
    "/sitemap.xml": (
        "application/xml",
        "<?xml version='1.0'?><!DOCTYPE urlset [<!ENTITY x SYSTEM 'http://10.66.0.1/sitemap_entity'>]>"
        "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>http://10.66.0.1/sitemap_url</loc></url>"
        "<url><loc>http://blog.example.org/r/301/sitemap_redirect</loc></url><url><loc>&x;</loc></url></urlset>",
    ),
    "/ok.html": ("text/html", "<p>ok</p>"),
    "/w/sw.js": (JS, "fetch('http://127.0.0.1/service_worker').catch(() => 0)"),
}
"""What every blog has; each address in it is a case as well."""
SITE_CASES = (
    "robots_sitemap",
    "sitemap_entity",
    "sitemap_url",
    "sitemap_redirect",
    "feed_entity",
    "feed_hub",
    "feed_link",
    "feed_next",
)

CASES: tuple[Case, ...] = (*_notations(), *_redirects(), *WAYS)
SHORT = frozenset(
    (
        *(
            "notation-0",
            "notation-1",
            "notation-9",
            "redirect302_img",
            "redirect307_fetch",
            "redirect308_iframe",
            "redirect301_navigation",
        ),
        *(
            "popup",
            "blank_form",
            "shared_worker",
            "shared_worker_redirect",
            "worker_import_redirect",
            "css_import_redirect",
            "xslt_redirect",
        ),
        *(
            "beacon_redirect",
            "websocket",
            "turn_tcp",
            "turn_udp",
            "audio_worklet_redirect",
            "rebind_fetch",
            "rebind_media",
            "feed_enclosure",
        ),
    )
)
"""The fast suite's: a sample of each kind."""
assert len({case.name for case in CASES}) == len(CASES)
