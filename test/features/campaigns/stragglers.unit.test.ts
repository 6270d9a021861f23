import { beforeEach, describe, expect, it } from 'vitest';
import { findStragglers, recordMovedMembers } from '../../../src/features/campaigns/straggler-store.js';
import { moveStragglers, recordStragglers } from '../../../src/features/contacts/identity/merge-campaigns-store.js';
import { newId } from '../../../src/platform/ids.js';
import { inTransaction } from '../../../src/platform/store/connections/pool.js';
import { createGroup } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { suiteStore } from '../../support/for-suite.js';

const BEFORE = new Date('2026-01-01T11:00:00.000Z');
const START = new Date('2026-01-01T12:00:00.000Z');
const AFTER = new Date('2026-01-01T13:00:00.000Z');

describe('stragglers of a campaign', () => {
  const store = suiteStore();
  let channel: TestChannel;
  let campaignId: string;
  let groupId: string;
  let ids: [string, string, string, string, string];

  beforeEach(async () => {
    channel = await createTestChannel(store);
    const group = await createGroup(store, channel, { size: 5 });
    groupId = group.id;
    ids = [...group.contactIds].sort() as typeof ids;
    await store.prisma.groupMember.deleteMany({ where: { groupId } });
    campaignId = await startCampaign(groupId);
  });
  const startCampaign = async (group: string, status: 'running' | 'canceled' = 'running', targetChannel = channel) => {
    const id = newId();
    await store.prisma.campaign.create({
      data: {
        ...{
          id,
          accountId: targetChannel.account.id,
          channelId: targetChannel.channelId,
          name: 'Test',
          groupId: group,
          status,
        },
        ...{ templateName: 'hello', language: 'en_US', components: [], membersAt: START, cursor: ids[2] },
      },
    });
    return id;
  };
  const addMember = (contactId: string, addedAt = BEFORE) =>
    store.prisma.groupMember.create({ data: { groupId, contactId, addedAt } });
  const recordMerge = (from: string, to: string) =>
    inTransaction(store.pool, (client) => recordStragglers(client, channel.channelId, { from, to }));
  const findRecorded = async (id = campaignId) =>
    (await store.prisma.campaignStraggler.findMany({ where: { campaignId: id } })).map(({ contactId }) => contactId);

  it('stragglers of a campaign include a survivor the cursor has passed whose absorbed contact has no message yet', async () => {
    const [, passed, , ahead] = ids;
    await addMember(ahead);
    await recordMerge(ahead, passed);
    expect(await findRecorded()).toEqual([passed]);
  });

  it('stragglers of a campaign exclude a survivor whose absorbed contact joined after the start', async () => {
    const [, passed, , ahead] = ids;
    await addMember(ahead, AFTER);
    await recordMerge(ahead, passed);
    expect(await findRecorded()).toEqual([]);
  });

  it('stragglers of a campaign exclude a survivor who was a member itself, unless it joined after the start', async () => {
    const [first, second, , ahead] = ids;
    await addMember(ahead);
    await addMember(first);
    await addMember(second, AFTER);
    await recordMerge(ahead, first);
    expect(await findRecorded()).toEqual([]);
    await recordMerge(ahead, second);
    expect(await findRecorded()).toEqual([second]);
  });

  it('stragglers of a campaign exclude contacts when the cursor has passed both or neither, or the campaign has ended', async () => {
    const [first, second, , fourth, fifth] = ids;
    const endedCampaign = await startCampaign(groupId, 'canceled');
    await addMember(second);
    await addMember(fifth);
    await recordMerge(second, first);
    await recordMerge(fifth, fourth);
    expect(await findRecorded()).toEqual([]);
    await recordMerge(fifth, first);
    expect([await findRecorded(), await findRecorded(endedCampaign)]).toEqual([[first], []]);
  });

  it('stragglers of a campaign exclude contacts of another channel', async () => {
    const [first, , , ahead] = ids;
    const otherChannel = await createTestChannel(store, channel.account);
    const foreignCampaign = await startCampaign(groupId, 'running', otherChannel);
    await addMember(ahead);
    await recordMerge(ahead, first);
    expect([await findRecorded(), await findRecorded(foreignCampaign)]).toEqual([[first], []]);
  });

  it('stragglers of a campaign move from the absorbed contact to the survivor', async () => {
    const [first, second] = ids;
    await store.prisma.campaignStraggler.create({ data: { campaignId, contactId: second } });
    await inTransaction(store.pool, (client) => moveStragglers(client, { from: second, to: first }));
    expect((await findRecorded()).sort()).toEqual([first, second]);
  });

  it('stragglers of a campaign are owed a message only if they joined before the start and are still members', async () => {
    const [member, late, gone] = ids;
    await addMember(member);
    await addMember(late, AFTER);
    const stragglers = [member, late, gone].map((contactId) => ({ campaignId, contactId }));
    await store.prisma.campaignStraggler.createMany({ data: stragglers });
    expect(await findStragglers(store.pool, { id: campaignId, groupId }, 10)).toEqual({
      owed: [member],
      settled: [late, gone],
    });
    const otherCampaign = await startCampaign(groupId);
    expect(await findStragglers(store.pool, { id: otherCampaign, groupId }, 10)).toEqual({ owed: [], settled: [] });
  });

  it('stragglers of a campaign include members moved into the range of a batch after it was read, if they were members at the start', async () => {
    const [batch, moved, cursor, ahead] = ids;
    for (const member of [batch, moved, ahead]) await addMember(member);
    await inTransaction(store.pool, (client) =>
      recordMovedMembers(client, { id: campaignId, groupId }, { from: null, to: cursor, batch: [batch] }),
    );
    expect(await findRecorded()).toEqual([moved]);
    await store.prisma.campaignStraggler.deleteMany({ where: { campaignId } });
    await store.prisma.groupMember.updateMany({ where: { groupId, contactId: moved }, data: { addedAt: AFTER } });
    await inTransaction(store.pool, (client) =>
      recordMovedMembers(client, { id: campaignId, groupId }, { from: null, to: cursor, batch: [batch] }),
    );
    expect(await findRecorded()).toEqual([]);
  });

  it('stragglers of a campaign with stored recipients include a survivor the cursor has passed, who becomes a recipient', async () => {
    const [first, second, , ahead, last] = ids;
    await store.prisma.campaign.update({ where: { id: campaignId }, data: { groupId: null } });
    const stored = [ahead, last, second].map((contactId) => ({ campaignId, contactId, fromGroup: false }));
    await store.prisma.campaignRecipient.createMany({ data: stored });
    await recordMerge(ahead, first);
    await recordMerge(last, second);
    expect(await findRecorded()).toEqual([first]);
    const owed = await findStragglers(store.pool, { id: campaignId, groupId: null }, 10);
    expect(owed).toEqual({ owed: [first], settled: [] });
    const recipients = await store.prisma.campaignRecipient.findMany({ where: { campaignId } });
    expect(recipients.map(({ contactId }) => contactId).sort()).toEqual([first, second, ahead, last]);
  });

  it('a merge while a campaign stores its groups makes the survivor a recipient', async () => {
    const [first, , , ahead] = ids;
    const gathering = { groupId: null, groupIds: [groupId], gathering: 'groups', cursor: null };
    await store.prisma.campaign.update({ where: { id: campaignId }, data: gathering });
    await addMember(ahead);
    await recordMerge(ahead, first);
    const recipients = await store.prisma.campaignRecipient.findMany({ where: { campaignId } });
    expect(recipients).toEqual([{ campaignId, contactId: first, fromGroup: true }]);
  });
});
