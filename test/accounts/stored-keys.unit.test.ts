import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Authenticator } from '../../src/accounts/authenticator.js';
import { ChannelAuthenticator } from '../../src/accounts/channel-authenticator.js';
import {
  buildBearerToken,
  createAppKey,
  createChannelKey,
  revokeApp,
  revokeChannelKey,
} from '../../src/accounts/keys.js';
import { createTestAccount } from '../support/accounts.js';
import { createTestChannel, type TestChannel } from '../support/channels.js';
import { suiteStore } from '../support/for-suite.js';

const store = suiteStore();
let advanceTime: (milliseconds: number) => void;

beforeEach(() => {
  const start = performance.now();
  let elapsedMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => start + elapsedMs);
  advanceTime = (milliseconds) => {
    elapsedMs += milliseconds;
  };
});
afterEach(() => void vi.restoreAllMocks());

describe('a key of Surface A', () => {
  it('stops working within 1.5 seconds after it is revoked', async () => {
    const account = await createTestAccount(store);
    const { id, key } = await createAppKey(store.prisma, { accountId: account.id, name: 'App', scopes: ['rest'] });
    const authenticator = new Authenticator({ prisma: store.prisma });
    expect(await authenticator.find(key)).toMatchObject({ keyId: id, surface: 'a', account: { id: account.id } });
    expect(await authenticator.find(account.apiKey)).toMatchObject({ account: { id: account.id } });
    await revokeApp(store.prisma, id, new Date());
    advanceTime(1_501);
    expect(await authenticator.find(key)).toBeNull();
    expect(await authenticator.find(account.apiKey)).toMatchObject({ account: { id: account.id } });
    expect(await new Authenticator({ prisma: store.prisma }).find(key)).toBeNull();
  });

  it('stops working as soon as a background refresh finds it revoked', async () => {
    const account = await createTestAccount(store);
    let onLookup: () => void = () => undefined;
    const authenticator = new Authenticator({ prisma: store.prisma, uses: { record: () => onLookup() } });
    expect(await authenticator.find(account.apiKey)).not.toBeNull();
    await store.prisma.apiKey.updateMany({ where: { accountId: account.id }, data: { revokedAt: new Date() } });
    advanceTime(800);
    const refreshed = new Promise<void>((resolve) => {
      onLookup = resolve;
    });
    expect(authenticator.find(account.apiKey)).toMatchObject({ account: { id: account.id } });
    await refreshed;
    await new Promise((resolve) => setImmediate(resolve));
    expect(authenticator.find(account.apiKey)).toBeNull();
  });
});

describe('a key of Surface B', () => {
  let channel: TestChannel;
  let key: { id: string; key: string; secret: string };
  beforeEach(async () => {
    channel = await createTestChannel(store);
    const input = { accountId: channel.account.id, name: 'Key', scopes: ['full'], channelIds: [channel.channelId] };
    key = await createChannelKey(store.prisma, input);
  });
  const findCaller = (overrides: { secret?: string; channelId?: string } = {}) =>
    new ChannelAuthenticator({ prisma: store.prisma }).find(
      key.key,
      overrides.secret ?? key.secret,
      overrides.channelId ?? channel.channelId,
    );
  const findToken = (token: string) => new ChannelAuthenticator({ prisma: store.prisma }).findToken(token);

  it('is found by its secret and its channel ID, in upper or lower case', async () => {
    const expected = { keyId: key.id, channel: { id: channel.channelId }, account: { id: channel.account.id } };
    expect(await findCaller()).toMatchObject(expected);
    expect(await findCaller({ channelId: channel.channelId.toUpperCase() })).toMatchObject(expected);
    expect(await findCaller({ secret: `${key.secret}x` })).toBe('unknown key');
    const otherChannel = await createTestChannel(store, channel.account);
    expect(await findCaller({ channelId: otherChannel.channelId })).toBe('foreign channel');
  });

  it('is found by the bearer token of its key and secret, and by no other token', async () => {
    expect(await findToken(buildBearerToken(key))).toMatchObject({ keyId: key.id });
    const otherKey = await createChannelKey(store.prisma, {
      ...{ accountId: channel.account.id, name: 'Other', scopes: ['full'], channelIds: [channel.channelId] },
    });
    for (const token of [
      buildBearerToken({ key: key.key, secret: otherKey.secret }),
      `${key.key}.`,
      key.key,
      `.${key.secret}`,
      `${buildBearerToken(key)}.x`,
    ]) {
      expect(await findToken(token), token).toBeNull();
    }
  });

  it('is refused after it is revoked', async () => {
    await revokeChannelKey(store.prisma, key.id, new Date());
    expect(await findCaller()).toBe('unknown key');
    expect(await findToken(buildBearerToken(key))).toBeNull();
  });

  it('cannot use a deleted channel, and a Surface A key is not accepted in its place', async () => {
    const caller = await new ChannelAuthenticator({ prisma: store.prisma }).find(
      channel.account.apiKey,
      key.secret,
      channel.channelId,
    );
    expect(caller).toBe('unknown key');
    await store.prisma.channel.update({ where: { id: channel.channelId }, data: { deletedAt: new Date() } });
    expect(await findCaller()).toBe('foreign channel');
  });
});

describe('createChannelKey', () => {
  it('refuses deleted channels and channels of another account', async () => {
    const { account, channelId } = await createTestChannel(store);
    const deletedChannel = await createTestChannel(store, account);
    const foreignChannel = await createTestChannel(store);
    await store.prisma.channel.update({ where: { id: deletedChannel.channelId }, data: { deletedAt: new Date() } });
    for (const invalidChannelId of [deletedChannel.channelId, foreignChannel.channelId]) {
      const input = { accountId: account.id, name: 'Key', scopes: ['full'], channelIds: [channelId, invalidChannelId] };
      await expect(createChannelKey(store.prisma, input)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });
});
