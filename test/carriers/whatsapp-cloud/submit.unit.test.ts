import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TemplateContent } from '../../../src/carriers/content.js';
import { readStatus } from '../../../src/carriers/whatsapp-cloud/callbacks/statuses.js';
import type { WhatsappCloud } from '../../../src/carriers/whatsapp-cloud/whatsapp-cloud.js';
import { newId } from '../../../src/platform/ids.js';
import { CloudApi } from '../../support/carriers/cloud-api/cloud-api.js';
import { MetaRefusal } from '../../support/carriers/cloud-api/meta-error.js';
import { waitFor } from '../../support/wait-for.js';
import {
  buildOutbound,
  CHANNEL_ID,
  createRecordingSinks,
  neverAborted,
  openCloudCarrier,
  PHONE_NUMBER_ID,
  submitRefused,
} from './carrier.js';

let stub: CloudApi;
let carrier: WhatsappCloud;

beforeEach(async () => {
  stub = new CloudApi();
  await stub.start();
  carrier = openCloudCarrier(stub);
});
afterEach(async () => {
  await carrier.close(AbortSignal.timeout(1_000));
  await stub.stop();
});

const submitRefusedMessage = (message = buildOutbound(), signal = neverAborted) =>
  submitRefused(carrier, message, signal);

describe('private addresses', () => {
  it.each([[], ['localhost', '10.0.0.7']])(
    'a Cloud API baseUrl with a private address is refused unless CARRIER_PRIVATE_HOSTS contains it (%s)',
    async (...hosts) => {
      const guardedCarrier = openCloudCarrier(stub, {}, hosts);
      const template = { id: CHANNEL_ID, carrierSettings: { phoneNumberId: PHONE_NUMBER_ID, businessAccountId: '1' } };
      const submissions = [
        guardedCarrier.submit(buildOutbound(), neverAborted),
        guardedCarrier.listTemplates(template as never),
        guardedCarrier.readProfile(template as never),
      ];
      const privateAddressError = {
        code: 'PRIVATE_ADDRESS',
        retryable: true,
        message: expect.stringContaining('CARRIER_PRIVATE_HOSTS'),
      };
      for (const submission of submissions) await expect(submission).rejects.toMatchObject(privateAddressError);
      expect(stub.requests).toEqual([]);
      await guardedCarrier.close(AbortSignal.timeout(1_000));
    },
  );
});

describe('requests', () => {
  it('a request to the Cloud API contains the text, the number with a plus sign, and our message ID', async () => {
    const message = buildOutbound({ body: 'Grüße 👋', content: null });
    const { carrierMessageId } = await carrier.submit(message, neverAborted);
    expect(stub.requests).toEqual([`POST ${PHONE_NUMBER_ID}/messages`]);
    expect(stub.accepted).toMatchObject([{ id: carrierMessageId, phoneNumberId: PHONE_NUMBER_ID, to: '16505551234' }]);
    expect(stub.accepted[0]?.body).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '+16505551234',
      biz_opaque_callback_data: message.id,
      type: 'text',
      text: { body: 'Grüße 👋', preview_url: false },
    });
  });

  it('a request to the Cloud API contains the attempt number, which statuses repeat', async () => {
    const message = buildOutbound({ attempt: 2 });
    await carrier.submit(message, neverAborted);
    expect(stub.accepted[0]?.body.biz_opaque_callback_data).toBe(`${message.id}-2`);
    const status = { id: 'wamid.1', status: 'delivered', timestamp: '1800000000' };
    const readStatusData = (data: string) =>
      readStatus({ ...status, biz_opaque_callback_data: data }, 'meta', new Date());
    expect(readStatusData(`${message.id}-2`)).toMatchObject({ messageId: message.id, attempt: 2 });
    for (const data of [message.id, message.id.toUpperCase()]) {
      expect(readStatusData(data)).toMatchObject({ messageId: message.id });
      expect(readStatusData(data)).not.toHaveProperty('attempt');
    }
    expect(readStatusData('order=7')).not.toHaveProperty('messageId');
  });

  it('a request to the Cloud API contains a link preview flag if requested', async () => {
    await carrier.submit(buildOutbound({ content: { type: 'text', previewUrl: true } }), neverAborted);
    expect(stub.accepted[0]?.body.text).toEqual({ body: 'Hello', preview_url: true });
  });

  it('a request to the Cloud API contains an image or document link, with a caption if there is one', async () => {
    const url = 'https://example.com/a.png';
    await carrier.submit(buildOutbound({ body: 'Look', content: { type: 'image', url } }), neverAborted);
    await carrier.submit(buildOutbound({ body: '', content: { type: 'image', url } }), neverAborted);
    await carrier.submit(
      buildOutbound({ body: '', content: { type: 'document', url, filename: 'bill.pdf' } }),
      neverAborted,
    );
    expect(stub.accepted.map(({ body }) => body.image ?? body.document)).toEqual([
      { link: url, caption: 'Look' },
      { link: url },
      { link: url, filename: 'bill.pdf' },
    ]);
  });

  it('a request to the Cloud API contains a template with language and parameters', async () => {
    const components = [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }] }];
    const body = [{ type: 'BODY', text: 'Hello {{1}}!' }];
    const template = { id: '1', name: 'greeting', language: 'de', status: 'APPROVED', category: 'UTILITY' };
    stub.templates.push({ ...template, components: body }, { ...template, name: 'plain', components: [] });
    await carrier.submit(
      buildOutbound({ content: { type: 'template', name: 'greeting', language: 'de', components } }),
      neverAborted,
    );
    await carrier.submit(
      buildOutbound({ content: { type: 'template', name: 'plain', language: 'de', components: [] } }),
      neverAborted,
    );
    expect(stub.accepted.map(({ body }) => body.template)).toEqual([
      { name: 'greeting', language: { code: 'de' }, components },
      { name: 'plain', language: { code: 'de' } },
    ]);
  });

  it('a request to the Cloud API reports the number by which Meta knows the recipient if it differs', async () => {
    const { sinks, sameNumbers } = createRecordingSinks();
    await carrier.start(sinks);
    const [sentTo, known] = ['525512345678', '5215512345678'];
    stub.differentNumbers.set(sentTo, known);
    await carrier.submit(buildOutbound(), neverAborted);
    await carrier.submit(buildOutbound({ to: 'US.13491208655302741918' }), neverAborted);
    await carrier.submit(buildOutbound({ to: sentTo }), neverAborted);
    expect(sameNumbers).toEqual([[CHANNEL_ID, { sentTo, known }]]);
    stub.differentNumbers.set(sentTo, 'none');
    await carrier.submit(buildOutbound({ to: sentTo }), neverAborted);
    expect(sameNumbers).toHaveLength(1);
  });

  it('a request to the Cloud API succeeds even if that number cannot be stored', async () => {
    const { sinks } = createRecordingSinks();
    await carrier.start({ ...sinks, linkNumbers: () => Promise.reject(new Error('the database is unavailable')) });
    stub.differentNumbers.set('525512345678', '5215512345678');
    const { carrierMessageId } = await carrier.submit(buildOutbound({ to: '525512345678' }), neverAborted);
    expect(carrierMessageId).toBe(stub.accepted[0]?.id);
  });

  it('a request to the Cloud API uses the configured API version', async () => {
    const otherVersion = openCloudCarrier(stub, { apiVersion: 'v25.0' });
    await otherVersion.submit(buildOutbound(), neverAborted);
    const unknownVersion = openCloudCarrier(stub, { apiVersion: 'v1.0' });
    await expect(unknownVersion.submit(buildOutbound(), neverAborted)).rejects.toMatchObject({
      code: '2500',
      retryable: false,
    });
    await Promise.all([otherVersion, unknownVersion].map((carrier) => carrier.close(neverAborted)));
  });
});

describe('refusals', () => {
  it.each([
    [131047, 400],
    [131026, 400],
    [132000, 400],
    [132001, 404],
    [100, 400],
    [131030, 400],
    [130497, 403],
    [131051, 400],
  ])('a refusal by the Cloud API with code %i fails the message', async (code, status) => {
    stub.fault = () => new MetaRefusal(code, 'No', { status, details: 'This and that.' });
    expect(await submitRefusedMessage()).toMatchObject({
      code: String(code),
      message: `(#${code}) No (This and that.)`,
      retryable: false,
      answerLost: false,
    });
  });

  it.each([
    [130429, 429],
    [131056, 400],
    [131016, 500],
    [131000, 500],
    [2, 503],
    [131048, 400],
    [80007, 400],
  ])('a refusal by the Cloud API with code %i is retryable, and the message was not accepted', async (code, status) => {
    stub.fault = () => new MetaRefusal(code, 'Later', { status });
    expect(await submitRefusedMessage()).toMatchObject({ code: String(code), retryable: true, answerLost: false });
  });

  it.each([
    [131031, 403, 'account_restricted'],
    [368, 403, 'account_restricted'],
    [131042, 400, 'payment_problem'],
    [133010, 400, 'number_not_registered'],
    [131045, 400, 'number_not_registered'],
    [131037, 400, 'name_not_approved'],
    [33, 400, 'number_unknown'],
    [10, 403, 'permission_missing'],
    [200, 403, 'permission_missing'],
    [299, 403, 'permission_missing'],
    [131005, 403, 'permission_missing'],
    [3, 500, 'permission_missing'],
  ])('a refusal by the Cloud API with code %i pauses the channel immediately', async (code, status, health) => {
    const { sinks, pauses } = createRecordingSinks();
    await carrier.start(sinks);
    stub.fault = () => new MetaRefusal(code, 'No', { status, details: 'See to it.' });
    const timeBefore = Date.now();
    expect(await submitRefusedMessage()).toMatchObject({ code: String(code), retryable: true, channelPaused: true });
    const reason = `(#${code}) No (See to it.)`;
    expect(pauses).toEqual([[CHANNEL_ID, { health: health, code: String(code), reason, at: expect.any(Date) }]]);
    expect(pauses[0]?.[1].at.getTime()).toBeGreaterThanOrEqual(timeBefore);
    expect(await submitRefusedMessage()).toMatchObject({ code: String(code), notTried: true, channelPaused: true });
    expect(stub.requests).toHaveLength(1);
    stub.fault = () => null;
    await carrier.submit(buildOutbound({ channelId: newId() }), neverAborted);
  });

  it('the Cloud API stub refuses what Meta refuses', async () => {
    const template: TemplateContent = { type: 'template', name: 'nothing', language: 'en_US', components: [] };
    expect(await submitRefusedMessage(buildOutbound({ content: template }))).toMatchObject({
      code: '132001',
      retryable: false,
    });
    expect(await submitRefusedMessage(buildOutbound({ body: 'x'.repeat(4_097) }))).toMatchObject({
      code: '100',
      retryable: false,
    });
    expect(await submitRefusedMessage(buildOutbound({ channelSettings: { phoneNumberId: '1' } }))).toMatchObject({
      code: '100',
    });
    expect(stub.accepted).toEqual([]);
  });

  it('a refusal by the Cloud API with the pair limit delays only that recipient, longer each time', async () => {
    stub.fault = ({ to }) => (to === '+16505551234' ? new MetaRefusal(131056, 'Pair limit') : null);
    expect((await submitRefusedMessage()).pauseMs).toBeCloseTo(4_000, -2);
    const secondRefusal = await submitRefusedMessage();
    expect(secondRefusal).toMatchObject({ code: '131056', retryable: true, notTried: true });
    expect(secondRefusal.pauseMs).toBeGreaterThan(3_000);
    expect(stub.requests).toHaveLength(1);
    await carrier.submit(buildOutbound({ to: '16505550000' }), neverAborted);
    await carrier.submit(
      buildOutbound({ channelSettings: { phoneNumberId: PHONE_NUMBER_ID }, to: '16505550001' }),
      neverAborted,
    );
    expect(stub.accepted.map(({ to }) => to)).toEqual(['16505550000', '16505550001']);
    expect(carrier.state()).toEqual({ up: true });
  });

  it('a refusal by the Cloud API with a number limit delays all messages of the number, as long as Meta asks', async () => {
    stub.numbers.set('42', '15550000042');
    stub.fault = () => new MetaRefusal(130429, 'Rate limit hit', { status: 429, headers: { 'retry-after': '7' } });
    expect((await submitRefusedMessage()).pauseMs).toBeCloseTo(7_000, -2);
    stub.fault = () => null;
    expect(await submitRefusedMessage(buildOutbound({ to: '16505550000' }))).toMatchObject({
      code: '130429',
      notTried: true,
    });
    await carrier.submit(buildOutbound({ channelSettings: { phoneNumberId: '42' } }), neverAborted);
    expect(stub.accepted).toHaveLength(1);
  });

  it.each([
    ['', 3, 180_000],
    [', for at most an hour', 900_000, 3_600_000],
  ])(
    'a refusal by the Cloud API with an app limit delays all messages%s, and the carrier reports it',
    async (_, minutes, pauseMs) => {
      const usage = JSON.stringify({ 1: [{ type: 'whatsapp', estimated_time_to_regain_access: minutes }] });
      stub.fault = () => new MetaRefusal(80007, 'Too many calls', { headers: { 'x-business-use-case-usage': usage } });
      expect((await submitRefusedMessage()).pauseMs).toBeCloseTo(pauseMs, -2);
      expect(carrier.state()).toMatchObject({ up: false, until: expect.any(Date), reason: expect.any(String) });
    },
  );
});

describe('lost responses', () => {
  it.each(['silence', 'cut', 'accepted-and-cut', 'accepted-and-silence'] as const)(
    'a Cloud API request without a usable response may have been accepted: %s',
    async (fault) => {
      carrier = openCloudCarrier(stub, { timeoutMs: 1_500 });
      stub.fault = () => fault;
      const error = await submitRefusedMessage();
      expect(error).toMatchObject({ code: 'ANSWER_LOST', retryable: true, answerLost: true, notTried: false });
    },
  );

  it.each([
    [502, '<html>Bad gateway</html>'],
    [200, 'welcome to the portal'],
    [200, '{"messages":[]}'],
  ])('a Cloud API request without a usable response may have been accepted: %i %s', async (status, text) => {
    stub.fault = () => ({ status, text });
    expect(await submitRefusedMessage()).toMatchObject({ code: 'BAD_ANSWER', retryable: true, answerLost: true });
  });

  it.each([302, 407])(
    'a Cloud API request without a usable response was not accepted if a proxy responds with %i',
    async (status) => {
      stub.fault = () => ({ status, text: 'no' });
      expect(await submitRefusedMessage()).toMatchObject({ code: 'BAD_ANSWER', retryable: true, answerLost: false });
    },
  );

  it('a Cloud API request without a usable response counts as successful if only the recipient is missing', async () => {
    stub.fault = () => ({ status: 200, text: '{"messages":[{"id":"wamid.alone"}]}' });
    expect(await carrier.submit(buildOutbound(), neverAborted)).toEqual({ carrierMessageId: 'wamid.alone' });
  });

  it('a Cloud API request without a usable response was not sent if the connection is refused', async () => {
    await stub.stop();
    expect(await submitRefusedMessage()).toMatchObject({
      code: 'UNREACHABLE',
      retryable: true,
      answerLost: false,
      notTried: true,
    });
    await stub.start();
    await carrier.submit(buildOutbound(), neverAborted);
  });

  it('a Cloud API request without a usable response was not sent if the connection is never established', async () => {
    // The server never answers the TLS handshake, so the connection is never established.
    const silentServer = createServer().listen(0, '127.0.0.1');
    await once(silentServer, 'listening');
    const { port } = silentServer.address() as AddressInfo;
    carrier = openCloudCarrier(stub, { baseUrl: `https://127.0.0.1:${port}`, timeoutMs: 200 });
    expect(await submitRefusedMessage()).toMatchObject({ code: 'UNREACHABLE', answerLost: false, notTried: true });
    silentServer.close();
  });
});

describe('send rate', () => {
  it('the Cloud API send rate applies to each number separately', async () => {
    stub.numbers.set('42', '15550000042');
    const slowCarrier = openCloudCarrier(stub, { ratePerSecond: 50 });
    const startedAt = performance.now();
    const submit = (phoneNumberId: string, index: number) =>
      slowCarrier.submit(
        buildOutbound({ channelSettings: { phoneNumberId }, to: `1650555${1000 + index}` }),
        neverAborted,
      );
    await Promise.all(
      [PHONE_NUMBER_ID, '42'].flatMap((id) => Array.from({ length: 30 }, (_, index) => submit(id, index))),
    );
    await slowCarrier.close(neverAborted);
    // Sending 30 messages at 50 per second takes 600 ms, of which a burst may save 100 ms.
    for (const id of [PHONE_NUMBER_ID, '42']) {
      const times = stub.accepted
        .filter(({ phoneNumberId }) => phoneNumberId === id)
        .map(({ acceptedAt }) => acceptedAt - startedAt);
      expect(times).toHaveLength(30);
      expect(Math.max(...times)).toBeGreaterThan(450);
    }
  });

  it('a WhatsApp message waiting for the send rate is not sent once its worker stops', async () => {
    const slowCarrier = openCloudCarrier(stub, { ratePerSecond: 0.01 });
    const controller = new AbortController();
    const submissions = ['16505550001', '16505550002'].map((to) =>
      slowCarrier.submit(buildOutbound({ to }), controller.signal),
    );
    await submissions[0];
    controller.abort();
    await expect(submissions[1]).rejects.toMatchObject({ code: 'NOT_SUBMITTED', retryable: true, answerLost: false });
    expect(stub.accepted).toHaveLength(1);
    await slowCarrier.close(neverAborted);
  });
});

it('closing the WhatsApp carrier waits for outstanding responses', async () => {
  stub.fault = () => 'silence';
  const pendingRefusal = submitRefusedMessage();
  await waitFor('the request', () => stub.requests.length === 1);
  await carrier.close(AbortSignal.timeout(100));
  expect(await pendingRefusal).toMatchObject({ answerLost: true });
});
