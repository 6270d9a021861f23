import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { claimCallbacks, insertCallbacks } from '../../../../src/carriers/callbacks/callback-store.js';
import { ReportSeal, UnopenedReportError } from '../../../../src/carriers/callbacks/unmatched/report-seal.js';
import {
  findIds,
  findIdsInText,
  type UnmatchedReport,
} from '../../../../src/carriers/callbacks/unmatched/unmatched-report.js';
import { replaceWithUnmatched } from '../../../../src/carriers/callbacks/unmatched/unmatched-store.js';
import { Maintenance } from '../../../../src/features/maintenance/maintenance.js';
import { suiteStore } from '../../../support/for-suite.js';
import { ManualClock } from '../../../support/manual-clock.js';

const store = suiteStore();
const [FIRST, SECOND] = ['the first secret of at least 32 characters', 'the second secret of at least 32 characters'];
const TEXT = 'a private text';
const report = { id: 'wamid.1', from: '16505551234', type: 'gift', gift: { note: TEXT, gift_id: '7', count: 3 } };
const body = Buffer.from(JSON.stringify(report));

afterEach(() => store.pool.query('TRUNCATE carrier_callbacks, kept_reports'));

describe('ReportSeal', () => {
  it('encrypts with the first key, with a new nonce each time, and decrypts with all keys', () => {
    const [old, both] = [new ReportSeal([FIRST]), new ReportSeal([SECOND, FIRST])];
    const sealed = old.seal(body);
    expect(sealed.form).toBe('sealed');
    expect(sealed.body.toString('latin1')).not.toContain('private');
    expect(old.seal(body).body).not.toEqual(sealed.body);
    expect(both.open(sealed)).toEqual(body);
    expect(() => old.open(both.seal(body))).toThrow(UnopenedReportError);
    expect(() => new ReportSeal([]).open(sealed)).toThrow(UnopenedReportError);
  });

  it('does not open a body in which a bit was changed', () => {
    const seal = new ReportSeal([FIRST]);
    const sealed = seal.seal(body);
    for (let bit = 0; bit < sealed.body.length * 8; bit += 31) {
      const changed = Buffer.from(sealed.body);
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(() => seal.open({ form: 'sealed', body: changed })).toThrow(UnopenedReportError);
    }
    expect(() => seal.open({ form: 'sealed', body: Buffer.alloc(3) })).toThrow(UnopenedReportError);
  });

  it('blanks texts without a key, and everything that is not JSON', () => {
    const seal = new ReportSeal([]);
    const { form, body: bare } = seal.seal(body);
    expect(form).toBe('bare');
    expect(JSON.parse(bare.toString())).toEqual({ ...report, gift: { note: '', gift_id: '7', count: 3 } });
    expect(seal.open({ form: 'bare', body: bare })).toEqual(bare);
    expect(seal.seal(Buffer.from(TEXT)).body).toHaveLength(0);
  });
});

describe('the IDs of an unmatched report', () => {
  it('are phone numbers, user IDs and message IDs that are complete values, but not timestamps', () => {
    const userId = 'US.13491208655302741918';
    const found = findIds({
      entry: [
        { from: '+16505551234', user_id: userId, id: 'wamid.HBgL=', timestamp: '1750030073', text: `call ${TEXT}` },
      ],
    });
    expect(found).toEqual(['16505551234', userId, 'wamid.HBgL=']);
    expect(findIds(Array.from({ length: 200 }, (_, index) => String(16505550000 + index)))).toHaveLength(50);
    expect(findIdsInText(`{"from": "16505551234", "user": ${userId}, "n": 7`)).toEqual(['16505551234', userId]);
  });
});

describe('storing unmatched reports', () => {
  const seal = new ReportSeal([FIRST]);
  const unusedReport = (
    callbackId: string,
    kind = 'inbound:gift',
    more: Partial<UnmatchedReport> = {},
  ): UnmatchedReport => ({
    callbackId,
    carrier: 'meta',
    channelId: null,
    kind,
    reason: 'unknown',
    ids: ['16505551234', 'wamid.1'],
    body,
    receivedAt: new Date('2027-01-15T12:00:00Z'),
    ...more,
  });
  const storedReports = async () => (await store.pool.query('SELECT * FROM kept_reports ORDER BY kind')).rows;
  const countCallbacks = async () => (await store.pool.query('SELECT id FROM carrier_callbacks')).rowCount;

  async function claimNew(count: number): Promise<string[]> {
    await insertCallbacks(
      store.pool,
      Array.from({ length: count }, () => ({ carrier: 'meta', body })),
    );
    return (await claimCallbacks(store.pool, count)).map(({ id }) => id);
  }

  it('stores no report of a callback that another process deleted', async () => {
    const [one = '', two = ''] = await claimNew(2);
    const large = Buffer.alloc(300_000, 7);
    const reports = [
      unusedReport(one),
      unusedReport(two, 'field:new', { body: large, ids: [] }),
      unusedReport('999', 'lost'),
    ];
    await replaceWithUnmatched(store.pool, [one, two], reports, seal);
    expect(await countCallbacks()).toBe(0);
    const rows = await storedReports();
    expect(rows.map(({ kind, ids }) => [kind, ids])).toEqual([
      ['field:new', []],
      ['inbound:gift', ['16505551234', 'wamid.1']],
    ]);
    expect(seal.open(rows[0])).toEqual(large);
    expect(seal.open(rows[1])).toEqual(body);
  });

  it('stores a repeated report once, even within a batch', async () => {
    const [one = '', two = '', three = ''] = await claimNew(3);
    await replaceWithUnmatched(store.pool, [one, two], [unusedReport(one), unusedReport(two)], seal);
    await replaceWithUnmatched(store.pool, [three], [unusedReport(three), unusedReport(three, 'inbound:other')], seal);
    expect((await storedReports()).map(({ kind }) => kind)).toEqual(['inbound:gift', 'inbound:other']);
  });

  it('deletes reports after the configured number of days, or never', async () => {
    const [one = ''] = await claimNew(1);
    await replaceWithUnmatched(store.pool, [one], [unusedReport(one)], seal);
    const clock = new ManualClock(new Date());
    const log = pino({ level: 'silent' });
    const sweep = (keptDays: number) =>
      new Maintenance({ pool: store.pool, log, clock, retentionDays: 0, keptDays }).sweep();
    clock.advance(179 * 86_400_000);
    await sweep(180);
    clock.advance(2 * 86_400_000);
    await sweep(0);
    expect(await storedReports()).toHaveLength(1);
    await sweep(180);
    expect(await storedReports()).toEqual([]);
  });
});
