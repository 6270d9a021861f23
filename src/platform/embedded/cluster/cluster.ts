import { chown, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { StartError } from '../../errors/start-error.js';
import { withProcessAdvice } from '../errors.js';
import { run, type ServerUser } from '../run.js';
import { createAtomically } from './files.js';

export const SUPERUSER = 'heliograph';
export const DATABASE = 'heliograph';

/** In DATA_DIR. */
export const PASSWORD_FILE = 'postgres-password';

const STAGING_SUFFIX = '.new-';

/** Default PostgreSQL settings, which operators can change with ALTER SYSTEM. */
const SETTINGS = {
  shared_buffers: '192MB',
  effective_cache_size: '1GB',
  work_mem: '8MB',
  maintenance_work_mem: '128MB',
  wal_buffers: '16MB',
  random_page_cost: '1.1',
  jit: 'off',
  // Message statuses are updated constantly, so autovacuum runs more often than the default of once a minute.
  autovacuum_naptime: '15s',
  log_checkpoints: 'off',
  // The DETAIL lines of PostgreSQL's log would contain whole rows with recipients and texts.
  log_error_verbosity: 'terse',
  log_timezone: 'UTC',
  timezone: 'UTC',
};

/** The parent folder of `data` must exist. */
export async function createCluster(options: {
  binaries: string;
  data: string;
  password: string;
  user: ServerUser | null;
}): Promise<void> {
  const { binaries, data, password, user } = options;
  const staging = await mkdtemp(`${data}${STAGING_SUFFIX}`);
  await createAtomically(data, staging, async () => {
    const passwordFile = join(staging, 'password');
    await writeFile(passwordFile, password, { mode: 0o600 });
    if (user) {
      await chown(passwordFile, user.uid, user.gid);
      await chown(staging, user.uid, user.gid);
    }
    const newData = join(staging, 'data');
    const { code, stdout, stderr } = await run(
      join(binaries, 'bin', 'initdb'),
      [
        `--pgdata=${newData}`,
        `--username=${SUPERUSER}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        // The default encoding would depend on the environment, for example SQL_ASCII if LANG is not set.
        '--encoding=UTF8',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
        ...Object.entries(SETTINGS).map(([name, value]) => `--set=${name}=${value}`),
      ],
      user,
    );
    if (code !== 0)
      throw new StartError(withProcessAdvice(`initdb failed in ${newData}:\n${(stderr || stdout).trim()}`));
    return newData;
  });
}

/** Removes unfinished clusters; the caller must hold the lock on DATA_DIR. */
export async function removeStaging(data: string): Promise<void> {
  const parent = dirname(data);
  const prefix = `${basename(data)}${STAGING_SUFFIX}`;
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix) || name.length !== prefix.length + 6) continue;
    await rm(join(parent, name), { recursive: true, force: true });
  }
}
