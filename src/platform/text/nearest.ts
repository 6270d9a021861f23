/** A short word is soon near to another one. */
const SHORT = 6;

/** The word that differs from this one by two slips at the most (of a word of fewer than six letters by one), or null. */
export function nearest(word: string, words: readonly string[]): string | null {
  let best: string | null = null;
  let least = (word.length < SHORT ? 1 : 2) + 1;
  for (const each of words) {
    const distance = slips(word, each);
    if (distance >= least) continue;
    best = each;
    least = distance;
  }
  return best;
}

/** How many letters must be added, left out, replaced or swapped with their neighbour (optimal string alignment). */
function slips(from: string, to: string): number {
  let earlier: number[] = [];
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const line = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let least = Math.min(
        (above[column] as number) + 1,
        (line[column - 1] as number) + 1,
        (above[column - 1] as number) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped) least = Math.min(least, (earlier[column - 2] as number) + 1);
      line.push(least);
    }
    earlier = above;
    above = line;
  }
  return above[to.length] as number;
}

/** Whether one letter added, removed or replaced, or two neighbors swapped, makes one word of the other. */
export function isOneEditAway(word: string, other: string): boolean {
  return slips(word, other) === 1;
}
