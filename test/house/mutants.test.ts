import { describe, expect, it } from 'vitest';
import { findProblem, readMutants } from '../../scripts/lib/mutants.mjs';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

const mutants = readMutants(PROJECT_FOLDER);

describe('the mistakes in test/mutants', () => {
  it('each fit the code, have a reason, and name a test that may kill them', () => {
    const faults = mutants.flatMap((mutant) => {
      const problem = findProblem(PROJECT_FOLDER, mutant);
      return problem ? [`${mutant.area}: ${mutant.file}: ${problem}: ${mutant.search}`] : [];
    });
    expect(faults).toEqual([]);
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
