import { randomInt } from 'node:crypto';
import { type ChannelKeyScope, createChannelKey } from '../../src/accounts/keys.js';
import type { CarrierType } from '../../src/carriers/carrier-type.js';
import type { SettingValues } from '../../src/carriers/settings.js';
import { createChannel } from '../../src/features/channels/channels.js';
import type { PrismaClient } from '../../src/platform/generated/prisma/client.js';
import { createTestAccount, type TestAccount, type TestAccountOptions } from './accounts.js';

/** The three headers of Surface B, for `app.inject`. */
export type ChannelHeaders = { 'x-api-key': string; 'x-api-secret': string; 'x-channel-id': string };

/** A channel of the simulator, of WhatsApp unless told, with a key that is bound to it. */
export interface TestChannel {
  account: TestAccount;
  channelId: string;
  phoneNumber: string;
  keyId: string;
  headers: ChannelHeaders;
}

export interface TestChannelOptions extends TestAccountOptions {
  /** Of the channel's key; `full` unless told. The account's app has `rest` in any case. */
  scopes?: readonly ChannelKeyScope[];
  kind?: 'sms' | 'whatsapp';
  carrier?: string;
  carrierSettings?: SettingValues;
  /** Those of src/carriers/types.ts unless told. */
  carrierTypes?: readonly CarrierType[];
}

/** How many eight-digit numbers there are that begin with no zero. */
const NUMBERS = 90_000_000;
/** It has no factor in common with the count, so that each of them comes once before any comes again. */
const STEP = 37_139_213;
let latest = randomInt(NUMBERS);

/** A number that no other channel of this process has. */
function newPhoneNumber(): string {
  latest = (latest + STEP) % NUMBERS;
  return `49151${10_000_000 + latest}`;
}

/** Makes a channel with its key as the command line does, in an account that is made for it unless given. */
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
  const made = { account: owner, channelId: channel.id, phoneNumber };
  return { ...made, ...(await createTestKey(deps, made, scopes)) };
}

/** Makes a further key of a channel. */
export async function createTestKey(
  { prisma }: { prisma: PrismaClient },
  { account, channelId }: Pick<TestChannel, 'account' | 'channelId'>,
  scopes: readonly ChannelKeyScope[] = ['full'],
): Promise<Pick<TestChannel, 'keyId' | 'headers'>> {
  const made = await createChannelKey(prisma, {
    accountId: account.id,
    name: 'Test key',
    scopes,
    channelIds: [channelId],
  });
  return {
    keyId: made.id,
    headers: { 'x-api-key': made.key, 'x-api-secret': made.secret, 'x-channel-id': channelId },
  };
}
