import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createTestAccount, readBalance } from '../../support/accounts.js';
import { createTestChannel } from '../../support/channels.js';
import { forSuite } from '../../support/for-suite.js';
import { runBulkClient } from '../../support/processes/bulk-client.js';
import { suiteApp } from '../../support/suite.js';
import { watchEventLoop } from '../../support/watch-event-loop.js';
import { sendSms, sendV2 } from './requests.js';

const RECIPIENTS = 10_000;
const CREDIT = 10_000_000_000n;
/** Share of the whole time for which the event loop may be blocked. Building a large response in a single step takes about 8 %. */
const MAX_LOOP_DELAY_SHARE = 0.05;

const heliograph = suiteApp({ role: 'api', settings: { SMS_MAX_CHARS: '0' } });
const server = forSuite(async () => {
  await heliograph.app.listen({ port: 0, host: '127.0.0.1' });
  return { port: (heliograph.app.server.address() as AddressInfo).port };
});

const numbers = Array.from({ length: RECIPIENTS }, (_, index) => String(15005560000 + index));
/** Uses varying letters, because PostgreSQL would compress a single repeated letter to almost nothing. */
const randomCyrillic = (length: number) =>
  Array.from({ length }, (_, index) => String.fromCharCode(0x430 + ((index * 7919 + (index >> 5)) % 32))).join('');

describe('sends to 10,000 recipients', () => {
  it('do not block the event loop or other senders when five run concurrently', async () => {
    const { account, phoneNumber: from } = await createTestChannel(heliograph.deps, undefined, {
      creditMicros: CREDIT,
    });
    const otherAccount = await createTestAccount(heliograph.deps);
    const message = randomCyrillic(2_048);
    const largeSend = (index: number) => ({
      path: '/v2/send',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': `large ${index}`,
        ...account.headers,
      },
      body: JSON.stringify({ to: numbers, from, channel: 'whatsapp', message }),
    });
    const singleSend = {
      method: 'POST',
      path: '/v1.0/sms/send',
      headers: { 'content-type': 'application/json', ...otherAccount.headers },
      body: JSON.stringify({ to: '15005550111', from: 'Shop', message: 'Hello' }),
    };
    // The first run is not measured, because V8 has not compiled the code yet.
    await runBulkClient(server.port, [largeSend(0)]);

    const loop = watchEventLoop();
    const startedAt = performance.now();
    const { responses, latencies } = await runBulkClient(server.port, [1, 2, 3, 4, 5].map(largeSend), [
      { path: '/health/live' },
      singleSend,
    ]);
    loop.stop();
    const report = {
      allMs: Math.round(performance.now() - startedAt),
      heldMs: Math.round(loop.longestMs()),
      liveMs: Math.round(Math.max(...(latencies[0] as number[]))),
      singleMs: Math.round(Math.max(...(latencies[1] as number[]))),
    };
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(report.heldMs, JSON.stringify(report)).toBeLessThan(report.allMs * MAX_LOOP_DELAY_SHARE);
    // A single SMS of another account must not wait for all of the large commits.
    expect(report.singleMs, JSON.stringify(report)).toBeLessThan(report.allMs / 2);
    expect(await readBalance(heliograph.deps, account.id)).toBe(CREDIT - 6n * BigInt(RECIPIENTS) * 10_000n);

    const repetition = await runBulkClient(server.port, [largeSend(1)]);
    expect(repetition.responses[0]?.headers['idempotent-replayed']).toBe('true');
    expect(repetition.responses[0]?.digest).toBe(responses[0]?.digest);
    expect(await readBalance(heliograph.deps, account.id)).toBe(CREDIT - 6n * BigInt(RECIPIENTS) * 10_000n);
  });

  it.each([
    ['POST /v1.0/sms/send', sendSms, { status: 'success' }, numbers.join(',')],
    ['POST /v2/send', sendV2, { status: 'success', message: '10000 messages accepted', code: 200 }, numbers],
  ] as const)('%s responds to many recipients in the same format as to a few', async (_, send, expectedFields, to) => {
    const account = await createTestAccount(heliograph.deps, { creditMicros: CREDIT });
    const sms = { to, from: 'Zoë "Shop" \\', message: 'Grüße 😀\n"quoted" \\ & <b>' };
    const response = await send(heliograph.app, account, sms, { 'idempotency-key': 'as few' });
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.headers['content-length']).toBe(String(response.rawPayload.length));
    expect(response.headers['x-request-id']).toBeDefined();
    const { data, ...top } = response.json();
    expect(top).toEqual(expectedFields);
    expect(data).toHaveLength(RECIPIENTS);
    const storedMessages = await heliograph.deps.prisma.message.findMany({
      where: { accountId: account.id },
      orderBy: { id: 'asc' },
    });
    expect(data).toEqual(
      storedMessages.map(({ id, parts, sender, recipient, body, createdAt }) => ({
        message_id: id,
        message_count: parts,
        from: sender,
        to: recipient,
        message: body,
        timestamp: createdAt.toISOString(),
      })),
    );
    expect(storedMessages.map(({ recipient }) => recipient)).toEqual(numbers);

    const repeatedResponse = await send(heliograph.app, account, sms, { 'idempotency-key': 'as few' });
    expect(repeatedResponse.headers['idempotent-replayed']).toBe('true');
    const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    expect(digest(repeatedResponse.rawPayload)).toBe(digest(response.rawPayload));
  });
});
