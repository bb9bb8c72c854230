# Django is not a dependency of this project: it is installed for this program alone.
# mypy: ignore-errors
"""Django's own admin, in which every visitor is the superuser. Run as a program, with Django on PYTHONPATH.

Its database is `db.sqlite3` in the working folder: `migrate`, `loaddata seed.json`, `runserver`.
"""

from pathlib import Path

from django.conf import settings
from django.core.management import execute_from_command_line

HERE = __name__
"""Settings, middleware and URLs are all in this one module."""

settings.configure(
    ALLOWED_HOSTS=["*"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": Path.cwd() / "db.sqlite3"}},
    DEBUG=True,  # lets runserver serve the admin's own scripts and styles
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=[
        "django.contrib.admin",
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "django.contrib.messages",
        "django.contrib.staticfiles",
        "django.contrib.sites",
        "django.contrib.flatpages",
        "django.contrib.redirects",
        "django.contrib.admindocs",
    ],
    MIDDLEWARE=[
        "django.middleware.security.SecurityMiddleware",
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.locale.LocaleMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
        f"{HERE}.log_in_as_admin",
    ],
    ROOT_URLCONF=HERE,
    SECRET_KEY="loopback-only",  # guards nothing: all who can reach the port are logged in
    SITE_ID=1,
    STATIC_URL="static/",
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {
                "context_processors": [
                    "django.template.context_processors.request",
                    "django.contrib.auth.context_processors.auth",
                    "django.contrib.messages.context_processors.messages",
                ],
            },
        },
    ],
    USE_TZ=True,
)


def log_in_as_admin(get_response):
    from django.contrib.auth import get_user_model

    def middleware(request):
        if not request.path.startswith("/admin/log"):  # login and logout show what they show a stranger
            request.user = get_user_model().objects.get(username="admin")
        return get_response(request)

    return middleware


def __getattr__(name):
    """URLs: made when they are first asked for, since the admin cannot be imported before Django is set up."""
    if name != "urlpatterns":
        raise AttributeError(name)
    from django.contrib import admin
    from django.urls import include, path

    return [path("admin/doc/", include("django.contrib.admindocs.urls")), path("admin/", admin.site.urls)]


if __name__ == "__main__":
    import sys

    execute_from_command_line(sys.argv)
