import { beforeAll, describe, expect, it } from 'vitest';
import { findPendingWork } from '../../../src/features/erasure/pending-work.js';
import { findPersons } from '../../../src/features/erasure/person.js';
import { call } from '../../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { sharedApp } from '../../support/suite.js';

const ADA = '447700900123';
const heliograph = sharedApp({ role: 'api' });
let channel: TestChannel;

beforeAll(async () => {
  channel = await createTestChannel(heliograph.deps);
});

async function isPending(input: object): Promise<boolean> {
  const response = await call(heliograph, channel, 'POST', '/contacts/imports', input);
  const { id } = response.json().data;
  const { deps } = heliograph;
  const [person] = await findPersons(deps, { address: ADA, accountId: channel.account.id });
  const { imports } = await findPendingWork(deps, person as NonNullable<typeof person>);
  await deps.prisma.contactImportJob.delete({ where: { id } });
  expect(imports.length === 0 || imports[0] === id).toBe(true);
  return imports.length === 1;
}

describe('a queued import while a person is erased', () => {
  it.each([
    '447700900123',
    '+447700900123',
    '+44 7700 900123',
    '+44 (0)7700-900.123',
    '0044/7700/900123',
    '\u202A+44\u00A07700\u2011900123\u202C',
    '+４４７７００９００１２３',
    '+44\t7700 900123',
  ])('a queued import is pending work if its list or CSV has the number written as %j', async (phone) => {
    expect(await isPending({ contacts: [{ phone, name: 'Ada' }] })).toBe(true);
    expect(await isPending({ csv: `phone;name\n+44 7700 900777;Bob\n${phone};Ada\n` })).toBe(true);
  });

  it('a queued import is not pending work for the number of another person', async () => {
    expect(await isPending({ contacts: [{ phone: '+44 7700 900777', name: 'Bob' }] })).toBe(false);
    expect(await isPending({ csv: 'phone;name\n+44 7700 900777;Bob\n' })).toBe(false);
  });
});
