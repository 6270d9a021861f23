import { randomInt } from 'node:crypto';
import { type ChannelKeyScope, createChannelKey } from '../../src/accounts/keys.js';
import type { CarrierType } from '../../src/carriers/carrier-type.js';
import type { SettingValues } from '../../src/carriers/settings.js';
import { createChannel } from '../../src/features/channels/channels.js';
import type { PrismaClient } from '../../src/platform/generated/prisma/client.js';
import { createTestAccount, type TestAccount, type TestAccountOptions } from './accounts.js';

/** For `app.inject`. */
export type ChannelHeaders = { 'x-api-key': string; 'x-api-secret': string; 'x-channel-id': string };

/** A channel with its own key, by default a WhatsApp channel of the simulator. */
export interface TestChannel {
  account: TestAccount;
  channelId: string;
  phoneNumber: string;
  keyId: string;
  headers: ChannelHeaders;
}

export interface TestChannelOptions extends TestAccountOptions {
  /** Scopes of the channel's key. Default: `full`. */
  scopes?: readonly ChannelKeyScope[];
  kind?: 'sms' | 'whatsapp';
  carrier?: string;
  carrierSettings?: SettingValues;
  carrierTypes?: readonly CarrierType[];
}

/** Count of the eight-digit numbers without a leading zero. */
const NUMBER_COUNT = 90_000_000;
/** Coprime with NUMBER_COUNT, so that each number is used once before any number repeats. */
const STEP = 37_139_213;
let latestNumber = randomInt(NUMBER_COUNT);

function newPhoneNumber(): string {
  latestNumber = (latestNumber + STEP) % NUMBER_COUNT;
  return `49151${10_000_000 + latestNumber}`;
}

export async function createTestChannel(
  deps: { prisma: PrismaClient },
  account?: TestAccount,
  {
    scopes,
    kind = 'whatsapp',
    carrier = 'simulator',
    carrierSettings,
    carrierTypes,
    ...accountOptions
  }: TestChannelOptions = {},
): Promise<TestChannel> {
  const owner = account ?? (await createTestAccount(deps, accountOptions));
  const phoneNumber = newPhoneNumber();
  const input = { accountId: owner.id, kind, name: 'Test channel', phoneNumber, isDefault: false };
  const channel = await createChannel(deps.prisma, { ...input, carrier, carrierSettings }, carrierTypes);
  const fields = { account: owner, channelId: channel.id, phoneNumber };
  return { ...fields, ...(await createTestKey(deps, fields, scopes)) };
}

export async function createTestKey(
  { prisma }: { prisma: PrismaClient },
  { account, channelId }: Pick<TestChannel, 'account' | 'channelId'>,
  scopes: readonly ChannelKeyScope[] = ['full'],
): Promise<Pick<TestChannel, 'keyId' | 'headers'>> {
  const created = await createChannelKey(prisma, {
    accountId: account.id,
    name: 'Test key',
    scopes,
    channelIds: [channelId],
  });
  return {
    keyId: created.id,
    headers: { 'x-api-key': created.key, 'x-api-secret': created.secret, 'x-channel-id': channelId },
  };
}
