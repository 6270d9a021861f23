import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addCarrier } from '../../../../src/carriers/setup/carriers.js';
import { newId } from '../../../../src/platform/ids.js';
import { createTestAccount, type TestAccount } from '../../../support/accounts.js';
import { VendorStub } from '../../../support/carriers/vendor/vendor-stub.js';
import { createTestChannel } from '../../../support/channels.js';
import { accept, waitForAllMessages } from '../../../support/sends.js';
import { suiteApp } from '../../../support/suite.js';
import { waitFor } from '../../../support/wait-for.js';
import { PATH_SECRET, PUBLIC_URL } from '../setup.js';
import { CERTIFICATE } from './certificate.js';
import { CERTIFICATE_PATH, createSnsMessage, REGION, type SnsMessage, signMessage, TOPIC } from './topic.js';

const api = suiteApp({ settings: { CARRIER_PRIVATE_HOSTS: '127.0.0.1' } });
const vendor = new VendorStub();
const sns = new VendorStub();
let account: TestAccount;

beforeAll(async () => {
  await Promise.all([vendor.start(), sns.start()]);
  account = await createTestAccount(api.deps);
  const settings = {
    ...{ preset: 'aws', region: REGION, accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'the-secret' },
    ...{ baseUrl: vendor.url, publicUrl: PUBLIC_URL, callbackSecret: PATH_SECRET, topicArn: TOPIC, snsUrl: sns.url },
  };
  await addCarrier(api.deps.prisma, { name: 'aws', type: 'http', settings });
  await api.deps.prisma.route.create({ data: { id: newId(), accountId: account.id, carriers: ['aws'] } });
  await Promise.all([api.deps.carriers.reload(), api.deps.routing.reload()]);
});
afterAll(() => Promise.all([vendor.stop(), sns.stop()]));
beforeEach(() => {
  sns.requests.length = 0;
  sns.respond = ({ path }) => ({ status: path === CERTIFICATE_PATH ? 200 : 404, body: CERTIFICATE });
});

/** Posts a message like Amazon SNS, which sends JSON with the content type text/plain. */
const postMessage = (message: SnsMessage, secret = PATH_SECRET) =>
  api.app.inject({
    method: 'POST',
    url: `/callbacks/http/aws/events/${secret}`,
    headers: { 'content-type': 'text/plain; charset=UTF-8', 'x-amz-sns-message-type': message.Type ?? '' },
    payload: JSON.stringify(message),
  });
const createReport = (event: object, overrides: SnsMessage = {}) =>
  createSnsMessage('Notification', { Message: JSON.stringify(event), Subject: 'any', ...overrides });
const countCallbacks = () => api.deps.prisma.carrierCallback.count();

describe('an Amazon SNS topic with unknown certificate', () => {
  it('an Amazon SNS topic with an unknown certificate fetches nothing for calls without the secret, from another topic or naming another host', async () => {
    const validReport = createReport({});
    for (const [message, secret] of [
      [validReport, 'another-word-of-ours-1'],
      [{ ...validReport, TopicArn: `${TOPIC}-2` }, PATH_SECRET],
      [{ ...validReport, SigningCertURL: `https://sns.us-east-1.amazonaws.com${CERTIFICATE_PATH}` }, PATH_SECRET],
      [{ ...validReport, SigningCertURL: `https://evil.example${CERTIFICATE_PATH}` }, PATH_SECRET],
      [{ ...validReport, SigningCertURL: `http://sns.${REGION}.amazonaws.com${CERTIFICATE_PATH}` }, PATH_SECRET],
      [{ ...validReport, SigningCertURL: `https://sns.${REGION}.amazonaws.com/other.pem` }, PATH_SECRET],
      [{ ...validReport, SigningCertURL: 'no address' }, PATH_SECRET],
      [{ ...validReport, Type: 'Anything' }, PATH_SECRET],
      [{}, PATH_SECRET],
    ] as [SnsMessage, string][]) {
      expect((await postMessage(signMessage(message), secret)).statusCode, JSON.stringify(message)).toBe(403);
    }
    expect(sns.requests).toEqual([]);
  });

  it('an Amazon SNS topic with an unknown certificate answers 503 while the certificate cannot be fetched, so that SNS repeats the call', async () => {
    for (const status of [200, 302, 403, 407, 429, 500]) {
      sns.respond = () => ({ status, body: 'a page of somebody between' });
      expect((await postMessage(signMessage(createReport({})))).statusCode, String(status)).toBe(503);
    }
    sns.respond = () => 'cut';
    expect((await postMessage(signMessage(createReport({})))).statusCode).toBe(503);
    expect(await countCallbacks()).toBe(0);
  });
});

describe('an Amazon SNS topic', () => {
  it('an Amazon SNS topic delivers receipts signed in either version, fetching the certificate once', async () => {
    vendor.respond = ({ body }) => ({
      status: 200,
      body: { MessageId: `to${JSON.parse(body).DestinationPhoneNumber}` },
    });
    const to = ['40722000001', '40722000002'];
    const [deliveredId, blockedId] = await accept(api.deps, account, { to });
    await waitForAllMessages(api.deps, account.id, 'sent');
    const findMessage = (id?: string) => api.deps.prisma.message.findUniqueOrThrow({ where: { id: id as string } });
    const ids = [(await findMessage(deliveredId)).carrierMessageId, (await findMessage(blockedId)).carrierMessageId];
    const deliveredEvent = { eventType: 'TEXT_DELIVERED', messageId: ids[0], eventTimestamp: Date.now() };
    const blockedEvent = {
      ...{ eventType: 'TEXT_CARRIER_BLOCKED', messageId: ids[1], eventTimestamp: Date.now() },
      messageStatusDescription: 'Blocked by the carrier',
    };
    expect((await postMessage(signMessage(createReport(deliveredEvent)))).statusCode).toBe(200);
    expect((await postMessage(signMessage(createReport(blockedEvent, { SignatureVersion: '1' })))).statusCode).toBe(
      200,
    );
    await waitFor(
      'both ends',
      async () =>
        (await findMessage(deliveredId)).status === 'delivered' && (await findMessage(blockedId)).status === 'rejected',
    );
    expect(await findMessage(blockedId)).toMatchObject({
      errorCode: 'TEXT_CARRIER_BLOCKED',
      errorMessage: 'Blocked by the carrier',
    });
    expect(sns.requests.map(({ path }) => path)).toEqual([CERTIFICATE_PATH]);
  });

  it('an Amazon SNS topic delivers inbound messages', async () => {
    const { channelId, phoneNumber } = await createTestChannel(api.deps, account, { kind: 'sms', carrier: 'aws' });
    const event = {
      ...{ originationNumber: '+40722000009', destinationNumber: `+${phoneNumber}`, messageBody: 'Hallöchen' },
      ...{ inboundMessageId: 'in-1', messageKeyword: 'KEYWORD' },
    };
    expect((await postMessage(signMessage(createReport(event)))).statusCode).toBe(200);
    const listInbound = () => api.deps.prisma.inboundMessage.findMany({ where: { channelId } });
    await waitFor('the message', async () => (await listInbound()).length === 1);
    expect(await listInbound()).toMatchObject([{ body: 'Hallöchen', carrierMessageId: 'in-1' }]);
  });

  it('an Amazon SNS topic refuses calls changed after signing', async () => {
    const signedMessage = signMessage(createReport({ eventType: 'TEXT_DELIVERED', messageId: 'x' }));
    const changes: SnsMessage[] = [
      { Message: '{}' },
      { MessageId: 'x' },
      { Subject: 'other' },
      { Signature: 'AAAA' },
      { SignatureVersion: '1' },
    ];
    for (const change of changes) {
      expect((await postMessage({ ...signedMessage, ...change })).statusCode, JSON.stringify(change)).toBe(403);
    }
    expect(await countCallbacks()).toBe(0);
  });

  it('an Amazon SNS topic confirms its subscription only at SNS, never at a URL from the call', async () => {
    sns.respond = ({ path }) =>
      path === '/' ? { status: 200, body: '<ConfirmSubscriptionResponse/>' } : { status: 200, body: CERTIFICATE };
    const confirmation = signMessage(createSnsMessage('SubscriptionConfirmation'));
    expect((await postMessage({ ...confirmation, Token: 'changed' })).statusCode).toBe(403);
    expect(sns.requests.filter(({ path }) => path === '/')).toEqual([]);
    expect((await postMessage(confirmation)).statusCode).toBe(200);
    expect(sns.lastRequest).toMatchObject({ method: 'GET', path: '/' });
    expect(Object.fromEntries(sns.lastRequest.query)).toEqual({
      ...{ Action: 'ConfirmSubscription', TopicArn: TOPIC, Token: '2336412f37', Version: '2010-03-31' },
    });
    sns.respond = () => ({ status: 403, body: 'AuthorizationError' });
    expect((await postMessage(confirmation)).statusCode).toBe(503);
    expect(await countCallbacks()).toBe(0);
  });

  it('an Amazon SNS topic logs that its subscription ended, without confirming anything', async () => {
    expect((await postMessage(signMessage(createSnsMessage('UnsubscribeConfirmation')))).statusCode).toBe(200);
    expect(sns.requests.filter(({ path }) => path === '/')).toEqual([]);
    expect(await countCallbacks()).toBe(0);
  });
});
