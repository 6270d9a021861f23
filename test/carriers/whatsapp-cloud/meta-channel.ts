import { afterAll, beforeAll } from 'vitest';
import { addCarrier } from '../../../src/carriers/setup/carriers.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { CloudApi } from '../../support/carriers/cloud-api/cloud-api.js';
import { buildEnvelope, buildInbound, postWebhook } from '../../support/carriers/cloud-api/webhooks.js';
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

export async function createMetaChannel(
  heliograph: TestApp,
  stub: CloudApi,
  { phoneNumberId = PHONE_NUMBER_ID, account, ...settings }: MetaChannelOptions = {},
): Promise<TestChannel> {
  const { deps } = heliograph;
  const existing = await deps.prisma.carrier.findUnique({ where: { name: CARRIER } });
  if (!existing) {
    const type = 'whatsapp-cloud';
    await addCarrier(deps.prisma, { name: CARRIER, type, settings: { ...stub.settings, ...settings } });
    await deps.carriers.reload();
  }
  const owner = account ?? (await createTestAccount(deps));
  return createTestChannel(deps, owner, { carrier: CARRIER, carrierSettings: { phoneNumberId } });
}

export function suiteCloudApi(): CloudApi {
  const stub = new CloudApi();
  beforeAll(() => stub.start());
  afterAll(() => stub.stop());
  return stub;
}

interface MetaSuite {
  stub: CloudApi;
  heliograph: TestApp;
  channel: TestChannel;
}

export function suiteMeta(app?: TestAppOptions, options?: MetaChannelOptions): MetaSuite {
  const stub = suiteCloudApi();
  const heliograph = suiteApp(app);
  return { stub, heliograph, channel: forSuite(() => createMetaChannel(heliograph, stub, options)) };
}

/** Posts a webhook with the text "Hi" from the number `from`, and returns the stored message. */
export async function receiveFirstMessage({ stub, heliograph, channel: { channelId } }: MetaSuite, from: string) {
  await postWebhook(heliograph, stub, CARRIER, buildEnvelope(buildInbound('text', { body: 'Hi' }, { from })));
  const { inboundMessage } = heliograph.deps.prisma;
  return waitFor('the inbound message', () => inboundMessage.findFirst({ where: { channelId } }));
}
