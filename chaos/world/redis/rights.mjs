import { readFileSync } from 'node:fs';

const PAGE = new URL('../../../docs/several-machines.md', import.meta.url);

/**
 * The lines of users of access control lists that docs/several-machines.md gives to operators, so that what a run is made
 * with and what operators are told is the same.
 * @param {'Redis' | 'nodes of a cluster' | 'Sentinels'} on by which the page names them
 * @param {string} password of the user `heliograph`, as a rule has it: `>` or `#` before it
 * @returns {string[]}
 */
export function usersOn(on, password) {
  const [, lines] = new RegExp(`^ *# on ${on}\\n((?: *user .+\\n)+)`, 'm').exec(readFileSync(PAGE, 'utf8')) ?? [];
  if (!lines) throw new Error(`docs/several-machines.md has no users "# on ${on}"`);
  return lines
    .trim()
    .split('\n')
    .map((line) => line.trim().replace('>PASSWORD', password));
}
