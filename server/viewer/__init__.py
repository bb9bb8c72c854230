"""The viewer: a web application in which people watch sessions, see what the model gets, and take over.

It is a gRPC client of a service, with the rights of the person who logged in: it knows nothing of sessions that the
service does not tell that person. `perception serve --viewer` runs it beside the service, `perception view` alone.

    options, certificate_names   where it listens, and what that needs
    guard                        which requests are answered at all, and the headers of each answer
    logins, rate_limits          who is logged in; how often somebody may try
    calls                        calls of the service, and their errors
    plain/                       messages of the service as JSON
    pages, session_pages         the web application's files; what it asks over HTTP
    frames, events, input        what goes over WebSockets
    app, serving                 all of it as one application, and its port
    web/, static/                the web application in TypeScript, and what is made of it (`make viewer`)
"""
