"""Detectors that run on a Ray cluster, as applications of Ray Serve: `ray:ppocr` is `ppocr` there.

A service talks to Ray through a process of its own (`client`), so that no fault of Ray hangs or ends the service:

    DetectorPool → RayQueue → RayLink ═ socket ═ client (Ray's code) → Ray Serve → DetectorReplica

Rule 1: Ray's code is imported by processes that join a cluster, never by a service. Nothing of this package is imported
before a name that begins with `ray:` is asked for.
Rule 2: calls go from the client to replicas by handles. No proxy is started, so Serve has no port for HTTP or gRPC.
"""
