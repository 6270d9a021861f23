import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g;

/**
 * Finds import cycles between folders of the same parent at every depth, such as src/messages/accept and src/messages/queue.
 * The subfolders of a folder count as part of it. Files directly in the parent belong to neither folder, so both may use them.
 * @returns one shortest cycle for each set of folders that depend on each other, as paths
 */
export function findFolderCycles(top) {
  const imports = readSiblingImports(top);
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

/** For each folder, the folders of the same parent it imports from. */
function readSiblingImports(top) {
  const imports = new Map();
  for (const entry of readdirSync(top, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue;
    for (const [, specifier] of readFileSync(join(entry.parentPath, entry.name), 'utf8').matchAll(IMPORT)) {
      const siblings = findSiblings(entry.parentPath, dirname(join(entry.parentPath, specifier)));
      if (!siblings) continue;
      const [folder, target] = siblings;
      imports.set(folder, (imports.get(folder) ?? new Set()).add(target));
    }
  }
  return imports;
}

/** The folders below the nearest common parent of two folders; null if one of the two contains the other. */
function findSiblings(from, to) {
  const [names, targetNames] = [from.split(sep), to.split(sep)];
  const depth = names.findIndex((name, index) => name !== targetNames[index]);
  if (depth === -1 || depth === targetNames.length) return null;
  return [names, targetNames].map((each) => each.slice(0, depth + 1).join('/'));
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
