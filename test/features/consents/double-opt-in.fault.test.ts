import { expect, it } from 'vitest';
import { CARRIER, createMetaChannel, suiteCloudApi } from '../../carriers/whatsapp-cloud/meta-channel.js';
import { buildEnvelope, buildInbound, postWebhook } from '../../support/carriers/cloud-api/webhooks.js';
import { killWorkerAt } from '../../support/processes/dying-worker.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

const meta = suiteCloudApi();
const api = suiteApp({ role: 'api' });
const FROM = '16505551234';

it('after a worker is killed while it stores a YES, the consent is granted exactly once', async () => {
  const { prisma, pool } = api.deps;
  const channel = await createMetaChannel(api, meta);
  const accountId = channel.account.id;
  const requestedAt = new Date(Date.now() - 60_000);
  const id = '01a226db-2dd4-79fe-992e-8eacb050bd0f';
  const key = { accountId, kind: 'whatsapp', sender: channel.channelId, phone: FROM } as const;
  await prisma.consentRequest.create({
    data: { ...key, id, messageId: id, purpose: 'marketing', wording: 'Send me offers.', requestedAt },
  });
  const body = buildEnvelope(buildInbound('text', { body: 'YES' }, { from: FROM }));
  expect((await postWebhook(api, meta, CARRIER, body)).statusCode).toBe(200);

  await killWorkerAt(api, 'consent:confirmed');
  const listGrants = () => prisma.consent.findMany({ where: { accountId } });
  const readRequest = () => prisma.consentRequest.findUniqueOrThrow({ where: { id } });
  expect(await listGrants()).toEqual([]);
  expect(await readRequest()).toMatchObject({ consentId: null });
  expect(await prisma.inboundMessage.count({ where: { accountId } })).toBe(0);

  await pool.query(
    "UPDATE carrier_callbacks SET lease_until = now() - interval '1 second' WHERE lease_until IS NOT NULL",
  );
  const worker = await testApp({ role: 'worker', sharesWith: api });
  try {
    await waitFor('an empty table', async () => (await prisma.carrierCallback.count()) === 0);
    const grants = await listGrants();
    expect(grants).toMatchObject([{ ...key, isGranted: true, source: 'double_opt_in', wording: 'Send me offers.' }]);
    expect(await readRequest()).toMatchObject({ consentId: grants[0]?.id });
  } finally {
    await worker.close();
  }
});
