"""The rpcs of SessionService for what is around the pages: screens, presets, the clipboard."""

from __future__ import annotations

from typing import Any

from perception.browser.page.clipboard import MAX_CLIPBOARD, Copied
from perception.errors import BadInputError
from perception.server.convert.conditions import conditions_message, decode_conditions
from perception.server.convert.devices import decode_screen, device_messages, device_of, screen_response
from perception.server.services.service_context import OfService
from perception.v1 import session_service_pb2 as pb
from perception.v1.session_service_pb2_grpc import SessionServiceServicer


class DeviceRpcs(OfService, SessionServiceServicer):
    """See session_service.proto."""

    async def SetViewport(self, request: pb.SetViewportRequest, context: Any) -> pb.SetViewportResponse:  # noqa: N802
        deadline = self._service.deadline(context)
        session = self._service.sessions.get(request.session_id)
        preset = device_of(request.device, "device")
        screen = decode_screen(request, preset.screen if preset else session.options.screen)
        await session.show_on(screen, deadline)
        return screen_response(screen)

    async def SetConditions(  # noqa: N802
        self, request: pb.SetConditionsRequest, context: Any
    ) -> pb.SetConditionsResponse:
        deadline = self._service.deadline(context)
        session = self._service.sessions.get(request.session_id)
        conditions = decode_conditions(request.conditions)
        await session.meet(conditions, deadline)
        return pb.SetConditionsResponse(conditions=conditions_message(conditions))

    async def ReadClipboard(self, request: pb.ReadClipboardRequest, context: Any) -> pb.ReadClipboardResponse:  # noqa: N802
        deadline = self._service.deadline(context)
        session = self._service.sessions.get(request.session_id)
        await session.browser.collect_copied(deadline)
        content = session.browser.clipboard.content
        return pb.ReadClipboardResponse(text=content.text, html=content.html)

    async def WriteClipboard(  # noqa: N802
        self, request: pb.WriteClipboardRequest, context: Any
    ) -> pb.WriteClipboardResponse:
        deadline = self._service.deadline(context)
        session = self._service.sessions.get(request.session_id)
        size = len(request.text) + len(request.html)
        if size > MAX_CLIPBOARD:
            raise BadInputError(
                f"{size} characters are more than the {MAX_CLIPBOARD} of a clipboard: give less", field="text"
            )
        await session.browser.collect_copied(deadline)  # what pages copied before must not replace it later
        session.browser.clipboard.content = Copied(request.text, request.html)
        return pb.WriteClipboardResponse()

    async def ListDevices(self, request: pb.ListDevicesRequest, context: Any) -> pb.ListDevicesResponse:  # noqa: N802
        return pb.ListDevicesResponse(devices=device_messages(request.query))
