"""Names of roles (ARIA 1.2 §5.4; `audio`, `canvas`, `embed`, `iframe`, `text`, `video` are ours)."""

from __future__ import annotations

ROLES = frozenset(
    "alert alertdialog application article banner blockquote button caption cell checkbox code columnheader "
    "combobox comment complementary contentinfo definition deletion dialog document emphasis feed figure form "
    "generic grid gridcell group heading img insertion link list listbox listitem log main mark marquee math menu "
    "menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph progressbar "
    "radio radiogroup region row rowgroup rowheader scrollbar search searchbox sectionfooter sectionheader "
    "separator slider spinbutton status strong subscript suggestion superscript switch tab table tablist tabpanel "
    "term textbox time timer toolbar tooltip tree treegrid treeitem graphics-document graphics-object "
    "graphics-symbol audio canvas embed iframe text video".split()
)

SYNONYMS = {"image": "img", "presentation": "none"}
"""Other words for the same role, by the one that is used here."""
