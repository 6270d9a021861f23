import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSecret } from '../../../src/features/webhooks/signature.js';
import { newId } from '../../../src/platform/ids.js';
import { call } from '../../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { type TestApp, testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';
import { findLoggedDelivery, sendTest } from './setup.js';
import { openSink, type Sink } from './sink.js';

let heliograph: TestApp;
let channel: TestChannel;
let sink: Sink;
let log = '';

beforeAll(async () => {
  sink = await openSink();
  heliograph = await testApp({
    log: pino(
      { level: 'trace' },
      {
        write: (line) => {
          log += line;
        },
      },
    ),
  });
  channel = await createTestChannel(heliograph.deps);
});
afterAll(async () => {
  await heliograph?.close();
  await sink?.close();
});

describe('without WEBHOOK_ALLOW_PRIVATE', () => {
  it.each(['127.0.0.1', 'localhost'])('a webhook already stored for %s is never called', async (host) => {
    const id = newId();
    const secret = newSecret();
    const url = `http://${host}:${sink.port}/token-1f4a`;
    await heliograph.deps.prisma.webhook.create({
      data: {
        id,
        accountId: channel.account.id,
        channelId: channel.channelId,
        url,
        events: ['message.status'],
        secret,
      },
    });
    const delivery = await sendTest(heliograph, channel, { id });
    const entry = await waitFor('it to be tried', async () => {
      const loggedDelivery = await findLoggedDelivery(heliograph, channel, { id }, delivery);
      return loggedDelivery.attempts === 1 && loggedDelivery;
    });
    expect(entry).toMatchObject({
      status: 'pending',
      lastStatusCode: null,
      lastError: 'The host has no public address.',
    });
    expect(sink.received).toEqual([]);

    await heliograph.deps.prisma.webhook.update({ where: { id }, data: { failingSince: new Date(0) } });
    await call(heliograph, channel, 'POST', `/webhooks/${id}/deliveries/${delivery}/replay`);
    await waitFor('the log to tell it', () =>
      log.split('\n').some((line) => line.includes(id) && line.includes('a webhook was disabled')),
    );
    expect(log).not.toContain(secret);
    expect(log).not.toContain('token-1f4a');
  });
});
