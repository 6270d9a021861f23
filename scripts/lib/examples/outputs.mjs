import { formatJson } from '../json-text.mjs';
import { normalise, ValueMap } from './changing-values.mjs';

/**
 * @typedef {object} ComparedOutput
 * @property {import('./page-blocks.mjs').Block} block
 * @property {boolean} isEqual whether the block shows what was printed, except for values that differ between runs
 * @property {string} text what the block should show; its present text if it is equal
 * @property {string[]} difference the lines to remove and to add, for readers
 * @property {string | null} problem why the block cannot show what was printed
 */

/**
 * Compares the shown outputs of a page with the printed ones.
 * @param {{block: import('./page-blocks.mjs').Block, printed: string}[]} outputs of the whole page, in order
 * @returns {ComparedOutput[]}
 */
export function compareOutputs(outputs) {
  const values = new ValueMap();
  const compared = outputs.map(({ block, printed }) => {
    const isEqual = normaliseLayout(block, block.text) === normaliseLayout(block, printed);
    return { block, printed, isEqual: isEqual && values.match(block.text, printed) };
  });
  return compared.map(({ block, printed, isEqual }) => {
    const unchanged = { block, isEqual, text: block.text, difference: [], problem: null };
    if (isEqual) return unchanged;
    const formatted = tryToFormat(block, printed);
    if (formatted.problem !== null) return { ...unchanged, problem: formatted.problem };
    return { ...unchanged, ...mergeLines(toLines(block.text), toLines(formatted.text), values) };
  });
}

/** Removes what no page shows. @param {string} text */
export function trimOutput(text) {
  return text
    .replace(/\r/g, '')
    .replace(/[ \t]+$/gm, '')
    .replace(/^\n+|\n+$/g, '');
}

/** Formats a text as the block shows it. Reports a problem if the block shows JSON and the text is not JSON. */
function tryToFormat({ language }, text) {
  const trimmed = trimOutput(text);
  if (language !== 'json') return { text: trimmed, problem: null };
  try {
    return { text: formatJson(trimmed), problem: null };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { text: trimmed, problem: error.message };
  }
}

/** Normalised before it is formatted, because the layout of JSON depends on the lengths of its values. */
const normaliseLayout = (block, text) => tryToFormat(block, normalise(text)).text;

const toLines = (text) => trimOutput(text).split('\n');

/** Keeps each shown line that is equal to a printed one after normalising, so that a change touches few lines. */
function mergeLines(shownLines, printedLines, values) {
  const [left, right] = [shownLines.map(normalise), printedLines.map(normalise)];
  const lengths = countCommonLines(left, right);
  const lines = [];
  const difference = [];
  let [s, p] = [0, 0];
  while (p < right.length || s < left.length) {
    if (s < left.length && p < right.length && left[s] === right[p]) {
      const isSame = values.match(shownLines[s], printedLines[p]);
      const line = isSame ? shownLines[s] : values.toShown(printedLines[p]);
      difference.push(...(isSame ? [`  ${line}`] : [`- ${shownLines[s]}`, `+ ${line}`]));
      lines.push(line);
      s += 1;
      p += 1;
    } else if (p === right.length || (s < left.length && lengths[s + 1][p] >= lengths[s][p + 1])) {
      if (shownLines[s] !== '') difference.push(`- ${shownLines[s]}`);
      s += 1;
    } else {
      const line = values.toShown(printedLines[p]);
      difference.push(`+ ${line}`);
      lines.push(line);
      p += 1;
    }
  }
  return { text: lines.map((line) => `${line}\n`).join(''), difference };
}

/** Returns the number of common lines, in order, of the lines from each pair of positions. */
function countCommonLines(left, right) {
  const lengths = Array.from({ length: left.length + 1 }, () => new Array(right.length + 1).fill(0));
  for (let l = left.length - 1; l >= 0; l -= 1) {
    for (let r = right.length - 1; r >= 0; r -= 1) {
      lengths[l][r] = left[l] === right[r] ? lengths[l + 1][r + 1] + 1 : Math.max(lengths[l + 1][r], lengths[l][r + 1]);
    }
  }
  return lengths;
}
