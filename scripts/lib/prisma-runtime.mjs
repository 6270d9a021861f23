import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SPECIFIER = /(["'])(@prisma\/client\/runtime\/[\w.-]+)\1/g;

/**
 * Copies the files of `@prisma/client` that a compiled client imports into the folder of that client. The package can then be a
 * development dependency, so that users need not install 73 MB of query compilers, of which a client uses 5 MB.
 * @param {string} client the folder of the compiled client
 */
export function copyPrismaRuntime(client) {
  const sources = new Set();
  for (const path of listCompiledFiles(client)) {
    const text = readFileSync(path, 'utf8');
    const rewritten = text.replace(SPECIFIER, (_text, quote, specifier) => {
      const source = fileURLToPath(import.meta.resolve(specifier));
      sources.add(source);
      const folder = dirname(path) === client ? './runtime' : '../runtime';
      return `${quote}${folder}/${basename(source)}${quote}`;
    });
    if (rewritten !== text) writeFileSync(path, rewritten);
  }
  // The package.json contains the version, and declares `.js` files as CommonJS.
  for (const name of ['package.json', 'LICENSE']) sources.add(join(findPackageFolder(), name));
  mkdirSync(join(client, 'runtime'));
  for (const source of sources) copyFileSync(source, join(client, 'runtime', basename(source)));
}

function findPackageFolder() {
  return dirname(fileURLToPath(import.meta.resolve('@prisma/client/package.json')));
}

/** Lists the compiled files in a folder and its subfolders. */
function listCompiledFiles(client) {
  return readdirSync(client, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.js'))
    .map((entry) => join(entry.parentPath, entry.name));
}
