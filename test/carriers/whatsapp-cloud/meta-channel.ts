import { afterAll, beforeAll } from 'vitest';
import { addCarrier } from '../../../src/carriers/setup/carriers.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { CloudApi } from '../../support/carriers/cloud-api/cloud-api.js';
import { envelope, inboundOf, postWebhook } from '../../support/carriers/cloud-api/webhooks.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { forSuite } from '../../support/for-suite.js';
import { suiteApp } from '../../support/suite.js';
import type { TestApp, TestAppOptions } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';
import { PHONE_NUMBER_ID } from './carrier.js';

export const CARRIER = 'meta';

interface MetaChannelOptions {
  phoneNumberId?: string;
  account?: TestAccount;
  timeoutMs?: number;
  ratePerSecond?: number;
}

/** Sets up a carrier that sends by the stub, and a channel of its, as an operator does. */
export async function createMetaChannel(
  heliograph: TestApp,
  stub: CloudApi,
  { phoneNumberId = PHONE_NUMBER_ID, account, ...settings }: MetaChannelOptions = {},
): Promise<TestChannel> {
  const { deps } = heliograph;
  const known = await deps.prisma.carrier.findUnique({ where: { name: CARRIER } });
  if (!known) {
    const type = 'whatsapp-cloud';
    await addCarrier(deps.prisma, { name: CARRIER, type, settings: { ...stub.settings, ...settings } });
    await deps.carriers.reload();
  }
  const owner = account ?? (await createTestAccount(deps));
  return createTestChannel(deps, owner, { carrier: CARRIER, carrierSettings: { phoneNumberId } });
}

/** A stand-in for Meta that listens while a suite runs. */
export function suiteCloudApi(): CloudApi {
  const stub = new CloudApi();
  beforeAll(() => stub.start());
  afterAll(() => stub.stop());
  return stub;
}

/** An application with a channel that sends by a stand-in for Meta. */
interface MetaWorld {
  stub: CloudApi;
  heliograph: TestApp;
  channel: TestChannel;
}

/**
 * The application for a suite, with a channel that sends by a stand-in for Meta.
 * @param app how the application is opened
 * @param options of the channel and its carrier
 */
export function suiteMeta(app?: TestAppOptions, options?: MetaChannelOptions): MetaWorld {
  const stub = suiteCloudApi();
  const heliograph = suiteApp(app);
  return { stub, heliograph, channel: forSuite(() => createMetaChannel(heliograph, stub, options)) };
}

/**
 * Somebody writes "Hi" to a channel that had no message yet.
 * @param from in digits
 * @returns what is stored of it
 */
export async function wroteToMeta({ stub, heliograph, channel: { channelId } }: MetaWorld, from: string) {
  await postWebhook(heliograph, stub, CARRIER, envelope(inboundOf('text', { body: 'Hi' }, { from })));
  const { inboundMessage } = heliograph.deps.prisma;
  return waitFor('what they wrote', () => inboundMessage.findFirst({ where: { channelId } }));
}
