import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { withDatabase } from '../store/servers/hosts.js';
import { openBackupConnection, quoteNames } from './snapshot-store.js';

const PREFIX = 'heliograph_verify_';
/** Scratch databases older than a day were left by killed commands; younger databases may be in use. */
const STALE_SECONDS = 24 * 60 * 60;

export interface ScratchDatabase {
  url: string;
  drop(): Promise<void>;
}

export interface ScratchRefusal {
  /** Reason for the refusal, worded to follow "because". */
  reason: string;
  version: string | null;
}

/** Creates the scratch database with the locale of the database in the URL. */
export async function createScratchDatabase(url: string): Promise<ScratchDatabase | ScratchRefusal> {
  let version: string | null = null;
  try {
    const client = await openBackupConnection(url);
    try {
      const server = await readServer(client);
      version = server.version;
      if (!server.mayCreate) {
        return {
          version,
          reason: `its role may not create databases (ALTER ROLE ${quoteNames([server.role])} CREATEDB)`,
        };
      }
      await dropStale(client);
      const name = `${PREFIX}${Math.floor(server.seconds)}_${randomBytes(6).toString('hex')}`;
      await client.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' ${server.locale}`);
      return { url: withDatabase(url, name), drop: () => dropDatabase(url, name) };
    } finally {
      await client.end();
    }
  } catch (error) {
    return { version, reason: `creating a database failed: ${(error as Error).message}` };
  }
}

interface Server {
  version: string;
  role: string;
  mayCreate: boolean;
  /** Unix time in PostgreSQL. */
  seconds: number;
  locale: string;
}

async function readServer(client: pg.Client): Promise<Server> {
  const { rows } = await client.query<Server>(
    `SELECT current_setting('server_version') AS version, current_user AS role, rolcreatedb OR rolsuper AS "mayCreate",
            extract(epoch FROM now())::float8 AS seconds, format('LC_COLLATE %L LC_CTYPE %L', datcollate, datctype) AS locale
     FROM pg_roles, pg_database WHERE rolname = current_user AND datname = current_database()`,
  );
  return rows[0] as Server;
}

async function dropStale(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT datname AS name FROM pg_database d
     WHERE datname ~ '^${PREFIX}\\d+_' AND pg_get_userbyid(datdba) = current_user
       AND split_part(datname, '_', 3)::bigint < extract(epoch FROM now()) - ${STALE_SECONDS}
       AND NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.datid = d.oid)`,
  );
  for (const { name } of rows) await client.query(`DROP DATABASE IF EXISTS ${quoteNames([name])}`);
}

async function dropDatabase(url: string, name: string): Promise<void> {
  const client = await openBackupConnection(url);
  try {
    await client.query(`DROP DATABASE IF EXISTS ${quoteNames([name])} WITH (FORCE)`);
  } finally {
    await client.end();
  }
}
