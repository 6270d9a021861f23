import { beforeAll, expect, it } from 'vitest';
import { createAccount } from '../../../src/accounts/accounts.js';
import { createChannel } from '../../../src/features/channels/channels.js';
import { findTemplate } from '../../../src/features/templates/find.js';
import type { PrismaClient } from '../../../src/platform/generated/prisma/client.js';
import { newId } from '../../../src/platform/ids.js';
import { suiteStore } from '../../support/for-suite.js';

const store = suiteStore();
let prisma: PrismaClient;
let accountId: string;
let channelId: string;
let otherChannelId: string;
let english: string;
let german: string;

beforeAll(async () => {
  prisma = store.prisma;
  accountId = (await createAccount(prisma, { name: 'Templates' })).id;
  const channel = { accountId, kind: 'whatsapp' as const, name: 'C', carrier: 'simulator', isDefault: false };
  channelId = (await createChannel(prisma, { ...channel, phoneNumber: '15005550111' })).id;
  otherChannelId = (await createChannel(prisma, { ...channel, phoneNumber: '15005550112' })).id;
  const make = async (language: string) => {
    const id = newId();
    const data = {
      accountId,
      channelId,
      name: 'order',
      category: 'UTILITY',
      status: 'PENDING' as const,
      components: [],
    };
    await prisma.template.create({ data: { id, language, ...data } });
    return id;
  };
  english = await make('en_US');
  german = await make('de');
});

const find = async (idOrName: string, language: string | null) =>
  (await findTemplate(prisma, accountId, channelId, idOrName, language))?.id ?? null;

it('a template is found by name and language, by default en_US', async () => {
  expect(await find('order', null)).toBe(english);
  expect(await find('order', 'en_US')).toBe(english);
  expect(await find('order', 'de')).toBe(german);
  expect(await find('order', 'fr')).toBeNull();
  expect(await find('Order', null)).toBeNull();
});

it('a template is found by ID in its own language, unless another language is requested', async () => {
  expect(await find(german, null)).toBe(german);
  expect(await find(german.toUpperCase(), 'de')).toBe(german);
  expect(await find(german, 'en_US')).toBe(english);
  expect(await find(german, 'fr')).toBe(german);
  expect(await find(newId(), null)).toBeNull();
});

it('a template of another channel or account is not found', async () => {
  for (const idOrName of ['order', english]) {
    expect(await findTemplate(prisma, accountId, otherChannelId, idOrName, null)).toBeNull();
    expect(await findTemplate(prisma, newId(), channelId, idOrName, null)).toBeNull();
  }
});
