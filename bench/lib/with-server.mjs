import pg from 'pg';
import { startServer } from './server.mjs';
import { startStore } from './store.mjs';

/**
 * Runs a benchmark against a process with all roles and its own database. `prepare` fills the database before the process
 * starts, and `run` receives the result of `prepare`.
 */
export async function withServer({ name, redis, logLevel = 'warn', settings, prepare }, run) {
  const store = await startStore();
  try {
    const url = await store.create(`bench_${name}`);
    const pool = new pg.Pool({ connectionString: url, max: 2 });
    try {
      const prepared = await prepare(pool);
      const server = await startServer('dist/main.js', {
        DATABASE_URL: url,
        LOG_LEVEL: logLevel,
        ...settings,
        ...(redis && { REDIS_URL: redis, QUEUE_PREFIX: `bench-${name}` }),
      });
      try {
        await run({ baseUrl: server.baseUrl, pool, apiKey: store.apiKey, prepared });
      } finally {
        await server.stop();
      }
    } finally {
      await pool.end();
    }
  } finally {
    await store.close();
  }
}
