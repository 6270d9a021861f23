import { Webhook } from 'standardwebhooks';
import { afterEach, expect, it } from 'vitest';
import { createTestAccount } from '../../support/accounts.js';
import { describeFeature } from '../../support/backends.js';
import { accept } from '../../support/sends.js';
import { type TestApp, testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';
import { addAccountWebhook } from './setup.js';
import { openSink, respondWith, type Sink } from './sink.js';

const MESSAGES = 5_000;
/** Number of events whose first attempt fails and is retried after about five seconds. */
const REFUSED = 5;

describeFeature('ten thousand message.status events', (backend) => {
  let heliograph: TestApp | undefined;
  let sink: Sink | undefined;

  afterEach(async () => {
    await heliograph?.close();
    await sink?.close();
  });

  it.each([
    ['all arrive, signed and at least once', false],
    ['all arrive although the sink answers 500 for a while', true],
  ])('ten thousand events %s', async (_, fails) => {
    const target = await openSink();
    sink = target;
    heliograph = await testApp({ backend, settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
    const { deps } = heliograph;
    const account = await createTestAccount(deps);
    const webhook = await addAccountWebhook(heliograph, account, target.url);
    const webhookVerifier = new Webhook(webhook.secret);
    const refusedIds = new Set<string>();
    const arrivals = new Map<string, string>();
    target.respond = ({ body, headers }, response) => {
      const id = String(headers['webhook-id']);
      if (fails && refusedIds.size < REFUSED && !refusedIds.has(id)) {
        refusedIds.add(id);
        return respondWith(response, 500);
      }
      const { data } = webhookVerifier.verify(body, headers) as { data: { messageId: string; status: string } };
      arrivals.set(`${data.messageId} ${data.status}`, id);
      respondWith(response, 200);
    };

    const ids: string[] = [];
    for (let i = 0; i < MESSAGES / 500; i += 1) {
      ids.push(...(await accept(deps, account, { to: Array.from({ length: 500 }, () => '15005550100') })));
    }
    await waitFor('every event to arrive', () => arrivals.size === 2 * MESSAGES, { intervalMs: 20 });

    for (const id of ids) {
      expect(arrivals.has(`${id} sent`), id).toBe(true);
      expect(arrivals.has(`${id} delivered`), id).toBe(true);
    }
    expect(new Set(arrivals.values()).size).toBe(2 * MESSAGES);
    await waitFor('every result to be written', async () => {
      const openCount = await deps.prisma.webhookDelivery.count({ where: { status: { not: 'delivered' } } });
      return openCount === 0;
    });
    const arrivedIds = new Set(arrivals.values());
    expect([...refusedIds].filter((id) => arrivedIds.has(id))).toHaveLength(fails ? REFUSED : 0);
  });
});
