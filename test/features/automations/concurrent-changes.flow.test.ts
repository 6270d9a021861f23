import { expect, it } from 'vitest';
import { createAutomation } from '../../support/automations.js';
import { call } from '../../support/channel-calls.js';
import { createTestChannel } from '../../support/channels.js';
import { sharedApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

const heliograph = sharedApp({ role: 'api' });

it('one of two concurrent changes of an automation is refused if they conflict', async () => {
  const { pool } = heliograph.deps;
  const channel = await createTestChannel(heliograph.deps);
  const id = await createAutomation(heliograph, channel, [{ type: 'send_reply', message: 'Hello' }]);
  const updateAutomation = (body: object) => call(heliograph, channel, 'PUT', `/automations/${id}`, body);
  const countWaiting = async () => {
    const { rows } = await pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%automations%'`,
    );
    return rows[0]?.count === 2;
  };

  const client = await pool.connect();
  await client.query('BEGIN');
  await client.query('SELECT 1 FROM automations WHERE id = $1 FOR UPDATE', [id]);
  const bothResponses = Promise.all([
    updateAutomation({ keyword: 'begin' }),
    updateAutomation({ steps: [{ type: 'send_reply', message: 'Your order {{variables.order}}' }] }),
  ]);
  await waitFor('both changes to come to the automation', countWaiting);
  await client.query('COMMIT');
  client.release();

  const statuses = (await bothResponses).map(({ statusCode }) => statusCode);
  expect(statuses.sort()).toEqual([200, 400]);
});
