import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProblem, readMutants } from '../../scripts/lib/mutants.mjs';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

const mutants = readMutants(PROJECT_FOLDER);

/** Words that a mistake may introduce: keywords, and names from SQL. Other new words would only cause a ReferenceError. */
const NEW_WORDS = new Set(['true', 'false', 'while', 'hour', 'is_active']);

const listWords = (text: string) => text.match(/(?<![\w$])[A-Za-z_$][\w$]*/g) ?? [];

describe('the mistakes in test/mutants', () => {
  it('each fit the code, have a reason, and name a test that may kill them', () => {
    const faults = mutants.flatMap((mutant) => {
      const problem = findProblem(PROJECT_FOLDER, mutant);
      return problem ? [`${mutant.area}: ${mutant.file}: ${problem}: ${mutant.search}`] : [];
    });
    expect(faults).toEqual([]);
  });

  it('use only names that exist in the file', () => {
    const unknown = mutants.flatMap(({ file, replace }) => {
      const known = new Set(listWords(readFileSync(join(PROJECT_FOLDER, file), 'utf8')));
      const words = listWords(replace).filter(
        (word) => !known.has(word) && !NEW_WORDS.has(word) && !(word in globalThis),
      );
      return words.map((word) => `${file}: ${word} in ${replace}`);
    });
    expect(unknown).toEqual([]);
  });

  it('have no duplicates', () => {
    const mutations = mutants.map(({ file, search, replace }) => `${file}: ${search} → ${replace}`);
    expect(mutations.filter((mutant, index) => mutations.indexOf(mutant) !== index)).toEqual([]);
  });

  it('include at least 150, in every room, and tests kill 95 % of them', () => {
    expect(mutants.length).toBeGreaterThanOrEqual(150);
    const rooms = new Set(mutants.map(({ file }) => file.split('/')[1]));
    const requiredRooms = ['accounts', 'carriers', 'features', 'messages', 'platform', 'process', 'surfaces'];
    expect(requiredRooms.filter((room) => !rooms.has(room))).toEqual([]);
    const killed = mutants.filter(({ killedBy }) => killedBy);
    expect(killed.length / mutants.length).toBeGreaterThanOrEqual(0.95);
    const unexplained = mutants.filter(({ killedBy, survives }) => !killedBy && !survives);
    expect(unexplained.map(({ file, search }) => `${file}: ${search}`)).toEqual([]);
  });
});
