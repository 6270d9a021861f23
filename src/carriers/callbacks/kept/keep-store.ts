import type pg from 'pg';
import { newId } from '../../../platform/ids.js';
import type { Statement } from '../../../platform/store/connections/pool.js';
import type { ReportSeal } from './report-seal.js';
import { digestOf, type UnusedReport } from './unused-report.js';

/**
 * A report is kept by the statement that deletes its callback: who dies in between does neither. Of two who worked off the
 * same callback, for the lease of one ended, only the one that deletes it keeps. The bodies travel as one value, as those of
 * callbacks do; ids are lists of JSON, for arrays of arrays must be of one length.
 */
const DELETE_AND_KEEP: Statement = {
  name: 'callbacks-delete-and-keep',
  text: `
WITH gone AS (DELETE FROM carrier_callbacks WHERE id = ANY($1::bigint[]) RETURNING id)
INSERT INTO kept_reports (id, carrier, channel_id, kind, reason, ids, body, form, digest, received_at)
SELECT k.id, k.carrier, k.channel_id, k.kind, k.reason, ARRAY(SELECT jsonb_array_elements_text(k.ids)),
       substring($2::bytea FROM k.start FOR k.length), k.form, k.digest, k.received_at
FROM unnest($3::uuid[], $4::bigint[], $5::text[], $6::uuid[], $7::text[], $8::text[], $9::jsonb[], $10::int[], $11::int[],
            $12::text[], $13::bytea[], $14::timestamptz[])
  AS k(id, callback, carrier, channel_id, kind, reason, ids, start, length, form, digest, received_at)
JOIN gone ON gone.id = k.callback
ORDER BY k.carrier, k.digest
ON CONFLICT (carrier, digest) DO NOTHING`,
};

/** Removes callbacks that are worked off, and keeps what of them was not used. */
export async function deleteAndKeep(
  connection: pg.Pool | pg.PoolClient,
  ids: readonly string[],
  unused: readonly UnusedReport[],
  seal: ReportSeal,
): Promise<void> {
  const bodies: Buffer[] = [];
  const places: { start: number; length: number; form: string }[] = [];
  let start = 1;
  for (const each of unused) {
    const { form, body } = seal.seal(each.body);
    bodies.push(body);
    places.push({ start, length: body.length, form });
    start += body.length;
  }
  await connection.query({
    ...DELETE_AND_KEEP,
    values: [
      ids,
      Buffer.concat(bodies),
      unused.map(() => newId()),
      unused.map(({ callbackId }) => callbackId),
      unused.map(({ carrier }) => carrier),
      unused.map(({ channelId }) => channelId),
      unused.map(({ kind }) => kind),
      unused.map(({ reason }) => reason),
      unused.map((each) => JSON.stringify(each.ids)),
      places.map((place) => place.start),
      places.map(({ length }) => length),
      places.map(({ form }) => form),
      unused.map(digestOf),
      unused.map(({ receivedAt }) => receivedAt.toISOString()),
    ],
  });
}
