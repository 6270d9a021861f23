import { expect, it } from 'vitest';
import { cancelUnsent } from '../../../src/messages/cancel/unsent-store.js';
import { createTestAccount } from '../../support/accounts.js';
import { accept } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';

const heliograph = suiteApp({ role: 'api' });

it('a restored database has no unsent messages and no pending fallbacks', async () => {
  const { pool, prisma } = heliograph.deps;
  const account = await createTestAccount(heliograph.deps);
  const to = ['15005550101', '15005550102', '15005550103'];
  const [waiting = '', taken = '', failed = ''] = await accept(heliograph.deps, account, { to });
  const content = { type: 'text', fallback: { from: 'Heliograph' } };
  await prisma.message.updateMany({ where: { id: { in: [taken, failed] } }, data: { content } });
  await prisma.message.update({ where: { id: taken }, data: { status: 'sent' } });
  await prisma.message.update({ where: { id: failed }, data: { status: 'failed', nextLook: null } });
  await pool.query('INSERT INTO fallbacks (message_id) VALUES ($1)', [failed]);

  expect(await cancelUnsent(pool)).toBe(1);
  const findMessage = (id: string) => prisma.message.findUniqueOrThrow({ where: { id } });
  expect(await findMessage(waiting)).toMatchObject({ status: 'canceled', nextLook: null });
  expect(await findMessage(taken)).toMatchObject({ status: 'sent', content: { type: 'text' } });
  expect((await findMessage(taken)).content).not.toHaveProperty('fallback');
  const { rows: fallbacks } = await pool.query('SELECT message_id, next_look, error_code FROM fallbacks');
  expect(fallbacks).toEqual([{ message_id: failed, next_look: null, error_code: 'CANCELED' }]);
});
