import { beforeAll } from 'vitest';
import { receiveFirstMessage, suiteMeta } from '../../carriers/whatsapp-cloud/meta-channel.js';
import type { CloudApi } from '../../support/carriers/cloud-api/cloud-api.js';
import { addTemplate } from '../../support/channel-contents.js';
import type { TestChannel } from '../../support/channels.js';
import { buildToken } from '../../support/graph-calls.js';
import type { TestApp, TestAppOptions } from '../../support/test-app.js';

type Json = Record<string, unknown>;

/** Phone number of a contact who has just written to the channel. */
export const ADA = '15005550431';

/** A listening server, one of its channels, and the Meta stub that the channel uses. */
export interface GraphSuite {
  heliograph: TestApp;
  stub: CloudApi;
  channel: TestChannel;
  token: string;
  /** Base URL of Meta's surface, which ends with `/graph`. */
  baseUrl: string;
  phoneNumberId: string;
  businessAccountId: string;
  inboundId: string;
}

/**
 * Sets up a suite that sends through Meta's surface to a stub of Meta's API. The suite's fields are set before the first test.
 */
export function graphSuite(options?: TestAppOptions): GraphSuite {
  const { stub, heliograph, channel } = suiteMeta(options);
  const suite = { heliograph, stub, channel } as unknown as GraphSuite;
  beforeAll(async () => {
    const { carrierMessageId: inboundId } = await receiveFirstMessage({ stub, heliograph, channel }, ADA);
    const url = await heliograph.app.listen({ port: 0, host: '127.0.0.1' });
    Object.assign(suite, {
      inboundId,
      token: buildToken(channel),
      baseUrl: `${url}/graph`,
      phoneNumberId: [...stub.numbers.keys()][0],
      businessAccountId: stub.businessAccountId,
    });
  });
  return suite;
}

export async function addTemplateAtMeta(
  { heliograph, stub, channel }: GraphSuite,
  {
    name,
    language = 'en_US',
    category = 'UTILITY',
    components,
  }: { name: string; language?: string; category?: 'MARKETING' | 'UTILITY'; components: Json[] },
): Promise<void> {
  await addTemplate(heliograph, channel, { name, language, category, components });
  const { templates } = stub;
  templates.push({ id: String(templates.length + 1), name, language, category, status: 'APPROVED', components });
}
