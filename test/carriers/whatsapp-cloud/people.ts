/* A channel of a stand-in for Meta, and people who write to it: a new one of each for every test of a suite that calls `meetPeople`. */
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { newId } from '../../../src/platform/ids.js';
import { CloudApi } from '../../support/carriers/cloud-api/cloud-api.js';
import { envelope, postWebhook, storeTried } from '../../support/carriers/cloud-api/webhooks.js';
import type { TestChannel } from '../../support/channels.js';
import { type TestApp, testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';
import { CARRIER, createMetaChannel } from './meta-channel.js';

export let stub: CloudApi;
export let heliograph: TestApp;
export let channel: TestChannel;
let numbers = 106540352242922n;
let number: string;
let last = 0;
let at = 0;
/** Ids that no other test uses. */
export let bsuid: string;
export let parent: string;
export let phone: string;

/** To be called by each file: one that is loaded already is not run again for the next, and its hooks would be another's. */
export function meetPeople(): void {
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
    last += 1;
    at = Math.floor(Date.now() / 1000) - 1000;
    bsuid = `US.1349120865530274${last}`;
    parent = `US.ENT.506847293015${last}`;
    phone = `1500556${String(last).padStart(4, '0')}`;
  });
}

/** A person as Meta may tell of it. */
export interface Who {
  phone?: string;
  userId?: string;
  parentUserId?: string;
  username?: string;
}

/** The time of the next report, in Meta's form: each is a second later. */
export const tick = () => String(++at);

/** A message of a person as Meta reports it, with those of its ids that are given. */
export function message(
  { phone, userId, parentUserId, username }: Who,
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
        timestamp: tick(),
        ...node,
      },
    ],
  };
}

const bodyOf = (value: object, field: string) => envelope(value as Record<string, unknown>, { number, field });
const workedOff = () =>
  waitFor('it to be worked off', async () => (await heliograph.deps.prisma.carrierCallback.count()) === 0);

/** Posts it without waiting for anything. */
export async function hand(value: object, field = 'messages') {
  const response = await postWebhook(heliograph, stub, CARRIER, bodyOf(value, field));
  expect(response.statusCode).toBe(200);
}

export async function post(value: object, field = 'messages') {
  await hand(value, field);
  await workedOff();
}

/** As if it had been posted some minutes ago: what it is about comes no more. */
export async function postedBefore(value: object, field = 'messages') {
  await storeTried(heliograph, CARRIER, bodyOf(value, field));
  await workedOff();
}

export const said = (body: string) => ({ type: 'text', text: { body } });
export const write = (who: Who, node?: object) => post(message(who, node));
export const contacts = () =>
  heliograph.deps.prisma.contact.findMany({
    where: { channelId: channel.channelId },
    orderBy: { id: 'asc' },
    include: { conversation: { include: { inbound: true } } },
  });
export const only = async () => {
  const [contact, ...others] = await contacts();
  expect(others).toEqual([]);
  return contact as NonNullable<typeof contact>;
};
export const events = async (type: string) => {
  const webhooks = await heliograph.deps.prisma.webhook.findMany({ where: { channelId: channel.channelId } });
  const rows = await heliograph.deps.prisma.webhookDelivery.findMany({
    where: { webhookId: { in: webhooks.map(({ id }) => id) }, type },
    orderBy: { id: 'asc' },
  });
  return rows.map(({ data }) => data as Record<string, unknown>);
};
export const listen = (...types: string[]) =>
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
