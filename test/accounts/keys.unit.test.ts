import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../../src/accounts/accounts.js';
import { createAppKey, createChannelKey, hashKey, listApps, revokeApp } from '../../src/accounts/keys.js';
import { createChannel } from '../../src/features/channels/channels.js';
import type { PrismaClient } from '../../src/platform/generated/prisma/client.js';
import { newId } from '../../src/platform/ids.js';
import { systemClock } from '../../src/platform/system-clock.js';
import { suiteStore } from '../support/for-suite.js';

const store = suiteStore();
let prisma: PrismaClient;
beforeAll(() => {
  prisma = store.prisma;
});

const newAccountId = async () => (await createAccount(prisma, { name: 'Keys' })).id;
const newChannel = (accountId: string, phoneNumber: string, isDefault = false, kind: 'sms' | 'whatsapp' = 'whatsapp') =>
  createChannel(prisma, { accountId, kind, name: 'C', phoneNumber, carrier: 'simulator', isDefault });

describe('a Surface A key', () => {
  it('has 32 random bytes, of which only the SHA-256 and the last four characters are stored', async () => {
    const accountId = await newAccountId();
    const { id, key } = await createAppKey(prisma, { accountId, name: 'App', scopes: ['rest'] });
    expect(key).toMatch(/^hg_live_[A-Za-z0-9_-]{43}$/);
    const row = await prisma.apiKey.findUniqueOrThrow({ where: { id } });
    expect(row).toMatchObject({ accountId, surface: 'a', name: 'App', scopes: ['rest'], secretHash: null });
    expect(Buffer.from(row.keyHash)).toEqual(createHash('sha256').update(key).digest());
    expect(row.lastFour).toBe(key.slice(-4));
    expect(JSON.stringify(row)).not.toContain(key.slice(8, -4));
  });

  it('is different for each app', async () => {
    const accountId = await newAccountId();
    const input = { accountId, name: 'App', scopes: ['rest'] };
    expect((await createAppKey(prisma, input)).key).not.toBe((await createAppKey(prisma, input)).key);
  });

  it('is listed by account, without its hashes', async () => {
    const accountId = await newAccountId();
    const { id } = await createAppKey(prisma, { accountId, name: 'Listed', scopes: [] });
    await createAppKey(prisma, { accountId: await newAccountId(), name: 'Elsewhere', scopes: ['rest'] });
    const apps = await listApps(prisma, accountId);
    expect(apps).toMatchObject([{ id, name: 'Listed', scopes: [], revokedAt: null }]);
    expect(apps[0]).not.toHaveProperty('keyHash');
    expect((await listApps(prisma)).length).toBeGreaterThan(1);
    await expect(listApps(prisma, newId())).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('keeps the time of its first revocation', async () => {
    const accountId = await newAccountId();
    const { id } = await createAppKey(prisma, { accountId, name: 'Ends', scopes: ['rest'] });
    const revokedAt = new Date('2026-03-01T12:00:00Z');
    await revokeApp(prisma, id, revokedAt);
    expect((await listApps(prisma, accountId))[0]?.revokedAt).toEqual(revokedAt);
    await revokeApp(prisma, id, new Date('2026-03-02T12:00:00Z'));
    expect((await listApps(prisma, accountId))[0]?.revokedAt).toEqual(revokedAt);
    for (const unknownId of [newId(), 'x']) {
      await expect(revokeApp(prisma, unknownId, revokedAt)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  it('is refused for an unknown account, an empty name and an unknown scope', async () => {
    const accountId = await newAccountId();
    const app = { accountId, name: 'App', scopes: ['rest'] };
    await expect(createAppKey(prisma, { ...app, accountId: newId() })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(createAppKey(prisma, { ...app, name: ' ' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    await expect(createAppKey(prisma, { ...app, scopes: ['rest', 'root'] })).rejects.toThrow('scopes has no root');
    expect(await listApps(prisma, accountId)).toEqual([]);
  });
});

describe('a Surface B key', () => {
  it('has a secret and is bound to channels', async () => {
    const accountId = await newAccountId();
    const channel = await newChannel(accountId, '15005550111');
    const created = await createChannelKey(prisma, {
      accountId,
      name: 'K',
      scopes: ['full'],
      channelIds: [channel.id],
    });
    const row = await prisma.apiKey.findUniqueOrThrow({ where: { id: created.id }, include: { channels: true } });
    expect(row).toMatchObject({ surface: 'b', scopes: ['full'], channels: [{ channelId: channel.id }] });
    expect(Buffer.from(row.keyHash)).toEqual(hashKey(created.key));
    expect(Buffer.from(row.secretHash ?? [])).toEqual(hashKey(created.secret));
    expect(await listApps(prisma, accountId)).toEqual([]);
    await expect(revokeApp(prisma, created.id, systemClock.now())).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is refused for a channel of another account or an unknown channel', async () => {
    const accountId = await newAccountId();
    const foreignChannel = await newChannel(await newAccountId(), '15005550112');
    for (const channelId of [foreignChannel.id, newId(), 'x']) {
      const input = { accountId, name: 'K', scopes: ['full'], channelIds: [channelId] };
      await expect(createChannelKey(prisma, input)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });
});

describe('channels', () => {
  it('have unique numbers and one default per account and kind', async () => {
    const accountId = await newAccountId();
    await newChannel(accountId, '15005550113', true);
    await expect(newChannel(accountId, '15005550113')).rejects.toThrow(
      'the account already has a whatsapp channel with this number',
    );
    await expect(newChannel(accountId, '15005550114', true)).rejects.toThrow(
      'the account already has a default whatsapp channel',
    );
    await expect(newChannel(accountId, '+15005550114')).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    await newChannel(accountId, '15005550113', true, 'sms');
    await newChannel(await newAccountId(), '15005550113', true);
  });
});
