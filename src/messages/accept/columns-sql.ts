import { toPlainArray, toTextArray } from '../../platform/store/array-literals.js';
import { COLUMN_ENTRIES, type Column, type ColumnName, type ColumnType, type ColumnValue } from './message-columns.js';
import type { PendingRequest } from './pending-request.js';

type Entry = readonly [ColumnName, Column];
/** As passed to `pg`. */
type BoundValue = string | number | bigint | boolean | null;

export const COMMON_COLUMNS: readonly Entry[] = COLUMN_ENTRIES.filter(([, { common }]) => common);
export const OWN_COLUMNS: readonly Entry[] = COLUMN_ENTRIES.filter(([, { each }]) => each);

export interface ColumnParameters {
  /** For example `$8::uuid[], $9::text[]`. */
  parameters: string;
  /** For example `id, recipient`. */
  names: string;
  /** For example `$8::uuid[]`. */
  parameter(name: ColumnName): string;
  next: number;
}

export function columnParameters(columns: readonly Entry[], first: number, kind: 'array' | 'value'): ColumnParameters {
  const parameters = new Map(
    columns.map(([name, { type }], index) => [name, `$${first + index}::${type}${kind === 'array' ? '[]' : ''}`]),
  );
  return {
    parameters: [...parameters.values()].join(', '),
    names: [...parameters.keys()].join(', '),
    parameter: (name) => parameters.get(name) as string,
    next: first + columns.length,
  };
}

export interface ColumnSource {
  common(name: ColumnName, column: Column): string | null;
  perMessage(name: ColumnName, column: Column): string | null;
  /** SQL for the interval from the commit to the scheduled time; null if the statement never schedules a message. */
  ahead: string | null;
}

export function insertedColumns({ common, perMessage, ahead }: ColumnSource): { names: string; values: string } {
  const values = new Map<string, string>();
  for (const [name, column] of COLUMN_ENTRIES) {
    const sources = [column.each && perMessage(name, column), column.common && common(name, column)].filter(
      (each) => each != null,
    );
    if (sources.length > 0) values.set(name, sources.length > 1 ? `coalesce(${sources.join(', ')})` : `${sources[0]}`);
  }
  values.set('status', "'queued'");
  values.set('next_look', `now() + ${ahead ? `coalesce(${ahead}, interval '30 seconds')` : "interval '30 seconds'"}`);
  if (ahead) values.set('not_before', `now() + ${ahead}`);
  return { names: [...values.keys()].join(', '), values: [...values.values()].join(', ') };
}

export function commonValues(pending: PendingRequest): BoundValue[] {
  return COMMON_COLUMNS.map(([, { type, common }]) => toBound(type, (common as NonNullable<typeof common>)(pending)));
}

export function commonArrays(batch: readonly PendingRequest[]): string[] {
  return COMMON_COLUMNS.map(([, { type, common }]) =>
    toArrayLiteral(
      type,
      batch.map((pending) => toBound(type, (common as NonNullable<typeof common>)(pending))),
    ),
  );
}

/**
 * One value for each message of the batch, in order.
 * @param start index of the first message of each request @param end index after the last message
 */
export function messageArrays(
  columns: readonly Entry[],
  batch: readonly PendingRequest[],
  start = 0,
  end = Number.POSITIVE_INFINITY,
): string[] {
  return columns.map(([, { type, common, each }]) => {
    const values: BoundValue[] = [];
    for (const pending of batch) {
      const last = Math.min(end, pending.ids.length);
      if (each) {
        for (let index = start; index < last; index += 1) values.push(toBound(type, each(pending, index)));
      } else {
        const value = toBound(type, common(pending));
        for (let index = start; index < last; index += 1) values.push(value);
      }
    }
    return toArrayLiteral(type, values);
  });
}

function toBound(type: ColumnType, value: ColumnValue): BoundValue {
  if (value === null) return null;
  if (type === 'timestamptz') return (value as Date).toISOString();
  if (type === 'jsonb') return JSON.stringify(value);
  return value as BoundValue;
}

/** All-null arrays are sent empty, because `unnest` pads them with nulls. */
function toArrayLiteral(type: ColumnType, values: readonly BoundValue[]): string {
  if (values.every((value) => value === null)) return '{}';
  const isQuoted = type === 'text' || type === 'jsonb';
  return isQuoted ? toTextArray(values as (string | null)[]) : toPlainArray(values);
}
