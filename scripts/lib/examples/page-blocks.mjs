/**
 * A fenced block of a page.
 * @typedef {object} Block
 * @property {string} language the first word after the fence, or ''
 * @property {string[]} words the other words after the fence, such as `output` or `needs=docker`
 * @property {string | null} file the name in brackets: the block is saved as this file
 * @property {string} text its lines, without the indentation of the fence
 * @property {number} line line number of its first fence, from 1
 * @property {number} endLine line number of its last fence
 * @property {string} indent spaces before the fence
 */

/**
 * A `bash` block with what belongs to it.
 * @typedef {object} Step
 * @property {Block} block
 * @property {Block[]} files saved before the block runs
 * @property {Block | null} output what the block printed, as the page shows it
 */

const FENCE = /^(\s*)(`{3,}|~{3,})\s*([^`]*)$/;

/** Returns all fenced blocks of a page. @param {string} text @returns {Block[]} */
export function parseBlocks(text) {
  const blocks = [];
  let open = null;
  for (const [index, line] of text.split('\n').entries()) {
    const [, indent, fence, info] = FENCE.exec(line) ?? [];
    if (!open) {
      if (fence !== undefined) open = { indent, fence, info: info.trim(), line: index + 1, lines: [] };
    } else if (fence?.startsWith(open.fence) && info.trim() === '') {
      blocks.push(toBlock(open, index + 1));
      open = null;
    } else {
      open.lines.push(removeIndent(line, open.indent.length));
    }
  }
  return blocks;
}

function toBlock({ indent, info, line, lines }, endLine) {
  const file = /\[([^\]]+)\]/.exec(info)?.[1] ?? null;
  const [language = '', ...words] = info
    .replace(/\[[^\]]*\]/, ' ')
    .split(/\s+/)
    .filter(Boolean);
  return { language, words, file, text: lines.map((each) => `${each}\n`).join(''), line, endLine, indent };
}

function removeIndent(line, width) {
  return line.slice(Math.min(width, line.length - line.trimStart().length));
}

/** @param {Block} block */
export const isCommands = ({ language, file }) => language === 'bash' && file === null;

/** @param {Block} block */
export const isOutput = ({ words }) => words.includes('output');

/** Groups the blocks of a page by the `bash` block they belong to. @param {Block[]} blocks @returns {Step[]} */
export function toSteps(blocks) {
  const steps = [];
  let files = [];
  for (const [index, block] of blocks.entries()) {
    if (block.file !== null) files.push(block);
    if (!isCommands(block)) continue;
    const next = blocks[index + 1];
    steps.push({ block, files, output: next && isOutput(next) ? next : null });
    files = [];
  }
  return steps;
}

/**
 * Reads the comment `<!-- server: NAME=value -->` of a page.
 * @param {string} text of the page
 * @returns {Record<string, string> | null} the settings of its server, or null if it needs none
 */
export function readServerSettings(text) {
  const comment = /^<!-- server:(.*?)-->$/m.exec(text)?.[1]?.trim() ?? '';
  if (comment === 'none') return null;
  const settings = comment.matchAll(/([A-Z][A-Z0-9_]*)=("[^"]*"|'[^']*'|\S*)/g);
  return Object.fromEntries([...settings].map(([, name, value]) => [name, value.replace(/^(["'])(.*)\1$/, '$2')]));
}
