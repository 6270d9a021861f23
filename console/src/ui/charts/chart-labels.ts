/** Characters per line of a bar's label. */
const MOST_LETTERS = 20;

/**
 * Wraps the label of a bar. Lines break at spaces and after punctuation such as hyphens, so that no word or number is cut. A
 * longer word gets a line for itself.
 */
export function linesOf(name: string): string[] {
  const lines: string[] = [];
  for (const part of name.split(/\s+|(?<=[-_./:@])/u).filter((each) => each !== '')) {
    const last = lines.at(-1);
    const extended = last === undefined ? part : last + (name.includes(last + part) ? '' : ' ') + part;
    if (last !== undefined && extended.length <= MOST_LETTERS) lines[lines.length - 1] = extended;
    else lines.push(part);
  }
  return lines;
}
