# Django is not a dependency of this project: it is installed for this program alone.
# mypy: ignore-errors
"""Django's admin over a table of people, and a wizard of django-formtools that adds one.

Its database is `db.sqlite3` in the working folder: `migrate`, `runserver`.
"""

import sys
from pathlib import Path

import django
from django import forms
from django.conf import settings
from django.core.management import execute_from_command_line

HERE = "django_site"
sys.modules[HERE] = sys.modules[__name__]

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
        "formtools",
        HERE,
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
    ],
    ROOT_URLCONF="django_urls",
    SECRET_KEY="loopback-only",
    STATIC_URL="static/",
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "DIRS": [Path(__file__).parent],
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
sys.path.insert(0, str(Path(__file__).parent))
django.setup()

from django.contrib import admin  # noqa: E402  (needs the settings)
from django.db import models  # noqa: E402
from django.http import HttpResponseRedirect  # noqa: E402
from django.shortcuts import render  # noqa: E402
from django.urls import path  # noqa: E402
from formtools.wizard.views import SessionWizardView  # noqa: E402


class Person(models.Model):
    name = models.CharField(max_length=40)
    city = models.CharField(max_length=40)
    country = models.CharField(max_length=2, choices=[("CL", "Chile"), ("PE", "Peru"), ("UY", "Uruguay")])
    email = models.EmailField(blank=True)
    notes = models.TextField(blank=True)

    class Meta:
        app_label = HERE
        verbose_name_plural = "people"

    def __str__(self):
        return self.name


@admin.register(Person)
class PersonAdmin(admin.ModelAdmin):
    list_display = ("name", "city", "country")
    search_fields = ("name",)
    list_per_page = 10_000  # rows of all runs are on one page: a person would search


class NameForm(forms.ModelForm):
    class Meta:
        model = Person
        fields = ("name", "email")


class PlaceForm(forms.ModelForm):
    class Meta:
        model = Person
        fields = ("city", "country")


class PersonWizard(SessionWizardView):
    form_list = (NameForm, PlaceForm)
    template_name = "wizard.html"

    def done(self, form_list, **_):
        Person.objects.create(**self.get_all_cleaned_data())
        return HttpResponseRedirect("/done/")


def make_urls():
    return [
        path("admin/", admin.site.urls),
        path("join/", PersonWizard.as_view()),
        path("done/", lambda request: render(request, "wizard_done.html")),
    ]


if __name__ == "__main__":
    import types

    urls = types.ModuleType("django_urls")
    urls.urlpatterns = make_urls()
    sys.modules["django_urls"] = urls
    execute_from_command_line(sys.argv)
    if "migrate" in sys.argv:
        from django.db import connection

        with connection.schema_editor() as editor:  # a program's models have no migrations
            editor.create_model(Person)
