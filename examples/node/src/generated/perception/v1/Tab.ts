// Original file: ../../proto/perception/v1/types.proto


export interface Tab {
  'tabId'?: (string);
  'url'?: (string);
  'title'?: (string);
  'selected'?: (boolean);
  'openerTabId'?: (string);
}

export interface Tab__Output {
  'tabId': (string);
  'url': (string);
  'title': (string);
  'selected': (boolean);
  'openerTabId': (string);
}
