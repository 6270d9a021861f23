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
/** Number of concurrent requests, low enough that none times out. */
const AT_ONCE = 8;

async function runConcurrently(tasks: readonly (() => Promise<unknown>)[]): Promise<void> {
  const remaining = tasks.values();
  const runTasks = async () => {
    for (const task of remaining) await task();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runTasks));
}

it.each([1, 2, 3].slice(0, atScale({ full: 3, quick: 1 })))(
  'contacts are merged correctly while a campaign, automations, opt-outs, groups and an import contain both: round %i',
  async (round) => {
    const channel = await createCampaignChannel(heliograph.deps);
    const ask = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) =>
      call(heliograph, channel, method, path, body);
    const play = async (sender: object, text = 'Hi') => {
      const response = await playInbound(heliograph, channel, { ...sender, text });
      expect(response.statusCode, response.body).toBe(200);
      return response.json().data.contactId as string;
    };
    const groupId = (await ask('POST', '/contacts/groups', { name: 'All' })).json().data.id as string;
    const steps = [{ type: 'send_template', templateName: 'hello', language: 'en_US' }];
    const automationId = await createAutomation(heliograph, channel, steps);
    const people = Array.from({ length: PEOPLE }, (_, index) => ({
      from: `1500558${round}${String(index).padStart(3, '0')}`,
      userId: `US.${round}x${index}`,
      ids: [] as string[],
    }));
    await runConcurrently(
      people.map(({ from, userId, ids }) => async () => {
        ids.push(await play({ from }), await play({ userId }));
      }),
    );
    const contactIds = people.flatMap(({ ids }) => ids);
    await ask('POST', `/contacts/groups/${groupId}/bulk-add`, { contactIds: contactIds });

    const startedRunIds: string[] = [];
    const triggerRun = async (contactId: string) => {
      const response = await ask('POST', `/automations/${automationId}/trigger`, { contactId });
      expect([200, 409], response.body).toContain(response.statusCode);
      if (response.statusCode === 200) startedRunIds.push(response.json().data.id);
    };
    const changeContact = async (contactId: string) => {
      const path = `/contacts/groups/${groupId}/${contactId < (contactIds[PEOPLE] as string) ? 'remove' : 'add'}`;
      expect((await ask('POST', path, { contactId })).statusCode).toBe(200);
      expect((await ask('PUT', `/contacts/${contactId}`, { email: 'ada@example.com' })).statusCode).toBe(200);
    };
    const [campaign, imported] = await Promise.all([
      createCampaign(heliograph, channel, { groupId }),
      ask('POST', '/contacts/imports', {
        csv: ['phone,name', ...people.map(({ from }) => `${from},Ada`)].join('\n'),
        groupId,
      }),
      // Requests about the same person are adjacent in the list, so they run concurrently.
      runConcurrently(
        people.flatMap(({ from, userId, ids }, index) => [
          () => (index < STOPS ? play({ userId }, 'STOP').then(() => play({ from, userId })) : play({ from, userId })),
          ...ids.map((contactId) => () => triggerRun(contactId)),
          ...ids.map((contactId) => () => changeContact(contactId)),
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
    // A message to a person who has opted out is refunded when it is about to be sent.
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
    // A person whom the campaign reached under both IDs before the merge has two messages.
    for (const [contactId, count] of await countMessagesPerContact(heliograph.deps, campaign.id)) {
      expect(contacts.map(({ id }) => id)).toContain(contactId);
      expect(count).toBeLessThanOrEqual(2);
    }
    const runs = await prisma.automationRun.findMany({ where: { automationId } });
    expect(runs.map(({ id }) => id).sort()).toEqual(startedRunIds.sort());
    expect(new Set(runs.map(({ contactId }) => contactId)).size).toBeLessThanOrEqual(PEOPLE);

    const { contactCount } = await prisma.contactGroup.findUniqueOrThrow({ where: { id: groupId } });
    expect(contactCount).toBe(contacts.flatMap(({ memberships }) => memberships).length);
    expect((await prisma.channel.findUniqueOrThrow({ where: { id: channel.channelId } })).contactCount).toBe(PEOPLE);
    for (const { from, userId, ids } of people.slice(0, STOPS)) {
      for (const contactId of ids) expect((await ask('GET', `/contacts/${contactId}`)).json().data.optedOut).toBe(true);
      for (const to of [{ to: from }, { userId }]) {
        const refusal = await ask('POST', '/messages/reply', { ...to, message: 'Hello?' });
        expect(refusal.json(), refusal.body).toMatchObject({ error: { code: 'OPTED_OUT' } });
      }
    }
    const messages = await prisma.message.findMany({ where: { channelId: channel.channelId } });
    const conversations = new Map(contacts.map(({ id, conversation }) => [id, conversation?.id]));
    for (const message of messages) expect(message.conversationId).toBe(conversations.get(message.contactId as string));
    const paidCount = messages.filter(({ refunded }) => !refunded).length;
    expect(await readBalance(heliograph.deps, channel.account.id)).toBe(CREDIT - BigInt(paidCount) * PRICE);
  },
);
