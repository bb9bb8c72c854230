"""The methods of the client that are an rpc each. Data alone; .ci/client_methods.py makes the methods.

A method is named here with what it takes by position; all other fields of the request are taken by keyword, under their
names. `name: field` is a parameter of another name than its field, `name: 'type'` one of another type. Types, defaults
and words are the contract's otherwise. It answers the only field of the response, or the first if that is a message, or
else all of it; `-> field` and `-> reply` say it where that is not so.
"""

STUBS = {
    "sessions": "Session",
    "perception": "Perception",
    "detection": "Detection",
    "actions": "Action",
    "extraction": "Extraction",
    "files": "File",
    "live": "Live",
    "network": "Network",
    "page_tools": "PageTool",
    "control": "Control",
    "video": "Video",
}
"""Attributes of a client, and the services whose stubs they are."""

SESSION = {
    "back()": "Session.GoBack",
    "forward()": "Session.GoForward",
    "reload()": "Session.Reload",
    "handle_dialog(accept=True, prompt_text='', dialog_id='', prompt_empty=False)": "Session.HandleDialog",
    "tabs()": "Session.ListTabs",
    "select_tab(tab_id)": "Session.SelectTab",
    "close_tab(tab_id='')": "Session.CloseTab",
    "new_tab(url='')": "Session.NewTab",
    "name_tab(name, tab_id='')": "Session.NameTab",
    "move_tab(index, tab_id='')": "Session.MoveTab",
    "read_clipboard()": "Session.ReadClipboard",
    "write_clipboard(text, html='')": "Session.WriteClipboard",
    "network_rules()": "Network.GetNetworkRules",
    "page_tools()": "PageTool.ListPageTools -> reply",
    "start_video()": "Video.StartVideo -> video_id",
    "get_call(number)": "Live.GetCall -> reply",
    "content(scope: scope_selector = '', *, main: main_content = False, form_values: include_form_values = False)": (
        "Extraction.ExtractContent"
    ),
}

CLIENT = {
    "open_sessions()": "Session.ListSessions",
    "devices(query='')": "Session.ListDevices",
    "profiles()": "Session.ListProfiles",
    "delete_profile(name)": "Session.DeleteProfile",
    "videos(session_id: of_session_id = '')": "Video.ListVideos",
}

SUBROUTINES = {
    "all(origin='')": "Subroutine.ListSubroutines",
    "get(subroutine_id)": "Subroutine.GetSubroutine",
    "update(subroutine_id, body='')": "Subroutine.UpdateSubroutine",
    "delete(subroutine_id)": "Subroutine.DeleteSubroutine",
}

ACTIONS = {
    "click(target, *, click_count: 'int | None' = None)": "Action.Click",
    "tap(target)": "Action.Tap",
    "hover(target)": "Action.Hover",
    "drag(start: from_, end: to)": "Action.Drag",
    "type_text(target: 'TargetLike | None', text='', *, secret: 'str | None' = None)": "Action.TypeText",
    "press(key, target=None)": "Action.PressKey",
    "select(target, *options)": "Action.SelectOption",
    "scroll(delta_y=0, delta_x=0, target=None)": "Action.Scroll",
}
"""Methods of a page, and steps of a batch."""
