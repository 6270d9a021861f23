import { toCsvLine } from '../contacts/csv-cells.js';
import type { ReadsPool } from '../contacts/export.js';
import { type ConsentChannel, toChannelScope } from './consents.js';
import { type ConsentEntry, readConsentsAfter } from './entries-store.js';

const PAGE_ROWS = 5_000;
/** Below every UUID. */
const NIL = '00000000-0000-0000-0000-000000000000';

const HEADINGS = [
  'phone',
  'userId',
  'purpose',
  'decision',
  'source',
  'name',
  'wording',
  'wordingVersion',
  'ip',
  'url',
  'decidedAt',
  'createdAt',
  'id',
];

/** Exports the entries about a channel's messages as CSV, oldest first. */
export async function* exportConsents(reads: ReadsPool, channel: ConsentChannel): AsyncGenerator<string> {
  yield toCsvLine(HEADINGS);
  let after = NIL;
  for (;;) {
    const afterId = after;
    const rows = await reads(({ pool }) => readConsentsAfter(pool, toChannelScope(channel), afterId, PAGE_ROWS));
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
    yield rows.map((row) => toCsvLine(toCells(row))).join('');
  }
}

function toCells(entry: ConsentEntry): string[] {
  const { id, phone, userId, purpose, isGranted, source, name, wording, wordingVersion, ip, url } = entry;
  const { decidedAt, createdAt } = entry;
  const texts = [name, wording, wordingVersion, ip, url].map((text) => text ?? '');
  const person = [phone === null ? '' : `+${phone}`, userId ?? ''];
  const times = [decidedAt.toISOString(), createdAt.toISOString()];
  return [...person, purpose, isGranted ? 'granted' : 'withdrawn', source, ...texts, ...times, id];
}
