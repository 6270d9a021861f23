import { beforeEach, describe, expect, it } from 'vitest';
import { findStragglers, noteMoved } from '../../../src/features/campaigns/straggler-store.js';
import { moveStragglers, recordStragglers } from '../../../src/features/contacts/identity/merge-campaigns-store.js';
import { newId } from '../../../src/platform/ids.js';
import { inTransaction } from '../../../src/platform/store/connections/pool.js';
import { createGroup } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { suiteStore } from '../../support/for-suite.js';

const BEFORE = new Date('2026-01-01T11:00:00.000Z');
const START = new Date('2026-01-01T12:00:00.000Z');
const AFTER = new Date('2026-01-01T13:00:00.000Z');

describe('a campaign that has passed some of its members', () => {
  const store = suiteStore();
  let channel: TestChannel;
  let campaignId: string;
  let groupId: string;
  /** Contacts by rising id. The cursor of the campaign is at the third. */
  let ids: [string, string, string, string, string];

  beforeEach(async () => {
    channel = await createTestChannel(store);
    const group = await createGroup(store, channel, { size: 5 });
    groupId = group.id;
    ids = [...group.contactIds].sort() as typeof ids;
    await store.prisma.groupMember.deleteMany({ where: { groupId } });
    campaignId = await startCampaign(groupId);
  });
  const startCampaign = async (group: string, status: 'running' | 'canceled' = 'running', into = channel) => {
    const id = newId();
    await store.prisma.campaign.create({
      data: {
        ...{ id, accountId: into.account.id, channelId: into.channelId, name: 'Test', groupId: group, status },
        ...{ templateName: 'hello', language: 'en_US', components: [], membersAt: START, cursor: ids[2] },
      },
    });
    return id;
  };
  const join = (contactId: string, addedAt = BEFORE) =>
    store.prisma.groupMember.create({ data: { groupId, contactId, addedAt } });
  const note = (from: string, to: string) =>
    inTransaction(store.pool, (client) => recordStragglers(client, channel.channelId, { from, to }));
  const noted = async (id = campaignId) =>
    (await store.prisma.campaignStraggler.findMany({ where: { campaignId: id } })).map(({ contactId }) => contactId);

  it('goes back for a survivor it has passed, whose absorbed contact it has not reached', async () => {
    const [, passed, , ahead] = ids;
    await join(ahead);
    await note(ahead, passed);
    expect(await noted()).toEqual([passed]);
  });

  it('owes nothing if the absorbed contact joined after the start', async () => {
    const [, passed, , ahead] = ids;
    await join(ahead, AFTER);
    await note(ahead, passed);
    expect(await noted()).toEqual([]);
  });

  it('owes nothing if the survivor was a member itself, but does if it joined after the start', async () => {
    const [first, second, , ahead] = ids;
    await join(ahead);
    await join(first);
    await join(second, AFTER);
    await note(ahead, first);
    expect(await noted()).toEqual([]);
    await note(ahead, second);
    expect(await noted()).toEqual([second]);
  });

  it('owes nothing if it has passed both or neither, or has ended', async () => {
    const [first, second, , fourth, fifth] = ids;
    const ended = await startCampaign(groupId, 'canceled');
    await join(second);
    await join(fifth);
    await note(second, first);
    await note(fifth, fourth);
    expect(await noted()).toEqual([]);
    await note(fifth, first);
    expect([await noted(), await noted(ended)]).toEqual([[first], []]);
  });

  it('of another channel is left alone', async () => {
    const [first, , , ahead] = ids;
    const other = await createTestChannel(store, channel.account);
    const foreign = await startCampaign(groupId, 'running', other);
    await join(ahead);
    await note(ahead, first);
    expect([await noted(), await noted(foreign)]).toEqual([[first], []]);
  });

  it('owes the survivor what it owed the absorbed contact', async () => {
    const [first, second] = ids;
    await store.prisma.campaignStraggler.create({ data: { campaignId, contactId: second } });
    await inTransaction(store.pool, (client) => moveStragglers(client, { from: second, to: first }));
    expect((await noted()).sort()).toEqual([first, second]);
  });

  it('finds those who are still members and joined before the start, and settles the rest', async () => {
    const [member, late, gone] = ids;
    await join(member);
    await join(late, AFTER);
    const stragglers = [member, late, gone].map((contactId) => ({ campaignId, contactId }));
    await store.prisma.campaignStraggler.createMany({ data: stragglers });
    expect(await findStragglers(store.pool, campaignId, 10)).toEqual({ owed: [member], settled: [late, gone] });
    const other = await startCampaign(groupId);
    expect(await findStragglers(store.pool, other, 10)).toEqual({ owed: [], settled: [] });
  });

  it('notes those who took a passed place since the batch was read, and were members at the start', async () => {
    const [batch, moved, cursor, ahead] = ids;
    for (const each of [batch, moved, ahead]) await join(each);
    await inTransaction(store.pool, (client) =>
      noteMoved(client, campaignId, { from: null, to: cursor, batch: [batch] }),
    );
    expect(await noted()).toEqual([moved]);
    await store.prisma.campaignStraggler.deleteMany({ where: { campaignId } });
    await store.prisma.groupMember.updateMany({ where: { groupId, contactId: moved }, data: { addedAt: AFTER } });
    await inTransaction(store.pool, (client) =>
      noteMoved(client, campaignId, { from: null, to: cursor, batch: [batch] }),
    );
    expect(await noted()).toEqual([]);
  });
});
