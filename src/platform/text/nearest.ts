const SHORT_WORD_LENGTH = 6;

/** Allows two edits, or one edit for short words, which resemble many other words. */
export function findNearest(word: string, words: readonly string[]): string | null {
  let best: string | null = null;
  let leastDistance = (word.length < SHORT_WORD_LENGTH ? 1 : 2) + 1;
  for (const candidate of words) {
    const distance = editDistance(word, candidate);
    if (distance >= leastDistance) continue;
    best = candidate;
    leastDistance = distance;
  }
  return best;
}

/** Optimal string alignment distance. */
function editDistance(from: string, to: string): number {
  let rowBeforeLast: number[] = [];
  let previousRow = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const currentRow = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      let leastDistance = Math.min(
        (previousRow[column] as number) + 1,
        (currentRow[column - 1] as number) + 1,
        (previousRow[column - 1] as number) + (isSame ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped) leastDistance = Math.min(leastDistance, (rowBeforeLast[column - 2] as number) + 1);
      currentRow.push(leastDistance);
    }
    rowBeforeLast = previousRow;
    previousRow = currentRow;
  }
  return previousRow[to.length] as number;
}

export function isOneEditAway(word: string, other: string): boolean {
  return editDistance(word, other) === 1;
}
