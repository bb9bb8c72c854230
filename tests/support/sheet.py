"""A tab in whose document tests write one page after the other."""

from __future__ import annotations

from perception.browser.browser_session import BrowserSession
from perception.browser.cdp.cdp_link import CdpSession
from perception.browser.tab import Tab
from perception.datasets.sources.arrival import arrive
from perception.deadline import Deadline
from perception.refs import RefTable
from perception.render.present import present
from perception.render.select import in_scope
from perception.types import Capture, Engine, Scope, TextStyle, View


class Sheet:
    """A tab for pages that a test only reads.

    What is written replaces the document's content without a navigation, which takes 15 ms of processor time where a
    navigation takes 140 (Chromium 156). Pages with scripts, and the one after them, get a new document; so do those
    with declarative shadow roots, which a document takes no longer once a test has set `innerHTML`.
    """

    def __init__(self, session: BrowserSession, site: str) -> None:
        """
        Args:
            site: origin of the pages.
        """
        self.session = session
        self._url = f"{site}/sheet"
        self._has_scripts = False

    @property
    def tab(self) -> Tab:
        return self.session.tab()

    def owns(self, session: CdpSession) -> bool:
        """Whether a DevTools session is this tab's: those of other tabs ask the browser meanwhile, too."""
        link = self.tab.link
        ids = {link.session_of(frame).session_id for frame in link.frames}
        return session.link is link.session.link and session.session_id in ids

    async def write(self, html: str) -> None:
        """Shows a page, and waits until it has loaded."""
        if self.tab.page.url != self.tab.link.url:  # a test has navigated over one of the two connections
            await arrive(self.tab, Deadline.of(60))
        has_scripts = "<script" in html
        if has_scripts or "shadowrootmode" in html or self._has_scripts or self.tab.page.url != self._url:
            await self.tab.page.goto(self._url)
        else:
            await self.tab.page.evaluate("scrollTo(0, 0)")  # it would stay where the last page was scrolled to
        self._has_scripts = has_scripts
        await self.tab.page.set_content(html)
        # What our connection has to say of the page, it has said before it answers.
        await self.tab.link.evaluate(self.tab.link.main_frame, "0", Deadline.of(60), "")

    async def collect_garbage(self) -> None:
        """Until then Chromium counts the listeners of earlier pages, too, and fewer from then on."""
        await self.tab.link.session.call("HeapProfiler.collectGarbage", Deadline.of(60), "collecting garbage")

    async def text(self, html: str) -> str:
        """What an agent reads of a page, with the refs of a first look."""
        await self.write(html if html.startswith("<!doctype") else f"<!doctype html>{html}")
        capture = await self.look()
        elements = RefTable().assign("t", in_scope(capture.elements, Scope.PAGE))
        return present(elements, view=View.FULL, style=TextStyle.ROLE_REF, max_tokens=0).text.page(0).text

    async def look(self, engine: Engine = Engine.WALKER, scope: Scope = Scope.PAGE, *, reveal: bool = False) -> Capture:
        """What is on the page, without a screenshot."""
        return await self.tab.capturer.capture(
            engine=engine, scope=scope, with_pixels=False, deadline=Deadline.of(60), reveal=reveal
        )
