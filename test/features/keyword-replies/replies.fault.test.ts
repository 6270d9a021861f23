import { expect, it } from 'vitest';
import { CARRIER, createMetaChannel, suiteCloudApi } from '../../carriers/whatsapp-cloud/meta-channel.js';
import { readBalance } from '../../support/accounts.js';
import { buildEnvelope, buildInbound, postWebhook } from '../../support/carriers/cloud-api/webhooks.js';
import { listReplies, listResults, turnRepliesOn } from '../../support/keyword-replies.js';
import { waitForStatus } from '../../support/messages.js';
import { expireLeases, killWorkerAt } from '../../support/processes/dying-worker.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

const meta = suiteCloudApi();
const api = suiteApp({ role: 'api' });
const FROM = '16505551234';

it.each(['keyword-reply:before-commit', 'keyword-reply:committed'])(
  'after a worker is killed at %s, the opt-out and its consent entries are stored, and exactly one reply is sent and charged',
  async (point) => {
    const { prisma, pool } = api.deps;
    await prisma.channel.deleteMany();
    const channel = await createMetaChannel(api, meta);
    await turnRepliesOn(api, channel);
    const body = buildEnvelope(buildInbound('text', { body: 'STOP' }, { from: FROM }));
    expect((await postWebhook(api, meta, CARRIER, body)).statusCode).toBe(200);

    await killWorkerAt(api, point);
    const isCommitted = point === 'keyword-reply:committed';
    const countConsents = () => prisma.consent.count({ where: { accountId: channel.account.id, isGranted: false } });
    // STOP withdraws consent to marketing and to transactional messages.
    expect(await countConsents()).toBe(isCommitted ? 2 : 0);
    const countOptOuts = () => prisma.optOut.count({ where: { accountId: channel.account.id, isActive: true } });
    expect(await countOptOuts()).toBe(isCommitted ? 1 : 0);
    expect(await listReplies(api, channel)).toHaveLength(isCommitted ? 1 : 0);

    await expireLeases(api);
    await pool.query(
      "UPDATE carrier_callbacks SET lease_until = now() - interval '1 second' WHERE lease_until IS NOT NULL",
    );
    const worker = await testApp({ role: 'worker', sharesWith: api });
    try {
      await waitFor('an empty table', async () => (await prisma.carrierCallback.count()) === 0);
      const replies = await listReplies(api, channel);
      expect(replies).toHaveLength(1);
      const id = replies[0]?.id as string;
      await waitForStatus(api, [id], 'sent');
      expect(await countOptOuts()).toBe(1);
      expect(await countConsents()).toBe(2);
      expect(await listResults(api, channel)).toMatchObject([{ messageId: id, code: null }]);
      const { priceMicros } = await prisma.message.findFirstOrThrow({ where: { id } });
      expect(await readBalance(api.deps, channel.account.id)).toBe(100_000_000n - priceMicros);
    } finally {
      await worker.close();
    }
  },
);
