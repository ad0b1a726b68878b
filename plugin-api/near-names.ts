/**
 * The known names that look most like a mistaken one, best first; empty when none comes near.
 * Likeness is Ratcliff and Obershelp's: twice the characters in common blocks, over all characters.
 */
export function nearNames(name: string, known: Iterable<string>, most = 3): readonly string[] {
  return [...known]
    .map((candidate) => ({ candidate, likeness: likeness(candidate, name) }))
    .filter((one) => one.likeness >= 0.6)
    .toSorted((left, right) => right.likeness - left.likeness)
    .slice(0, most)
    .map((one) => one.candidate);
}

const likeness = (left: string, right: string): number =>
  (2 * commonCharacters(left, right)) / (left.length + right.length || 1);

function commonCharacters(left: string, right: string): number {
  const block = longestCommonBlock(left, right);
  if (block.length === 0) return 0;
  return (
    block.length +
    commonCharacters(left.slice(0, block.left), right.slice(0, block.right)) +
    commonCharacters(left.slice(block.left + block.length), right.slice(block.right + block.length))
  );
}

function longestCommonBlock(left: string, right: string) {
  let best = { left: 0, right: 0, length: 0 };
  for (let i = 0; i < left.length; i++) {
    for (let j = 0; j < right.length; j++) {
      let length = 0;
      while (i + length < left.length && left[i + length] === right[j + length]) length++;
      if (length > best.length) best = { left: i, right: j, length };
    }
  }
  return best;
}
