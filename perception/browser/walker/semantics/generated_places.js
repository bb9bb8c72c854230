// Where an element may have generated words, as bits.

export const BEFORE = 1;
export const AFTER = 2;
