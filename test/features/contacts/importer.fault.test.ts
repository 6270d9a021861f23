import { pino } from 'pino';
import { expect, it } from 'vitest';
import { ContactImporter } from '../../../src/features/contacts/import/importer.js';
import { readImportJob, startImport } from '../../../src/features/contacts/import/jobs.js';
import { type FaultPoints, noFaults } from '../../../src/platform/faults.js';
import { systemClock as clock } from '../../../src/platform/system-clock.js';
import { createTestChannel } from '../../support/channels.js';
import { suiteStore } from '../../support/for-suite.js';
import { waitFor } from '../../support/wait-for.js';

const ROWS = 1_200;
const store = suiteStore();

function createImporter(faults: FaultPoints): ContactImporter {
  const { pool } = store;
  return new ContactImporter({ pool, log: pino({ level: 'silent' }), clock, faults });
}

it('another process resumes an import that died between two batches, without repeating rows', async () => {
  const { account, channelId } = await createTestChannel(store);
  const scope = { accountId: account.id, channelId };
  const contacts = Array.from({ length: ROWS }, (_, index) => ({ phone: String(15005560000 + index) }));
  const options = { ...store, clock };
  const { id } = await startImport(options, scope, {
    input: { contacts },
    country: null,
    kind: 'whatsapp',
    groupId: null,
    update: false,
  });
  const readJob = () => readImportJob(store, scope, id);

  let hitCount = 0;
  const dyingImporter = createImporter({
    hit: () => {
      hitCount += 1;
      throw new Error('killed');
    },
  });
  dyingImporter.start();
  await waitFor('the first batch', async () => (hitCount > 0 ? true : undefined));
  await dyingImporter.stop();
  expect(await readJob()).toMatchObject({ status: 'running', rows: 500, created: 500 });

  await store.pool.query("UPDATE contact_import_jobs SET next_look = now() - interval '1 second' WHERE id = $1", [id]);
  const otherImporter = createImporter(noFaults);
  otherImporter.start();
  await waitFor('the import to end', async () => ((await readJob())?.completedAt ? true : undefined));
  await otherImporter.stop();
  expect(await readJob()).toMatchObject({ status: 'completed', rows: ROWS, created: ROWS, present: 0, refused: 0 });
  const channel = await store.prisma.channel.findUniqueOrThrow({ where: { id: channelId } });
  expect(channel.contactCount).toBe(ROWS);
  expect(await store.prisma.contact.count({ where: { channelId } })).toBe(ROWS);
  const { input } = await store.prisma.contactImportJob.findUniqueOrThrow({ where: { id }, select: { input: true } });
  expect(input).toBe('');
});
