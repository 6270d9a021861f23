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
  it('the report seal encrypts with the first key, uses a new nonce each time, and decrypts with all keys', () => {
    const [oldSeal, newSeal] = [new ReportSeal([FIRST]), new ReportSeal([SECOND, FIRST])];
    const sealed = oldSeal.seal(body);
    expect(sealed.form).toBe('sealed');
    expect(sealed.body.toString('latin1')).not.toContain('private');
    expect(oldSeal.seal(body).body).not.toEqual(sealed.body);
    expect(newSeal.open(sealed)).toEqual(body);
    expect(() => oldSeal.open(newSeal.seal(body))).toThrow(UnopenedReportError);
    expect(() => new ReportSeal([]).open(sealed)).toThrow(UnopenedReportError);
  });

  it('the report seal does not open a body in which a bit was changed', () => {
    const seal = new ReportSeal([FIRST]);
    const sealed = seal.seal(body);
    for (let bit = 0; bit < sealed.body.length * 8; bit += 31) {
      const corrupted = Buffer.from(sealed.body);
      corrupted[bit >> 3] = (corrupted[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(() => seal.open({ form: 'sealed', body: corrupted })).toThrow(UnopenedReportError);
    }
    expect(() => seal.open({ form: 'sealed', body: Buffer.alloc(3) })).toThrow(UnopenedReportError);
  });

  it('the report seal blanks texts without a key, and everything that is not JSON', () => {
    const seal = new ReportSeal([]);
    const { form, body: blankedBody } = seal.seal(body);
    expect(form).toBe('bare');
    expect(JSON.parse(blankedBody.toString())).toEqual({ ...report, gift: { note: '', gift_id: '7', count: 3 } });
    expect(seal.open({ form: 'bare', body: blankedBody })).toEqual(blankedBody);
    expect(seal.seal(Buffer.from(TEXT)).body).toHaveLength(0);
  });
});

describe('the IDs of an unmatched report', () => {
  it('the IDs of an unmatched report are phone numbers, user IDs and message IDs that are complete values, but not timestamps', () => {
    const userId = 'US.13491208655302741918';
    const ids = findIds({
      entry: [
        { from: '+16505551234', user_id: userId, id: 'wamid.HBgL=', timestamp: '1750030073', text: `call ${TEXT}` },
      ],
    });
    expect(ids).toEqual(['16505551234', userId, 'wamid.HBgL=']);
    expect(findIds(Array.from({ length: 200 }, (_, index) => String(16505550000 + index)))).toHaveLength(50);
    expect(findIdsInText(`{"from": "16505551234", "user": ${userId}, "n": 7`)).toEqual(['16505551234', userId]);
  });
});

describe('storing unmatched reports', () => {
  const seal = new ReportSeal([FIRST]);
  const createReport = (
    callbackId: string,
    kind = 'inbound:gift',
    overrides: Partial<UnmatchedReport> = {},
  ): UnmatchedReport => ({
    callbackId,
    carrier: 'meta',
    channelId: null,
    kind,
    reason: 'unknown',
    ids: ['16505551234', 'wamid.1'],
    body,
    receivedAt: new Date('2027-01-15T12:00:00Z'),
    ...overrides,
  });
  const listStoredReports = async () => (await store.pool.query('SELECT * FROM kept_reports ORDER BY kind')).rows;
  const countCallbacks = async () => (await store.pool.query('SELECT id FROM carrier_callbacks')).rowCount;

  async function claimNew(count: number): Promise<string[]> {
    await insertCallbacks(
      store.pool,
      Array.from({ length: count }, () => ({ carrier: 'meta', body })),
    );
    return (await claimCallbacks(store.pool, count)).map(({ id }) => id);
  }

  it('an unmatched report of a callback that another process deleted is not stored', async () => {
    const [firstId = '', secondId = ''] = await claimNew(2);
    const largeBody = Buffer.alloc(300_000, 7);
    const reports = [
      createReport(firstId),
      createReport(secondId, 'field:new', { body: largeBody, ids: [] }),
      createReport('999', 'lost'),
    ];
    await replaceWithUnmatched(store.pool, [firstId, secondId], reports, seal);
    expect(await countCallbacks()).toBe(0);
    const rows = await listStoredReports();
    expect(rows.map(({ kind, ids }) => [kind, ids])).toEqual([
      ['field:new', []],
      ['inbound:gift', ['16505551234', 'wamid.1']],
    ]);
    expect(seal.open(rows[0])).toEqual(largeBody);
    expect(seal.open(rows[1])).toEqual(body);
  });

  it('a repeated unmatched report is stored once, even within a batch', async () => {
    const [firstId = '', secondId = '', thirdId = ''] = await claimNew(3);
    await replaceWithUnmatched(store.pool, [firstId, secondId], [createReport(firstId), createReport(secondId)], seal);
    await replaceWithUnmatched(
      store.pool,
      [thirdId],
      [createReport(thirdId), createReport(thirdId, 'inbound:other')],
      seal,
    );
    expect((await listStoredReports()).map(({ kind }) => kind)).toEqual(['inbound:gift', 'inbound:other']);
  });

  it('unmatched reports are deleted after the configured number of days, or never', async () => {
    const [firstId = ''] = await claimNew(1);
    await replaceWithUnmatched(store.pool, [firstId], [createReport(firstId)], seal);
    const clock = new ManualClock(new Date());
    const log = pino({ level: 'silent' });
    const sweep = (keptDays: number) =>
      new Maintenance({ pool: store.pool, log, clock, retentionDays: 0, keptDays }).sweep();
    clock.advance(179 * 86_400_000);
    await sweep(180);
    clock.advance(2 * 86_400_000);
    await sweep(0);
    expect(await listStoredReports()).toHaveLength(1);
    await sweep(180);
    expect(await listStoredReports()).toEqual([]);
  });
});
