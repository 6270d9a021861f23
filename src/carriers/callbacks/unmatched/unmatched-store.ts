import type pg from 'pg';
import { newId } from '../../../platform/ids.js';
import type { Statement } from '../../../platform/store/connections/pool.js';
import type { ReportSeal } from './report-seal.js';
import { computeDigest, type UnmatchedReport } from './unmatched-report.js';

/**
 * If a lease has expired and two processes handled the same callback, only the process that deletes the callback stores its
 * reports. The IDs of each report are passed as a JSON list, because SQL arrays of arrays must be rectangular.
 */
const DELETE_AND_KEEP: Statement = {
  name: 'callbacks-delete-and-keep',
  text: `
WITH deleted AS (DELETE FROM carrier_callbacks WHERE id = ANY($1::bigint[]) RETURNING id)
INSERT INTO kept_reports (id, carrier, channel_id, kind, reason, ids, body, form, digest, received_at)
SELECT k.id, k.carrier, k.channel_id, k.kind, k.reason, ARRAY(SELECT jsonb_array_elements_text(k.ids)),
       substring($2::bytea FROM k.start FOR k.length), k.form, k.digest, k.received_at
FROM unnest($3::uuid[], $4::bigint[], $5::text[], $6::uuid[], $7::text[], $8::text[], $9::jsonb[], $10::int[], $11::int[],
            $12::text[], $13::bytea[], $14::timestamptz[])
  AS k(id, callback, carrier, channel_id, kind, reason, ids, start, length, form, digest, received_at)
JOIN deleted ON deleted.id = k.callback
ORDER BY k.carrier, k.digest
ON CONFLICT (carrier, digest) DO NOTHING`,
};

export async function replaceWithUnmatched(
  connection: pg.Pool | pg.PoolClient,
  ids: readonly string[],
  reports: readonly UnmatchedReport[],
  seal: ReportSeal,
): Promise<void> {
  const bodies: Buffer[] = [];
  const slices: { start: number; length: number; form: string }[] = [];
  let start = 1;
  for (const report of reports) {
    const { form, body } = seal.seal(report.body);
    bodies.push(body);
    slices.push({ start, length: body.length, form });
    start += body.length;
  }
  await connection.query({
    ...DELETE_AND_KEEP,
    values: [
      ids,
      Buffer.concat(bodies),
      reports.map(() => newId()),
      reports.map(({ callbackId }) => callbackId),
      reports.map(({ carrier }) => carrier),
      reports.map(({ channelId }) => channelId),
      reports.map(({ kind }) => kind),
      reports.map(({ reason }) => reason),
      reports.map((report) => JSON.stringify(report.ids)),
      slices.map((slice) => slice.start),
      slices.map(({ length }) => length),
      slices.map(({ form }) => form),
      reports.map(computeDigest),
      reports.map(({ receivedAt }) => receivedAt.toISOString()),
    ],
  });
}
