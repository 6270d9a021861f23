import { beforeAll, expect, it } from 'vitest';
import { postWebhook } from '../../../support/carriers/cloud-api/webhooks.js';
import type { TestChannel } from '../../../support/channels.js';
import { suiteApp } from '../../../support/suite.js';
import { waitFor } from '../../../support/wait-for.js';
import { CARRIER, suiteCloudApi } from '../meta-channel.js';
import { OF_PAGES, PUBLISHED } from './webhook-examples.js';
import { createExamplesChannel, stateOf } from './world.js';

const heliograph = suiteApp();
const meta = suiteCloudApi();
let channel: TestChannel;

beforeAll(async () => {
  channel = await createExamplesChannel(heliograph, meta);
});

it.each([...PUBLISHED, ...OF_PAGES])('$name: is answered 200, and applied or kept', async ({ body, becomes }) => {
  const before = await stateOf(heliograph, channel);
  expect((await postWebhook(heliograph, meta, CARRIER, body)).statusCode).toBe(200);
  await waitFor('it to be worked off', async () => (await heliograph.deps.prisma.carrierCallback.count()) === 0);
  const after = await stateOf(heliograph, channel);
  const known = new Set(before.inbound.map(({ carrierMessageId }) => carrierMessageId));
  const inbound = after.inbound.filter((each) => !known.has(each.carrierMessageId)).map(({ type }) => type);
  const kept = after.kept
    .filter(({ digest }) => before.kept.every((each) => each.digest !== digest))
    .map(({ kind }) => kind);
  if (becomes === 'something else') {
    expect([inbound, kept]).toEqual([[], []]);
    expect(after).not.toEqual(before);
  } else if ('kept' in becomes) expect([inbound, kept]).toEqual([[], [becomes.kept]]);
  else expect([inbound, kept]).toEqual([[becomes.inbound], []]);
});
