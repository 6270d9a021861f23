import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g;

/**
 * Finds import cycles between folders of the same parent at every depth, such as src/messages/accept and src/messages/queue.
 * Subfolders count as part of their folder. Files directly in the parent belong to neither folder, so both folders may import
 * them. Returns a shortest cycle as paths for each set of folders that depend on each other.
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

/** Returns which folders of the same parent each folder imports from. */
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

/** Returns the folders in which two paths differ below their nearest common parent, or null if one path contains the other. */
function findSiblings(from, to) {
  const [names, targetNames] = [from.split(sep), to.split(sep)];
  const depth = names.findIndex((name, index) => name !== targetNames[index]);
  if (depth === -1 || depth === targetNames.length) return null;
  return [names, targetNames].map((each) => each.slice(0, depth + 1).join('/'));
}

/** Finds the cycle with the fewest folders, by a breadth-first search. */
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
