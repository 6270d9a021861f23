import { beforeAll, describe, expect, it } from 'vitest';
import { insertCallbacks } from '../../../src/carriers/callbacks/callback-store.js';
import { claimQueuedReplays } from '../../../src/carriers/callbacks/unmatched/replay-queue-store.js';
import { newId } from '../../../src/platform/ids.js';
import { CARRIER, createMetaChannel, suiteCloudApi } from '../../carriers/whatsapp-cloud/meta-channel.js';
import { buildEnvelope, buildInbound, postWebhook } from '../../support/carriers/cloud-api/webhooks.js';
import { createTestOperator, type TestOperator } from '../../support/operators.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

const stub = suiteCloudApi();
const heliograph = suiteApp({ settings: { KEPT_REPORTS_SECRET: 'a secret of the test of at least 32 characters' } });
const STRANGER = '106540352249999';
const PATH = `/carriers/${CARRIER}/kept-reports`;
let owner: TestOperator;

beforeAll(async () => {
  await createMetaChannel(heliograph, stub);
  owner = await createTestOperator(heliograph, { role: 'owner' });
});

interface Report {
  id: string;
  kind: string;
  reason: string;
  isAsked: boolean;
}
const list = async (): Promise<Report[]> => (await owner.ask('GET', PATH)).json().data;
const replay = async (body: object, by = owner) => {
  const response = await by.ask('POST', `${PATH}/replay`, body);
  return { status: response.statusCode, ...response.json() };
};
const settled = () =>
  waitFor('the reports to be played again', async () => (await list()).every(({ isAsked }) => !isAsked));
const lines = async () => {
  const rows = await heliograph.deps.prisma.auditLine.findMany({
    where: { action: 'callbacks.replay' },
    orderBy: { id: 'asc' },
  });
  return rows.map(({ subject, after }) => ({ subject, ...(after as object) }));
};
const textsIn = async (channelId: string) => {
  const rows = await heliograph.deps.prisma.inboundMessage.findMany({ where: { channelId }, orderBy: { body: 'asc' } });
  return rows.map(({ body }) => body);
};

async function tell(value: Record<string, unknown>, number = STRANGER, field = 'messages') {
  expect((await postWebhook(heliograph, stub, CARRIER, buildEnvelope(value, { number, field }))).statusCode).toBe(200);
  await waitFor('it to be worked off', async () => (await heliograph.deps.prisma.carrierCallback.count()) === 0);
}

describe('processing stored reports again in the console', () => {
  it('applies them once their channel exists, audits it, and leaves the rest unchanged', async () => {
    await tell(buildInbound('text', { body: 'One' }, { id: 'wamid.1' }));
    await tell(buildInbound('text', { body: 'Two' }, { id: 'wamid.2' }));
    await tell({ groups: [{ subject: 'Friends' }] }, STRANGER, 'group_settings_update');
    const before = await list();
    expect(before.map(({ kind, isAsked }) => [kind, isAsked])).toEqual([
      ['field:group_settings_update', false],
      ['inbound:text', false],
      ['inbound:text', false],
    ]);
    expect(await replay({})).toEqual({ status: 200, data: { reports: 3, callbacks: 0 } });
    await settled();
    expect(await list()).toEqual(before);

    const { channelId } = await createMetaChannel(heliograph, stub, { phoneNumberId: STRANGER });
    const first = before.at(-1) as Report;
    expect(await replay({ id: first.id.toUpperCase() })).toMatchObject({ data: { reports: 1, callbacks: 0 } });
    await waitFor('the report to be used', async () => (await list()).length === 2);
    expect(await textsIn(channelId)).toEqual(['One']);
    await replay({});
    await waitFor('the other to be used', async () => (await list()).length === 1);
    await settled();
    expect(await textsIn(channelId)).toEqual(['One', 'Two']);
    expect(await list()).toEqual([before[0]]);
    expect(await lines()).toEqual([
      { subject: CARRIER, reports: 3, callbacks: 0 },
      { subject: CARRIER, id: first.id, reports: 1, callbacks: 0 },
      { subject: CARRIER, reports: 2, callbacks: 0 },
    ]);
  });

  it('retries callbacks that were set aside', async () => {
    const { pool } = heliograph.deps;
    const body = Buffer.from(
      JSON.stringify(buildEnvelope(buildInbound('text', { body: 'Three' }, { id: 'wamid.3' }), { number: STRANGER })),
    );
    // In one transaction, so that no worker processes the report before it is set aside.
    const client = await pool.connect();
    await client.query('BEGIN');
    await insertCallbacks(client as never, [{ carrier: CARRIER, body }]);
    await client.query('UPDATE carrier_callbacks SET set_aside_at = now(), attempts = 10');
    await client.query('COMMIT');
    client.release();
    expect((await replay({})).data.callbacks).toBe(1);
    const { id: channelId } = await heliograph.deps.prisma.channel.findFirstOrThrow({
      where: { carrierSettings: { path: ['phoneNumberId'], equals: STRANGER } },
    });
    await waitFor('it to be worked off', async () => (await textsIn(channelId)).includes('Three'));
    await settled();
  });

  it('belongs to the process that claims it, until the lease of a dead process expires', async () => {
    const { pool } = heliograph.deps;
    await tell({ groups: [{ subject: 'Dead' }] }, STRANGER, 'group_settings_update');
    await pool.query(`UPDATE kept_reports SET replay_at = now() + interval '1 hour'`);
    expect(await claimQueuedReplays(pool, 10)).toEqual([]);
    expect((await list()).every(({ isAsked }) => isAsked)).toBe(true);
    await pool.query("UPDATE kept_reports SET replay_at = now() - interval '1 second'");
    await settled();
  });

  it('is not audited if there was nothing to do, and is reserved to owners', async () => {
    const known = (await lines()).length;
    expect(await replay({ id: newId() })).toEqual({ status: 200, data: { reports: 0, callbacks: 0 } });
    expect((await lines()).length).toBe(known);
    const [report] = await list();
    for (const role of ['developer', 'viewer'] as const) {
      const other = await createTestOperator(heliograph, { role });
      expect((await replay({ id: report?.id }, other)).status).toBe(403);
    }
    expect((await replay({ id: 'x' })).status).toBe(400);
    expect((await owner.ask('POST', '/carriers/nobody/kept-reports/replay', {})).statusCode).toBe(404);
    expect((await list()).some(({ isAsked }) => isAsked)).toBe(false);
  });
});
