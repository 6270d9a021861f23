const MAX_LINE_LENGTH = 20;

/** Breaks lines at spaces and after punctuation, so that no word or number is cut. */
export function wrapLabel(name: string): string[] {
  const lines: string[] = [];
  for (const part of name.split(/\s+|(?<=[-_./:@])/u).filter((piece) => piece !== '')) {
    const last = lines.at(-1);
    const extended = last === undefined ? part : last + (name.includes(last + part) ? '' : ' ') + part;
    if (last !== undefined && extended.length <= MAX_LINE_LENGTH) lines[lines.length - 1] = extended;
    else lines.push(part);
  }
  return lines;
}
