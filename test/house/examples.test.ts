import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ExampleFolders } from '../../scripts/lib/examples/folders.mjs';
import { Limiter } from '../../scripts/lib/examples/limiter.mjs';
import { listPagesWithExamples, PAGES_AT_ONCE, readBlocks, runPage } from '../../scripts/lib/examples/run-page.mjs';
import { findProgram } from '../support/processes/debian-packages.js';
import { LANGUAGES_SUITE } from '../support/run/provided.js';

/** Only for pages that hang. Includes the time in which a page waits for others. */
const TIMEOUT_MS = 3_600_000;

/** By the languages of files that pages save and run. */
const PROGRAMS: Record<string, string> = { python: 'python3', php: 'php', go: 'go' };

const lacksProgram = (page: string) =>
  readBlocks(page).some(({ file, language }) => {
    const program = PROGRAMS[language];
    return file !== null && program !== undefined && findProgram([program]) === null;
  });

describe.concurrent('commands of pages', { timeout: TIMEOUT_MS }, () => {
  const limiter = new Limiter(PAGES_AT_ONCE);
  let folders: ExampleFolders;

  beforeAll(() => {
    folders = new ExampleFolders();
  });
  afterAll(() => folders.remove());

  const test = async (page: string) => {
    const { problems } = await limiter.run(() => runPage(page, folders));
    expect(problems.join('\n\n')).toBe('');
  };
  const pages = listPagesWithExamples();
  it.each(pages.filter((page) => !lacksProgram(page)))('of %s print what the page shows', test);
  it.skip.each(pages.filter(lacksProgram))(`of %s print what the page shows ${LANGUAGES_SUITE}`, test);
});
