// npm run english [-- --odd | --sample 50 [--seed 7] [--kind comments | names]] [--under src/accounts]
//
// Counts names and turns of phrase that usually need a rewrite (docs/writing.md), per 1,000. --odd lists these names and
// phrases. --sample prints random sentences or names, to be judged by a reader who does not know the code. --write lowers the
// limits that a test checks.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseCommandLine } from './lib/command-line.mjs';
import { countEnglish, listProjectFiles, perThousand } from './lib/english/counts.mjs';
import { findNames } from './lib/english/names.mjs';
import { findSentences } from './lib/english/sentences.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LIMITS = new URL('../test/house/english-limits.json', import.meta.url);

const { values: options } = parseCommandLine(import.meta.url, {
  options: {
    odd: { type: 'boolean', default: false },
    sample: { type: 'string' },
    seed: { type: 'string', default: '7' },
    kind: { type: 'string', default: 'comments' },
    under: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
});

if (options.sample) printSample(Number(options.sample), Number(options.seed));
else printCounts();

function printCounts() {
  const counts = countEnglish(ROOT);
  if (options.write) writeLimits(counts);
  for (const [key, count] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const odd = count.odd.filter(({ file }) => file.startsWith(options.under));
    if (options.odd) for (const { file, line, text, why } of odd) console.log(`${file}:${line} (${why}) ${text}`);
    else console.log(`${key}: ${count.all}, ${perThousand(count)} odd per 1,000`);
  }
}

function writeLimits(counts) {
  const limits = JSON.parse(readFileSync(LIMITS, 'utf8'));
  for (const [key, count] of counts)
    limits[key] = Math.min(limits[key] ?? Number.POSITIVE_INFINITY, perThousand(count));
  writeFileSync(LIMITS, `${JSON.stringify(Object.fromEntries(Object.entries(limits).sort()), null, 2)}\n`);
}

function printSample(size, seed) {
  const candidates = listProjectFiles(ROOT)
    .filter((file) => file.startsWith(options.under))
    .flatMap((file) => {
      if (options.kind !== 'names') return findSentences(ROOT, file, options.kind);
      return /\.(ts|tsx|mjs)$/.test(file) ? findNames(ROOT, file) : [];
    });
  let state = seed;
  for (let number = 1; number <= size && candidates.length > 0; number += 1) {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    const [{ file, line, text, code }] = candidates.splice(Math.floor((state / 2 ** 32) * candidates.length), 1);
    console.log(`${number}. ${file}:${line} ${code ? `${text}  |  ${code}` : text}`);
  }
}
