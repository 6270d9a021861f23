import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The compiler names the sources of each file by the way from where it writes it. This is one folder deeper than where
 * the file is moved to afterwards: one `../` goes.
 * @param {string} folder with all that was compiled, one folder below where it will lie
 */
export function raiseSourceMaps(folder) {
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!name.endsWith('.js.map')) continue;
    const path = join(folder, name);
    const map = JSON.parse(readFileSync(path, 'utf8'));
    map.sources = map.sources.map((source) => source.replace(/^\.\.\//, ''));
    writeFileSync(path, JSON.stringify(map));
  }
}
