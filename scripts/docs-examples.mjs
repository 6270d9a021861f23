// npm run docs:examples [-- PAGE… --write]
//
// Runs the commands in README.md and docs, or in the given pages, and compares what they print with the outputs that the pages show.
// --write shows in the pages what the commands printed. docs/writing.md describes the blocks of commands and outputs.
import { relative, resolve } from 'node:path';
import { parseCommandLine } from './lib/command-line.mjs';
import { ROOT } from './lib/dist.mjs';
import { checkBlocks } from './lib/examples/block-rules.mjs';
import { ExampleFolders } from './lib/examples/folders.mjs';
import { Limiter } from './lib/examples/limiter.mjs';
import { listPagesWithExamples, PAGES_AT_ONCE, readBlocks, runPage } from './lib/examples/run-page.mjs';
import { stopServers } from './lib/examples/server.mjs';

const { values, args } = parseCommandLine(import.meta.url, {
  options: { write: { type: 'boolean', default: false } },
  maxArguments: Number.POSITIVE_INFINITY,
});
const pages = args.length > 0 ? args.map((page) => relative(ROOT, resolve(page))) : listPagesWithExamples();
const folders = new ExampleFolders();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopServers().finally(() => process.exit(1)));
process.once('exit', () => folders.remove());

const limiter = new Limiter(PAGES_AT_ONCE);
await Promise.all(pages.map((page) => limiter.run(() => run(page))));

async function run(page) {
  const start = performance.now();
  const problems = checkBlocks(page, readBlocks(page));
  let written = 0;
  try {
    const result = await runPage(page, folders, { write: values.write });
    problems.push(...result.problems);
    written = result.written;
  } catch (error) {
    problems.push(`${page}: ${error.stack}`);
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const outcome = problems.length > 0 ? 'failed' : written > 0 ? `${written} outputs written` : 'as printed';
  console.log(`${page}: ${outcome} (${seconds} s)`);
  for (const problem of problems) console.error(`\n${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
}
