import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { readBalance } from '../../support/accounts.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { expireLeases } from '../../support/processes/dying-worker.js';
import { type ServerProcess, startServerProcess } from '../../support/processes/server-process.js';
import { waitForAllMessages } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { testSettings } from '../../support/test-app.js';

const PRICE = 10_000n;
const CREDIT = 100_000_000n;
const PEOPLE = 12;
const AT_ONCE = 8;

/** Request that can be repeated safely, because it has an idempotency key or the carrier's message ID. */
interface Repeatable {
  path: string;
  body: object;
  key?: string;
}

/** Creates a linear congruential generator, which returns the same numbers for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function shuffle<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((first, second) => first.place - second.place)
    .map(({ item }) => item);
}

describe('killing the server while contacts are merged and messages are sent to both', () => {
  const api = suiteApp({ role: 'api' });

  const startServer = () =>
    startServerProcess({
      settings: {
        ...testSettings('postgres'),
        DATABASE_URL: api.databaseUrl,
        QUEUE_PREFIX: api.queuePrefix,
        LOG_LEVEL: 'error',
      },
    });

  const ask = async (server: ServerProcess, { headers }: TestChannel, { path, body, key }: Repeatable) => {
    const response = await fetch(server.baseUrl + path, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        connection: 'close',
        ...(key && { 'idempotency-key': key }),
      },
      body: JSON.stringify(body),
    }).catch(() => null);
    if (!response) return null;
    const text = await response.text().catch(() => null);
    if (text === null) return null;
    expect(response.status, `${path} ${text}`).toBe(200);
    return JSON.parse(text).data as { contactId: string };
  };

  it.each([1, 2, 3])(
    'killing the server during merges and sends loses nothing, doubles nothing, and leaves one contact of each person: seed %i',
    { timeout: 600_000 },
    async (seed) => {
      const channel = await createTestChannel(api.deps);
      const random = createRandom(seed);
      const people = Array.from({ length: PEOPLE }, (_, index) => ({
        from: `1500557${String(seed * 100 + index).padStart(4, '0')}`,
        userId: `US.${seed}x${index}`,
      }));
      const createInbound = (sender: object, id: string): Repeatable => ({
        path: '/simulator/v1/inbound',
        body: { ...sender, id: `wamid.${seed}.${id}`, text: 'Hi' },
      });
      const createReply = (to: object, key: string): Repeatable => ({
        path: '/api/v1/messages/reply',
        body: { ...to, message: 'Hello' },
        key: `${seed}-${key}`,
      });
      let server = await startServer();
      const requests: Repeatable[] = [];
      for (const [index, { from, userId }] of people.entries()) {
        const firstContact = await ask(server, channel, createInbound({ from }, `${index}-number`));
        const secondContact = await ask(server, channel, createInbound({ userId }, `${index}-id`));
        const targets = [
          { to: from },
          { userId },
          { contactId: firstContact?.contactId },
          { contactId: secondContact?.contactId },
        ];
        requests.push(...targets.map((to, targetIndex) => createReply(to, `${index}-${targetIndex}`)));
        requests.push(createInbound({ from, userId }, `${index}-both`));
      }

      const order = shuffle(requests, random);
      const killAt = Math.floor((0.2 + 0.6 * random()) * order.length);
      const unansweredRequests: Repeatable[] = [];
      let answeredCount = 0;
      const remaining = order.values();
      const sendRequests = async () => {
        for (const request of remaining) {
          if (!(await ask(server, channel, request))) unansweredRequests.push(request);
          answeredCount += 1;
          if (answeredCount === killAt) server.process.kill('SIGKILL');
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, sendRequests));
      if (server.process.exitCode === null && server.process.signalCode === null) await once(server.process, 'exit');
      expect(server.process.signalCode).toBe('SIGKILL');
      expect(unansweredRequests.length).toBeGreaterThan(0);

      await expireLeases(api);
      server = await startServer();
      try {
        for (const request of unansweredRequests) expect(await ask(server, channel, request)).not.toBeNull();
        const sends = BigInt(PEOPLE * 4);
        expect(await waitForAllMessages(api.deps, channel.account.id, 'delivered')).toBe(Number(sends));
        expect(await readBalance(api.deps, channel.account.id)).toBe(CREDIT - sends * PRICE);

        const { prisma } = api.deps;
        const contacts = await prisma.contact.findMany({
          where: { channelId: channel.channelId },
          include: { conversation: { include: { inbound: true } } },
        });
        expect(contacts.map(({ phone, userId }) => [phone, userId]).sort()).toEqual(
          people.map(({ from, userId }) => [from, userId]).sort(),
        );
        for (const { id, conversation } of contacts) {
          expect(conversation?.inbound).toHaveLength(3);
          expect(conversation?.unreadCount).toBe(3);
          const messages = await prisma.message.findMany({ where: { conversationId: conversation?.id } });
          expect(messages.map(({ contactId }) => contactId)).toEqual(Array(4).fill(id));
        }
        const channelRow = await prisma.channel.findUniqueOrThrow({ where: { id: channel.channelId } });
        expect(channelRow.contactCount).toBe(PEOPLE);
      } finally {
        await server.stop();
      }
    },
  );
});
