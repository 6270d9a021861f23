import { beforeEach, describe, expect, it } from 'vitest';
import { findOrCreateContact } from '../../../src/features/contacts/contacts.js';
import { addMember, removeMember } from '../../../src/features/contacts/groups/members.js';
import { newId } from '../../../src/platform/ids.js';
import { systemClock } from '../../../src/platform/system-clock.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { suiteStore } from '../../support/for-suite.js';

const store = suiteStore();
let channel: TestChannel;
let groupId: string;

beforeEach(async () => {
  channel = await createTestChannel(store);
  groupId = await makeGroup(channel);
});

async function makeGroup({ account, channelId }: TestChannel): Promise<string> {
  const id = newId();
  await store.prisma.contactGroup.create({ data: { id, accountId: account.id, channelId, name: `Group ${id}` } });
  return id;
}

const makeContact = async ({ account, channelId }: TestChannel, phone: string) =>
  (await findOrCreateContact(store.pool, { accountId: account.id, channelId, phone, at: systemClock.now() })).contactId;

async function countMembers(id: string) {
  const { contactCount } = await store.prisma.contactGroup.findUniqueOrThrow({ where: { id } });
  expect(await store.prisma.groupMember.count({ where: { groupId: id } })).toBe(contactCount);
  return contactCount;
}

describe('addMember and removeMember', () => {
  it('a contact is counted once if it is added or removed repeatedly', async () => {
    const contactId = await makeContact(channel, '15005550111');
    const membership = { channelId: channel.channelId, groupId, contactId };
    expect(await addMember(store.pool, membership, systemClock.now())).toBe(true);
    expect(await addMember(store.pool, membership, systemClock.now())).toBe(false);
    expect(await countMembers(groupId)).toBe(1);
    expect(await removeMember(store.pool, membership, systemClock.now())).toBe(true);
    expect(await removeMember(store.pool, membership, systemClock.now())).toBe(false);
    expect(await countMembers(groupId)).toBe(0);
  });

  it.each([['add', addMember] as const, ['remove', removeMember] as const])(
    'the operation %s finds no contact and no group of another channel',
    async (_name, change) => {
      const otherChannel = await createTestChannel(store, channel.account);
      const [own, foreign] = [
        await makeContact(channel, '15005550111'),
        await makeContact(otherChannel, '15005550112'),
      ];
      const foreignGroup = await makeGroup(otherChannel);
      const { channelId } = channel;
      await expect(
        change(store.pool, { channelId, groupId, contactId: foreign }, systemClock.now()),
      ).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: 'No contact has this id.',
      });
      await expect(
        change(store.pool, { channelId, groupId: foreignGroup, contactId: own }, systemClock.now()),
      ).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: 'No group has this id.',
      });
      expect(await countMembers(groupId)).toBe(0);
      expect(await countMembers(foreignGroup)).toBe(0);
    },
  );

  it('the member count stays correct during concurrent changes', async () => {
    const { channelId } = channel;
    const contacts = await Promise.all(
      Array.from({ length: 20 }, (_, index) => makeContact(channel, `1500555${String(1000 + index)}`)),
    );
    await Promise.all(
      [...contacts, ...contacts].map((contactId) =>
        addMember(store.pool, { channelId, groupId, contactId }, systemClock.now()),
      ),
    );
    expect(await countMembers(groupId)).toBe(20);
    await Promise.all(
      contacts.flatMap((contactId, index) => [
        (index % 2 ? addMember : removeMember)(store.pool, { channelId, groupId, contactId }, systemClock.now()),
        removeMember(store.pool, { channelId, groupId, contactId: contacts[0] as string }, systemClock.now()),
      ]),
    );
    expect(await countMembers(groupId)).toBe(10);
  });
});
