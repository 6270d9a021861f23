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
 * The engine queries `pg_constraint.contype`, a "char", which the adapter (7.10.0) does not support. This pool turns
 * the column into text, and `EngineAdapter` into the type that the engine expects.
 */
class CatalogPool extends pg.Pool {
  query(...parameters) {
    return super.query(...parameters).then((result) => {
      // The result of a script with several statements is an array, which needs no change.
      for (const field of result.fields ?? []) if (field.dataTypeID === CHAR) field.dataTypeID = TEXT;
      return result;
    });
  }
}

class EngineAdapter extends PrismaPg {
  async connect() {
    const adapter = await super.connect();
    // The adapter would split a script at every semicolon, even in comments and function bodies. Sent as a whole, it is one
    // simple query, as with `prisma migrate deploy`.
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

/** Instantiates the WebAssembly module once per process, because Node.js 20 cannot import `.wasm` files. */
async function loadEngine() {
  const file = new URL('schema_engine_bg.wasm', import.meta.resolve('@prisma/schema-engine-wasm/schema_engine_bg'));
  const { instance } = await WebAssembly.instantiate(await readFile(file), { './schema_engine_bg.js': bindings });
  // The module reports the reason of a panic here. Without it, a panic would only be an error about this missing name.
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
let loadingEngine;

/**
 * Runs work with Prisma's schema engine. The WebAssembly module from npm needs no download.
 * @template T
 * @param {string} url of the database
 * @param {(engine: import('@prisma/schema-engine-wasm').SchemaEngine, schema: {path: string, content: string}) => Promise<T>} use
 *   gets the engine, and schema.prisma in the form that the engine expects
 * @returns {Promise<T>}
 */
export async function withSchemaEngine(url, use) {
  loadingEngine ??= loadEngine();
  const SchemaEngine = await loadingEngine;
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
 * @returns {Promise<string | null>} the SQL that would bring the database to the schema; null if they match
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
