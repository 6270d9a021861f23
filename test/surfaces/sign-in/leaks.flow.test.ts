import { isDeepStrictEqual } from 'node:util';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addCarrier } from '../../../src/carriers/setup/carriers.js';
import type { HookType } from '../../../src/features/verifications/services/hook-proofs.js';
import { createService } from '../../../src/features/verifications/services/services.js';
import { newId } from '../../../src/platform/ids.js';
import { toSid } from '../../../src/platform/text/sids.js';
import { openMetrics } from '../../../src/process/metrics/open-metrics.js';
import { bindSettings } from '../../carriers/smpp/setup.js';
import { Smsc } from '../../carriers/smpp/smsc.js';
import { recordSentTexts } from '../../support/carriers/sent-texts.js';
import { VendorStub } from '../../support/carriers/vendor/vendor-stub.js';
import { addCodeTemplate } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { buildToken } from '../../support/graph-calls.js';
import { createTestOperator, type TestOperator } from '../../support/operators.js';
import { suiteApp } from '../../support/suite.js';
import { buildAccountAuth } from '../../support/twilio-calls.js';
import { waitFor } from '../../support/wait-for.js';
import { post } from '../a/requests.js';

/**
 * The stub carriers repeat verification codes in their responses, and the tests then search logs, responses and all rows for
 * codes.
 */
const logLines: string[] = [];
const log = pino({ level: 'trace' }, { write: (line) => void logLines.push(line) });
const heliograph = suiteApp({
  log,
  settings: { WEBHOOK_ALLOW_PRIVATE: 'true', CARRIER_PRIVATE_HOSTS: '127.0.0.1', METRICS_PORT: '0' },
});
const { texts } = recordSentTexts(heliograph);
const [vendor, refusingVendor, client] = [new VendorStub(), new VendorStub(), new VendorStub()];
let smsc: Smsc;
let channel: TestChannel;
let operator: TestOperator;

const codes = new Set<string>();
const DIGITS = /\d{10}/;
const recordCodes = (text: string) => {
  for (const code of text.match(/(?<!\d)\d{10}(?!\d)/g) ?? []) codes.add(code);
};
const TO = { simulator: '15005550111', smsc: '40722000001', web: '447700900123', refusing: '33612345678' };

const createRoutedCarrier = async (name: string, type: string, settings: object, callingCode: string) => {
  const { prisma } = heliograph.deps;
  await addCarrier(prisma, { name, type, settings: { ...settings } });
  const accountId = channel.account.id;
  await prisma.route.create({ data: { id: newId(), accountId, callingCode, carriers: [name] } });
};

beforeAll(async () => {
  smsc = await Smsc.start();
  await Promise.all([vendor.start(), refusingVendor.start(), client.start()]);
  channel = await createTestChannel(heliograph.deps);
  operator = await createTestOperator(heliograph);
  await addCodeTemplate(heliograph, channel);
  await createRoutedCarrier('smsc', 'smpp', bindSettings(smsc.port), '40');
  const vendorSettings = (stub: VendorStub) => ({
    url: `${stub.url}/send?text={text}`,
    json: { text: '{text}' },
    idPath: 'id',
  });
  await createRoutedCarrier('web', 'http', vendorSettings(vendor), '44');
  await createRoutedCarrier('refusing', 'http', vendorSettings(refusingVendor), '33');
  await Promise.all([heliograph.deps.carriers.reload(), heliograph.deps.routing.reload()]);
  await waitFor('the SMPP bind', () => heliograph.deps.carriers.get('smsc').state().up);
  smsc.treat = ({ octets }) => {
    const text = octets.toString('latin1');
    recordCodes(text);
    const receiptText = `id:{id} sub:001 dlvrd:001 submit date:2701151200 done date:2701151201 stat:DELIVRD err:000 text:${text}`;
    const receiptFields = { source_addr: TO.smsc, destination_addr: 'Heliograph', esm_class: 0x04, data_coding: 0 };
    return { receipts: [{ ...receiptFields, short_message: Buffer.from(receiptText, 'latin1') }] };
  };
  const echoWithStatus = (status: number) => (request: { body: string }) => {
    recordCodes(request.body);
    return { status, body: { id: 'x-1', error: { message: `It says ${request.body}` }, echo: request.body } };
  };
  vendor.respond = echoWithStatus(200);
  refusingVendor.respond = echoWithStatus(400);
  const webhookBody = { url: `${client.url}/webhook`, events: ['message.status'] };
  expect((await post(heliograph.app, '/v2/webhooks', channel.account, webhookBody)).statusCode).toBe(200);
});
afterAll(async () => {
  await Promise.all([vendor.stop(), refusingVendor.stop(), client.stop(), smsc?.kill()]);
});

const createSignInService = async (type: 'verify' | HookType) => {
  const input = { accountId: channel.account.id, type, appName: 'Acme', sender: 'Heliograph', digits: 10 };
  return createService(heliograph.deps.prisma, input, new Date());
};
const expectAccepted = ({ statusCode, body }: { statusCode: number; body: string }) => {
  expect([200, 201], body).toContain(statusCode);
  // IDs are removed first, because an ID may contain ten digits in a row.
  const bodyWithoutIds = body.replaceAll(/[A-Z]{2}[\da-f]{32}|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'id');
  expect(bodyWithoutIds).not.toMatch(/(?<!\d)\d{10}(?!\d)/);
};

async function sendByAllRoutes(): Promise<{ verification: string; serviceSid: string }> {
  const { app } = heliograph;
  const { account, phoneNumber } = channel;
  const codeRequest = { from: 'Heliograph', app_name: 'Acme', digits: 10 };
  for (const to of Object.values(TO))
    expectAccepted(await post(app, '/v2/verifications', account, { ...codeRequest, to }));
  const template = { channel: 'whatsapp', template_id: 'sign_in', fallback: { channel: 'sms', from: 'Heliograph' } };
  // The simulator refuses WhatsApp messages to this number, so the fallback SMS is sent too.
  expectAccepted(
    await post(app, '/v2/verifications', account, {
      ...codeRequest,
      ...template,
      to: '15005550001',
      from: phoneNumber,
    }),
  );
  const verify = toSid('VA', (await createSignInService('verify')).service.id);
  const createResponse = await app.inject({
    method: 'POST',
    url: `/v2/Services/${verify}/Verifications`,
    headers: { ...buildAccountAuth(account), 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ To: `+${TO.smsc}`, Channel: 'sms' }).toString(),
  });
  expectAccepted(createResponse);
  const { service: hook, secret } = await createSignInService('fusionauth');
  for (const [index, to] of Object.values(TO).entries()) {
    const code = `739184620${index}`;
    codes.add(code);
    expectAccepted(
      await app.inject({
        method: 'POST',
        url: `/hooks/sign-in/${hook.id}`,
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        payload: { phoneNumber: `+${to}`, textMessage: `Your secret code is "${code}", keep it € é` },
      }),
    );
  }
  return { verification: createResponse.json().sid, serviceSid: verify };
}

describe('a sign-in code', () => {
  let sentCodes: { verification: string; serviceSid: string };
  let messageIds: string[];

  beforeAll(async () => {
    sentCodes = await sendByAllRoutes();
    const { message } = heliograph.deps.prisma;
    await waitFor('the final status of all messages', async () => {
      const statusCounts = await message.groupBy({ by: ['carrier', 'status'], _count: true });
      const summary = statusCounts.map(({ carrier, status, _count }) => `${_count} ${carrier} ${status}`);
      return isDeepStrictEqual(summary.sort(), [
        '2 refusing failed',
        '2 simulator delivered',
        '2 simulator failed',
        '2 web sent',
        '3 smsc delivered',
      ]);
    });
    await waitFor('the webhook calls', () => client.requests.length >= 12);
    messageIds = (await message.findMany({ select: { id: true }, orderBy: { id: 'asc' } })).map(({ id }) => id);
    for (const text of texts.values()) recordCodes(text);
    await waitFor(
      'the carrier calls to be logged',
      async () => (await heliograph.deps.prisma.carrierCall.count()) === 4,
    );
  });

  it('was submitted to every carrier', async () => {
    const { message } = heliograph.deps.prisma;
    const carriers = await message.groupBy({ by: ['carrier', 'status'], _count: true, orderBy: { carrier: 'asc' } });
    expect(carriers.map(({ carrier, status }) => `${carrier} ${status}`)).toEqual(
      expect.arrayContaining(['refusing failed', 'simulator delivered', 'smsc delivered', 'web sent']),
    );
    expect(codes.size).toBeGreaterThanOrEqual(10);
    expect(smsc.submits).toHaveLength(3);
    expect(vendor.requests).toHaveLength(2);
    expect(refusingVendor.requests).toHaveLength(2);
  });

  /** Finds the codes that occur in a text, either plain or in hexadecimal. */
  const findCodes = (text: string) =>
    [...codes].filter((code) => text.includes(code) || text.toLowerCase().includes(Buffer.from(code).toString('hex')));

  it('is not in any database row', async () => {
    const tables = await heliograph.deps.prisma.$queryRaw<{ name: string; text: string | null }[]>`
      SELECT tablename AS name, query_to_xml(format('SELECT t::text FROM %I t', tablename), false, false, '')::text AS text
      FROM pg_tables WHERE schemaname = 'public'`;
    const getTableText = (table: string) => tables.find(({ name }) => name === table)?.text ?? '';
    for (const table of ['carrier_calls', 'webhook_deliveries', 'verifications', 'ledger_entries']) {
      expect(getTableText(table).length, table).toBeGreaterThan(100);
    }
    expect(tables.filter(({ text }) => findCodes(text ?? '').length > 0).map(({ name }) => name)).toEqual([]);
  });

  it('is not in any log or webhook', () => {
    expect(logLines.length).toBeGreaterThan(20);
    expect(logLines.filter((line) => findCodes(line).length > 0)).toEqual([]);
    expect(client.requests.filter(({ body }) => findCodes(body).length > 0)).toEqual([]);
  });

  it('is not in any response to a GET of any surface', async () => {
    const { paths } = (await heliograph.app.inject({ url: '/openapi.json' })).json();
    const { account, channelId, headers: channelHeaders } = channel;
    const responseCounts = new Map<string, number>();
    for (const [path, methods] of Object.entries(paths as Record<string, object>)) {
      if (!('get' in methods) || path === '/admin/v1/live') continue;
      const headers = path.startsWith('/admin')
        ? operator.headers
        : path.startsWith('/2010') || path.startsWith('/v2/Services')
          ? buildAccountAuth(account)
          : path.startsWith('/v')
            ? account.headers
            : path.startsWith('/graph')
              ? { authorization: `Bearer ${buildToken(channel)}` }
              : channelHeaders;
      for (const messageId of path.includes('{') ? messageIds : [messageIds[0] as string]) {
        const url = path
          .replace('{accountId}', account.id)
          .replace('{AccountSid}', toSid('AC', account.id))
          .replace('{ServiceSid}', sentCodes.serviceSid)
          .replace('Verifications/{Sid}', `Verifications/${sentCodes.verification}`)
          .replace('{Sid}', toSid('SM', messageId))
          .replace('{channelId}', channelId)
          .replace('{name}', 'refusing')
          .replace('{version}', 'v26.0')
          .replace('{person}', TO.refusing)
          .replaceAll(/\{\w+\}/g, messageId);
        const { statusCode, body } = await heliograph.app.inject({ url, headers: headers as Record<string, string> });
        expect(statusCode, url).toBeLessThan(500);
        expect(findCodes(body), url).toEqual([]);
        if (statusCode === 200) responseCounts.set(path, (responseCounts.get(path) ?? 0) + 1);
      }
    }
    expect([...responseCounts.keys()]).toEqual(
      expect.arrayContaining([
        '/v1.0/sms/status/{message_id}',
        '/v2/messages',
        '/v2/messages/{message_id}',
        '/v2/changes',
        '/2010-04-01/Accounts/{AccountSid}/Messages.json',
        '/2010-04-01/Accounts/{AccountSid}/Messages/{Sid}',
        '/v2/Services/{ServiceSid}/Verifications/{Sid}',
      ]),
    );
    expect([...responseCounts.keys()].filter((path) => path.startsWith('/admin/')).length).toBeGreaterThan(20);
  });

  it('is not in any metric', async () => {
    const metricsServer = await openMetrics(heliograph.config, heliograph.deps);
    try {
      const text = await (await fetch(metricsServer?.url as string)).text();
      expect(text).toMatch(/heliograph_verifications_total\{[^}]*step="passed_on"[^}]*\} [1-9]/);
      expect(findCodes(text)).toEqual([]);
    } finally {
      await metricsServer?.app.close();
    }
  });

  it('would have been found, because the search finds it where it is expected', () => {
    expect(DIGITS.test([...codes].join())).toBe(true);
    expect(findCodes(`x ${[...codes][0]} y`)).toHaveLength(1);
    expect(findCodes(Buffer.from([...codes][0] as string).toString('hex'))).toHaveLength(1);
  });
});
