import { expect, it } from 'vitest';
import { erasePerson } from '../../../src/features/erasure/erase.js';
import { createTestAccount } from '../../support/accounts.js';
import { accept } from '../../support/sends.js';
import { sharedApp } from '../../support/suite.js';

const heliograph = sharedApp({ role: 'api' });

it('erasing a person removes the refusal reason of their fallback SMS and of nobody else', async () => {
  const { deps } = heliograph;
  const account = await createTestAccount(deps);
  const [ada, bob] = await accept(deps, account, { to: ['447700900123', '447700900777'] });
  const [id, other] = [ada as string, bob as string];
  await deps.prisma.message.updateMany({
    where: { id: { in: [id, other] } },
    data: { status: 'failed', nextLook: null, endedAt: new Date() },
  });
  for (const messageId of [id, other]) {
    const refusedState = { errorCode: 'INVALID_REQUEST', errorMessage: 'to +447700900123 is refused', nextLook: null };
    await deps.prisma.fallback.create({ data: { messageId, ...refusedState } });
  }
  await erasePerson({ ...deps }, { address: '447700900123', accountId: account.id }, { waitMs: 0 });
  const fallbacks = await deps.prisma.fallback.findMany({ where: { messageId: { in: [id, other] } } });
  const reasons = new Map(fallbacks.map(({ messageId, errorMessage }) => [messageId, errorMessage]));
  expect([reasons.get(id), reasons.get(other)]).toEqual([null, 'to +447700900123 is refused']);
});
