import { expect, it } from 'vitest';
import { erasePerson } from '../../../src/features/erasure/erase.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount } from '../../support/accounts.js';
import { sharedApp } from '../../support/suite.js';

const heliograph = sharedApp({ role: 'api' });

it('erasing a person removes the number from audit entries about opt-outs in every form it was typed', async () => {
  const { deps } = heliograph;
  const { id: accountId } = await createTestAccount(deps);
  const writtenForms = ['447700900123', '+44 7700 900123', '00447700900123', '+44 (0)7700-900123', 'tel:+447700900123'];
  const otherAddresses = ['447700900777', '+44 7700 9001234', 'US.447700900123', 'x447700900123', newId()];
  const rows = [...writtenForms, ...otherAddresses].map((subject) => ({
    ...{ id: newId(), accountId, at: new Date(), actorKind: 'cli' as const, actorName: 'test' },
    ...{ action: 'opt-out.add', subject },
  }));
  await deps.prisma.auditLine.createMany({ data: rows });
  const erasure = await erasePerson(deps, { address: '+44 7700 900123', accountId }, { waitMs: 0 });
  expect(erasure.rows).toEqual({ 'audit lines': writtenForms.length });
  const remainingLines = await deps.prisma.auditLine.findMany({ where: { accountId }, orderBy: { id: 'asc' } });
  expect(remainingLines.map(({ subject }) => subject)).toEqual([
    ...writtenForms.map(() => 'erased'),
    ...otherAddresses,
  ]);
});
