import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as texts from '../../console/src/text/en.js';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

const FOLDER = join(PROJECT_FOLDER, 'docs/console');
/** Headings of pages.md that are not the name of a page. */
const OTHER_HEADINGS = ['Before you start'];
/** Names of other programs' consoles, as the first name of a path. */
const FOREIGN = ['Clients', 'Google Auth Platform', 'App registrations'];

function collectTexts(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === 'string') found.add(value);
  else if (typeof value === 'object' && value !== null) {
    for (const each of Object.values(value)) collectTexts(each, found);
  }
  return found;
}

const known = collectTexts(texts);

/** Paths in bold or italics, such as `*Settings → Account*`, as lists of names. */
const listPaths = (text: string) =>
  [...text.matchAll(/(?<=^|[\s(])\*{1,2}(?=\S)([^*]+→[^*]+)\*{1,2}/gm)].map(([, path = '']) =>
    path.split('→').map((name) => name.trim()),
  );

const findUnknown = (text: string) =>
  listPaths(text)
    .filter(([first = '']) => !FOREIGN.includes(first))
    .flatMap((path) => path.filter((name) => !known.has(name)).map((name) => `${name} (${path.join(' → ')})`));

describe('names of the console in docs/console', () => {
  const pages = readdirSync(FOLDER).filter((name) => name.endsWith('.md'));

  it.each(pages)('every path in %s has the names that the console shows', (page) => {
    expect(findUnknown(readFileSync(join(FOLDER, page), 'utf8'))).toEqual([]);
  });

  it('every heading of pages.md is the name of a page or section', () => {
    const text = readFileSync(join(FOLDER, 'pages.md'), 'utf8');
    const headings = [...text.matchAll(/^#{2,3} (.+)$/gm)].map(([, heading = '']) => heading);
    expect(headings.length).toBeGreaterThan(5);
    expect(headings.filter((heading) => !known.has(heading) && !OTHER_HEADINGS.includes(heading))).toEqual([]);
  });

  it('reports a name that the console does not show', () => {
    expect(findUnknown('Open *Settings → Acount* or **People → Contacts**.')).toEqual(['Acount (Settings → Acount)']);
  });
});
