import { toPlainArray, toTextArray, toTimestampArray } from '../../platform/store/array-literals.js';
import { COLUMN_ENTRIES, type Column, type ColumnName, type ColumnType, type ColumnValue } from './message-columns.js';
import type { PendingRequest } from './pending-request.js';

type Entry = readonly [ColumnName, Column];
type BoundValue = string | number | bigint | boolean | null;

export const PER_REQUEST_COLUMNS: readonly Entry[] = COLUMN_ENTRIES.filter(([, { perRequest }]) => perRequest);
export const PER_MESSAGE_COLUMNS: readonly Entry[] = COLUMN_ENTRIES.filter(([, { perMessage }]) => perMessage);

export interface ColumnParameters {
  /** For example `$8::uuid[], $9::text[]`. */
  parameters: string;
  /** For example `id, recipient`. */
  names: string;
  /** For example `$8::uuid[]`. */
  parameter(name: ColumnName): string;
  nextNumber: number;
}

export function buildColumnParameters(
  columns: readonly Entry[],
  first: number,
  kind: 'array' | 'value',
): ColumnParameters {
  const parameters = new Map(
    columns.map(([name, { type }], index) => [name, `$${first + index}::${type}${kind === 'array' ? '[]' : ''}`]),
  );
  return {
    parameters: [...parameters.values()].join(', '),
    names: [...parameters.keys()].join(', '),
    parameter: (name) => parameters.get(name) as string,
    nextNumber: first + columns.length,
  };
}

export interface ColumnSource {
  perRequest(name: ColumnName, column: Column): string | null;
  perMessage(name: ColumnName, column: Column): string | null;
  /** SQL for the interval from the commit to the scheduled time, or null if the statement accepts no scheduled messages. */
  scheduleDelay: string | null;
}

export function buildInsertedColumns({ perRequest, perMessage, scheduleDelay }: ColumnSource): {
  names: string;
  values: string;
} {
  const values = new Map<string, string>();
  for (const [name, column] of COLUMN_ENTRIES) {
    const sources = [
      column.perMessage && perMessage(name, column),
      column.perRequest && perRequest(name, column),
    ].filter((source) => source != null);
    if (sources.length > 0) values.set(name, sources.length > 1 ? `coalesce(${sources.join(', ')})` : `${sources[0]}`);
  }
  values.set('status', "'queued'");
  values.set(
    'next_look',
    `now() + ${scheduleDelay ? `coalesce(${scheduleDelay}, interval '30 seconds')` : "interval '30 seconds'"}`,
  );
  if (scheduleDelay) values.set('not_before', `now() + ${scheduleDelay}`);
  return { names: [...values.keys()].join(', '), values: [...values.values()].join(', ') };
}

export function toRequestValues(pending: PendingRequest): BoundValue[] {
  return PER_REQUEST_COLUMNS.map(([, { type, perRequest }]) =>
    toBoundValue(type, (perRequest as NonNullable<typeof perRequest>)(pending)),
  );
}

export function toRequestArrays(batch: readonly PendingRequest[]): string[] {
  return PER_REQUEST_COLUMNS.map(([, { type, perRequest }]) =>
    toArrayLiteral(
      type,
      batch.map((pending) => (perRequest as NonNullable<typeof perRequest>)(pending)),
    ),
  );
}

/**
 * Returns an array per column, with a value for each message of the batch in order.
 * @param start index of the first message of each request
 * @param end index after the last message
 */
export function toMessageArrays(
  columns: readonly Entry[],
  batch: readonly PendingRequest[],
  start = 0,
  end = Number.POSITIVE_INFINITY,
): string[] {
  return columns.map(([, { type, perRequest, perMessage }]) => {
    const values: ColumnValue[] = [];
    for (const pending of batch) {
      const last = Math.min(end, pending.ids.length);
      if (perMessage) {
        for (let index = start; index < last; index += 1) values.push(perMessage(pending, index));
      } else {
        const value = perRequest(pending);
        for (let index = start; index < last; index += 1) values.push(value);
      }
    }
    return toArrayLiteral(type, values);
  });
}

function toBoundValue(type: ColumnType, value: ColumnValue): BoundValue {
  if (value === null) return null;
  if (type === 'timestamptz') return (value as Date).toISOString();
  if (type === 'jsonb') return JSON.stringify(value);
  return value as BoundValue;
}

/** An array of nulls is sent as an empty array, because `unnest` pads it with nulls. */
function toArrayLiteral(type: ColumnType, values: readonly ColumnValue[]): string {
  if (values.every((value) => value === null)) return '{}';
  if (type === 'timestamptz') return toTimestampArray(values as (Date | null)[]);
  if (type === 'jsonb') return toTextArray(values.map((value) => toBoundValue(type, value) as string | null));
  if (type === 'text') return toTextArray(values as (string | null)[]);
  return toPlainArray(values as BoundValue[]);
}
