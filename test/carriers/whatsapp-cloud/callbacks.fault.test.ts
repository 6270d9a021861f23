import { expect, it } from 'vitest';
import { buildEnvelope, buildInbound, buildStatus, postWebhook } from '../../support/carriers/cloud-api/webhooks.js';
import { killWorkerAt } from '../../support/processes/dying-worker.js';
import { testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';
import { CARRIER, suiteMeta } from './meta-channel.js';

const { stub, heliograph: api, channel } = suiteMeta({ role: 'api' });

it.each(['callbacks:applied', 'callbacks:settled'])(
  'a worker killed at %s neither loses nor duplicates webhook content',
  async (point) => {
    const { prisma, pool } = api.deps;
    await prisma.inboundMessage.deleteMany();
    await prisma.message.deleteMany();
    await prisma.keptReport.deleteMany();
    const echo = { from: '15550783881', to: '16505551234', type: 'text', timestamp: '1790000000' };
    const callbacks = [
      { ...buildInbound('text', { body: 'Hello' }), statuses: [buildStatus('wamid.1', 'evaporated')] },
      buildInbound('hologram', { size: 7 }),
    ].map((value) => buildEnvelope(value));
    const echoes = { message_echoes: [{ ...echo, id: 'wamid.own', text: { body: 'From the telephone' } }] };
    callbacks.push(buildEnvelope(echoes, { field: 'smb_message_echoes' }));
    callbacks.push(buildEnvelope({ groups: [{ subject: 'Friends' }] }, { field: 'group_settings_update' }));
    callbacks.push(buildEnvelope(buildInbound('text', { body: 'To nobody' }), { number: '999' }));
    for (const body of callbacks) expect((await postWebhook(api, stub, CARRIER, body)).statusCode).toBe(200);

    await killWorkerAt(api, point);
    await pool.query(
      "UPDATE carrier_callbacks SET lease_until = now() - interval '1 second' WHERE lease_until IS NOT NULL",
    );
    const nextWorker = await testApp({ role: 'worker', sharesWith: api });
    try {
      await waitFor('an empty table', async () => (await prisma.carrierCallback.count()) === 0);
      const inbound = await prisma.inboundMessage.findMany({ where: { channelId: channel.channelId } });
      expect(inbound.map(({ type }) => type).sort()).toEqual(['hologram', 'text']);
      expect((await prisma.message.findMany()).map(({ body }) => body)).toEqual(['From the telephone']);
      expect((await prisma.keptReport.findMany()).map(({ kind }) => kind).sort()).toEqual([
        'field:group_settings_update',
        'inbound:text',
        'status:evaporated',
      ]);
    } finally {
      await nextWorker.close();
    }
  },
);
