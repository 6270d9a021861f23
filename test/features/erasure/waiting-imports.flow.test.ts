import { beforeAll, describe, expect, it } from 'vitest';
import { findPersons } from '../../../src/features/erasure/person.js';
import { findUnderWay } from '../../../src/features/erasure/under-way.js';
import { call } from '../../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { sharedApp } from '../../support/suite.js';

const ADA = '447700900123';
/** Nobody works imports off here: they stay queued. */
const heliograph = sharedApp({ role: 'api' });
let channel: TestChannel;

beforeAll(async () => {
  channel = await createTestChannel(heliograph.deps);
});

/** Starts an import; returns its id, and forgets it again once it was asked for. */
async function namedIn(input: object): Promise<boolean> {
  const response = await call(heliograph, channel, 'POST', '/contacts/imports', input);
  const { id } = response.json().data;
  const { deps } = heliograph;
  const [person] = await findPersons(deps, { phone: ADA, accountId: channel.account.id });
  const { imports } = await findUnderWay(deps, person as NonNullable<typeof person>);
  await deps.prisma.contactImportJob.delete({ where: { id } });
  expect(imports.length === 0 || imports[0] === id).toBe(true);
  return imports.length === 1;
}

describe('an import that waits while somebody is erased', () => {
  it.each([
    '447700900123',
    '+447700900123',
    '+44 7700 900123',
    '+44 (0)7700-900.123',
    '0044/7700/900123',
    '\u202A+44\u00A07700\u2011900123\u202C',
    '+４４７７００９００１２３',
    '+44\t7700 900123',
  ])('is seen with the number written %j, in a list and as CSV', async (phone) => {
    expect(await namedIn({ contacts: [{ phone, name: 'Ada' }] })).toBe(true);
    expect(await namedIn({ csv: `phone;name\n+44 7700 900777;Bob\n${phone};Ada\n` })).toBe(true);
  });

  it('is not seen for the number of somebody else', async () => {
    expect(await namedIn({ contacts: [{ phone: '+44 7700 900777', name: 'Bob' }] })).toBe(false);
    expect(await namedIn({ csv: 'phone;name\n+44 7700 900777;Bob\n' })).toBe(false);
  });
});
