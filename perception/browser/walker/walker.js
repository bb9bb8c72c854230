// The walker that looks: the functions that the service calls in the isolated world of each frame.

import { boxApi } from './api/box_api.js';
import { caretApi } from './api/caret_api.js';
import { choiceApi } from './api/choice_api.js';
import { clipboardApi } from './api/clipboard_api.js';
import { contentApi } from './api/content_api.js';
import { devtoolsApi } from './api/devtools_api.js';
import { elementApi } from './api/element_api.js';
import { explainApi } from './api/explain_api.js';
import { frameApi } from './api/frame_api.js';
import { hiddenControlsApi } from './api/hidden_controls_api.js';
import { identityApi } from './api/identity_api.js';
import { inputApi } from './api/input_api.js';
import { linesApi } from './api/lines_api.js';
import { optionsApi } from './api/options_api.js';
import { pictureApi } from './api/picture_api.js';
import { pointerApi } from './api/pointer_api.js';
import { pressApi } from './api/press_api.js';
import { redactionApi } from './api/redaction_api.js';
import { selectorApi } from './api/selector_api.js';
import { snapshotApi } from './api/snapshot_api.js';
import { typingApi } from './api/typing_api.js';

const api = {
  ...snapshotApi,
  ...redactionApi,
  ...pictureApi,
  ...devtoolsApi,
  ...elementApi,
  ...explainApi,
  ...frameApi,
  ...pointerApi,
  ...pressApi,
  ...inputApi,
  ...boxApi,
  ...choiceApi,
  ...optionsApi,
  ...typingApi,
  ...caretApi,
  ...linesApi,
  ...selectorApi,
  ...hiddenControlsApi,
  ...contentApi,
  ...identityApi,
  ...clipboardApi,
};

globalThis.perceptionWalker = api;
