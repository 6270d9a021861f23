import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './dist.mjs';

const read = (path) => (existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : null);

/**
 * Compares generated files with the committed ones, and reports the differences on the console. Without `write`, a difference
 * fails the process.
 * @param {ReadonlyMap<string, string>} files expected texts by path from the project's folder
 * @param {{folder: string, command: string, write?: boolean}} options `folder`: may contain only generated files; `command`: npm
 *   script that is named in the report
 */
export function compareGeneratedFiles(files, { folder, command, write = false }) {
  const committed = existsSync(join(ROOT, folder))
    ? readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`)
    : [];
  const superfluous = committed.filter((path) => !files.has(path));
  const stale = [...[...files.keys()].filter((path) => read(path) !== files.get(path)), ...superfluous];
  if (write) {
    for (const path of stale) writeOrDelete(path, files.get(path));
    console.log(stale.length > 0 ? `Written: ${stale.join(', ')}` : 'No change.');
  } else if (stale.length > 0) {
    console.error(`Out of date: ${stale.join(', ')}. Run \`npm run ${command} -- --write\`.`);
    process.exitCode = 1;
  }
}

function writeOrDelete(path, text) {
  const file = join(ROOT, path);
  if (text === undefined) return rmSync(file);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
