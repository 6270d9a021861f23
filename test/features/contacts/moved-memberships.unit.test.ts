import { beforeEach, describe, expect, it } from 'vitest';
import { moveMemberships } from '../../../src/features/contacts/identity/merge-memberships-store.js';
import { newId } from '../../../src/platform/ids.js';
import { inTransaction } from '../../../src/platform/store/connections/pool.js';
import { createGroup } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { suiteStore } from '../../support/for-suite.js';

const EARLY = new Date('2026-01-01T12:00:00.000Z');
const LATE = new Date('2026-01-02T12:00:00.000Z');

describe('moveMemberships', () => {
  const store = suiteStore();
  let channel: TestChannel;
  let from: string;
  let to: string;

  beforeEach(async () => {
    channel = await createTestChannel(store);
    [from, to] = (await createGroup(store, channel, { size: 2 })).contactIds as [string, string];
    await store.pool.query('DELETE FROM group_members');
  });
  const addGroup = async (members: Record<string, Date>) => {
    const id = newId();
    const { account, channelId } = channel;
    const contactCount = Object.keys(members).length;
    await store.prisma.contactGroup.create({
      data: { id, accountId: account.id, channelId, name: id, contactCount },
    });
    for (const [contactId, addedAt] of Object.entries(members)) {
      await store.prisma.groupMember.create({ data: { groupId: id, contactId, addedAt } });
    }
    return id;
  };
  const listMembers = async (groupId: string) => {
    const members = await store.prisma.groupMember.findMany({
      where: { groupId },
      select: { contactId: true, addedAt: true },
    });
    const { contactCount } = await store.prisma.contactGroup.findUniqueOrThrow({ where: { id: groupId } });
    expect(contactCount).toBe(members.length);
    return members;
  };
  const move = () => inTransaction(store.pool, (client) => moveMemberships(client, { from, to }));

  it.each([
    [EARLY, LATE],
    [LATE, EARLY],
  ])('merging contacts keeps the earlier date if both contacts are members of a group', async (absorbed, surviving) => {
    const groupOfBoth = await addGroup({ [from]: absorbed, [to]: surviving });
    await move();
    expect(await listMembers(groupOfBoth)).toEqual([{ contactId: to, addedAt: EARLY }]);
  });

  it('merging contacts moves a membership with its date and changes no other groups or members', async () => {
    const groupOfAbsorbed = await addGroup({ [from]: EARLY });
    const groupOfSurvivor = await addGroup({ [to]: LATE });
    const otherGroup = await addGroup({ [from]: LATE });
    await move();
    expect(await listMembers(groupOfAbsorbed)).toEqual([{ contactId: to, addedAt: EARLY }]);
    expect(await listMembers(otherGroup)).toEqual([{ contactId: to, addedAt: LATE }]);
    expect(await listMembers(groupOfSurvivor)).toEqual([{ contactId: to, addedAt: LATE }]);
  });
});
