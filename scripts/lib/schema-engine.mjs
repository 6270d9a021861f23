import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';

const SCHEMA = fileURLToPath(new URL('../../prisma/schema.prisma', import.meta.url));

/** PostgreSQL's IDs of its internal one-byte type "char" and of its type text (pg_type.dat). */
const CHAR = 18;
const TEXT = 25;

/**
 * The schema engine reads `pg_constraint.contype`, whose type "char" Prisma's adapter (7.10.0) does not support. This pool
 * declares the column as text, and `EngineAdapter` as the type that the engine expects.
 */
class CatalogPool extends pg.Pool {
  query(...parameters) {
    return super.query(...parameters).then((result) => {
      // A script with several statements returns an array of results, which need no change.
      for (const field of result.fields ?? []) if (field.dataTypeID === CHAR) field.dataTypeID = TEXT;
      return result;
    });
  }
}

class EngineAdapter extends PrismaPg {
  async connect() {
    const adapter = await super.connect();
    // The adapter would split a script at every semicolon, even in comments and function bodies. As with `prisma migrate
    // deploy`, the whole script is sent as one simple query.
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

/** Loads the engine's WebAssembly module from its file, because Node.js 20 cannot import `.wasm` files. */
async function loadEngine() {
  const file = new URL('schema_engine_bg.wasm', import.meta.resolve('@prisma/schema-engine-wasm/schema_engine_bg'));
  const { instance } = await WebAssembly.instantiate(await readFile(file), { './schema_engine_bg.js': bindings });
  // The engine reports the reason of a panic to this object, without which the reason would be lost.
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
 * Passes Prisma's schema engine to a function. The engine is a WebAssembly module from npm, so no engine has to be downloaded.
 * @template T
 * @param {string} url of the database
 * @param {(engine: import('@prisma/schema-engine-wasm').SchemaEngine, schema: {path: string, content: string}) => Promise<T>} use
 *   gets the engine and the content of schema.prisma
 * @returns {Promise<T>}
 */
export async function withSchemaEngine(url, use) {
  loadingEngine ??= loadEngine();
  const SchemaEngine = await loadingEngine;
  const schema = { path: SCHEMA, content: await readFile(SCHEMA, 'utf8') };
  const pool = new CatalogPool({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // The pool's `error` events are ignored, because a query that uses a lost connection fails.
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
 * Returns the SQL that would make a database match prisma/schema.prisma, or null if the database already matches.
 * @param {string} url of the database
 * @returns {Promise<string | null>}
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
