import { toPlainArray, toTextArray } from '../../platform/store/array-literals.js';
import { COLUMN_ENTRIES, type Column, type ColumnName, type ColumnType, type ColumnValue } from './message-columns.js';
import type { PendingRequest } from './pending-request.js';

/*
 * Builds the statements that accept messages from the columns in message-columns.ts: parameters, inserted columns and
 * bound arrays. The SQL texts are built once, when the modules are loaded.
 */

type Entry = readonly [ColumnName, Column];
/** A value in the form in which it is bound. */
type BoundValue = string | number | bigint | boolean | null;

/** Columns with one value per request. */
export const COMMON_COLUMNS: readonly Entry[] = COLUMN_ENTRIES.filter(([, { common }]) => common);
/** Columns with one value per message. */
export const OWN_COLUMNS: readonly Entry[] = COLUMN_ENTRIES.filter(([, { each }]) => each);

/** Consecutively numbered parameters for columns. */
export interface ColumnParameters {
  /** `$8::uuid[], $9::text[]` */
  parameters: string;
  /** `id, recipient` */
  names: string;
  /** The parameter of a column, for example `$8::uuid[]`. */
  parameter(name: ColumnName): string;
  /** The first unused parameter number. */
  next: number;
}

/** @param first number of the first parameter */
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

/** SQL for the value of each inserted column; null if the statement has none. */
export interface ColumnSource {
  common(name: ColumnName, column: Column): string | null;
  perMessage(name: ColumnName, column: Column): string | null;
  /** SQL for the interval between the commit and the scheduled time; null if the statement never schedules. */
  ahead: string | null;
}

/**
 * Column list and SELECT list for inserting messages. The relay first looks at an unscheduled message after 30 seconds.
 */
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

/** One value per column, for a single request. */
export function commonValues(pending: PendingRequest): BoundValue[] {
  return COMMON_COLUMNS.map(([, { type, common }]) => toBound(type, (common as NonNullable<typeof common>)(pending)));
}

/** One array per column, with a value for each request. */
export function commonArrays(batch: readonly PendingRequest[]): string[] {
  return COMMON_COLUMNS.map(([, { type, common }]) =>
    toArrayLiteral(
      type,
      batch.map((pending) => toBound(type, (common as NonNullable<typeof common>)(pending))),
    ),
  );
}

/**
 * One array per column, with a value for each message of the batch, in order.
 * @param start index of the first message of each request
 * @param end index after the last; default: all messages
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

/** An array literal for `unnest`. All-null arrays are sent empty; `unnest` pads them with nulls. */
function toArrayLiteral(type: ColumnType, values: readonly BoundValue[]): string {
  if (values.every((value) => value === null)) return '{}';
  const isQuoted = type === 'text' || type === 'jsonb';
  return isQuoted ? toTextArray(values as (string | null)[]) : toPlainArray(values);
}
