import { expect, it } from 'vitest';
import type { Party } from '../../../src/features/conversations/parties.js';
import { toChannelRequest } from '../../../src/features/conversations/sending/compose.js';
import { type AwaitedSend, sendAndWait } from '../../../src/features/conversations/sending/send-and-wait.js';
import { newId } from '../../../src/platform/ids.js';
import { call, HELLO, playInbound } from '../../support/channel-calls.js';
import { createChannelWithTemplates } from '../../support/channel-contents.js';
import { forSuite } from '../../support/for-suite.js';
import { atScale } from '../../support/run/extent.js';
import { countDeadlocks } from '../../support/store/deadlocks.js';
import { sharedApp } from '../../support/suite.js';
import type { TestApp } from '../../support/test-app.js';

const LOOPS = 4;
const ROUNDS = atScale({ full: 60, quick: 20 });

const heliograph = sharedApp();
const channel = forSuite(() => createChannelWithTemplates(heliograph));

async function repeatCalls(...calls: (() => Promise<{ statusCode: number }>)[]): Promise<void> {
  const repeatCall = async (request: () => Promise<{ statusCode: number }>) => {
    for (let round = 0; round < ROUNDS; round++) expect((await request()).statusCode).toBe(200);
  };
  await Promise.all(calls.flatMap((request) => Array.from({ length: LOOPS }, () => repeatCall(request))));
}

it('concurrent messages to and from a number do not deadlock', async () => {
  const play = () => playInbound(heliograph, channel, { from: HELLO.to, text: 'Hi' });
  expect((await play()).statusCode).toBe(200);
  const deadlocksBefore = await countDeadlocks(heliograph.deps.pool);
  await repeatCalls(play, () => call(heliograph, channel, 'POST', '/messages/template', HELLO));
  expect(await countDeadlocks(heliograph.deps.pool)).toBe(deadlocksBefore);
});

function createFailingPool(code: string, failures: number): TestApp['deps']['pool'] {
  let touchCount = 0;
  return new Proxy(heliograph.deps.pool, {
    get: (pool, property) => {
      if (property !== 'query') return Reflect.get(pool, property, pool);
      return (query: { name?: string }) => {
        const fails = query.name?.startsWith('parties-touch') && touchCount++ < failures;
        return fails ? Promise.reject(Object.assign(new Error('rolled back'), { code })) : pool.query(query as never);
      };
    },
  });
}

async function composeSend(party: Party): Promise<AwaitedSend> {
  const { account: owner, channelId: id, phoneNumber } = channel;
  const { currency, rateCardId } = await heliograph.deps.prisma.account.findUniqueOrThrow({ where: { id: owner.id } });
  const account = { id: owner.id, currency, rateCardId };
  const sender = { account, channel: { id, phoneNumber, carrier: 'simulator', isActive: true } };
  const request = toChannelRequest(sender, { body: 'Hello', content: null }, [
    { digits: HELLO.to, plus: false, ...party },
  ]);
  return {
    account,
    claim: null,
    origin: { requestId: 'test', traceparent: null },
    compose: async () => request,
    onReplay: () => undefined,
  };
}

it('a conversation is moved to the top although PostgreSQL aborted the first attempts', async () => {
  const { deps } = heliograph;
  const { data } = (await playInbound(heliograph, channel, { from: HELLO.to, text: 'Hi' })).json();
  const { contactId, conversationId } = data;
  const conversationBefore = await deps.prisma.conversation.update({
    where: { id: conversationId },
    data: { lastMessageAt: new Date(0) },
  });
  await sendAndWait(
    { ...deps, ...deps.config, pool: createFailingPool('40P01', 2) },
    await composeSend({ contactId, conversationId }),
  );
  const conversationAfter = await deps.prisma.conversation.findUniqueOrThrow({ where: { id: conversationId } });
  expect(conversationAfter.lastMessageAt.getTime()).toBeGreaterThan(conversationBefore.lastMessageAt.getTime());
});

it('a message is unlinked from its deleted contact although touching its conversation failed', async () => {
  const { deps } = heliograph;
  const deletedIds = { contactId: newId(), conversationId: newId() };
  const { messageId } = await sendAndWait(
    { ...deps, ...deps.config, pool: createFailingPool('53300', 1) },
    await composeSend(deletedIds),
  );
  expect(await deps.prisma.message.findUniqueOrThrow({ where: { id: messageId } })).toMatchObject({
    contactId: null,
    conversationId: null,
  });
});
