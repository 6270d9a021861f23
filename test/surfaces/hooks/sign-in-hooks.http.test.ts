import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { countParts } from '../../../src/carriers/sms/segments.js';
import type { HookType } from '../../../src/features/verifications/services/hook-proofs.js';
import { createService, type NewService } from '../../../src/features/verifications/services/services.js';
import { sign } from '../../../src/features/webhooks/signature.js';
import { createTestAccount, readBalance, type TestAccount } from '../../support/accounts.js';
import { recordSentTexts } from '../../support/carriers/sent-texts.js';
import { addCodeTemplate } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { suiteApp } from '../../support/suite.js';
import { post } from '../a/requests.js';

const heliograph = suiteApp();
const { waitForText } = recordSentTexts(heliograph);
let channel: TestChannel;
let account: TestAccount;
let lastNumber = 0;
const freshNumber = () => `1500555${String(4000 + lastNumber++)}`;

interface Hook {
  id: string;
  secret: string;
}
type Headers = Record<string, string>;

const ZITADEL_KEY = 'a-signing-key-of-zitadel';
async function createHook(type: HookType, overrides: Partial<NewService> = {}): Promise<Hook> {
  const { service, secret } = await createService(
    heliograph.deps.prisma,
    {
      accountId: account.id,
      type,
      appName: 'Acme',
      sender: 'Heliograph',
      ...(type === 'zitadel' && { secret: ZITADEL_KEY }),
      ...overrides,
    },
    new Date(),
  );
  return { id: service.id, secret: secret as string };
}

const callHook = (hook: Hook, payload: string, headers: Headers) =>
  heliograph.app.inject({
    method: 'POST',
    url: `/hooks/sign-in/${hook.id}`,
    headers: { 'content-type': 'application/json', ...headers },
    payload,
  });

const unixSeconds = () => Math.floor(Date.now() / 1000);
const basicHeaders = (user: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`,
});
const bearerHeaders = (secret: string) => ({ authorization: `Bearer ${secret}` });
let ids = 0;
const standardHeaders = ({ secret }: Hook, body: string, timestamp = unixSeconds(), id = `msg_${ids++}`): Headers => ({
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': sign([secret.replace('v1,', '')], { id, timestamp, body }),
});
const zitadelHeaders = ({ secret }: Hook, body: string, timestamp = unixSeconds()): Headers => ({
  'zitadel-signature': `t=${timestamp},v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`,
});
function createJwt(secret: string, claims: object = {}): string {
  const encodePart = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signedPart = `${encodePart({ alg: 'HS256', typ: 'JWT' })}.${encodePart({ iss: 'urn:auth0', sub: 'urn:Auth0', aud: 'urn:Heliograph', ...claims })}`;
  return `${signedPart}.${createHmac('sha256', secret).update(signedPart).digest('base64url')}`;
}

async function findSentMessage(
  to: string,
): Promise<{ row: { body: string; parts: number; id: string }; text: string }> {
  const row = await heliograph.deps.prisma.message.findFirstOrThrow({
    where: { accountId: account.id, recipient: to },
    orderBy: { id: 'desc' },
  });
  return { row, text: await waitForText(row.id) };
}

const SYSTEMS: readonly {
  type: HookType;
  what: string;
  body: (to: string) => object | string;
  prove: (hook: Hook, body: string) => Headers;
  text: string;
}[] = [
  {
    type: 'supabase',
    what: 'Send SMS hook',
    body: (to) => ({
      user: {
        id: '6481a5c1-3d37-4a56-9f6a-bee08c554965',
        aud: 'authenticated',
        role: 'authenticated',
        email: '',
        phone: `+${to}`,
        app_metadata: { provider: 'phone', providers: ['phone'] },
        user_metadata: {},
        created_at: '2024-05-13T09:33:16.931473Z',
        is_anonymous: false,
      },
      sms: { otp: '561166' },
    }),
    prove: standardHeaders,
    text: 'Your Acme code is 561166. Do not share it with anyone.',
  },
  {
    type: 'auth0',
    what: 'passwordless SMS gateway',
    body: (to) => ({ recipient: `+${to}`, body: 'Your verification code is: 484857', sender: 'Auth0' }),
    prove: ({ secret }) => bearerHeaders(createJwt(secret, { exp: unixSeconds() + 60 })),
    text: 'Your verification code is: 484857',
  },
  {
    type: 'auth0',
    what: 'passwordless SMS gateway, with request data',
    body: (to) => ({
      recipient: `+${to}`,
      body: 'Your verification code is: 484858',
      sender: 'Auth0',
      req: { ip: '192.0.2.7', userAgent: 'a browser' },
    }),
    prove: ({ secret }) => {
      const now = unixSeconds();
      const claims = { aud: ['urn:Other', 'urn:Heliograph'], iat: now, nbf: now, exp: now + 60 };
      return bearerHeaders(createJwt(secret, claims));
    },
    text: 'Your verification code is: 484858',
  },
  {
    type: 'auth0',
    what: 'custom phone provider Action',
    body: (to) => ({ recipient: `+${to}`, text: '135790 is your Acme code', code: '135790' }),
    prove: ({ secret }) => bearerHeaders(secret),
    text: '135790 is your Acme code',
  },
  {
    type: 'zitadel',
    what: 'HTTP provider',
    body: (to) => ({
      contextInfo: {
        eventType: 'user.human.phone.code.added',
        provider: { id: '285181292935381355', description: 'test' },
        recipientPhoneNumber: `+${to}`,
      },
      templateData: {
        title: 'Zitadel - Verify phone',
        text: '246801 is your one-time password for acme.example. Use it within the next 5 minutes.\n@acme.example #246801',
      },
      args: { code: '246801', domain: 'acme.example' },
    }),
    prove: zitadelHeaders,
    text: '246801 is your one-time password for acme.example. Use it within the next 5 minutes.\n@acme.example #246801',
  },
  {
    type: 'authentik',
    what: 'generic provider, Basic',
    body: (to) => ({ From: '1234', To: `+${to}`, Body: 'Use this code to authenticate in authentik: 112233' }),
    prove: ({ secret }) => basicHeaders('authentik', secret),
    text: 'Use this code to authenticate in authentik: 112233',
  },
  {
    type: 'authentik',
    what: 'generic provider, code only, Bearer',
    body: (to) => ({ From: '1234', To: `+${to}`, Body: '112234' }),
    prove: ({ secret }) => bearerHeaders(secret),
    text: 'Your Acme code is 112234. Do not share it with anyone.',
  },
  {
    type: 'keycloak',
    what: 'SMS authenticator, JSON',
    body: (to) => ({ message: 'Your SMS code is 998877 and is valid for 5 minutes.', to: `+${to}`, from: 'Keycloak' }),
    prove: ({ secret }) => basicHeaders('keycloak', secret),
    text: 'Your SMS code is 998877 and is valid for 5 minutes.',
  },
  {
    type: 'keycloak',
    what: 'SMS authenticator, form',
    body: (to) => new URLSearchParams({ message: 'Code: "998866" €', to: `+${to}`, from: 'Keycloak' }).toString(),
    prove: ({ secret }) => ({ ...bearerHeaders(secret), 'content-type': 'application/x-www-form-urlencoded' }),
    text: 'Code: "998866" €',
  },
  {
    type: 'fusionauth',
    what: 'generic messenger',
    body: (to) => ({ phoneNumber: `+${to}`, textMessage: 'Two Factor Code: 736230', type: 'SMS' }),
    prove: ({ secret }) => basicHeaders('fusionauth', secret),
    text: 'Two Factor Code: 736230',
  },
];

beforeAll(async () => {
  channel = await createTestChannel(heliograph.deps);
  account = channel.account;
  await addCodeTemplate(heliograph, channel);
});

describe.each(SYSTEMS)('$type: $what', ({ type, body, prove, text }) => {
  const payloadTo = (to: string) => {
    const payload = body(to);
    return typeof payload === 'string' ? payload : JSON.stringify(payload);
  };

  it('sends the documented message, and stores asterisks instead of the code', async () => {
    const hook = await createHook(type);
    const to = freshNumber();
    const payload = payloadTo(to);
    const response = await callHook(hook, payload, prove(hook, payload));
    expect([response.statusCode, response.json()]).toEqual([200, {}]);
    const sentMessage = await findSentMessage(to);
    expect(sentMessage.text).toBe(text);
    expect(sentMessage.row.body).not.toMatch(/\d/);
    expect(sentMessage.row.body).toHaveLength(text.length);
    expect(sentMessage.row.parts).toBe(1);
  });

  it('refuses a wrong secret and a changed body, without charging', async () => {
    const hook = await createHook(type);
    const payload = payloadTo(freshNumber());
    const balanceBefore = await readBalance(heliograph.deps, account.id);
    const otherHook = {
      ...hook,
      secret: type === 'supabase' ? `v1,whsec_${'A'.repeat(44)}` : 'another-secret-of-somebody',
    };
    const headerNames = Object.keys(prove(hook, payload));
    const malformedHeaders = Object.fromEntries(headerNames.map((name) => [name, '?']));
    const malformedHeaderMessage = new RegExp(`^The header (?:${headerNames.join('|')}) must be`, 'i');
    for (const [headers, message] of [
      [prove(otherHook, payload), /^The secret or the signature is wrong/],
      [{} as Headers, new RegExp(`^The header (?:${headerNames.join('|')}) is missing or empty`, 'i')],
      [malformedHeaders, malformedHeaderMessage],
    ] as const) {
      const response = await callHook(hook, payload, headers);
      expect([response.statusCode, response.json().error.http_code]).toEqual([401, 401]);
      expect(response.json().error.message).toMatch(message);
    }
    expect(await readBalance(heliograph.deps, account.id)).toBe(balanceBefore);
  });
});

describe('a hook', () => {
  const supabaseBody = (to: string, otp = '561166') => JSON.stringify({ user: { phone: to }, sms: { otp } });

  it.each<[string, (hook: Hook, body: string) => Headers]>([
    ['supabase', (hook, body) => standardHeaders(hook, body, unixSeconds() - 3600)],
    ['zitadel', (hook, body) => zitadelHeaders(hook, body, unixSeconds() - 3600)],
    ['auth0', ({ secret }) => bearerHeaders(createJwt(secret, { exp: unixSeconds() - 1 }))],
    ['auth0', ({ secret }) => bearerHeaders(createJwt(secret, { exp: 'tomorrow' }))],
    ['auth0', ({ secret }) => bearerHeaders(createJwt(secret))],
    ['auth0', ({ secret }) => bearerHeaders(createJwt(secret, { exp: unixSeconds() + 60, aud: 'urn:Other' }))],
    ['auth0', ({ secret }) => bearerHeaders(createJwt(secret, { exp: unixSeconds() + 60, aud: undefined }))],
    ['auth0', ({ secret }) => bearerHeaders(createJwt(secret, { exp: unixSeconds() + 60, aud: ['urn:Other'] }))],
    ['auth0', ({ secret }) => bearerHeaders(createJwt(secret, { exp: unixSeconds() + 60, sub: 'urn:Other' }))],
    ['auth0', ({ secret }) => bearerHeaders(createJwt(secret, { exp: unixSeconds() + 60, iss: 5 }))],
    ['auth0', ({ secret }) => bearerHeaders(createJwt(secret, { exp: unixSeconds() + 600, nbf: unixSeconds() + 300 }))],
    ['auth0', ({ secret }) => bearerHeaders(createJwt(secret, { exp: unixSeconds() + 600, iat: unixSeconds() + 300 }))],
  ])('of type %s refuses a replayed call', async (type, prove) => {
    const hook = await createHook(type as HookType);
    const body = supabaseBody(freshNumber());
    expect((await callHook(hook, body, prove(hook, body))).statusCode).toBe(401);
  });

  it('refuses a body that does not match its signature', async () => {
    const hook = await createHook('supabase');
    const headers = standardHeaders(hook, supabaseBody(freshNumber()));
    expect((await callHook(hook, supabaseBody(freshNumber()), headers)).statusCode).toBe(401);
  });

  it('sends once if Supabase retries with the same ID', async () => {
    const hook = await createHook('supabase');
    const to = freshNumber();
    const body = supabaseBody(to);
    const headers = standardHeaders(hook, body);
    for (let attempt = 0; attempt < 3; attempt++) expect((await callHook(hook, body, headers)).statusCode).toBe(200);
    expect(await heliograph.deps.prisma.message.count({ where: { recipient: to } })).toBe(1);
  });

  it('returns errors in the format that Supabase shows to its user', async () => {
    const hook = await createHook('supabase');
    const to = freshNumber();
    for (let sends = 0; sends < 5; sends++)
      await callHook(hook, supabaseBody(to), standardHeaders(hook, supabaseBody(to)));
    const sixthResponse = await callHook(hook, supabaseBody(to), standardHeaders(hook, supabaseBody(to)));
    expect([sixthResponse.statusCode, sixthResponse.json()]).toEqual([
      200,
      { error: { http_code: 429, message: expect.stringContaining('Only 5 codes') } },
    ]);
    for (const body of [supabaseBody('nobody'), supabaseBody(freshNumber(), '!'), '{"user":{}}', 'not JSON']) {
      const refusal = await callHook(hook, body, standardHeaders(hook, body));
      expect([refusal.statusCode, refusal.json().error.http_code], body).toEqual([200, 400]);
    }
  });

  it.each<[HookType, object, string]>([
    ['fusionauth', { phoneNumber: 'x', textMessage: 'Code 1234' }, 'phoneNumber'],
    ['fusionauth', { phoneNumber: '+15005550111' }, 'textMessage'],
    ['keycloak', { to: '+15005550111', message: ' ' }, 'message'],
    ['authentik', { Body: 'Code 1234' }, 'To'],
  ])('of type %s names the invalid field of %j', async (type, body, field) => {
    const hook = await createHook(type);
    const response = await callHook(hook, JSON.stringify(body), bearerHeaders(hook.secret));
    expect([response.statusCode, response.json()]).toEqual([
      400,
      { error: { http_code: 400, message: expect.stringMatching(new RegExp(`^${field} `)) } },
    ]);
  });

  it('returns 429, 402 or 403 with the reason why nothing was sent', async () => {
    const getStatus = async (hook: Hook, to: string) => {
      const body = JSON.stringify({ phoneNumber: to, textMessage: 'Code 1234' });
      return (await callHook(hook, body, bearerHeaders(hook.secret))).statusCode;
    };
    const hook = await createHook('fusionauth');
    const to = freshNumber();
    for (let sends = 0; sends < 5; sends++) expect(await getStatus(hook, to)).toBe(200);
    expect(await getStatus(hook, to)).toBe(429);
    const poorAccount = await createTestAccount(heliograph.deps, { creditMicros: 0n });
    const hookWithoutBalance = await createHook('fusionauth', { accountId: poorAccount.id });
    expect(await getStatus(hookWithoutBalance, freshNumber())).toBe(402);
    await heliograph.deps.prisma.account.update({ where: { id: poorAccount.id }, data: { isActive: false } });
    expect(await getStatus(hookWithoutBalance, freshNumber())).toBe(403);
  });

  it('sends by WhatsApp first if it has a template and the text has one code, otherwise by SMS', async () => {
    const template = { whatsappFrom: channel.phoneNumber, template: 'sign_in' };
    const hook = await createHook('fusionauth', template);
    const send = async (to: string, textMessage: string) => {
      const body = JSON.stringify({ phoneNumber: to, textMessage });
      expect((await callHook(hook, body, bearerHeaders(hook.secret))).statusCode).toBe(200);
      return heliograph.deps.prisma.message.findFirstOrThrow({
        where: { recipient: to, accountId: account.id },
        orderBy: { id: 'desc' },
      });
    };
    const whatsappMessage = await send(freshNumber(), 'Two Factor Code: 736230');
    expect(whatsappMessage).toMatchObject({ kind: 'whatsapp', body: '******** is your verification code.' });
    expect(await waitForText(whatsappMessage.id)).toBe('*736230* is your verification code.');
    const smsMessage = await send(freshNumber(), 'Your code is AB-CD');
    expect(smsMessage).toMatchObject({ kind: 'sms', body: '*'.repeat(18) });
    expect(await waitForText(smsMessage.id)).toBe('Your code is AB-CD');
    // The simulator refuses WhatsApp messages to 15005550001.
    const { verificationId } = await send('15005550001', 'Code: 445566');
    const fallback = { verificationId, kind: 'sms' as const };
    await expect
      .poll(() => heliograph.deps.prisma.message.findFirst({ where: fallback }))
      .toMatchObject({ body: 'Your Acme code is ******. Do not share it with anyone.' });
  });

  it('is charged per segment of the text, in any alphabet', async () => {
    const hook = await createHook('fusionauth');
    for (const textMessage of [`${'Код: 1234 😀 '.repeat(8)}$& $1`, `${'€[]'.repeat(60)} 1234`, '1234 "quoted"\n\\n']) {
      const to = freshNumber();
      const body = JSON.stringify({ phoneNumber: to, textMessage });
      expect((await callHook(hook, body, bearerHeaders(hook.secret))).statusCode).toBe(200);
      const { row, text } = await findSentMessage(to);
      expect(text).toBe(textMessage);
      expect(row.parts).toBe(countParts(textMessage));
      expect(row.body).not.toMatch(/[\d\p{L}]/u);
    }
  });

  it('has codes that only its login system checks', async () => {
    const hook = await createHook('supabase');
    const to = freshNumber();
    const body = supabaseBody(to);
    await callHook(hook, body, standardHeaders(hook, body));
    const checkResponse = await post(heliograph.app, '/v2/verifications/check', account, { to, code: '561166' });
    expect(checkResponse.statusCode).toBe(404);
    const ownResponse = await post(heliograph.app, '/v2/verifications', account, {
      to,
      from: 'Heliograph',
      app_name: 'X',
    });
    expect(ownResponse.json().data).toMatchObject({ sends: 1 });
  });

  it('returns 404 if it is unknown or a Verify service', async () => {
    const { service } = await createService(
      heliograph.deps.prisma,
      { accountId: account.id, type: 'verify', appName: 'Acme', sender: 'Heliograph' },
      new Date(),
    );
    for (const id of ['x', service.id, '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55']) {
      const response = await callHook({ id, secret: '' }, '{}', bearerHeaders('x'));
      expect([response.statusCode, response.json().error.http_code]).toEqual([404, 404]);
    }
  });

  it('of ZITADEL accepts no call before its signing key is set', async () => {
    const hook = await createHook('zitadel', { secret: undefined });
    expect(hook.secret).toBeNull();
    const response = await callHook(hook, '{}', zitadelHeaders({ ...hook, secret: '' }, '{}'));
    expect(response.statusCode).toBe(401);
  });
});
