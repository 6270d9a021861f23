import { expect, it } from 'vitest';
import { deleteMessage, redactMessage } from '../../../src/messages/stored-messages/redact-store.js';
import { suiteStore } from '../../support/for-suite.js';
import { insertOldMessages, OLD_ACCOUNT } from '../../support/store/old-messages.js';

const store = suiteStore();

it('a final message keeps its text, and stays, until its fallback SMS is created', async () => {
  const [id = ''] = await insertOldMessages(store, { from: new Date(), count: 1 });
  const content = { type: 'text', fallback: { channel: 'sms', from: 'Acme', message: 'Hello' } };
  await store.pool.query(`UPDATE messages SET status = 'failed', content = $2 WHERE id = $1`, [id, content]);
  await store.pool.query('INSERT INTO fallbacks (message_id) VALUES ($1)', [id]);
  const where = { id, accountId: OLD_ACCOUNT };
  expect([await redactMessage(store.pool, where), await deleteMessage(store.pool, where)]).toEqual([false, false]);
  await store.pool.query('UPDATE fallbacks SET next_look = NULL');
  expect(await redactMessage(store.pool, where)).toBe(true);
  const { rows } = await store.pool.query('SELECT body, content FROM messages WHERE id = $1', [id]);
  expect(rows).toEqual([{ body: '', content: null }]);
  expect(await deleteMessage(store.pool, where)).toBe(true);
});
