/** Letters of a line beside the bars of a chart. */
const MOST_LETTERS = 20;

/**
 * A name as it stands beside its bars: in lines, so that no word or number of it is cut. A word that is longer than a line
 * is parted behind a hyphen or the like, and has a line of its own where it has none.
 */
export function linesOf(name: string): string[] {
  const lines: string[] = [];
  for (const part of name.split(/\s+|(?<=[-_./:@])/u).filter((each) => each !== '')) {
    const last = lines.at(-1);
    const joined = last === undefined ? part : last + (name.includes(last + part) ? '' : ' ') + part;
    if (last !== undefined && joined.length <= MOST_LETTERS) lines[lines.length - 1] = joined;
    else lines.push(part);
  }
  return lines;
}
