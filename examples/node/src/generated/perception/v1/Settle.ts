// Original file: ../../proto/perception/v1/types.proto


// Original file: ../../proto/perception/v1/types.proto

export const _perception_v1_Settle_Verdict = {
  VERDICT_UNSPECIFIED: 'VERDICT_UNSPECIFIED',
  VERDICT_SETTLED: 'VERDICT_SETTLED',
  VERDICT_PENDING: 'VERDICT_PENDING',
} as const;

export type _perception_v1_Settle_Verdict =
  | 'VERDICT_UNSPECIFIED'
  | 0
  | 'VERDICT_SETTLED'
  | 1
  | 'VERDICT_PENDING'
  | 2

export type _perception_v1_Settle_Verdict__Output = typeof _perception_v1_Settle_Verdict[keyof typeof _perception_v1_Settle_Verdict]

export interface Settle {
  'verdict'?: (_perception_v1_Settle_Verdict);
  'pending'?: (string)[];
  'waitedMilliseconds'?: (number | string);
}

export interface Settle__Output {
  'verdict': (_perception_v1_Settle_Verdict__Output);
  'pending': (string)[];
  'waitedMilliseconds': (number);
}
