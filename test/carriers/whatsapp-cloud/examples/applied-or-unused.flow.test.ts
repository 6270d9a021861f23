import { beforeAll, expect, it } from 'vitest';
import { postWebhook } from '../../../support/carriers/cloud-api/webhooks.js';
import type { TestChannel } from '../../../support/channels.js';
import { suiteApp } from '../../../support/suite.js';
import { waitFor } from '../../../support/wait-for.js';
import { CARRIER, suiteCloudApi } from '../meta-channel.js';
import { createExamplesChannel, readStoredState } from './stored-state.js';
import { FROM_DOCUMENTATION, PUBLISHED } from './webhook-examples.js';

const heliograph = suiteApp();
const meta = suiteCloudApi();
let channel: TestChannel;

beforeAll(async () => {
  channel = await createExamplesChannel(heliograph, meta);
});

it.each([...PUBLISHED, ...FROM_DOCUMENTATION])(
  'Meta’s example webhook "$name" is answered with 200, and applied or stored as unused',
  async ({ body, becomes }) => {
    const stateBefore = await readStoredState(heliograph, channel);
    expect((await postWebhook(heliograph, meta, CARRIER, body)).statusCode).toBe(200);
    await waitFor(
      'the webhook to be processed',
      async () => (await heliograph.deps.prisma.carrierCallback.count()) === 0,
    );
    const stateAfter = await readStoredState(heliograph, channel);
    const previousIds = new Set(stateBefore.inbound.map(({ carrierMessageId }) => carrierMessageId));
    const inbound = stateAfter.inbound
      .filter((message) => !previousIds.has(message.carrierMessageId))
      .map(({ type }) => type);
    const unusedReports = stateAfter.kept
      .filter(({ digest }) => stateBefore.kept.every((report) => report.digest !== digest))
      .map(({ kind }) => kind);
    if (becomes === 'something else') {
      expect([inbound, unusedReports]).toEqual([[], []]);
      expect(stateAfter).not.toEqual(stateBefore);
    } else if ('kept' in becomes) expect([inbound, unusedReports]).toEqual([[], [becomes.kept]]);
    else expect([inbound, unusedReports]).toEqual([[becomes.inbound], []]);
  },
);
