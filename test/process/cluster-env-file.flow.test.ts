import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { closersForEachTest } from '../support/for-suite.js';
import { openFolder } from '../support/open-folder.js';
import { listMembers } from '../support/processes/members.js';
import { startServerProcess } from '../support/processes/server-process.js';
import { readDemo } from '../support/storms.js';
import { waitFor } from '../support/wait-for.js';

const closers = closersForEachTest();

it('all processes use the file of --env-file, and SIGHUP reloads it', async () => {
  const dataDir = openFolder('heliograph-by-file-');
  closers.push(() => rm(dataDir, { recursive: true, force: true }));
  const file = join(dataDir, 'heliograph.env');
  const writeLimit = (perSecond: number) => writeFile(file, `PROCESSES=2\nRATE_LIMIT_PER_SECOND=${perSecond}\n`);
  await writeLimit(7);
  const server = await startServerProcess({
    // Settings in the file that `--env-file` names override these environment variables.
    settings: { DATA_DIR: dataDir, DATABASE_POOL_SIZE: '15', RATE_LIMIT_PER_SECOND: '5' },
    command: ['--env-file', file, 'serve'],
  });
  closers.push(() => server.stop());
  const { apiKey } = await readDemo(dataDir);
  const readLimit = async () => {
    const headers = { authorization: `Bearer ${apiKey}`, connection: 'close' };
    return (await fetch(`${server.baseUrl}/v1.0/account/balance`, { headers })).headers.get('x-ratelimit-limit');
  };
  expect(await listMembers(server)).toHaveLength(2);
  expect(await readLimit()).toBe('7');

  await writeFile(file, 'PROCESSES=2\nRATE_LIMIT_PER_SECOND=many\n');
  server.process.kill('SIGHUP');
  await waitFor('the invalid setting to be logged', () =>
    /nothing is restarted.*RATE_LIMIT_PER_SECOND/.test(server.output()),
  );

  await writeLimit(9);
  server.process.kill('SIGHUP');
  await waitFor('all processes to be restarted', () => server.output().includes('all processes were restarted'));
  expect(await readLimit()).toBe('9');
});
