import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';

const SCHEMA = fileURLToPath(new URL('../../prisma/schema.prisma', import.meta.url));

/** PostgreSQL's internal one-byte type "char", and its type text (pg_type.dat). */
const CHAR = 18;
const TEXT = 25;

/**
 * The engine asks for `pg_constraint.contype`, which is a "char"; the adapter (7.10.0) does not know that type and would
 * refuse the whole answer. Here it becomes text, and in `EngineAdapter` what the engine expects.
 */
class CatalogPool extends pg.Pool {
  query(...parameters) {
    return super.query(...parameters).then((result) => {
      // A script of several statements has an array of results, and none of them is looked at.
      for (const field of result.fields ?? []) if (field.dataTypeID === CHAR) field.dataTypeID = TEXT;
      return result;
    });
  }
}

class EngineAdapter extends PrismaPg {
  async connect() {
    const adapter = await super.connect();
    // The adapter would cut a script at every semicolon, those in comments and function bodies too. Sent whole it is
    // one simple query, as with `prisma migrate deploy`.
    adapter.executeScript = async (sql) => {
      await adapter.executeRaw({ sql, args: [], argTypes: [] });
    };
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
 * Instantiates the WebAssembly module by hand, because Node.js 20 cannot import `.wasm` files; once for each process, as
 * its bindings keep views of the one memory.
 */
async function loadEngine() {
  const file = new URL('schema_engine_bg.wasm', import.meta.resolve('@prisma/schema-engine-wasm/schema_engine_bg'));
  const { instance } = await WebAssembly.instantiate(await readFile(file), { './schema_engine_bg.js': bindings });
  // Where the module leaves the reason of a panic; without it, a panic would be an error about this very name.
  globalThis.PRISMA_WASM_PANIC_REGISTRY = {
    set_message(reason) {
      throw new Error(`Prisma's schema engine failed: ${reason}`);
    },
  };
  bindings.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  return bindings.SchemaEngine;
}

/** @type {ReturnType<typeof loadEngine> | undefined} */
let loaded;

/**
 * Lends Prisma's schema engine, the one behind `prisma migrate`, as the WebAssembly module that npm brings: it needs no
 * download. The server has no use for it: it applies migrations itself (src/platform/store/migrations/migrate.ts).
 * @template T
 * @param {string} url of the database
 * @param {(engine: import('@prisma/schema-engine-wasm').SchemaEngine, schema: {path: string, content: string}) => Promise<T>} use
 *   is given the engine and the file schema.prisma as the engine takes it
 * @returns {Promise<T>}
 */
export async function withSchemaEngine(url, use) {
  loaded ??= loadEngine();
  const SchemaEngine = await loaded;
  const schema = { path: SCHEMA, content: await readFile(SCHEMA, 'utf8') };
  const pool = new CatalogPool({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // A lost connection fails the query that uses it.
  pool.on('error', () => undefined);
  try {
    const adapter = bindMigrationAwareSqlAdapterFactory(new EngineAdapter(pool));
    const ignoreLog = () => undefined;
    const engine = await SchemaEngine.new({ datamodels: [[schema.path, schema.content]] }, ignoreLog, adapter);
    try {
      return await use(engine, schema);
    } finally {
      engine.free();
    }
  } finally {
    await pool.end();
  }
}

/**
 * Compares a database with prisma/schema.prisma.
 * @param {string} url of the database
 * @returns {Promise<string | null>} the SQL that would bring the database to the schema; null when they agree
 */
export async function diffSchema(url) {
  return await withSchemaEngine(url, async (engine, schema) => {
    const { exitCode, stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', files: [schema], configDir: dirname(schema.path) },
      to: { tag: 'schemaDatamodel', files: [schema] },
      script: true,
      exitCode: true,
      filters: { externalTables: [], externalEnums: [] },
    });
    return exitCode === 0 ? null : (stdout ?? '');
  });
}
