// Runs test files in a copy of the project. scripts/mutants.mjs sends requests to this process over IPC. PostgreSQL and Redis
// are started only once, but each request gets new test processes, which load the current sources.
import { relative, resolve } from 'node:path';
import { createVitest } from 'vitest/node';

const vitest = await createVitest('test', { watch: false, bail: 1, reporters: [{}] });

process.on('message', async ({ changed, files }) => {
  process.send(await runTests(changed, files).catch(({ stack }) => ({ killer: null, problem: stack })));
});
process.on('disconnect', () => void vitest.exit(true));
process.send('ready');

/**
 * Returns the first file with a test that failed, or why no test ran.
 * @param {string[]} changed sources that have changed since the last run
 * @param {string[]} files test files
 * @returns {Promise<{killer: string | null, problem?: string}>}
 */
async function runTests(changed, files) {
  for (const file of changed) vitest.invalidateFile(resolve(file));
  const specifications = await vitest.globTestSpecifications(files);
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  const requestedIds = new Set(specifications.map(({ moduleId }) => moduleId));
  const modules = testModules.filter(({ moduleId }) => requestedIds.has(moduleId));
  const tests = (module) => [...module.children.allTests()];
  const failed = modules.filter((module) => module.state() === 'failed');
  // If a test file without any test fails, the file could not be loaded, because the mutant is not valid TypeScript.
  const killer = failed.find((module) => tests(module).length > 0);
  if (killer) return { killer: relative(process.cwd(), killer.moduleId) };
  const [error] = [...failed.flatMap((module) => module.errors()), ...unhandledErrors];
  if (error) return { killer: null, problem: error.stack ?? String(error.message) };
  const hasRun = modules.some((module) => tests(module).some((test) => test.result().state === 'passed'));
  return hasRun ? { killer: null } : { killer: null, problem: `no test of ${files.join(' ')} ran` };
}
