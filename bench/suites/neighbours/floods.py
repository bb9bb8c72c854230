"""The floods: scripts by name, and what each floods. Two controls keep a core busy without any event."""

from __future__ import annotations

from perception.errors import BadInputError

CONTROLS = {
    "burn": "setInterval(() => { const end = performance.now() + 9; while (performance.now() < end); }, 10)",
    "layout": """
        const box = document.body.appendChild(document.createElement('div'));
        setInterval(() => { for (let i = 0; i < 2000; i++) { box.style.width = i + 'px'; box.offsetWidth; } }, 10)""",
}
"""Pages that use a core and send no events: on a small machine they cost their neighbors processor time anyway."""

FLOODS = {
    "console": "setInterval(() => { for (let i = 0; i < 2000; i++) console.error('s' + i); }, 10)",
    "console objects": """
        const big = Array.from({ length: 1000 }, (_, i) => ({ i, text: 'x'.repeat(100) }));
        setInterval(() => { for (let i = 0; i < 200; i++) console.log(big, big, big); }, 10)""",
    "console traces": """
        const deep = n => n ? deep(n - 1) : console.trace('t');
        setInterval(() => { for (let i = 0; i < 500; i++) deep(50); }, 10)""",
    "throws": """
        setInterval(() => { for (let i = 0; i < 500; i++) setTimeout(() => { throw new Error('x' + i); }); }, 10)""",
    "rejections": "setInterval(() => { for (let i = 0; i < 500; i++) Promise.reject(new Error('x' + i)); }, 10)",
    "requests": """
        setInterval(() => { for (let i = 0; i < 20; i++) fetch('/small?' + Math.random()).catch(() => 0); }, 10)""",
    "failing requests": """
        setInterval(() => { for (let i = 0; i < 20; i++) new Image().src = '/missing?' + Math.random(); }, 10)""",
    "history": """
        let n = 0; setInterval(() => { for (let i = 0; i < 20; i++) history.pushState({}, '', '?' + n++); }, 10)""",
    "fragments": "let n = 0; setInterval(() => { for (let i = 0; i < 20; i++) location.hash = n++; }, 10)",
    "reloads": "setTimeout(() => location.replace('?' + Math.random()), 0)",
    "DOM changes": """
        setInterval(() => { for (let i = 0; i < 2000; i++) {
            const each = document.body.appendChild(document.createElement('b')); each.textContent = i; each.remove();
        } }, 5)""",
    "frames": """
        setInterval(() => { for (let i = 0; i < 20; i++) {
            const frame = document.body.appendChild(document.createElement('iframe'));
            setTimeout(() => frame.remove(), 50);
        } }, 10)""",
    "workers": """
        setInterval(() => { for (let i = 0; i < 5; i++) {
            const worker = new Worker('data:,1'); setTimeout(() => worker.terminate(), 30);
        } }, 20)""",
    "dialogs": "setInterval(() => alert('again'), 1)",
    "downloads": """
        setInterval(() => { for (let i = 0; i < 5; i++) {
            const link = document.createElement('a'); link.href = 'data:application/zip,x';
            link.download = 'x' + i; link.click();
        } }, 20)""",
    "windows": """
        setInterval(() => { for (let i = 0; i < 3; i++) {
            const other = open('about:blank'); if (other) setTimeout(() => other.close(), 50);
        } }, 30)""",
    "messages": """
        const channel = new BroadcastChannel('x'), other = new BroadcastChannel('x');
        onmessage = () => 0; other.onmessage = () => 0;
        setInterval(() => { for (let i = 0; i < 1000; i++) { channel.postMessage(i); postMessage(i); } }, 10)""",
    "WebSocket frames": """
        const wire = new WebSocket('ws://127.0.0.1:WEBSOCKET_PORT/');
        wire.onmessage = event => wire.send(event.data)""",
    "server-sent events": "new EventSource('/events').onmessage = () => 0",
    "timers": "const again = () => { setTimeout(again); setTimeout(() => 0); }; for (let i = 0; i < 500; i++) again()",
    "titles": "setInterval(() => { for (let i = 0; i < 500; i++) document.title = 't' + Math.random(); }, 5)",
    "cookies": """
        setInterval(() => { for (let i = 0; i < 100; i++)
            document.cookie = 'a' + i % 20 + '=' + Math.random(); }, 5)""",
    "storage": "setInterval(() => { for (let i = 0; i < 500; i++) localStorage.setItem('k', Math.random()); }, 5)",
    "printing": "setInterval(() => print(), 10)",
    "focus": """
        const fields = [0, 1].map(() => document.body.appendChild(document.createElement('input')));
        setInterval(() => { for (let i = 0; i < 200; i++) { fields[i % 2].focus(); window.focus(); } }, 10)""",
    "animations": """
        for (let i = 0; i < 500; i++) {
            const each = document.body.appendChild(document.createElement('div')); each.textContent = i;
            const steps = [{ marginLeft: 0, opacity: 0 }, { marginLeft: '99px', opacity: 1 }];
            each.animate(steps, { duration: 300, iterations: Infinity });
        }""",
    "canvas": """
        const canvas = document.body.appendChild(document.createElement('canvas')), brush = canvas.getContext('2d');
        (function paint() {
            for (let i = 0; i < 300; i++) { brush.filter = 'blur(4px)'; brush.fillRect(i, i % 100, 90, 90); }
            requestAnimationFrame(paint);
        })()""",
    "WebGL": """
        const canvas = document.body.appendChild(document.createElement('canvas')), gl = canvas.getContext('webgl');
        (function paint() {
            for (let i = 0; gl && i < 500; i++) {
                gl.clearColor(i % 2, 0, 0, 1); gl.clear(gl.COLOR_BUFFER_BIT); gl.flush();
            }
            requestAnimationFrame(paint);
        })()""",
    "service worker": """
        navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready).then(ready => {
            setInterval(() => { for (let i = 0; i < 500; i++) ready.active.postMessage(i); }, 10);
        })""",
    "WebSockets": """
        setInterval(() => { for (let i = 0; i < 4; i++) {
            const wire = new WebSocket('ws://127.0.0.1:WEBSOCKET_PORT/'); wire.onopen = () => wire.close();
        } }, 20)""",
    "refused WebSockets": """
        setInterval(() => { for (let i = 0; i < 20; i++) new WebSocket('ws://127.0.0.1:REFUSED_PORT/'); }, 10)""",
    "shadow roots": """
        const box = document.body.appendChild(document.createElement('div'));
        let n = 0; const more = setInterval(() => { for (let i = 0; i < 500 && n < 100000; i++, n++) {
            const root = box.appendChild(document.createElement('b')).attachShadow({ mode: 'open' });
            root.innerHTML = '<button>' + n + '</button>';
        } }, 5)""",
    "frames that stay": """
        setInterval(() => { for (let i = 0; i < 5; i++) document.body.appendChild(document.createElement('iframe')); },
            10)""",
    "frame navigations": """
        const frames = Array.from({ length: 10 }, () => document.body.appendChild(document.createElement('iframe')));
        let n = 0; setInterval(() => { for (const each of frames) each.src = '/small?' + n++; }, 10)""",
    "navigations": "let n = 0; setInterval(() => { location.href = '?' + n++; }, 1)",
    "animation events": """
        setInterval(() => { for (let i = 0; i < 50; i++) {
            const each = document.body.appendChild(document.createElement('i'));
            each.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 20 }).onfinish = () => each.remove();
        } }, 5)""",
    "icons": """
        const icon = document.head.appendChild(document.createElement('link')); icon.rel = 'icon';
        let n = 0; setInterval(() => { for (let i = 0; i < 100; i++) icon.href = 'data:image/png,' + n++; }, 5)""",
    "databases": """
        setInterval(() => { for (let i = 0; i < 20; i++) {
            const opening = indexedDB.open('d' + i); opening.onsuccess = () => opening.result.close();
        } }, 10)""",
    "blob addresses": """
        setInterval(() => { for (let i = 0; i < 200; i++) URL.revokeObjectURL(URL.createObjectURL(new Blob(['x']))); },
            10)""",
    "peer connections": """
        setInterval(() => { for (let i = 0; i < 5; i++) {
            const peer = new RTCPeerConnection(); peer.createDataChannel('x');
            peer.createOffer().then(each => peer.setLocalDescription(each)).finally(() => peer.close());
        } }, 20)""",
}


def select_floods(only: str) -> dict[str, str]:
    """The scripts to run, by name: all, or those named, separated by commas.

    Raises:
        BadInputError: no flood has such a name.
    """
    known = {**CONTROLS, **FLOODS}
    wanted = [each.strip() for each in only.split(",") if each.strip()]
    for name in wanted:
        if name not in known:
            raise BadInputError(f"--only {name}: there are {', '.join(known)}")
    return {name: script for name, script in known.items() if not wanted or name in wanted}
