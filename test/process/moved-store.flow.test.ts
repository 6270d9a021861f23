import pg from 'pg';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { markMoved } from '../../src/platform/store/moved-store.js';
import { systemClock } from '../../src/platform/system-clock.js';
import { Closers } from '../../src/process/closers.js';
import { loadConfig } from '../../src/process/settings/config.js';
import { openStore } from '../../src/process/startup/open-store.js';
import { createTestDatabase } from '../support/store/databases.js';

it('a process does not open a store that was moved after the migrations were checked', async () => {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await markMoved(client, { to: 'db.example:5432/new', at: systemClock.now().toISOString() });
  const closers = new Closers();
  onTestFinished(() => closers.run());
  const opening = openStore({
    ...{ config: loadConfig({ DATABASE_URL: url }), log: pino({ level: 'silent' }), clock: systemClock, closers },
    announce: () => undefined,
    // The primary process of a cluster passes these values to its members.
    shared: { url, poolTarget: { url, isPooled: false }, folder: null, released: null },
  });
  await expect(opening).rejects.toThrow('This store was moved to db.example:5432/new');
});
