import { randomUUID } from 'node:crypto';
import type { InjectOptions } from 'fastify';
import { beforeAll, describe, expect, it } from 'vitest';
import { createService } from '../../src/features/verifications/services/services.js';
import { newId } from '../../src/platform/ids.js';
import { toSid } from '../../src/platform/text/sids.js';
import { createTestAccount, type TestAccount } from '../support/accounts.js';
import { playInbound } from '../support/channel-calls.js';
import { createTestChannel } from '../support/channels.js';
import { suiteApp } from '../support/suite.js';
import { buildAccountAuth } from '../support/twilio-calls.js';
import { NUMBER, SMS } from './a/requests.js';
import { type ChannelResources, createChannelResources } from './b/channel-resources.js';
import { sendSecuredRequest } from './b/secured-request.js';
import { SECURED_ROUTES, type SecuredRoute } from './b/security-table.js';

/** Number of concurrent requests, several times the size of the request pool. */
const CONCURRENCY = 64;

/*
 * If each request held one connection while waiting for another, concurrent requests could block each other until their
 * timeout.
 */
const heliograph = suiteApp({
  role: 'api',
  settings: { DATABASE_POOL_SIZE: '15', SEND_WAIT_MS: '50', WEBHOOK_ALLOW_PRIVATE: 'true' },
});
let otherAccount: TestAccount;
beforeAll(async () => {
  otherAccount = await createTestAccount(heliograph.deps);
});

const inject = (request: InjectOptions) => heliograph.app.inject(request);

async function requestConcurrently(
  makeRequest: (headers: Record<string, string>) => Promise<{ statusCode: number; body: string }>,
) {
  const key = randomUUID();
  const requests = Array.from({ length: CONCURRENCY }, (_, index) =>
    makeRequest(index % 2 ? { 'idempotency-key': key } : {}),
  );
  const otherRequests = [
    inject({ method: 'GET', url: '/v1.0/account/balance', headers: otherAccount.headers }),
    inject({ method: 'POST', url: '/v2/send', headers: otherAccount.headers, payload: { ...SMS, channel: 'sms' } }),
  ];
  // Awaits all requests before any check, so that none is still running when the next test starts.
  const [otherResponses, responses] = await Promise.all([Promise.all(otherRequests), Promise.all(requests)]);
  for (const { statusCode, body } of otherResponses) expect(statusCode, body).toBe(200);
  expect(responses.filter(({ statusCode }) => statusCode >= 500).map(({ body }) => body)).toEqual([]);
  // At least one request must succeed, which shows that refusals were not caused by an invalid request.
  expect(responses.filter(({ statusCode }) => statusCode < 300).length).toBeGreaterThan(0);
}

/** Requests that run other code than the requests in SECURED_ROUTES. */
const FURTHER_ROUTES: readonly (SecuredRoute & { what: string })[] = [
  {
    what: 'with one run per contact',
    route: 'POST /api/v1/automations/:id/trigger',
    scope: 'automations:write',
    path: { id: 'automationId' },
    body: ({ freshPhone }: ChannelResources & { freshPhone?: string }) => ({ phone: freshPhone }),
  },
  {
    what: 'with a number without a contact',
    route: 'POST /api/v1/messages/template',
    scope: 'messages:send',
    body: ({ freshPhone }: ChannelResources & { freshPhone?: string }) => ({
      to: freshPhone,
      templateName: 'hello',
      language: 'en_US',
    }),
  },
];

const CHANGING_ROUTES_B = [
  ...SECURED_ROUTES.map((route) => ({ ...route, what: 'as in SECURED_ROUTES' })),
  ...FURTHER_ROUTES,
].filter(({ route }) => !route.startsWith('GET'));

describe('64 concurrent identical requests to Surface B', () => {
  it.each(CHANGING_ROUTES_B)('$route, $what: cause no 5xx and do not block others', async (route) => {
    const channel = await createTestChannel(heliograph.deps);
    const resources = { ...(await createChannelResources(heliograph.deps, channel)), freshPhone: NUMBER };
    const body = route.body?.(resources);
    await requestConcurrently((headers) =>
      sendSecuredRequest(heliograph, route, { headers: { ...channel.headers, ...headers }, path: resources, body }),
    );
  });
});

const webhookBody = { url: 'https://hooks.example.com/', events: ['message.status'] };
const CHANGING_ROUTES_A: Record<string, object | null> = {
  'POST /v1.0/account/balance': null,
  'POST /v2/account/balance': null,
  'POST /v1.0/sms/send': { ...SMS, to: `${NUMBER},15005550112` },
  'POST /v2/send': { ...SMS, channel: 'sms' },
  'POST /v2/estimate': { ...SMS, channel: 'sms' },
  'POST /v2/messages/{message_id}/cancel': null,
  'POST /v2/verifications': { to: NUMBER, from: 'Heliograph', app_name: 'Acme' },
  'POST /v2/verifications/check': { to: NUMBER, code: '123456' },
  'POST /v2/callback-secret': null,
  'POST /v2/messages/{message_id}/callbacks/{delivery_id}/replay': null,
  'POST /v2/webhooks': { ...webhookBody, url: 'https://hooks.example.com/other' },
  'PUT /v2/webhooks/{webhook_id}': { events: ['message.status'] },
  'DELETE /v2/webhooks/{webhook_id}': null,
  'POST /v2/webhooks/{webhook_id}/test': null,
  'POST /v2/webhooks/{webhook_id}/rotate-secret': null,
  'POST /v2/webhooks/{webhook_id}/deliveries/{delivery_id}/replay': null,
};

async function listChangingRoutes(pattern: RegExp): Promise<string[]> {
  const { paths } = (await inject({ method: 'GET', url: '/openapi.json' })).json();
  return Object.entries(paths as Record<string, object>)
    .filter(([path]) => pattern.test(path))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
    .filter((route) => !route.startsWith('GET'))
    .sort();
}

describe('64 concurrent identical requests to Surface A', () => {
  it('are tested for every route that changes something', async () => {
    expect(Object.keys(CHANGING_ROUTES_A).sort()).toEqual(await listChangingRoutes(/^\/v\d(?!\/Services)/));
  });

  it.each(Object.entries(CHANGING_ROUTES_A))('%s: cause no 5xx and do not block others', async (route, payload) => {
    const { deps } = heliograph;
    const account = await createTestAccount(deps);
    const sendAsAccount = (url: string, body: object | string = '') =>
      inject({ method: 'POST', url, headers: account.headers, payload: body });
    const scheduled_at = new Date(Date.now() + 60 * 60 * 1000).toISOString();
    const ids: Record<string, string> = {
      message_id: (await sendAsAccount('/v2/send', { ...SMS, channel: 'sms', scheduled_at })).json().data[0].message_id,
      webhook_id: (await sendAsAccount('/v2/webhooks', webhookBody)).json().data.id,
    };
    // A verification can be checked only after a code was requested.
    await sendAsAccount('/v2/verifications', { to: NUMBER, from: 'Heliograph', app_name: 'Acme' });
    ids.delivery_id = (await sendAsAccount(`/v2/webhooks/${ids.webhook_id}/test`)).json().data.id;
    const { message_id: messageId = '', delivery_id: deliveryId = '' } = ids;
    await deps.prisma.messageCallback.create({ data: { messageId, deliveryId } });
    const [method, path = ''] = route.split(' ');
    const url = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] as string);
    await requestConcurrently((headers) =>
      inject({
        method: method as 'POST',
        url,
        headers: { ...account.headers, ...headers },
        ...(payload && { payload }),
      }),
    );
  });
});

const TO = `+${NUMBER}`;
const FORMS_BELOW = /^\/(2010-04-01|v2\/Services)\//;
const FORMS: Record<string, Record<string, string> | null> = {
  'POST /2010-04-01/Accounts/{AccountSid}/Messages.json': { To: TO, From: 'Heliograph', Body: 'Hello' },
  'POST /2010-04-01/Accounts/{AccountSid}/Messages/{Sid}': { Status: 'canceled' },
  'POST /2010-04-01/Accounts/{AccountSid}/Messages/{Sid}/Feedback.json': { Outcome: 'confirmed' },
  'DELETE /2010-04-01/Accounts/{AccountSid}/Messages/{Sid}': null,
  'DELETE /2010-04-01/Accounts/{AccountSid}/Messages/{Sid}/Media/{MediaSid}': null,
  'POST /v2/Services/{ServiceSid}/Verifications': { To: TO, Channel: 'sms' },
  'POST /v2/Services/{ServiceSid}/Verifications/{Sid}': { Status: 'canceled' },
  'POST /v2/Services/{ServiceSid}/VerificationCheck': { To: TO, Code: '123456' },
};

describe("64 concurrent identical requests to Twilio's surface", () => {
  it('are tested for every route that changes something', async () => {
    expect(Object.keys(FORMS).sort()).toEqual(await listChangingRoutes(FORMS_BELOW));
  });

  it.each(Object.entries(FORMS))('%s: cause no 5xx and do not block others', async (route, form) => {
    const { prisma, clock } = heliograph.deps;
    const channel = await createTestChannel(heliograph.deps);
    const { account, channelId } = channel;
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const send = (method: 'POST' | 'DELETE', url: string, fields: object | null, headers = {}) => {
      const payload = fields && new URLSearchParams({ ...fields }).toString();
      return inject({
        method,
        url,
        headers: { ...buildAccountAuth(account), ...(payload && type), ...headers },
        ...(payload && { payload }),
      });
    };
    const verify = { accountId: account.id, type: 'verify' as const, appName: 'Acme', sender: 'Heliograph' };
    const ServiceSid = toSid('VA', (await createService(prisma, verify, clock.now())).service.id);
    const AccountSid = toSid('AC', account.id);
    // A verification can be checked only after a code was requested.
    const verification = await send('POST', `/v2/Services/${ServiceSid}/Verifications`, { To: TO, Channel: 'sms' });
    const ids: Record<string, string> = { AccountSid, ServiceSid, Sid: verification.json().sid };
    if (route.includes('Media')) {
      await playInbound(heliograph, channel, { from: NUMBER, text: 'A file' });
      const { id: messageId } = await prisma.inboundMessage.findFirstOrThrow({ where: { channelId } });
      const file = { id: newId(), accountId: account.id, channelId, origin: 'received', status: 'remote' } as const;
      await prisma.media.create({ data: { ...file, messageId, mimeType: 'image/jpeg', createdAt: clock.now() } });
      Object.assign(ids, { Sid: toSid('SM', messageId), MediaSid: toSid('ME', file.id) });
    } else if (route.includes('Messages/{Sid}')) {
      const SendAt = new Date(Date.now() + 60 * 60 * 1000).toISOString();
      const scheduledMessage = { To: TO, From: 'Heliograph', Body: 'Later', ScheduleType: 'fixed', SendAt };
      ids.Sid = (await send('POST', `/2010-04-01/Accounts/${AccountSid}/Messages.json`, scheduledMessage)).json().sid;
      // Only final messages can be deleted.
      if (route.startsWith('DELETE')) {
        await send('POST', `/2010-04-01/Accounts/${AccountSid}/Messages/${ids.Sid}.json`, { Status: 'canceled' });
      }
    }
    const [method, path = ''] = route.split(' ');
    const url = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] as string);
    await requestConcurrently((headers) => send(method as 'POST', url, form, headers));
  });
});
