import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { countEnglish, perThousand } from '../../scripts/lib/english/counts.mjs';
import { readComments } from '../../scripts/lib/english/sentences.mjs';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

const limits: Record<string, number> = JSON.parse(
  readFileSync(new URL('english-limits.json', import.meta.url), 'utf8'),
);
const counts = countEnglish(PROJECT_FOLDER);

describe('the English of the project (docs/writing.md)', () => {
  it.each([...counts.keys()].sort())('has no more odd names or turns of phrase than before: %s', (key) => {
    const count = counts.get(key) as NonNullable<ReturnType<typeof counts.get>>;
    const offenders = count.odd.map(({ file, line, text, why }) => `${file}:${line} (${why}) ${text}`);
    // `npm run english -- --write` lowers a limit after a rewrite. Limits never rise.
    expect(perThousand(count), `odd per 1,000 of ${key}:\n${offenders.join('\n')}`).toBeLessThanOrEqual(
      limits[key] ?? 0,
    );
  });
});

describe('readComments', () => {
  it('reads comments, but no strings that contain comment markers', () => {
    const source = `
const pattern = 'src/**';
// This comment has
// two lines of text.
const other = '*/ is not the end of a comment'; // This trailing comment is left out.
/** This comment follows a string. */
`;
    expect(readComments(source, 'source.ts')).toEqual([
      { line: 3, text: 'This comment has two lines of text.' },
      { line: 6, text: 'This comment follows a string.' },
    ]);
  });
});
