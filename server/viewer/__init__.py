"""The viewer: a web application in which people watch sessions, see what the model gets, and take over.

It is a gRPC client of a service, with the rights of the person who logged in: it knows nothing of sessions that the
service does not tell that person. `perception serve --viewer` runs it beside the service, `perception view` alone.

    options, certificate_names   where it listens, and what that needs
    guard                        which requests are answered at all, and the headers of each answer
    logins, login_pages          who is logged in, and how
    rights, rate_limits          what a person may do, and how often
    calls                        calls of the service, and their errors
    plain/                       messages of the service as JSON
    session_pages, control_pages, recording_pages
                                 what the web application asks over HTTP
    sockets                      WebSockets of people who are logged in
    frames, events, control_watch, input
                                 what goes over them
    app, serving                 all of it as one application, and its port
    beside, command              `perception serve --viewer`, `perception view`
    web/, static/                the web application in TypeScript, and what is made of it (`make viewer`)
"""
