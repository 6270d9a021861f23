import { createHash, type Hash } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import type pg from 'pg';

/** Raised when a later version writes backups that this one would misread. */
export const FORMAT = 1;

const Name = Type.String({ pattern: '^\\w+$' });

/** What is known of a dump before its rows. */
export const DumpHead = Type.Object({
  format: Type.Literal(FORMAT),
  /** Of the Heliograph that took it. */
  version: Type.String(),
  /** ISO 8601. */
  takenAt: Type.String(),
  /** Those that were applied to the store, in order. */
  migrations: Type.Array(Type.Object({ name: Type.String(), checksum: Type.String() }), { minItems: 1 }),
  /** In an order in which each comes after those that its foreign keys lead to. */
  tables: Type.Array(Type.Object({ name: Name, columns: Type.Array(Name, { minItems: 1 }) })),
  sequences: Type.Array(
    Type.Object({ name: Name, value: Type.String({ pattern: '^\\d+$' }), isCalled: Type.Boolean() }),
  ),
  /** Sums over the rows that must be the same wherever they are loaded, by name. */
  sums: Type.Record(Type.String(), Type.String()),
});
export type DumpHead = Static<typeof DumpHead>;

/** What is known of the rows of a table once they were read. */
export const TableTotal = Type.Object({ rows: Type.Integer(), bytes: Type.Integer(), sha256: Type.String() });
export type TableTotal = Static<typeof TableTotal>;

/** A piece of the text that COPY makes of a table; not cut at the ends of lines. */
export interface Chunk {
  table: string;
  bytes: Buffer;
}

/** The rows of a store at one moment, to be read once. */
export interface Dump {
  head: DumpHead;
  /** Table by table, in the order of the head. */
  chunks: AsyncIterable<Chunk>;
}

/** Sums over the rows of a store, computed within the client's transaction. */
export type Sums = (client: { query: pg.ClientBase['query'] }) => Promise<Record<string, string>>;

/** A backup that cannot be used, or a store that one cannot be loaded into, in a sentence for the operator. */
export class BackupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BackupError';
  }
}

const LINE_FEED = 10;

/** Adds up what flows by. */
export class Tally {
  readonly #tables = new Map<string, { rows: number; bytes: number; hash: Hash }>();

  add({ table, bytes }: Chunk): void {
    let sum = this.#tables.get(table);
    if (!sum) {
      sum = { rows: 0, bytes: 0, hash: createHash('sha256') };
      this.#tables.set(table, sum);
    }
    sum.hash.update(bytes);
    sum.bytes += bytes.length;
    // A line feed within a value is written as \n, so each one ends a row.
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) sum.rows += 1;
  }

  rowsOf(table: string): number {
    return this.#tables.get(table)?.rows ?? 0;
  }

  /** By table; to be asked once, when everything has flowed by. */
  totals(tables: readonly { name: string }[]): Record<string, TableTotal> {
    return Object.fromEntries(
      tables.map(({ name }) => {
        const { rows = 0, bytes = 0, hash = createHash('sha256') } = this.#tables.get(name) ?? {};
        return [name, { rows, bytes, sha256: hash.digest('hex') }];
      }),
    );
  }
}
