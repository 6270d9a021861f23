import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../dist.mjs';
import { listLeftFiles } from './folders.mjs';
import { compareOutputs } from './outputs.mjs';
import { parseBlocks, readServerSettings, toSteps } from './page-blocks.mjs';
import { startServer } from './server.mjs';
import { runSteps } from './shell.mjs';

/** Each page has its own server. */
export const PAGES_AT_ONCE = 2;

/** The port in pages: that of a server without settings. */
const SHOWN_PORT = 3000;
/** The folder in outputs. */
const SHOWN_FOLDER = '/home/you/heliograph';

/** The page whose commands run through npm, as everywhere for users. */
const NPM_PAGE = 'docs/run/install.md';

/** Returns README.md and the pages in docs, as paths from the project's folder. */
export function listPages() {
  const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' });
  return ['README.md', ...pages.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)].sort();
}

/** Returns the pages with commands that run. */
export const listPagesWithExamples = () => listPages().filter((page) => toSteps(readBlocks(page)).length > 0);

/** @param {string} page path from the project's folder */
export const readBlocks = (page) => parseBlocks(readFileSync(join(ROOT, page), 'utf8'));

/**
 * Runs the commands of a page, and compares what they print with what the page shows.
 * @param {string} page path from the project's folder
 * @param {import('./folders.mjs').ExampleFolders} folders
 * @param {{write?: boolean}} [options] `write`: shows in the page what the commands printed
 * @returns {Promise<{problems: string[], written: number}>} `written`: how many blocks changed
 */
export async function runPage(page, folders, { write = false } = {}) {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const steps = toSteps(parseBlocks(text));
  const settings = readServerSettings(text);
  const folder = await folders.create(settings);
  const server = settings && (await startServer(folder.work, settings));
  try {
    const adapt = (commands) => (server ? replacePort(commands, SHOWN_PORT, server.port) : commands);
    const { results, failure } = await runSteps(steps, folder, {
      settings: settings ?? {},
      adapt,
      usesNpm: page === NPM_PAGE,
    });
    if (failure) return { problems: [describeFailure(page, steps, failure, server)], written: 0 };
    const outputs = steps.flatMap(({ output: block }, number) => {
      const printed = (results[number]?.printed ?? '').replaceAll(folder.work, SHOWN_FOLDER);
      return block ? [{ block, printed: server ? replacePort(printed, server.port, SHOWN_PORT) : printed }] : [];
    });
    const different = compareOutputs(outputs).filter(({ isEqual }) => !isEqual);
    const writable = write ? different.filter(({ problem }) => problem === null) : [];
    const left = listLeftFiles(
      folder.work,
      steps.flatMap(({ files }) => files.map(({ file }) => file ?? '')),
    );
    const problems = left.length > 0 ? [`${page} leaves files in the folder: ${left.join(', ')}`] : [];
    if (writable.length > 0) writeFileSync(join(ROOT, page), replaceBlocks(text, writable));
    problems.push(...different.filter((output) => !writable.includes(output)).map((output) => describe(page, output)));
    return { problems, written: writable.length };
  } finally {
    await server?.stop();
    folder.remove();
  }
}

/** Replaces the port in addresses of this machine. */
function replacePort(text, from, to) {
  return text.replace(new RegExp(`(127\\.0\\.0\\.1|localhost):${from}\\b`, 'g'), `$1:${to}`);
}

/** @param {string} text of a page @param {import('./outputs.mjs').ComparedOutput[]} outputs in the order of the page */
function replaceBlocks(text, outputs) {
  const lines = text.split('\n');
  for (const { block, text: newText } of outputs.toReversed()) {
    const newLines = newText.split('\n').slice(0, -1);
    const indented = newLines.map((line) => (line ? block.indent + line : line));
    lines.splice(block.line, block.endLine - block.line - 1, ...indented);
  }
  return lines.join('\n');
}

function describeFailure(page, steps, { step, reason, result }, server) {
  const { block } = steps[step];
  return [
    `${page}:${block.line} ${reason}:`,
    indent(block.text),
    `Standard output:\n${indent(result.printed)}`,
    `Standard error:\n${indent(result.errors)}`,
    ...(server
      ? [`The end of the server's log:\n${indent(server.log().trimEnd().split('\n').slice(-10).join('\n'))}`]
      : []),
  ].join('\n');
}

function describe(page, { block, difference, problem }) {
  if (problem !== null) return `${page}:${block.line} shows JSON, but the commands printed something else. ${problem}`;
  return [
    `${page}:${block.line} shows another output than the commands print.`,
    `Check the difference, then run: npm run docs:examples -- --write ${page}`,
    ...keepNearChanges(difference).map((line) => `  ${line}`),
  ].join('\n');
}

/** Leaves out lines that are more than three lines away from a change. */
function keepNearChanges(difference) {
  const isChange = (line) => line !== undefined && !line.startsWith(' ');
  return difference.flatMap((line, index) => {
    if (difference.slice(Math.max(0, index - 3), index + 4).some(isChange)) return [line];
    return isChange(difference[index - 4]) ? ['  …'] : [];
  });
}

const indent = (text) => text.replace(/^(?=.)/gm, '    ');
