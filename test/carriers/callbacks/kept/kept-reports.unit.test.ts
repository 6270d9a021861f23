import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { claimCallbacks, insertCallbacks } from '../../../../src/carriers/callbacks/callback-store.js';
import { deleteAndKeep } from '../../../../src/carriers/callbacks/kept/keep-store.js';
import { ReportSeal, UnopenedReportError } from '../../../../src/carriers/callbacks/kept/report-seal.js';
import { idsIn, idsInText, type UnusedReport } from '../../../../src/carriers/callbacks/kept/unused-report.js';
import { Maintenance } from '../../../../src/features/maintenance/maintenance.js';
import { suiteStore } from '../../../support/for-suite.js';
import { ManualClock } from '../../../support/manual-clock.js';

const store = suiteStore();
const [FIRST, SECOND] = ['the first secret of at least 32 characters', 'the second secret of at least 32 characters'];
const TEXT = 'words of somebody';
const report = { id: 'wamid.1', from: '16505551234', type: 'gift', gift: { note: TEXT, gift_id: '7', count: 3 } };
const body = Buffer.from(JSON.stringify(report));

afterEach(() => store.pool.query('TRUNCATE carrier_callbacks, kept_reports'));

describe('a body', () => {
  it('is sealed by the first key, another each time, and opened by each', () => {
    const [old, both] = [new ReportSeal([FIRST]), new ReportSeal([SECOND, FIRST])];
    const sealed = old.seal(body);
    expect(sealed.form).toBe('sealed');
    expect(sealed.body.toString('latin1')).not.toContain('somebody');
    expect(old.seal(body).body).not.toEqual(sealed.body);
    expect(both.open(sealed)).toEqual(body);
    expect(() => old.open(both.seal(body))).toThrow(UnopenedReportError);
    expect(() => new ReportSeal([]).open(sealed)).toThrow(UnopenedReportError);
  });

  it('is opened by nobody once a bit of it is another', () => {
    const seal = new ReportSeal([FIRST]);
    const sealed = seal.seal(body);
    for (let bit = 0; bit < sealed.body.length * 8; bit += 31) {
      const changed = Buffer.from(sealed.body);
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(() => seal.open({ form: 'sealed', body: changed })).toThrow(UnopenedReportError);
    }
    expect(() => seal.open({ form: 'sealed', body: Buffer.alloc(3) })).toThrow(UnopenedReportError);
  });

  it('loses its texts where there is no key, and what is no JSON all of it', () => {
    const seal = new ReportSeal([]);
    const { form, body: bare } = seal.seal(body);
    expect(form).toBe('bare');
    expect(JSON.parse(bare.toString())).toEqual({ ...report, gift: { note: '', gift_id: '7', count: 3 } });
    expect(seal.open({ form: 'bare', body: bare })).toEqual(bare);
    expect(seal.seal(Buffer.from(TEXT)).body).toHaveLength(0);
  });
});

describe('the ids of a report', () => {
  it('are numbers, user ids and ids of messages that stand alone, and no moments', () => {
    const userId = 'US.13491208655302741918';
    const found = idsIn({
      entry: [
        { from: '+16505551234', user_id: userId, id: 'wamid.HBgL=', timestamp: '1750030073', text: `call ${TEXT}` },
      ],
    });
    expect(found).toEqual(['16505551234', userId, 'wamid.HBgL=']);
    expect(idsIn(Array.from({ length: 200 }, (_, index) => String(16505550000 + index)))).toHaveLength(50);
    expect(idsInText(`{"from": "16505551234", "user": ${userId}, "n": 7`)).toEqual(['16505551234', userId]);
  });
});

describe('keeping', () => {
  const seal = new ReportSeal([FIRST]);
  const unusedOf = (callbackId: string, kind = 'inbound:gift', more: Partial<UnusedReport> = {}): UnusedReport => ({
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
  const kept = async () => (await store.pool.query('SELECT * FROM kept_reports ORDER BY kind')).rows;
  const left = async () => (await store.pool.query('SELECT id FROM carrier_callbacks')).rowCount;

  async function stored(count: number): Promise<string[]> {
    await insertCallbacks(
      store.pool,
      Array.from({ length: count }, () => ({ carrier: 'meta', body })),
    );
    return (await claimCallbacks(store.pool, count)).map(({ id }) => id);
  }

  it('and deleting are one: a callback that another has deleted keeps nothing', async () => {
    const [one = '', two = ''] = await stored(2);
    const large = Buffer.alloc(300_000, 7);
    const reports = [unusedOf(one), unusedOf(two, 'field:new', { body: large, ids: [] }), unusedOf('999', 'lost')];
    await deleteAndKeep(store.pool, [one, two], reports, seal);
    expect(await left()).toBe(0);
    const rows = await kept();
    expect(rows.map(({ kind, ids }) => [kind, ids])).toEqual([
      ['field:new', []],
      ['inbound:gift', ['16505551234', 'wamid.1']],
    ]);
    expect(seal.open(rows[0])).toEqual(large);
    expect(seal.open(rows[1])).toEqual(body);
  });

  it('keeps a report that comes twice once, also in one batch', async () => {
    const [one = '', two = '', three = ''] = await stored(3);
    await deleteAndKeep(store.pool, [one, two], [unusedOf(one), unusedOf(two)], seal);
    await deleteAndKeep(store.pool, [three], [unusedOf(three), unusedOf(three, 'inbound:other')], seal);
    expect((await kept()).map(({ kind }) => kind)).toEqual(['inbound:gift', 'inbound:other']);
  });

  it('ends after the days of the setting; none keeps it for ever', async () => {
    const [one = ''] = await stored(1);
    await deleteAndKeep(store.pool, [one], [unusedOf(one)], seal);
    const clock = new ManualClock(new Date());
    const log = pino({ level: 'silent' });
    const sweep = (keptDays: number) =>
      new Maintenance({ pool: store.pool, log, clock, retentionDays: 0, keptDays }).sweep();
    clock.advance(179 * 86_400_000);
    await sweep(180);
    clock.advance(2 * 86_400_000);
    await sweep(0);
    expect(await kept()).toHaveLength(1);
    await sweep(180);
    expect(await kept()).toEqual([]);
  });
});
