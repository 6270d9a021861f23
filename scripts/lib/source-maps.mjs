import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Removes one `../` from the paths of sources, because the compiler writes files one level below their final folder.
 * @param {string} folder of the compiled files
 */
export function shortenSourcePaths(folder) {
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!name.endsWith('.js.map')) continue;
    const path = join(folder, name);
    const map = JSON.parse(readFileSync(path, 'utf8'));
    map.sources = map.sources.map((source) => source.replace(/^\.\.\//, ''));
    writeFileSync(path, JSON.stringify(map));
  }
}
