import { beforeAll, describe, expect, it } from 'vitest';
import { hashKey } from '../../src/accounts/keys.js';
import { newId } from '../../src/platform/ids.js';
import { commandsOnTestStore } from './run.js';

const commands = commandsOnTestStore();
const { cli, json } = commands;
let accountId: string;
const channelArgs = (phone: string, ...options: string[]) =>
  ['channel', 'create', '--account', accountId, '--name', 'Support', '--phone', phone, ...options] as const;

beforeAll(async () => {
  accountId = await commands.createAccount('Owner');
});

describe('heliograph channel', () => {
  it('create adds a WhatsApp channel of the simulator, and list shows it', async () => {
    const result = await cli(...channelArgs('15005550100'));
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toMatch(/^Created channel [0-9a-f-]{36} \(Support, 15005550100\)\.\n$/);
    const { stdout } = await cli('channel', 'list', '--account', accountId);
    expect(stdout).toMatch(
      /^ID +ACCOUNT +KIND +NAME +NUMBER +CARRIER +PHONE NUMBER ID +BUSINESS ACCOUNT ID +DEFAULT +HEALTH +PAUSED BY\n/,
    );
    expect(stdout).toMatch(/ whatsapp +Support +15005550100 +simulator +\d{15} +\d{15} +healthy\n/);
  });

  it('create accepts the kind, the carrier and --default, also with --json', async () => {
    const options = ['--kind', 'sms', '--carrier', 'simulator', '--default'];
    const created = await json<{ id: string }>(...channelArgs('15005550101', ...options));
    expect(created).toEqual({
      id: expect.any(String),
      accountId,
      kind: 'sms',
      name: 'Support',
      phoneNumber: '15005550101',
      carrier: 'simulator',
      isDefault: true,
    });
    const channels = await json<{ id: string }[]>('channel', 'list');
    expect(channels.find(({ id }) => id === created.id)).toEqual({
      ...created,
      phoneNumberId: null,
      businessAccountId: null,
      messagingServiceSid: expect.stringMatching(/^MG[0-9a-f]{32}$/),
      carrierSettings: null,
      isActive: true,
      healthStatus: 'healthy',
      pauseCode: null,
      pauseReason: null,
      pausedAt: null,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      deletedAt: null,
    });
  });

  it('resume resumes a paused channel, and reports one that was not paused', async () => {
    const { id } = await json<{ id: string }>(...channelArgs('15005550177'));
    expect(await cli('channel', 'resume', id)).toMatchObject({ code: 0, stdout: `Channel ${id} was not paused.\n` });
    const pause = { healthStatus: 'payment_problem', pauseCode: '131042', pauseReason: 'Pay!', pausedAt: new Date() };
    await commands.store.prisma.channel.update({ where: { id }, data: pause });
    expect((await cli('channel', 'list')).stdout).toMatch(/ payment_problem +131042: Pay!\n/);
    expect(await json('channel', 'resume', id)).toEqual({ id, wasPaused: true });
    const channel = await commands.store.prisma.channel.findUniqueOrThrow({ where: { id } });
    expect(channel).toMatchObject({ healthStatus: 'healthy', pausedAt: null, pauseCode: null, pauseReason: null });
    expect(channel.resumedAt?.getTime()).toBeGreaterThan(Date.now() - 60_000);
    expect(await cli('channel', 'resume', newId())).toMatchObject({ code: 1 });
  });

  it('list with --account shows only the channels of that account', async () => {
    const otherAccount = await commands.createAccount('Other');
    expect(await json('channel', 'list', '--account', otherAccount)).toEqual([]);
  });

  it.each([
    [() => channelArgs('+15005550102'), 'phoneNumber must be 7 to 15 digits\n'],
    [() => channelArgs('15005550103', '--name', ' '), 'name must not be empty\n'],
    [
      () => channelArgs('15005550103', '--carrier', 'pigeon'),
      'carrier must be simulator or a configured carrier; there is no carrier pigeon\n',
    ],
    [() => channelArgs('15005550103', '--kind', 'fax'), /argument 'fax' is invalid/],
    [() => ['channel', 'create', '--account', accountId, '--name', 'A'], /required option '--phone <digits>'/],
    [() => ['channel', 'list', '--account', 'x'], 'there is no account x\n'],
  ])('rejects invalid arguments (case %#)', async (args, message) => {
    const result = await cli(...args());
    expect(result).toMatchObject({ code: 1, stdout: '' });
    if (typeof message === 'string') expect(result.stderr).toBe(message);
    else expect(result.stderr).toMatch(message);
  });

  it('create rejects a number that the account already has', async () => {
    await cli(...channelArgs('15005550104'));
    expect(await cli(...channelArgs('15005550104'))).toMatchObject({
      code: 1,
      stderr: 'the account already has a whatsapp channel with this number\n',
    });
  });
});

describe('heliograph key', () => {
  const newChannel = async (phone: string) => (await json<{ id: string }>(...channelArgs(phone))).id;
  const keyArgs = (...channels: string[]) =>
    ['key', 'create', '--account', accountId, '--name', 'Shop', '--channel', ...channels] as const;

  it('create shows the key and secret once, list never does, and revoke revokes it', async () => {
    const channelId = await newChannel('15005550110');
    const result = await cli(...keyArgs(channelId));
    expect(result).toMatchObject({ code: 0, stderr: '' });
    const key = /^X-API-Key +(hg_live_[\w-]{43})$/m.exec(result.stdout)?.[1] ?? '';
    const secret = /^X-API-Secret +(hg_secret_[\w-]{43})$/m.exec(result.stdout)?.[1] ?? '';
    expect(result.stdout).toContain(`X-Channel-Id  ${channelId}\n`);
    expect(result.stdout).toContain(`as one token: ${key}.${secret}\n`);
    const row = await commands.store.prisma.apiKey.findUniqueOrThrow({ where: { keyHash: hashKey(key) } });
    expect(row).toMatchObject({ accountId, name: 'Shop', surface: 'b', scopes: ['full'], revokedAt: null });
    expect(Buffer.from(row.secretHash ?? [])).toEqual(hashKey(secret));

    const listBefore = await cli('key', 'list', '--account', accountId);
    expect(listBefore.stdout).toMatch(/^ID +ACCOUNT +NAME +SCOPES +KEY +LAST USE +REVOKED +CHANNELS\n/);
    expect(listBefore.stdout).toContain(`Shop  full    …${key.slice(-4)}  never`);
    const lastUsedAt = new Date('2026-11-20T08:15:00.000Z');
    await commands.store.prisma.apiKey.update({ where: { id: row.id }, data: { lastUsedAt } });
    expect(listBefore.stdout).not.toContain(key);
    expect(listBefore.stdout).not.toContain(secret);

    expect((await cli('key', 'revoke', row.id)).stdout).toBe(`Key ${row.id} is revoked.\n`);
    const listAfter = await json<{ id: string }[]>('key', 'list', '--account', accountId);
    expect(listAfter.find(({ id }) => id === row.id)).toEqual({
      id: row.id,
      accountId,
      name: 'Shop',
      scopes: ['full'],
      channelIds: [channelId],
      lastFour: key.slice(-4),
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      lastUsedAt: lastUsedAt.toISOString(),
      revokedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  it('create accepts several channels and scopes', async () => {
    const channels = [await newChannel('15005550111'), await newChannel('15005550112')];
    const scopes = ['messages:send', 'contacts:read'];
    const created = await json<{ id: string }>(...keyArgs(...channels), '--scope', ...scopes);
    expect(created).toEqual({
      id: expect.any(String),
      accountId,
      name: 'Shop',
      scopes,
      channelIds: channels,
      key: expect.any(String),
      secret: expect.any(String),
      token: expect.stringMatching(/^hg_live_[\w-]{43}\.hg_secret_[\w-]{43}$/),
    });
    const keys = await json<{ id: string }[]>('key', 'list');
    expect(keys.find(({ id }) => id === created.id)).toMatchObject({ scopes, channelIds: channels });
  });

  it('commands for keys reject apps, and the other way round', async () => {
    const channelId = await newChannel('15005550113');
    const { id } = await json<{ id: string }>(...keyArgs(channelId));
    expect(await cli('app', 'revoke', id)).toMatchObject({ code: 1, stderr: `there is no app ${id}\n` });
    const app = await json<{ id: string }>('app', 'create', accountId, 'App');
    expect(await cli('key', 'revoke', app.id)).toMatchObject({ code: 1, stderr: `there is no key ${app.id}\n` });
  });

  it('create also accepts SMS channels', async () => {
    const sms = (await json<{ id: string }>(...channelArgs('15005550115', '--kind', 'sms'))).id;
    expect(await json(...keyArgs(sms))).toMatchObject({ channelIds: [sms] });
  });

  it('create rejects a channel of another account, an unknown scope and a missing channel', async () => {
    const channelId = await newChannel('15005550114');
    const unknown = newId();
    const refusals: [args: readonly string[], message: string | RegExp][] = [
      [keyArgs(unknown), `the account has no channel ${unknown}\n`],
      [[...keyArgs(channelId), '--scope', 'root'], /^scopes has no root; the scopes are full, messages:send, /],
      [['key', 'create', '--account', accountId, '--name', 'A'], /required option '--channel <channel-id...>'/],
      [[...keyArgs(channelId), '--name', ' '], 'name must not be empty\n'],
    ];
    for (const [args, message] of refusals) {
      const { code, stderr } = await cli(...args);
      expect(code).toBe(1);
      if (typeof message === 'string') expect(stderr).toBe(message);
      else expect(stderr).toMatch(message);
    }
  });
});
