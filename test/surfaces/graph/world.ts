import { beforeAll } from 'vitest';
import { CARRIER, createMetaChannel } from '../../carriers/whatsapp-cloud/meta-channel.js';
import { CloudApi } from '../../support/carriers/cloud-api/cloud-api.js';
import { envelope, inboundOf, postWebhook } from '../../support/carriers/cloud-api/webhooks.js';
import { addTemplate } from '../../support/channel-contents.js';
import type { TestChannel } from '../../support/channels.js';
import { tokenOf } from '../../support/graph-calls.js';
import { closedAfter, suiteApp } from '../../support/suite.js';
import type { TestApp, TestAppOptions } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

type Json = Record<string, unknown>;

/** Who wrote to the channel a moment ago, in digits. */
export const ADA = '15005550431';

/** A server that listens, a channel of it, and the Meta that the channel sends by. */
export interface GraphWorld {
  heliograph: TestApp;
  stub: { api: CloudApi };
  channel: TestChannel;
  token: string;
  /** With `/graph` behind it. */
  baseUrl: string;
  phoneNumberId: string;
  businessAccountId: string;
  /** Meta's id of what Ada wrote. */
  inboundId: string;
}

/** What a suite needs whose messages come in by Meta's surface and go out to Meta; it is filled before the first test. */
export function graphWorld(options?: TestAppOptions): GraphWorld {
  const heliograph = suiteApp(options);
  const stub = closedAfter(async () => {
    const api = new CloudApi();
    await api.start();
    return { api, close: () => api.stop() };
  });
  const world = { heliograph, stub } as unknown as GraphWorld;
  beforeAll(async () => {
    const { api } = stub;
    const channel = await createMetaChannel(heliograph, api);
    await postWebhook(heliograph, api, CARRIER, envelope(inboundOf('text', { body: 'Hi' }, { from: ADA })));
    const inboundId = await waitFor('what Ada wrote', async () => {
      const where = { channelId: channel.channelId };
      return (await heliograph.deps.prisma.inboundMessage.findFirst({ where }))?.carrierMessageId;
    });
    const url = await heliograph.app.listen({ port: 0, host: '127.0.0.1' });
    Object.assign(world, {
      channel,
      inboundId,
      token: tokenOf(channel),
      baseUrl: `${url}/graph`,
      phoneNumberId: [...api.numbers.keys()][0],
      businessAccountId: api.businessAccountId,
    });
  });
  return world;
}

/** Gives the channel and Meta a template that both take. */
export async function addBoth(
  { heliograph, stub, channel }: GraphWorld,
  {
    name,
    language = 'en_US',
    category = 'UTILITY',
    components,
  }: { name: string; language?: string; category?: 'MARKETING' | 'UTILITY'; components: Json[] },
): Promise<void> {
  await addTemplate(heliograph, channel, { name, language, category, components });
  const { templates } = stub.api;
  templates.push({ id: String(templates.length + 1), name, language, category, status: 'APPROVED', components });
}
