import { beforeEach, describe, expect, it } from 'vitest';
import { createCampaign, waitForCampaign } from '../../support/campaigns.js';
import { call, playInbound } from '../../support/channel-calls.js';
import { createCampaignChannel, createGroup } from '../../support/channel-contents.js';
import type { TestChannel } from '../../support/channels.js';
import { ShiftedClock } from '../../support/manual-clock.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

/** Numbers by what the simulator does with their messages. */
const PHONES = {
  refused: '15005550001',
  undelivered: '15005550002',
  read: '15005550006',
  optedOut: '15005550120',
  delivered: '15005550121',
};
const DAY_MS = 24 * 60 * 60 * 1000;

describe('results of a campaign', () => {
  const clock = new ShiftedClock();
  const test = suiteApp({ clock });
  let channel: TestChannel;
  let groupId: string;

  beforeEach(async () => {
    channel = await createCampaignChannel(test.deps);
    const { id, contactIds } = await createGroup(test.deps, channel, { size: Object.keys(PHONES).length });
    groupId = id;
    for (const [index, phone] of Object.values(PHONES).entries()) {
      await test.deps.prisma.contact.update({
        where: { id: contactIds[index] as string },
        data: { phone, name: phone === PHONES.read ? '=1+1' : 'Ada' },
      });
    }
  });

  /** Returns the campaign's ID once every message has its final status. */
  async function runCampaign(): Promise<string> {
    const { id } = await createCampaign(test, channel, { groupId });
    await waitForCampaign(test, channel, id, 'completed');
    await waitFor('final statuses', async () => {
      const { counts } = (await call(test, channel, 'GET', `/campaigns/${id}`)).json().data;
      return counts.sent + counts.queued + counts.sending === 0 && counts.read === 1;
    });
    return id;
  }
  const receive = async (from: string, text: string) =>
    expect((await playInbound(test, channel, { from, text })).statusCode).toBe(200);
  const readResults = async (id: string) => {
    const response = await call(test, channel, 'GET', `/campaigns/${id}/results`);
    expect(response.statusCode, response.body).toBe(200);
    return response.json().data;
  };
  const sumLedger = async () => {
    const { rows } = await test.deps.pool.query(
      `SELECT (sum(amount_micros) / -1000000)::float8 AS total FROM ledger_entries
       WHERE account_id = $1 AND kind IN ('charge', 'refund')`,
      [channel.account.id],
    );
    return rows[0].total;
  };

  it('results show the funnel, the cost of the ledger, and errors with advice', async () => {
    await receive(PHONES.optedOut, 'STOP');
    const id = await runCampaign();
    await receive(PHONES.read, 'Thank you');
    await receive(PHONES.read, 'And another question');
    await receive(PHONES.delivered, 'STOP');

    const results = await readResults(id);
    expect(results).toMatchObject({
      funnel: { recipients: 5, sent: 3, delivered: 2, read: 1, replied: 2, clicked: 0, optedOut: 1 },
      cost: { charged: 0.05, refunded: 0.02, total: 0.03 },
      currency: 'USD',
      byCarrier: [{ carrier: 'simulator', messages: 5, sent: 3, delivered: 2, failed: 3, cost: { total: 0.03 } }],
      secondsLeft: null,
    });
    expect(results.cost.total).toBe(await sumLedger());
    const errors = new Map(results.byError.map((error: { errorCode: string }) => [error.errorCode, error]));
    expect(errors.get('OPTED_OUT')).toMatchObject({ messages: 1, advice: expect.stringMatching(/START/) });
    expect(results.byError.reduce((sum: number, { messages }: { messages: number }) => sum + messages, 0)).toBe(3);
    const sumHours = (event: string) =>
      results.byHour.reduce((sum: number, hour: Record<string, number>) => sum + (hour[event] ?? 0), 0);
    expect(['sent', 'delivered', 'read', 'failed'].map(sumHours)).toEqual([3, 2, 1, 3]);
  });

  it('a response counts for the latest campaign message of the last 7 days', async () => {
    const earlierId = await runCampaign();
    await receive(PHONES.delivered, 'To the first');
    clock.advance(60_000);
    const laterId = await runCampaign();
    await receive(PHONES.read, 'To the second');
    expect((await readResults(earlierId)).funnel.replied).toBe(1);
    expect((await readResults(laterId)).funnel.replied).toBe(1);

    clock.advance(8 * DAY_MS);
    await receive(PHONES.undelivered, 'STOP');
    expect((await readResults(laterId)).funnel).toMatchObject({ replied: 1, optedOut: 0 });
  });

  it('the CSV file has one line per message, costs that add up to the ledger, and no formulas', async () => {
    const id = await runCampaign();
    await receive(PHONES.delivered, 'STOP');
    const response = await call(test, channel, 'GET', `/campaigns/${id}/recipients.csv`);
    expect(response.headers['content-type']).toBe('text/csv; charset=utf-8');
    const [heading = '', ...lines] = response.body.trimEnd().split('\r\n');
    const columns = heading.split(',');
    const rows = lines.map((line) =>
      Object.fromEntries(line.split(',').map((cell, index) => [columns[index] as string, cell])),
    );

    expect(rows.map(({ phone }) => phone).sort()).toEqual(Object.values(PHONES).map((phone) => `+${phone}`));
    const costMicros = rows.reduce((sum, { cost }) => sum + Math.round(Number(cost) * 1_000_000), 0);
    expect(costMicros / 1_000_000).toBe(await sumLedger());
    const findRow = (phone: string) => rows.find((row) => row.phone === `+${phone}`);
    expect(findRow(PHONES.refused)).toMatchObject({
      status: 'failed',
      charged: '0.01',
      refunded: '0.01',
      cost: '0.00',
    });
    expect(findRow(PHONES.read)).toMatchObject({ status: 'read', name: "'=1+1", cost: '0.01', repliedAt: '' });
    expect(findRow(PHONES.delivered)?.optedOutAt).toMatch(/^20\d\d-/);
    expect(findRow(PHONES.delivered)?.repliedAt).toMatch(/^20\d\d-/);
  });

  it('results and the CSV file of another channel are not found', async () => {
    const { id } = await createCampaign(test, channel, { groupId });
    const otherChannel = await createCampaignChannel(test.deps);
    for (const path of ['results', 'recipients.csv']) {
      expect((await call(test, otherChannel, 'GET', `/campaigns/${id}/${path}`)).statusCode).toBe(404);
    }
  });
});
