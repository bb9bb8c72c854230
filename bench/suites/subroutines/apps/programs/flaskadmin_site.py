# Flask-Admin is not a dependency of this project: it is installed for this program alone.
# mypy: ignore-errors
"""Serves an administration of books at `/admin/`: flaskadmin_site.py DATABASE PORT."""

import sys

from flask import Flask
from flask_admin import Admin
from flask_admin.contrib.sqla import ModelView
from flask_sqlalchemy import SQLAlchemy

app = Flask("books")
app.config.update(SQLALCHEMY_DATABASE_URI=f"sqlite:///{sys.argv[1]}", SECRET_KEY="bench")
database = SQLAlchemy(app)


class Book(database.Model):
    id = database.Column(database.Integer, primary_key=True)
    title = database.Column(database.String(80), nullable=False, unique=True)
    author = database.Column(database.String(80))
    price = database.Column(database.Integer)


class BookView(ModelView):
    column_searchable_list = ("title", "author")


with app.app_context():
    database.create_all()
Admin(app, name="Books").add_view(BookView(Book, database.session if callable(database.session) else database))
app.run("127.0.0.1", int(sys.argv[2]), threaded=True)
