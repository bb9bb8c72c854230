# Locust is not a dependency of this project: it is installed for this program alone.
# mypy: ignore-errors
"""Visitors of two pages that are there and one that is not, so that Locust has numbers and failures to show."""

from locust import HttpUser, between, task


class Visitor(HttpUser):
    wait_time = between(0.2, 0.5)

    @task(3)
    def index(self):
        self.client.get("/admin-lte/index.html")

    @task
    def tables(self):
        self.client.get("/startbootstrap-sb-admin-2/tables.html")

    @task
    def missing(self):
        self.client.get("/no-such-page")
