import { expect, it } from 'vitest';
import { readBalance } from '../../support/accounts.js';
import { createAutomation, listRuns } from '../../support/automations.js';
import { countMessagesPerContact, createCampaign, waitForCampaign } from '../../support/campaigns.js';
import { call, playInbound } from '../../support/channel-calls.js';
import { createCampaignChannel } from '../../support/channel-contents.js';
import { atScale } from '../../support/run/extent.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

const heliograph = suiteApp();
const CREDIT = 100_000_000n;
const PRICE = 10_000n;
const PEOPLE = atScale({ full: 20, quick: 8 });
const STOPS = 5;
/** With more concurrent requests, some might time out. */
const AT_ONCE = 8;

async function inTurns(work: readonly (() => Promise<unknown>)[]): Promise<void> {
  const rest = work.values();
  const turns = async () => {
    for (const each of rest) await each();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, turns));
}

it.each([1, 2, 3].slice(0, atScale({ full: 3, quick: 1 })))(
  'contacts become one while a campaign, automations, opt-outs, groups and an import have both: round %i',
  async (round) => {
    const channel = await createCampaignChannel(heliograph.deps);
    const ask = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) =>
      call(heliograph, channel, method, path, body);
    const play = async (who: object, text = 'Hi') => {
      const played = await playInbound(heliograph, channel, { ...who, text });
      expect(played.statusCode, played.body).toBe(200);
      return played.json().data.contactId as string;
    };
    const groupId = (await ask('POST', '/contacts/groups', { name: 'All' })).json().data.id as string;
    const steps = [{ type: 'send_template', templateName: 'hello', language: 'en_US' }];
    const automationId = await createAutomation(heliograph, channel, steps);
    const people = Array.from({ length: PEOPLE }, (_, index) => ({
      from: `1500558${round}${String(index).padStart(3, '0')}`,
      userId: `US.${round}x${index}`,
      ids: [] as string[],
    }));
    await inTurns(
      people.map(({ from, userId, ids }) => async () => {
        ids.push(await play({ from }), await play({ userId }));
      }),
    );
    const all = people.flatMap(({ ids }) => ids);
    await ask('POST', `/contacts/groups/${groupId}/bulk-add`, { contactIds: all });

    const started: string[] = [];
    const trigger = async (contactId: string) => {
      const run = await ask('POST', `/automations/${automationId}/trigger`, { contactId });
      expect([200, 409], run.body).toContain(run.statusCode);
      if (run.statusCode === 200) started.push(run.json().data.id);
    };
    const change = async (contactId: string) => {
      const path = `/contacts/groups/${groupId}/${contactId < (all[PEOPLE] as string) ? 'remove' : 'add'}`;
      expect((await ask('POST', path, { contactId })).statusCode).toBe(200);
      expect((await ask('PUT', `/contacts/${contactId}`, { email: 'ada@example.com' })).statusCode).toBe(200);
    };
    const [campaign, imported] = await Promise.all([
      createCampaign(heliograph, channel, { groupId }),
      ask('POST', '/contacts/imports', {
        csv: ['phone,name', ...people.map(({ from }) => `${from},Ada`)].join('\n'),
        groupId,
      }),
      // Requests about one person are adjacent, so they run concurrently.
      inTurns(
        people.flatMap(({ from, userId, ids }, index) => [
          () => (index < STOPS ? play({ userId }, 'STOP').then(() => play({ from, userId })) : play({ from, userId })),
          ...ids.map((contactId) => () => trigger(contactId)),
          ...ids.map((contactId) => () => change(contactId)),
        ]),
      ),
    ]);
    await waitForCampaign(heliograph, channel, campaign.id, 'completed');
    await waitFor('every run to end', async () =>
      (await listRuns(heliograph, channel, automationId)).every(({ completedAt }) => completedAt !== null),
    );

    const { id: importId } = imported.json().data;
    await waitFor('the import to end', async () => {
      const { data } = (await ask('GET', `/contacts/imports/${importId}`)).json();
      return data.completedAt;
    });
    const { prisma } = heliograph.deps;
    // Messages to people who opted out are refunded when they are to be sent.
    await waitFor('every message to be sent or refused', async () => {
      const where = { channelId: channel.channelId, status: { in: ['queued' as const, 'sending' as const] } };
      return (await prisma.message.count({ where })) === 0;
    });
    const contacts = await prisma.contact.findMany({
      where: { channelId: channel.channelId },
      include: { memberships: true, conversation: { include: { inbound: true } } },
    });
    expect(contacts.map(({ phone, userId }) => `${phone} ${userId}`).sort()).toEqual(
      people.map(({ from, userId }) => `${from} ${userId}`).sort(),
    );
    // A person whom the campaign reached before a merge, under both IDs, has two messages.
    for (const [contactId, count] of await countMessagesPerContact(heliograph.deps, campaign.id)) {
      expect(contacts.map(({ id }) => id)).toContain(contactId);
      expect(count).toBeLessThanOrEqual(2);
    }
    const runs = await prisma.automationRun.findMany({ where: { automationId } });
    expect(runs.map(({ id }) => id).sort()).toEqual(started.sort());
    expect(new Set(runs.map(({ contactId }) => contactId)).size).toBeLessThanOrEqual(PEOPLE);

    const { contactCount } = await prisma.contactGroup.findUniqueOrThrow({ where: { id: groupId } });
    expect(contactCount).toBe(contacts.flatMap(({ memberships }) => memberships).length);
    expect((await prisma.channel.findUniqueOrThrow({ where: { id: channel.channelId } })).contactCount).toBe(PEOPLE);
    for (const { from, userId, ids } of people.slice(0, STOPS)) {
      for (const contactId of ids) expect((await ask('GET', `/contacts/${contactId}`)).json().data.optedOut).toBe(true);
      for (const to of [{ to: from }, { userId }]) {
        const refused = await ask('POST', '/messages/reply', { ...to, message: 'Hello?' });
        expect(refused.json(), refused.body).toMatchObject({ error: { code: 'OPTED_OUT' } });
      }
    }
    const messages = await prisma.message.findMany({ where: { channelId: channel.channelId } });
    const conversations = new Map(contacts.map(({ id, conversation }) => [id, conversation?.id]));
    for (const each of messages) expect(each.conversationId).toBe(conversations.get(each.contactId as string));
    const paid = messages.filter(({ refunded }) => !refunded).length;
    expect(await readBalance(heliograph.deps, channel.account.id)).toBe(CREDIT - BigInt(paid) * PRICE);
  },
);
