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
const UNKNOWN_NUMBER_ID = '106540352249999';
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
const listReports = async (): Promise<Report[]> => (await owner.ask('GET', PATH)).json().data;
const replay = async (body: object, caller = owner) => {
  const response = await caller.ask('POST', `${PATH}/replay`, body);
  return { status: response.statusCode, ...response.json() };
};
const waitForReplay = () =>
  waitFor('the reports to be replayed', async () => (await listReports()).every(({ isAsked }) => !isAsked));
const listAuditEntries = async () => {
  const rows = await heliograph.deps.prisma.auditLine.findMany({
    where: { action: 'callbacks.replay' },
    orderBy: { id: 'asc' },
  });
  return rows.map(({ subject, after }) => ({ subject, ...(after as object) }));
};
const listInboundTexts = async (channelId: string) => {
  const rows = await heliograph.deps.prisma.inboundMessage.findMany({ where: { channelId }, orderBy: { body: 'asc' } });
  return rows.map(({ body }) => body);
};

async function postReport(value: Record<string, unknown>, number = UNKNOWN_NUMBER_ID, field = 'messages') {
  expect((await postWebhook(heliograph, stub, CARRIER, buildEnvelope(value, { number, field }))).statusCode).toBe(200);
  await waitFor(
    'the callback to be processed',
    async () => (await heliograph.deps.prisma.carrierCallback.count()) === 0,
  );
}

describe('replaying stored reports in the console', () => {
  it('applies reports whose channel exists now, is audited, and leaves other reports unchanged', async () => {
    await postReport(buildInbound('text', { body: 'One' }, { id: 'wamid.1' }));
    await postReport(buildInbound('text', { body: 'Two' }, { id: 'wamid.2' }));
    await postReport({ groups: [{ subject: 'Friends' }] }, UNKNOWN_NUMBER_ID, 'group_settings_update');
    const reportsBefore = await listReports();
    expect(reportsBefore.map(({ kind, isAsked }) => [kind, isAsked])).toEqual([
      ['field:group_settings_update', false],
      ['inbound:text', false],
      ['inbound:text', false],
    ]);
    expect(await replay({})).toEqual({ status: 200, data: { reports: 3, callbacks: 0 } });
    await waitForReplay();
    expect(await listReports()).toEqual(reportsBefore);

    const { channelId } = await createMetaChannel(heliograph, stub, { phoneNumberId: UNKNOWN_NUMBER_ID });
    const firstReport = reportsBefore.at(-1) as Report;
    expect(await replay({ id: firstReport.id.toUpperCase() })).toMatchObject({ data: { reports: 1, callbacks: 0 } });
    await waitFor('the report to be applied', async () => (await listReports()).length === 2);
    expect(await listInboundTexts(channelId)).toEqual(['One']);
    await replay({});
    await waitFor('the other report to be applied', async () => (await listReports()).length === 1);
    await waitForReplay();
    expect(await listInboundTexts(channelId)).toEqual(['One', 'Two']);
    expect(await listReports()).toEqual([reportsBefore[0]]);
    expect(await listAuditEntries()).toEqual([
      { subject: CARRIER, reports: 3, callbacks: 0 },
      { subject: CARRIER, id: firstReport.id, reports: 1, callbacks: 0 },
      { subject: CARRIER, reports: 2, callbacks: 0 },
    ]);
  });

  it('retries callbacks whose processing failed', async () => {
    const { pool } = heliograph.deps;
    const body = Buffer.from(
      JSON.stringify(
        buildEnvelope(buildInbound('text', { body: 'Three' }, { id: 'wamid.3' }), { number: UNKNOWN_NUMBER_ID }),
      ),
    );
    // Uses one transaction, so that no worker processes the callback before it counts as failed.
    const client = await pool.connect();
    await client.query('BEGIN');
    await insertCallbacks(client as never, [{ carrier: CARRIER, body }]);
    await client.query('UPDATE carrier_callbacks SET set_aside_at = now(), attempts = 10');
    await client.query('COMMIT');
    client.release();
    expect((await replay({})).data.callbacks).toBe(1);
    const { id: channelId } = await heliograph.deps.prisma.channel.findFirstOrThrow({
      where: { carrierSettings: { path: ['phoneNumberId'], equals: UNKNOWN_NUMBER_ID } },
    });
    await waitFor('the callback to be processed', async () => (await listInboundTexts(channelId)).includes('Three'));
    await waitForReplay();
  });

  it('is done by one process, and by another after the lease of a dead process has expired', async () => {
    const { pool } = heliograph.deps;
    await postReport({ groups: [{ subject: 'Dead' }] }, UNKNOWN_NUMBER_ID, 'group_settings_update');
    await pool.query(`UPDATE kept_reports SET replay_at = now() + interval '1 hour'`);
    expect(await claimQueuedReplays(pool, 10)).toEqual([]);
    expect((await listReports()).every(({ isAsked }) => isAsked)).toBe(true);
    await pool.query("UPDATE kept_reports SET replay_at = now() - interval '1 second'");
    await waitForReplay();
  });

  it('is not audited if there was nothing to do, and is allowed only to owners', async () => {
    const countBefore = (await listAuditEntries()).length;
    expect(await replay({ id: newId() })).toEqual({ status: 200, data: { reports: 0, callbacks: 0 } });
    expect((await listAuditEntries()).length).toBe(countBefore);
    const [report] = await listReports();
    for (const role of ['developer', 'viewer'] as const) {
      const otherOperator = await createTestOperator(heliograph, { role });
      expect((await replay({ id: report?.id }, otherOperator)).status).toBe(403);
    }
    expect((await replay({ id: 'x' })).status).toBe(400);
    expect((await owner.ask('POST', '/carriers/nobody/kept-reports/replay', {})).statusCode).toBe(404);
    expect((await listReports()).some(({ isAsked }) => isAsked)).toBe(false);
  });
});
