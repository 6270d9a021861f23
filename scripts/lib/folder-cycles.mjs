import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g;

/**
 * Finds import cycles between the folders of one room, such as src/messages. The subfolders of a folder count as part of it.
 * Files directly in the room belong to no folder, so every folder may use them.
 * @returns one shortest cycle for each set of folders that depend on each other, e.g. `['accept', 'queue']`
 */
export function findFolderCycles(room) {
  const imports = readFolderImports(room);
  const cycles = [];
  const reported = new Set();
  for (const folder of imports.keys()) {
    if (reported.has(folder)) continue;
    const cycle = findShortestCycle(imports, folder);
    if (!cycle) continue;
    cycles.push(cycle);
    for (const member of cycle) reported.add(member);
  }
  return cycles;
}

/** @returns for each folder of a room, the other folders that it imports from */
function readFolderImports(room) {
  const imports = new Map();
  for (const entry of readdirSync(room, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
    const file = join(entry.parentPath, entry.name);
    const folder = findFolder(room, file);
    if (folder === null) continue;
    const targets = imports.get(folder) ?? new Set();
    imports.set(folder, targets);
    for (const [, specifier] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const target = findFolder(room, join(dirname(file), specifier));
      if (target !== null && target !== folder) targets.add(target);
    }
  }
  return imports;
}

/** Returns the folder of a room that contains a file, or null for files directly in the room or outside of it. */
function findFolder(room, file) {
  const [folder, ...segments] = relative(room, file).split(sep);
  return segments.length === 0 || folder === '..' ? null : folder;
}

/** Searches breadth first, so that the cycle with the fewest folders is found. */
function findShortestCycle(imports, start) {
  const paths = [[start]];
  const visited = new Set();
  for (const path of paths) {
    for (const next of imports.get(path.at(-1)) ?? []) {
      if (next === start) return path;
      if (visited.has(next)) continue;
      visited.add(next);
      paths.push([...path, next]);
    }
  }
  return null;
}
