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
let number = 0;
const freshNumber = () => `1500555${String(4000 + number++)}`;

interface Hook {
  id: string;
  secret: string;
}
type Headers = Record<string, string>;

const ZITADEL_KEY = 'a-signing-key-of-zitadel';
async function hookOf(type: HookType, more: Partial<NewService> = {}): Promise<Hook> {
  const { service, secret } = await createService(
    heliograph.deps.prisma,
    {
      accountId: account.id,
      type,
      appName: 'Acme',
      sender: 'Heliograph',
      ...(type === 'zitadel' && { secret: ZITADEL_KEY }),
      ...more,
    },
    new Date(),
  );
  return { id: service.id, secret: secret as string };
}

const call = (hook: Hook, payload: string, headers: Headers) =>
  heliograph.app.inject({
    method: 'POST',
    url: `/hooks/sign-in/${hook.id}`,
    headers: { 'content-type': 'application/json', ...headers },
    payload,
  });

const seconds = () => Math.floor(Date.now() / 1000);
const basic = (user: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`,
});
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
let ids = 0;
const standard = ({ secret }: Hook, body: string, at = seconds(), id = `msg_${ids++}`): Headers => ({
  'webhook-id': id,
  'webhook-timestamp': String(at),
  'webhook-signature': sign([secret.replace('v1,', '')], { id, timestamp: at, body }),
});
const zitadel = ({ secret }: Hook, body: string, at = seconds()): Headers => ({
  'zitadel-signature': `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`,
});
function jwt(secret: string, claims: object = {}): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ iss: 'urn:auth0', sub: 'urn:Auth0', aud: 'urn:Heliograph', ...claims })}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

async function sentTo(to: string): Promise<{ row: { body: string; parts: number; id: string }; text: string }> {
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
    prove: standard,
    text: 'Your Acme code is 561166. Do not share it with anyone.',
  },
  {
    type: 'auth0',
    what: 'gateway of passwordless SMS',
    body: (to) => ({ recipient: `+${to}`, body: 'Your verification code is: 484857', sender: 'Auth0' }),
    prove: ({ secret }) => bearer(jwt(secret, { exp: seconds() + 60 })),
    text: 'Your verification code is: 484857',
  },
  {
    type: 'auth0',
    what: 'gateway of passwordless SMS, with data about the request',
    body: (to) => ({
      recipient: `+${to}`,
      body: 'Your verification code is: 484858',
      sender: 'Auth0',
      req: { ip: '192.0.2.7', userAgent: 'a browser' },
    }),
    prove: ({ secret }) => {
      const at = seconds();
      return bearer(jwt(secret, { aud: ['urn:Other', 'urn:Heliograph'], iat: at, nbf: at, exp: at + 60 }));
    },
    text: 'Your verification code is: 484858',
  },
  {
    type: 'auth0',
    what: 'Action of a custom phone provider',
    body: (to) => ({ recipient: `+${to}`, text: '135790 is your Acme code', code: '135790' }),
    prove: ({ secret }) => bearer(secret),
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
    prove: zitadel,
    text: '246801 is your one-time password for acme.example. Use it within the next 5 minutes.\n@acme.example #246801',
  },
  {
    type: 'authentik',
    what: 'generic provider, Basic',
    body: (to) => ({ From: '1234', To: `+${to}`, Body: 'Use this code to authenticate in authentik: 112233' }),
    prove: ({ secret }) => basic('authentik', secret),
    text: 'Use this code to authenticate in authentik: 112233',
  },
  {
    type: 'authentik',
    what: 'generic provider, the code alone, Bearer',
    body: (to) => ({ From: '1234', To: `+${to}`, Body: '112234' }),
    prove: ({ secret }) => bearer(secret),
    text: 'Your Acme code is 112234. Do not share it with anyone.',
  },
  {
    type: 'keycloak',
    what: 'SMS authenticator, JSON',
    body: (to) => ({ message: 'Your SMS code is 998877 and is valid for 5 minutes.', to: `+${to}`, from: 'Keycloak' }),
    prove: ({ secret }) => basic('keycloak', secret),
    text: 'Your SMS code is 998877 and is valid for 5 minutes.',
  },
  {
    type: 'keycloak',
    what: 'SMS authenticator, form',
    body: (to) => new URLSearchParams({ message: 'Code: "998866" €', to: `+${to}`, from: 'Keycloak' }).toString(),
    prove: ({ secret }) => ({ ...bearer(secret), 'content-type': 'application/x-www-form-urlencoded' }),
    text: 'Code: "998866" €',
  },
  {
    type: 'fusionauth',
    what: 'generic messenger',
    body: (to) => ({ phoneNumber: `+${to}`, textMessage: 'Two Factor Code: 736230', type: 'SMS' }),
    prove: ({ secret }) => basic('fusionauth', secret),
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
    const made = body(to);
    return typeof made === 'string' ? made : JSON.stringify(made);
  };

  it('sends the documented message, and the row shows asterisks', async () => {
    const hook = await hookOf(type);
    const to = freshNumber();
    const payload = payloadTo(to);
    const answer = await call(hook, payload, prove(hook, payload));
    expect([answer.statusCode, answer.json()]).toEqual([200, {}]);
    const sent = await sentTo(to);
    expect(sent.text).toBe(text);
    expect(sent.row.body).not.toMatch(/\d/);
    expect(sent.row.body).toHaveLength(text.length);
    expect(sent.row.parts).toBe(1);
  });

  it('refuses a wrong secret and a changed body, without charging', async () => {
    const hook = await hookOf(type);
    const payload = payloadTo(freshNumber());
    const before = await readBalance(heliograph.deps, account.id);
    const wrong = {
      ...hook,
      secret: type === 'supabase' ? `v1,whsec_${'A'.repeat(44)}` : 'another-secret-of-somebody',
    };
    const own = Object.keys(prove(hook, payload));
    const malformed = Object.fromEntries(own.map((name) => [name, '?']));
    const named = new RegExp(`^The header (?:${own.join('|')}) must be`, 'i');
    for (const [headers, message] of [
      [prove(wrong, payload), /^The secret or the signature is wrong/],
      [{} as Headers, new RegExp(`^The header (?:${own.join('|')}) is missing or empty`, 'i')],
      [malformed, named],
    ] as const) {
      const answer = await call(hook, payload, headers);
      expect([answer.statusCode, answer.json().error.http_code]).toEqual([401, 401]);
      expect(answer.json().error.message).toMatch(message);
    }
    expect(await readBalance(heliograph.deps, account.id)).toBe(before);
  });
});

describe('a hook', () => {
  const supabase = (to: string, otp = '561166') => JSON.stringify({ user: { phone: to }, sms: { otp } });

  it.each<[string, (hook: Hook, body: string) => Headers]>([
    ['supabase', (hook, body) => standard(hook, body, seconds() - 3600)],
    ['zitadel', (hook, body) => zitadel(hook, body, seconds() - 3600)],
    ['auth0', ({ secret }) => bearer(jwt(secret, { exp: seconds() - 1 }))],
    ['auth0', ({ secret }) => bearer(jwt(secret, { exp: 'tomorrow' }))],
    ['auth0', ({ secret }) => bearer(jwt(secret))],
    ['auth0', ({ secret }) => bearer(jwt(secret, { exp: seconds() + 60, aud: 'urn:Other' }))],
    ['auth0', ({ secret }) => bearer(jwt(secret, { exp: seconds() + 60, aud: undefined }))],
    ['auth0', ({ secret }) => bearer(jwt(secret, { exp: seconds() + 60, aud: ['urn:Other'] }))],
    ['auth0', ({ secret }) => bearer(jwt(secret, { exp: seconds() + 60, sub: 'urn:Other' }))],
    ['auth0', ({ secret }) => bearer(jwt(secret, { exp: seconds() + 60, iss: 5 }))],
    ['auth0', ({ secret }) => bearer(jwt(secret, { exp: seconds() + 600, nbf: seconds() + 300 }))],
    ['auth0', ({ secret }) => bearer(jwt(secret, { exp: seconds() + 600, iat: seconds() + 300 }))],
  ])('of %s refuses a replayed call', async (type, prove) => {
    const hook = await hookOf(type as HookType);
    const body = supabase(freshNumber());
    expect((await call(hook, body, prove(hook, body))).statusCode).toBe(401);
  });

  it('refuses a body that does not match its signature', async () => {
    const hook = await hookOf('supabase');
    const headers = standard(hook, supabase(freshNumber()));
    expect((await call(hook, supabase(freshNumber()), headers)).statusCode).toBe(401);
  });

  it('sends once if Supabase retries with the same ID', async () => {
    const hook = await hookOf('supabase');
    const to = freshNumber();
    const body = supabase(to);
    const headers = standard(hook, body);
    for (let tries = 0; tries < 3; tries++) expect((await call(hook, body, headers)).statusCode).toBe(200);
    expect(await heliograph.deps.prisma.message.count({ where: { recipient: to } })).toBe(1);
  });

  it('answers errors in the shape and with the status that Supabase shows to its user', async () => {
    const hook = await hookOf('supabase');
    const to = freshNumber();
    for (let sends = 0; sends < 5; sends++) await call(hook, supabase(to), standard(hook, supabase(to)));
    const sixth = await call(hook, supabase(to), standard(hook, supabase(to)));
    expect([sixth.statusCode, sixth.json()]).toEqual([
      200,
      { error: { http_code: 429, message: expect.stringContaining('Only 5 codes') } },
    ]);
    for (const body of [supabase('nobody'), supabase(freshNumber(), '!'), '{"user":{}}', 'not JSON']) {
      const refused = await call(hook, body, standard(hook, body));
      expect([refused.statusCode, refused.json().error.http_code], body).toEqual([200, 400]);
    }
  });

  it.each<[HookType, object, string]>([
    ['fusionauth', { phoneNumber: 'x', textMessage: 'Code 1234' }, 'phoneNumber'],
    ['fusionauth', { phoneNumber: '+15005550111' }, 'textMessage'],
    ['keycloak', { to: '+15005550111', message: ' ' }, 'message'],
    ['authentik', { Body: 'Code 1234' }, 'To'],
  ])('of %s names the invalid field of %j', async (type, body, field) => {
    const hook = await hookOf(type);
    const answer = await call(hook, JSON.stringify(body), bearer(hook.secret));
    expect([answer.statusCode, answer.json()]).toEqual([
      400,
      { error: { http_code: 400, message: expect.stringMatching(new RegExp(`^${field} `)) } },
    ]);
  });

  it('answers 429, 402 and 403 with the reason why nothing was sent', async () => {
    const callHook = async (hook: Hook, to: string) => {
      const body = JSON.stringify({ phoneNumber: to, textMessage: 'Code 1234' });
      return (await call(hook, body, bearer(hook.secret))).statusCode;
    };
    const hook = await hookOf('fusionauth');
    const to = freshNumber();
    for (let sends = 0; sends < 5; sends++) expect(await callHook(hook, to)).toBe(200);
    expect(await callHook(hook, to)).toBe(429);
    const poor = await createTestAccount(heliograph.deps, { creditMicros: 0n });
    const ofPoor = await hookOf('fusionauth', { accountId: poor.id });
    expect(await callHook(ofPoor, freshNumber())).toBe(402);
    await heliograph.deps.prisma.account.update({ where: { id: poor.id }, data: { isActive: false } });
    expect(await callHook(ofPoor, freshNumber())).toBe(403);
  });

  it('sends by WhatsApp first if it has a template and the text contains one code, otherwise by SMS', async () => {
    const template = { whatsappFrom: channel.phoneNumber, template: 'sign_in' };
    const hook = await hookOf('fusionauth', template);
    const send = async (to: string, textMessage: string) => {
      const body = JSON.stringify({ phoneNumber: to, textMessage });
      expect((await call(hook, body, bearer(hook.secret))).statusCode).toBe(200);
      return heliograph.deps.prisma.message.findFirstOrThrow({
        where: { recipient: to, accountId: account.id },
        orderBy: { id: 'desc' },
      });
    };
    const byWhatsapp = await send(freshNumber(), 'Two Factor Code: 736230');
    expect(byWhatsapp).toMatchObject({ kind: 'whatsapp', body: '******** is your verification code.' });
    expect(await waitForText(byWhatsapp.id)).toBe('*736230* is your verification code.');
    const bySms = await send(freshNumber(), 'Your code is AB-CD');
    expect(bySms).toMatchObject({ kind: 'sms', body: '*'.repeat(18) });
    expect(await waitForText(bySms.id)).toBe('Your code is AB-CD');
    // The simulator refuses this number's WhatsApp message.
    const { verificationId } = await send('15005550001', 'Code: 445566');
    const fallback = { verificationId, kind: 'sms' as const };
    await expect
      .poll(() => heliograph.deps.prisma.message.findFirst({ where: fallback }))
      .toMatchObject({ body: 'Your Acme code is ******. Do not share it with anyone.' });
  });

  it('is charged by the parts of the text, in any alphabet', async () => {
    const hook = await hookOf('fusionauth');
    for (const textMessage of [`${'Код: 1234 😀 '.repeat(8)}$& $1`, `${'€[]'.repeat(60)} 1234`, '1234 "quoted"\n\\n']) {
      const to = freshNumber();
      const body = JSON.stringify({ phoneNumber: to, textMessage });
      expect((await call(hook, body, bearer(hook.secret))).statusCode).toBe(200);
      const { row, text } = await sentTo(to);
      expect(text).toBe(textMessage);
      expect(row.parts).toBe(countParts(textMessage));
      expect(row.body).not.toMatch(/[\d\p{L}]/u);
    }
  });

  it('has codes that only its login system checks', async () => {
    const hook = await hookOf('supabase');
    const to = freshNumber();
    const body = supabase(to);
    await call(hook, body, standard(hook, body));
    const checked = await post(heliograph.app, '/v2/verifications/check', account, { to, code: '561166' });
    expect(checked.statusCode).toBe(404);
    const ours = await post(heliograph.app, '/v2/verifications', account, { to, from: 'Heliograph', app_name: 'X' });
    expect(ours.json().data).toMatchObject({ sends: 1 });
  });

  it('answers 404 if unknown, and for a Verify service', async () => {
    const { service } = await createService(
      heliograph.deps.prisma,
      { accountId: account.id, type: 'verify', appName: 'Acme', sender: 'Heliograph' },
      new Date(),
    );
    for (const id of ['x', service.id, '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55']) {
      const answer = await call({ id, secret: '' }, '{}', bearer('x'));
      expect([answer.statusCode, answer.json().error.http_code]).toEqual([404, 404]);
    }
  });

  it('of ZITADEL accepts nothing before it has the key that ZITADEL generates', async () => {
    const hook = await hookOf('zitadel', { secret: undefined });
    expect(hook.secret).toBeNull();
    const answer = await call(hook, '{}', zitadel({ ...hook, secret: '' }, '{}'));
    expect(answer.statusCode).toBe(401);
  });
});
