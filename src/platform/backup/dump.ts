import { createHash, type Hash } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import type pg from 'pg';

/** Version of the backup format, incremented when earlier versions would misread new backups. */
export const FORMAT = 1;

const Name = Type.String({ pattern: '^\\w+$' });

export const DumpHead = Type.Object({
  format: Type.Literal(FORMAT),
  version: Type.String(),
  /** ISO 8601. */
  takenAt: Type.String(),
  /** Applied migrations, in order. */
  migrations: Type.Array(Type.Object({ name: Type.String(), checksum: Type.String() }), { minItems: 1 }),
  /** Each table comes after the tables that its foreign keys reference. */
  tables: Type.Array(Type.Object({ name: Name, columns: Type.Array(Name, { minItems: 1 }) })),
  sequences: Type.Array(
    Type.Object({ name: Name, value: Type.String({ pattern: '^\\d+$' }), isCalled: Type.Boolean() }),
  ),
  /** Aggregates by name, which a restore must reproduce. */
  sums: Type.Record(Type.String(), Type.String()),
});
export type DumpHead = Static<typeof DumpHead>;

export const TableTotal = Type.Object({ rows: Type.Integer(), bytes: Type.Integer(), sha256: Type.String() });
export type TableTotal = Static<typeof TableTotal>;

/** A chunk can end in the middle of a row. */
export interface Chunk {
  table: string;
  bytes: Buffer;
}

/** Readable only once. */
export interface Dump {
  head: DumpHead;
  /** Rows of all tables, in the order of `head.tables`. */
  chunks: AsyncIterable<Chunk>;
}

export type ReadAggregates = (client: { query: pg.ClientBase['query'] }) => Promise<Record<string, string>>;

/** The error message is a sentence for the operator. */
export class BackupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BackupError';
  }
}

const LINE_FEED = 10;

export class DumpTally {
  readonly #tables = new Map<string, { rows: number; bytes: number; hash: Hash }>();

  add({ table, bytes }: Chunk): void {
    let total = this.#tables.get(table);
    if (!total) {
      total = { rows: 0, bytes: 0, hash: createHash('sha256') };
      this.#tables.set(table, total);
    }
    total.hash.update(bytes);
    total.bytes += bytes.length;
    // COPY escapes line feeds within values as \n, so each raw line feed (byte 10) ends a row.
    for (let index = bytes.indexOf(LINE_FEED); index >= 0; index = bytes.indexOf(LINE_FEED, index + 1)) total.rows += 1;
  }

  countRows(table: string): number {
    return this.#tables.get(table)?.rows ?? 0;
  }

  /** Call `computeTotals` only after all rows have been read. */
  computeTotals(tables: readonly { name: string }[]): Record<string, TableTotal> {
    return Object.fromEntries(
      tables.map(({ name }) => {
        const { rows = 0, bytes = 0, hash = createHash('sha256') } = this.#tables.get(name) ?? {};
        return [name, { rows, bytes, sha256: hash.digest('hex') }];
      }),
    );
  }
}
