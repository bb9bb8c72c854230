// Original file: ../../proto/perception/v1/session_service.proto

import type { Viewport as _perception_v1_Viewport, Viewport__Output as _perception_v1_Viewport__Output } from '../../perception/v1/Viewport.js';
import type { ColorScheme as _perception_v1_ColorScheme, ColorScheme__Output as _perception_v1_ColorScheme__Output } from '../../perception/v1/ColorScheme.js';
import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../google/protobuf/Duration.js';

export interface SessionOptions {
  'viewport'?: (_perception_v1_Viewport | null);
  'locale'?: (string);
  'timezone'?: (string);
  'colorScheme'?: (_perception_v1_ColorScheme);
  'idleTimeout'?: (_google_protobuf_Duration | null);
  'allowEvaluate'?: (boolean);
  'allowedOrigins'?: (string)[];
}

export interface SessionOptions__Output {
  'viewport': (_perception_v1_Viewport__Output | null);
  'locale': (string);
  'timezone': (string);
  'colorScheme': (_perception_v1_ColorScheme__Output);
  'idleTimeout': (_google_protobuf_Duration__Output | null);
  'allowEvaluate': (boolean);
  'allowedOrigins': (string)[];
}
