import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import type { SchemaEngine as Engine } from '@prisma/schema-engine-wasm';
import pg from 'pg';
import { SchemaEngine } from './schema-engine-module.js';

/** A file as the engine takes it. */
export interface SchemaFile {
  path: string;
  content: string;
}

/** PostgreSQL's internal one-byte type "char", and its type text (pg_type.dat). */
const CHAR = 18;
const TEXT = 25;

/**
 * The engine asks for `pg_constraint.contype`, which is a "char"; the adapter (7.10.0) does not know that type and would
 * refuse the whole answer. Here it becomes text, and in `EngineAdapter` what the engine expects.
 */
class CatalogPool extends pg.Pool {
  // biome-ignore lint/suspicious/noExplicitAny: pg declares eight overloads; the adapter uses the one with a promise
  override query(...parameters: any[]): any {
    const answer = super.query.apply(this, parameters as never) as unknown as Promise<pg.QueryArrayResult>;
    return answer.then((result) => {
      // A script of several statements has an array of results, and none of them is looked at.
      for (const field of result.fields ?? []) if (field.dataTypeID === CHAR) field.dataTypeID = TEXT;
      return result;
    });
  }
}

class EngineAdapter extends PrismaPg {
  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect();
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (query) => {
      const result = await queryRaw(query);
      const index = result.columnNames.indexOf('constraint_type');
      if (index >= 0) result.columnTypes[index] = ColumnTypeEnum.Character;
      return result;
    };
    return adapter;
  }
}

/**
 * Lends Prisma's schema engine, the one behind `prisma migrate`, as the WebAssembly module that npm brings: it needs no
 * download.
 * @param options.schema the text of schema.prisma
 * @param options.onLog is given the engine's log lines (JSON)
 */
export async function withSchemaEngine<T>(
  options: { url: string; schema: SchemaFile; onLog(line: string): void },
  use: (engine: Engine) => Promise<T>,
): Promise<T> {
  const pool = new CatalogPool({ connectionString: options.url, connectionTimeoutMillis: 10_000 });
  pool.on('error', (error) => options.onLog(JSON.stringify({ message: error.message })));
  try {
    const adapter = bindMigrationAwareSqlAdapterFactory(new EngineAdapter(pool));
    const { path, content } = options.schema;
    const engine = await SchemaEngine.new({ datamodels: [[path, content]] }, options.onLog, adapter);
    try {
      return await use(engine);
    } finally {
      engine.free();
    }
  } finally {
    await pool.end();
  }
}
