import { readFileSync } from 'node:fs';

const PAGE = new URL('../../../docs/run/several-machines.md', import.meta.url);

/**
 * Reads the recommended rights from docs/run/several-machines.md, so that runs test exactly these rights.
 * @param {'Redis' | 'nodes of a cluster' | 'Sentinels'} server name on the page
 * @param {string} password of the user `heliograph`, with the prefix `>` or `#`
 * @returns {string[]}
 */
export function readUsers(server, password) {
  const [, lines] = new RegExp(`^ *# on ${server}\\n((?: *user .+\\n)+)`, 'm').exec(readFileSync(PAGE, 'utf8')) ?? [];
  if (!lines) throw new Error(`docs/run/several-machines.md has no users "# on ${server}"`);
  return lines
    .trim()
    .split('\n')
    .map((line) => line.trim().replace('>PASSWORD', password));
}
