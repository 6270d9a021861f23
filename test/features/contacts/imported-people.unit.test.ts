import { beforeEach, describe, expect, it } from 'vitest';
import { mapFields } from '../../../src/features/contacts/contact-fields.js';
import type { ImportRow } from '../../../src/features/contacts/import/check-row.js';
import { importPeople } from '../../../src/features/contacts/import/import-people.js';
import { findOptedOut, setOptedOut } from '../../../src/features/opt-outs/opt-out-store.js';
import { inTransaction } from '../../../src/platform/store/connections/pool.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { suiteStore } from '../../support/for-suite.js';

const PHONE = '447700900123';
const USER_ID = 'GB.1234567890';
const START = new Date('2026-01-01T12:00:00.000Z');

describe('importPeople', () => {
  const store = suiteStore();
  let channel: TestChannel;
  let imports = 0;

  beforeEach(async () => {
    channel = await createTestChannel(store);
  });
  const importRows = (rows: readonly Partial<ImportRow>[], { update = true, into = channel } = {}) => {
    imports += 1;
    const { account, channelId } = into;
    const target = { accountId: account.id, channelId, kind: 'whatsapp' as const, groupId: null, update };
    const importedRows = rows.map((row, index) => ({
      ...{ row: index + 2, cells: [], phone: null, written: '', userId: null, ...mapFields(() => '') },
      ...row,
    }));
    // An import recognizes the contacts that it has created by its start time.
    const startedAt = new Date(START.getTime() + imports * 1_000);
    return inTransaction(store.pool, (client) => importPeople(client, target, importedRows, startedAt));
  };
  const listContacts = ({ channelId } = channel) =>
    store.prisma.contact.findMany({
      where: { channelId },
      select: { phone: true, userId: true, name: true, email: true },
      orderBy: { id: 'asc' },
    });
  const optOut = (address: string) =>
    inTransaction(store.pool, (client) =>
      setOptedOut(client, true, { channelId: channel.channelId, addresses: [address], at: START }),
    );
  const listBlocked = (...addresses: string[]) => findOptedOut(store.pool, channel.channelId, addresses);

  it.each([
    [PHONE, USER_ID],
    [USER_ID, PHONE],
  ])('an opt-out by %s also applies to %s after a row with both', async (optedOutAddress, otherAddress) => {
    await optOut(optedOutAddress);
    await importRows([{ phone: PHONE, userId: USER_ID }]);
    expect(await listBlocked(otherAddress)).toEqual([otherAddress]);
    expect(await listBlocked('GB.9', '447700900999')).toEqual([]);
  });

  it('an opt-out by number applies to the user ID that an update adds', async () => {
    await importRows([{ phone: '447700900999', userId: 'GB.9' }]);
    await store.prisma.contact.create({
      data: { id: crypto.randomUUID(), accountId: channel.account.id, channelId: channel.channelId, phone: PHONE },
    });
    await optOut(PHONE);
    const { outcomes } = await importRows([{ phone: PHONE, userId: USER_ID }]);
    expect(outcomes).toEqual(['updated']);
    expect(await listBlocked(USER_ID, 'GB.9')).toEqual([USER_ID]);
  });

  it('an update replaces name and e-mail address, except with empty cells', async () => {
    await importRows([{ userId: USER_ID, name: 'Ada', email: 'ada@example.com' }]);
    expect((await importRows([{ userId: USER_ID }])).outcomes).toEqual(['present']);
    expect(await listContacts()).toMatchObject([{ name: 'Ada', email: 'ada@example.com' }]);
    expect((await importRows([{ userId: USER_ID, name: 'Ada King' }])).outcomes).toEqual(['updated']);
    expect(await listContacts()).toMatchObject([{ name: 'Ada King', email: 'ada@example.com' }]);
    expect((await importRows([{ userId: USER_ID, email: 'king@example.com' }])).outcomes).toEqual(['updated']);
    expect(await listContacts()).toMatchObject([{ name: 'Ada King', email: 'king@example.com' }]);
  });

  it('an import does not change existing contacts without `update`', async () => {
    await importRows([{ userId: USER_ID, name: 'Ada' }]);
    const row = { phone: PHONE, userId: USER_ID, name: 'Other', email: 'other@example.com' };
    expect((await importRows([row], { update: false })).outcomes).toEqual(['present']);
    expect(await listContacts()).toEqual([{ phone: null, userId: USER_ID, name: 'Ada', email: '' }]);
  });

  it('an import updates each of several contacts with its own row', async () => {
    const ids = ['GB.1', 'GB.2', 'GB.3'];
    await importRows(ids.map((userId) => ({ userId, name: `old ${userId}` })));
    const { outcomes } = await importRows([...ids].reverse().map((userId) => ({ userId, name: `new ${userId}` })));
    expect(outcomes).toEqual(['updated', 'updated', 'updated']);
    expect((await listContacts()).map(({ userId, name }) => `${userId} ${name}`).sort()).toEqual(
      ids.map((userId) => `${userId} new ${userId}`),
    );
  });

  it('an import adds a missing number to a contact known by user ID, and never replaces one', async () => {
    await importRows([{ userId: USER_ID }]);
    expect((await importRows([{ phone: PHONE, userId: USER_ID }])).outcomes).toEqual(['updated']);
    const otherRow = { phone: '447700900999', userId: USER_ID };
    expect((await importRows([otherRow])).outcomes).toEqual([
      { reason: expect.stringContaining('different contacts') },
    ]);
    expect(await listContacts()).toMatchObject([{ phone: PHONE, userId: USER_ID }]);
  });

  it('an import refuses a row whose number and user ID belong to different contacts, and does not merge them', async () => {
    await importRows([{ phone: PHONE, userId: 'GB.1' }, { userId: 'GB.2' }]);
    const { outcomes } = await importRows([{ phone: PHONE, userId: 'GB.2' }]);
    expect(outcomes).toEqual([{ reason: expect.stringContaining('different contacts') }]);
    expect(await listContacts()).toHaveLength(2);
  });

  it('an import detects a repeated row of the same import, and ignores contacts of other channels', async () => {
    const otherChannel = await createTestChannel(store, channel.account);
    await importRows([{ userId: USER_ID, name: 'There' }], { into: otherChannel });
    const { outcomes } = await importRows([{ userId: USER_ID, name: 'Here' }]);
    expect(outcomes).toEqual(['created']);
    expect(await listContacts(otherChannel)).toMatchObject([{ name: 'There' }]);
  });
});
