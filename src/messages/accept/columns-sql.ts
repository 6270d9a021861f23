import { plainArray, textArray } from '../../platform/store/array-literals.js';
import { COLUMN_ENTRIES, type Column, type ColumnName, type ColumnType, type ColumnValue } from './message-columns.js';
import type { PendingRequest } from './pending-request.js';

/*
 * What the statements that accept are made of: the columns of message-columns.ts as parameters, as what is
 * inserted, and the arrays that are bound. All texts are made when a module is loaded, none for a request.
 */

type Entry = readonly [ColumnName, Column];
/** A value as it is bound: `pg` writes none of them in a way of its own. */
type Written = string | number | bigint | boolean | null;

/** What all messages of a request have in common: bound once for a request. */
export const COMMON_COLUMNS: readonly Entry[] = COLUMN_ENTRIES.filter(([, { of }]) => of);
/** What each message has for itself. */
export const OWN_COLUMNS: readonly Entry[] = COLUMN_ENTRIES.filter(([, { each }]) => each);

/** Columns as parameters of a statement, numbered from the first one on. */
export interface ColumnParameters {
  /** `$8::uuid[], $9::text[]` */
  parameters: string;
  /** `id, recipient` */
  names: string;
  /** The parameter of a column: `$8::uuid[]`. */
  at(name: ColumnName): string;
  /** The number that follows the last one. */
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
    at: (name) => parameters.get(name) as string,
    next: first + columns.length,
  };
}

/** Where the insertion of messages finds its values, as SQL; null where the statement does not have them. */
export interface ColumnSource {
  common(name: ColumnName, column: Column): string | null;
  own(name: ColumnName, column: Column): string | null;
  /** The interval from the moment of the commit to the time for which it is scheduled. */
  ahead: string | null;
}

/** The columns that an insertion of messages names, and what follows its SELECT. A message that is not scheduled is looked at soon. */
export function insertedColumns({ common, own, ahead }: ColumnSource): { names: string; values: string } {
  const values = new Map<string, string>();
  for (const [name, column] of COLUMN_ENTRIES) {
    const sources = [column.each && own(name, column), column.of && common(name, column)].filter(
      (each) => each != null,
    );
    if (sources.length > 0) values.set(name, sources.length > 1 ? `coalesce(${sources.join(', ')})` : `${sources[0]}`);
  }
  values.set('status', "'queued'");
  values.set('next_look', `now() + ${ahead ? `coalesce(${ahead}, interval '30 seconds')` : "interval '30 seconds'"}`);
  if (ahead) values.set('not_before', `now() + ${ahead}`);
  return { names: [...values.keys()].join(', '), values: [...values.values()].join(', ') };
}

/** What the messages of a request have in common, a value a column. */
export function commonValues(pending: PendingRequest): Written[] {
  return COMMON_COLUMNS.map(([, { type, of }]) => written(type, (of as NonNullable<typeof of>)(pending)));
}

/** The same of a batch: an array a column, with a value a request. */
export function commonArrays(batch: readonly PendingRequest[]): string[] {
  return COMMON_COLUMNS.map(([, { type, of }]) =>
    arrayOf(
      type,
      batch.map((pending) => written(type, (of as NonNullable<typeof of>)(pending))),
    ),
  );
}

/**
 * Arrays with a value a message of a batch, in order, one for each of the columns; of a column that each message has for itself,
 * nothing else.
 * @param start and end of the messages of each request; all unless told
 */
export function messageArrays(
  columns: readonly Entry[],
  batch: readonly PendingRequest[],
  start = 0,
  end = Number.POSITIVE_INFINITY,
): string[] {
  return columns.map(([, { type, of, each }]) => {
    const values: Written[] = [];
    for (const pending of batch) {
      const last = Math.min(end, pending.ids.length);
      if (each) {
        for (let index = start; index < last; index += 1) values.push(written(type, each(pending, index)));
      } else {
        const common = written(type, of(pending));
        for (let index = start; index < last; index += 1) values.push(common);
      }
    }
    return arrayOf(type, values);
  });
}

function written(type: ColumnType, value: ColumnValue): Written {
  if (value === null) return null;
  if (type === 'timestamptz') return (value as Date).toISOString();
  if (type === 'jsonb') return JSON.stringify(value);
  return value as Written;
}

/** An array as `unnest` takes it. What all lack is left out: it fills up with null what is shorter than the others. */
function arrayOf(type: ColumnType, values: readonly Written[]): string {
  if (values.every((value) => value === null)) return '{}';
  const isQuoted = type === 'text' || type === 'jsonb';
  return isQuoted ? textArray(values as (string | null)[]) : plainArray(values);
}
