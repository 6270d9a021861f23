import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createService } from '../../../src/features/verifications/services/services.js';
import { newId } from '../../../src/platform/ids.js';
import { parseSid, toSid } from '../../../src/platform/text/sids.js';
import { makeWrongCode, recordSentTexts } from '../../support/carriers/sent-texts.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { openForSuite } from '../../support/for-suite.js';
import { EVERYTHING, LINTERS_SUITE } from '../../support/run/extent.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

/** Twilio's SDK is installed in tools/, because it is too large for the project's dependencies. */
const SDK = join(import.meta.dirname, '../../../tools/node_modules/twilio');
const isInstalled = EVERYTHING || existsSync(SDK);

interface Message {
  sid: string;
  body: string;
  status: string;
  dateCreated: Date;
  dateSent: Date | null;
  errorCode: number | null;
  price: string | null;
  numSegments: string;
  toJSON(): object;
}

interface Account {
  sid: string;
  dateCreated: Date;
  toJSON(): object;
}

interface Client {
  api: { baseUrl: string; v2010: { accounts(sid: string): { fetch(): Promise<Account> } } };
  balance: { fetch(): Promise<{ accountSid: string; balance: string; currency: string }> };
  verify: {
    baseUrl: string;
    v2: { services(sid: string): Service };
  };
  messages: ((sid: string) => {
    fetch(): Promise<Message>;
    update(changes: object): Promise<Message>;
    remove(): Promise<boolean>;
  }) & {
    create(parameters: object): Promise<Message>;
    list(parameters: object): Promise<Message[]>;
  };
}
interface Verification {
  sid: string;
  status: string;
  valid: boolean;
  channel: string;
  dateCreated: Date;
  sendCodeAttempts: { attempt_sid: string }[];
  toJSON(): object;
}

interface Service {
  verifications: ((sid: string) => {
    fetch(): Promise<Verification>;
    update(changes: object): Promise<Verification>;
  }) & { create(parameters: object): Promise<Verification> };
  verificationChecks: { create(parameters: object): Promise<Verification> };
}

type Sdk = ((sid: string, key: string, options?: object) => Client) & {
  validateRequest(token: string, signature: string, url: string, fields: object): boolean;
};

describe.skipIf(!isInstalled)(`Twilio's SDK for Node.js ${LINTERS_SUITE}`, () => {
  const heliograph = suiteApp({ settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  const { waitForCode } = recordSentTexts(heliograph);
  const client = openForSuite(async () => {
    const requests: { url: string; fields: Record<string, string>; headers: IncomingMessage['headers'] }[] = [];
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const fields = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
      requests.push({ url: `http://${request.headers.host}${request.url}`, fields, headers: request.headers });
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const close = async () => {
      server.closeAllConnections();
      server.close();
    };
    return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
  });
  let sdk: Sdk;
  let twilio: Client;
  let channel: TestChannel;

  const openClient = (userName: string, key: string, options?: object) => {
    const newClient = sdk(userName, key, options);
    const { port } = heliograph.app.server.address() as AddressInfo;
    newClient.api.baseUrl = newClient.verify.baseUrl = `http://127.0.0.1:${port}`;
    return newClient;
  };

  beforeAll(async () => {
    sdk = createRequire(import.meta.url)(SDK) as Sdk;
    channel = await createTestChannel(heliograph.deps);
    await heliograph.app.listen({ port: 0, host: '127.0.0.1' });
    twilio = openClient(toSid('AC', channel.account.id), channel.account.apiKey);
  });

  it('sends, fetches, reads page by page, redacts, cancels and deletes', async () => {
    const from = 'Shop';
    const sentMessage = await twilio.messages.create({ to: '+15005550111', from, body: 'Grüße & ½ €' });
    expect(sentMessage).toMatchObject({ sid: expect.stringMatching(/^SM/), body: 'Grüße & ½ €', errorCode: null });
    expect(sentMessage.dateCreated).toBeInstanceOf(Date);
    // The SDK knows every field of Twilio's OpenAPI file, so no field of a message may be undefined.
    const fields = Object.values(sentMessage.toJSON());
    expect(fields).toHaveLength(20);
    expect(fields).not.toContain(undefined);
    await waitFor('the delivery', async () => (await twilio.messages(sentMessage.sid).fetch()).status === 'delivered');
    const deliveredMessage = await twilio.messages(sentMessage.sid).fetch();
    expect(deliveredMessage.price).toMatch(/^-/);
    expect(deliveredMessage.dateSent?.getTime()).toBeGreaterThan(Date.now() - 60_000);

    for (const body of ['2', '3', '4', '5']) await twilio.messages.create({ to: '+15005550111', from, body });
    const allMessages = await twilio.messages.list({ pageSize: 2, limit: 10 });
    expect(allMessages.map(({ body }) => body)).toEqual(['5', '4', '3', '2', 'Grüße & ½ €']);
    const sinceOneMinute = { dateSentAfter: new Date(Date.now() - 60_000), from };
    await waitFor('all to be sent', async () => (await twilio.messages.list(sinceOneMinute)).length === 5);
    expect(await twilio.messages.list({ dateSentBefore: new Date(Date.now() - 60_000) })).toEqual([]);

    const redactedMessage = await twilio.messages(sentMessage.sid).update({ body: '' });
    expect(redactedMessage.body).toBe('');
    const sendAt = new Date(Date.now() + 3_600_000);
    const scheduledMessage = await twilio.messages.create({
      to: '+15005550111',
      from,
      body: 'x',
      scheduleType: 'fixed',
      sendAt,
    });
    expect(scheduledMessage.status).toBe('scheduled');
    expect((await twilio.messages(scheduledMessage.sid).update({ status: 'canceled' })).status).toBe('canceled');
    expect(await twilio.messages(scheduledMessage.sid).remove()).toBe(true);
    await expect(twilio.messages(scheduledMessage.sid).fetch()).rejects.toMatchObject({ status: 404, code: 20404 });
  });

  it('gets the code and status of a refusal', async () => {
    const refusedSend = twilio.messages.create({ to: 'nobody', from: 'Shop', body: 'x' });
    await expect(refusedSend).rejects.toMatchObject({
      status: 400,
      code: 21211,
      moreInfo: expect.stringContaining('21211'),
    });
    const unauthorizedClient = openClient(toSid('AC', channel.account.id), 'wrong');
    await expect(unauthorizedClient.messages.list({ limit: 1 })).rejects.toMatchObject({ status: 401, code: 20003 });
  });

  it('also authenticates with a key', async () => {
    const { id } = await heliograph.deps.prisma.apiKey.findFirstOrThrow({
      where: { accountId: channel.account.id, surface: 'a' },
    });
    const accountSid = toSid('AC', channel.account.id);
    const keyClient = openClient(toSid('SK', id), channel.account.apiKey, { accountSid });
    expect((await keyClient.messages.list({ limit: 1 })).length).toBeLessThanOrEqual(1);
  });

  it('fetches the account and its balance', async () => {
    const sid = toSid('AC', channel.account.id);
    const account = await twilio.api.v2010.accounts(sid).fetch();
    expect(account).toMatchObject({ sid, friendlyName: 'Test account', status: 'active', type: 'Full' });
    expect(account.dateCreated.getTime()).toBeGreaterThan(Date.now() - 3_600_000);
    expect(Object.values(account.toJSON())).not.toContain(undefined);
    const { accountSid, balance, currency } = await twilio.balance.fetch();
    expect([accountSid, currency]).toEqual([sid, 'USD']);
    expect(balance).toMatch(/^\d+\.\d\d/);
    await expect(twilio.api.v2010.accounts(toSid('AC', newId())).fetch()).rejects.toMatchObject({ code: 20404 });
  });

  it('sends sign-in codes, fetches, checks and cancels them', async () => {
    const { id: accountId } = channel.account;
    const input = { accountId, type: 'verify' as const, appName: 'Acme', sender: 'Acme' };
    const { service: createdService } = await createService(heliograph.deps.prisma, input, new Date());
    const service = twilio.verify.v2.services(toSid('VA', createdService.id));
    const to = '+15005550123';
    const verification = await service.verifications.create({ to, channel: 'sms', locale: 'de' });
    expect(verification).toMatchObject({
      sid: expect.stringMatching(/^VE/),
      status: 'pending',
      valid: false,
      channel: 'sms',
    });
    expect(Object.values(verification.toJSON())).not.toContain(undefined);
    expect(verification.dateCreated.getTime()).toBeGreaterThan(Date.now() - 60_000);
    expect((await service.verifications(verification.sid).fetch()).sid).toBe(verification.sid);
    const code = await waitForCode(parseSid(verification.sendCodeAttempts[0]?.attempt_sid as string, 'VL') as string);
    const wrongCheck = await service.verificationChecks.create({ to, code: makeWrongCode(code) });
    expect(wrongCheck).toMatchObject({ status: 'pending', valid: false });
    const correctCheck = await service.verificationChecks.create({ to, code });
    expect(correctCheck).toMatchObject({ sid: verification.sid, status: 'approved', valid: true });
    expect(Object.values(correctCheck.toJSON())).not.toContain(undefined);
    await expect(service.verificationChecks.create({ to, code })).rejects.toMatchObject({ status: 404, code: 20404 });
    const nextVerification = await service.verifications.create({ to, channel: 'sms' });
    expect((await service.verifications(nextVerification.sid).update({ status: 'canceled' })).status).toBe('canceled');
    for (let sends = 3; sends <= 5; sends++) await service.verifications.create({ to, channel: 'sms' });
    const refusedSend = service.verifications.create({ to, channel: 'sms' });
    await expect(refusedSend).rejects.toMatchObject({ status: 429, code: 60203 });
    const invalidSend = service.verifications.create({ to: 'nobody', channel: 'sms' });
    await expect(invalidSend).rejects.toMatchObject({ status: 400, code: 60200 });
  });

  it('accepts the signature of a status callback, and rejects it for another body', async () => {
    const url = '/v2/callback-secret';
    const rotateResponse = await heliograph.app.inject({ method: 'POST', url, headers: channel.account.headers });
    const { secret } = rotateResponse.json().data;
    const callback = `${client.url}/status?order=1&name=%C3%A4`;
    const statusCallback = `${callback}#rc=3&rp=all`;
    await twilio.messages.create({ to: '+15005550111', from: 'Shop', body: 'x', statusCallback });
    await waitFor('both statuses', () => client.requests.length === 2);
    for (const { url: requestedUrl, fields, headers } of client.requests) {
      const signature = String(headers['x-twilio-signature']);
      expect(requestedUrl).toBe(callback);
      expect(sdk.validateRequest(secret, signature, requestedUrl, fields)).toBe(true);
      expect(sdk.validateRequest(secret, signature, requestedUrl, { ...fields, MessageStatus: 'failed' })).toBe(false);
      expect(sdk.validateRequest('other', signature, requestedUrl, fields)).toBe(false);
    }
  });
});
