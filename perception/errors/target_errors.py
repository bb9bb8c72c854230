"""Errors of targets: the element of an action."""

from __future__ import annotations

from perception.errors.core import PerceptionError
from perception.page_words import page_words

OWN_COVERS = frozenset({"nothing", "outside", "a removed frame", "the clipping of its frame"})
"""What our own words name as the cover of an element; all others are the page's."""


class UnknownRefError(PerceptionError):
    """A ref that no snapshot of this session contained."""

    grpc_code = "NOT_FOUND"


class StaleRefError(PerceptionError):
    """A ref whose element is gone or has changed its role or name."""

    grpc_code = "FAILED_PRECONDITION"

    @classmethod
    def because(cls, what: str, why: str, *, ref: str = "") -> StaleRefError:
        """The error with the one sentence that refuses stale refs.

        Args:
            what: how the message names the target, such as `ref e3`.
            why: what happened to it, such as `its page was left`.
            ref: goes into the error's metadata; empty for a target that was not given as a ref.
        """
        return cls(f"{what} is stale: {why}; take a new snapshot", **({"ref": ref} if ref else {}))


class NoMatchError(PerceptionError):
    """A selector or node id that matches no element."""

    grpc_code = "NOT_FOUND"


class AmbiguousTargetError(PerceptionError):
    """A selector that matches more than one element."""

    grpc_code = "FAILED_PRECONDITION"


class ElementObscuredError(PerceptionError):
    """An element that another element covers."""

    grpc_code = "FAILED_PRECONDITION"

    @classmethod
    def by(cls, what: str, cover: str, *, when: str = "", other_way: str = "") -> ElementObscuredError:
        """The error with the one sentence that refuses covered targets.

        Args:
            what: how the message names the target, such as `ref e3 (button "Save")`.
            cover: what covers it.
            when: since when it does, such as ` as soon as the pointer is there`.
            other_way: another way out, such as `, or scroll it into view`.
        """
        said = cover if cover in OWN_COVERS else page_words(cover)
        return cls(f"{what} is covered by {said}{when}: close or move that first{other_way}", covered_by=said)

    @classmethod
    def instead(cls, what: str, cover: str) -> ElementObscuredError:
        """The error for what nobody sees, such as a native list under the one that a page paints for it."""
        said = cover if cover in OWN_COVERS else page_words(cover)
        return cls(f"{what} is not seen, and {said} is in its place: use that", covered_by=said)

    @classmethod
    def by_popup(cls, what: str, popup: str) -> ElementObscuredError:
        """The error for what takes no clicks while a popup is open, which need not be over it."""
        said = page_words(popup)
        return cls(
            f"{what} takes no clicks while {said} is open: choose in it, or close it, as with the key Escape",
            covered_by=said,
        )

    @classmethod
    def by_pointer_lock(cls, what: str, holder: str) -> ElementObscuredError:
        """The error for what takes no clicks while the page has locked the pointer to another element."""
        said = page_words(holder)
        return cls(
            f"{what} takes no clicks: the page has locked the pointer to {said}, which gets them all; press the key "
            "Escape, which frees it",
            covered_by=said,
        )


class NotReachableError(PerceptionError):
    """An element without a click point: it has no size, is hidden, or cannot be scrolled into view."""

    grpc_code = "FAILED_PRECONDITION"

    @classmethod
    def replaced(cls, what: str, cover: str) -> NotReachableError:
        """The error for what hides or moves when the pointer comes to it, as the button of a menu that opens then."""
        said = cover if cover in OWN_COVERS else page_words(cover)
        return cls(
            f"{what} hid or moved when the pointer came to it, and {said} is there now: take a new snapshot, as that "
            "may be what it opens"
        )


class ElementDisabledError(PerceptionError):
    """An element that is disabled."""

    grpc_code = "FAILED_PRECONDITION"


class NotEditableError(PerceptionError):
    """A target that takes no text."""

    grpc_code = "FAILED_PRECONDITION"


class NotSelectableError(PerceptionError):
    """A target without options."""

    grpc_code = "FAILED_PRECONDITION"


class NoSuchOptionError(PerceptionError):
    """An option that the list does not have."""

    grpc_code = "NOT_FOUND"


class NotCheckableError(PerceptionError):
    """A target without a checked state."""

    grpc_code = "FAILED_PRECONDITION"


class NotTakenError(PerceptionError):
    """Input was sent, but the page ignored it or did something else."""

    grpc_code = "ABORTED"


class NotAFileFieldError(PerceptionError):
    """A target that accepts no files and opens no file chooser."""

    grpc_code = "FAILED_PRECONDITION"


class NoSuchFileError(PerceptionError):
    """A file name that is not in the upload directory."""

    grpc_code = "NOT_FOUND"
