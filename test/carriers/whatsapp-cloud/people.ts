/* Gives every test a new channel on a Meta stub and new IDs for its contact. */
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { newId } from '../../../src/platform/ids.js';
import { CloudApi } from '../../support/carriers/cloud-api/cloud-api.js';
import { buildEnvelope, postWebhook, storeRetriedWebhook } from '../../support/carriers/cloud-api/webhooks.js';
import type { TestChannel } from '../../support/channels.js';
import { type TestApp, testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';
import { CARRIER, createMetaChannel } from './meta-channel.js';

export let stub: CloudApi;
export let heliograph: TestApp;
export let channel: TestChannel;
let numbers = 106540352242922n;
let number: string;
let testCount = 0;
let timestamp = 0;
export let bsuid: string;
export let parent: string;
export let phone: string;

/**
 * Registers the hooks in a function, because top-level hooks would only apply to the first test file that imports this module.
 */
export function usePeople(): void {
  beforeAll(async () => {
    stub = new CloudApi();
    await stub.start();
    heliograph = await testApp({ settings: { SEND_WAIT_MS: '20000' } });
  });
  afterAll(async () => {
    await heliograph?.close();
    await stub.stop();
  });
  beforeEach(async () => {
    number = String(++numbers);
    stub.numbers.set(number, '15550783881');
    channel = await createMetaChannel(heliograph, stub, { phoneNumberId: number });
    testCount += 1;
    timestamp = Math.floor(Date.now() / 1000) - 1000;
    bsuid = `US.1349120865530274${testCount}`;
    parent = `US.ENT.506847293015${testCount}`;
    phone = `1500556${String(testCount).padStart(4, '0')}`;
  });
}

export interface PersonFields {
  phone?: string;
  userId?: string;
  parentUserId?: string;
  username?: string;
}

/** Returns the next second as a Unix time, which is the format of Meta's timestamps. */
export const nextTimestamp = () => String(++timestamp);

export function buildInboundFrom(
  { phone, userId, parentUserId, username }: PersonFields,
  node: object = { type: 'text', text: { body: 'Hi' } },
) {
  return {
    contacts: [
      {
        profile: { name: 'Sheena Nelson', ...(username && { username }) },
        ...(phone && { wa_id: phone }),
        ...(userId && { user_id: userId }),
        ...(parentUserId && { parent_user_id: parentUserId }),
      },
    ],
    messages: [
      {
        ...(phone && { from: phone }),
        ...(userId && { from_user_id: userId }),
        ...(parentUserId && { from_parent_user_id: parentUserId }),
        id: `wamid.${newId()}`,
        timestamp: nextTimestamp(),
        ...node,
      },
    ],
  };
}

const buildEventBody = (value: object, field: string) =>
  buildEnvelope(value as Record<string, unknown>, { number, field });
const waitUntilProcessed = () =>
  waitFor('the webhook to be processed', async () => (await heliograph.deps.prisma.carrierCallback.count()) === 0);

export async function postWithoutWaiting(value: object, field = 'messages') {
  const response = await postWebhook(heliograph, stub, CARRIER, buildEventBody(value, field));
  expect(response.statusCode).toBe(200);
}

export async function post(value: object, field = 'messages') {
  await postWithoutWaiting(value, field);
  await waitUntilProcessed();
}

/** Stores a webhook that has already been retried, so that processing does not wait for the message it refers to. */
export async function postAsRetried(value: object, field = 'messages') {
  await storeRetriedWebhook(heliograph, CARRIER, buildEventBody(value, field));
  await waitUntilProcessed();
}

export const createText = (body: string) => ({ type: 'text', text: { body } });
export const receiveMessage = (sender: PersonFields, node?: object) => post(buildInboundFrom(sender, node));
export const listContacts = () =>
  heliograph.deps.prisma.contact.findMany({
    where: { channelId: channel.channelId },
    orderBy: { id: 'asc' },
    include: { conversation: { include: { inbound: true } } },
  });
export const findOnlyContact = async () => {
  const [contact, ...others] = await listContacts();
  expect(others).toEqual([]);
  return contact as NonNullable<typeof contact>;
};
export const listEvents = async (type: string) => {
  const webhooks = await heliograph.deps.prisma.webhook.findMany({ where: { channelId: channel.channelId } });
  const rows = await heliograph.deps.prisma.webhookDelivery.findMany({
    where: { webhookId: { in: webhooks.map(({ id }) => id) }, type },
    orderBy: { id: 'asc' },
  });
  return rows.map(({ data }) => data as Record<string, unknown>);
};
export const subscribe = (...types: string[]) =>
  heliograph.deps.prisma.webhook.create({
    data: {
      id: newId(),
      accountId: channel.account.id,
      channelId: channel.channelId,
      url: 'http://127.0.0.1:9/',
      events: types,
      secret: 'whsec_eA==',
    },
  });
