// Letter pairs: whether letters without digits are a word, or a hash that has no digit by chance (`fakwbO`, `xzewIhy`).

/**
 * Each letter, and the letters that follow it in words. A pair is listed if it is at least 0.03 % of the pairs in 8,199
 * words: those of class names in 3,800 stylesheets of npm packages, and of English text in their READMEs. By the rule
 * below 0.8 % of these words look random, and 67, 76 and 84 % of random strings of 5, 6 and 7 letters.
 */
const FOLLOWERS = new Map(
  (
    'aabcdefgiklmnprstuvwxy babcdefilorstu cabcdefhiklorstuy dabcdefgilorsu eabcdefghilmnopqrstuvwxy fabcdefilortuy ' +
    'gaeghilnorsu haeilorstuy iabcdefgklmnoprstvxz jaeosu kabeis labcdefilopstuvy mabeilmnopsu ' +
    'nabcdefghiklmnoprstuvy oabcdfgiklmnoprstuvwx pacdehiloprstu qu rabcdefgiklmnoprstuvwy sacefhiklmnopstuwy ' +
    'tabcdefhilmnoprstuwy uabcdefgilmnprst vaeio wadehinors xceilpt yaceilnops zaeio'
  )
    .split(' ')
    .map((line) => [line[0], line.slice(1)]),
);

/** Shorter ones are abbreviations (letters). */
const MIN_LETTERS = 5;

/**
 * Whether letters look random: at least two pairs, and a third of all, are in no word. A capital that no word begins
 * with counts as one more: `fakwbO`, `VRWNUo`.
 * @param {string} piece letters only
 */
export function isRandomLetters(piece) {
  if (piece.length < MIN_LETTERS || !/^[a-z]+$/i.test(piece)) return false;
  const lower = piece.toLowerCase();
  let rare = piece !== lower && /[a-z][A-Z]$|^[A-Z]{3,}[a-z]{1,2}$/.test(piece) ? 1 : 0;
  for (let at = 1; at < lower.length; at++) if (!FOLLOWERS.get(lower[at - 1])?.includes(lower[at])) rare++;
  return rare >= 2 && rare * 3 >= lower.length - 1;
}
