import { chown, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { StartError } from '../../errors/start-error.js';
import { withProcessAdvice } from '../errors.js';
import { run, type ServerUser } from '../server/run.js';
import { makeWhole } from './files.js';

export const SUPERUSER = 'heliograph';
export const DATABASE = 'heliograph';

/** The file in DATA_DIR with the password of the superuser. */
export const PASSWORD_FILE = 'postgres-password';

/** Follows the cluster's name in that of the folder where initdb works, before six random characters. */
const STAGING = '.new-';

/**
 * Settings of a new cluster, which an operator can change with ALTER SYSTEM. Those that keep a commit (fsync,
 * synchronous_commit, full_page_writes) are left at PostgreSQL's default: on.
 */
const SETTINGS = {
  shared_buffers: '192MB',
  effective_cache_size: '1GB',
  work_mem: '8MB',
  maintenance_work_mem: '128MB',
  wal_buffers: '16MB',
  random_page_cost: '1.1',
  jit: 'off',
  // Statuses are written all the time: dead rows are looked for more often than once a minute.
  autovacuum_naptime: '15s',
  log_checkpoints: 'off',
  // DETAIL would quote whole rows, with recipients and texts.
  log_error_verbosity: 'terse',
  log_timezone: 'UTC',
  timezone: 'UTC',
};

/**
 * Makes a new cluster, whole or not at all: initdb works in a folder beside the place, which is then renamed.
 * @param data where the cluster shall be; its parent exists
 */
export async function makeCluster(options: {
  binaries: string;
  data: string;
  password: string;
  user: ServerUser | null;
}): Promise<void> {
  const { binaries, data, password, user } = options;
  const staging = await mkdtemp(`${data}${STAGING}`);
  await makeWhole(data, staging, async () => {
    const passwordFile = join(staging, 'password');
    await writeFile(passwordFile, password, { mode: 0o600 });
    if (user) {
      await chown(passwordFile, user.uid, user.gid);
      await chown(staging, user.uid, user.gid);
    }
    const fresh = join(staging, 'data');
    const { code, stdout, stderr } = await run(
      join(binaries, 'bin', 'initdb'),
      [
        `--pgdata=${fresh}`,
        `--username=${SUPERUSER}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        // Without these the environment would decide: without LANG the encoding would be SQL_ASCII.
        '--encoding=UTF8',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
        ...Object.entries(SETTINGS).map(([name, value]) => `--set=${name}=${value}`),
      ],
      user,
    );
    if (code !== 0) throw new StartError(withProcessAdvice(`initdb failed in ${fresh}:\n${(stderr || stdout).trim()}`));
    return fresh;
  });
}

/**
 * Removes the folders beside a cluster in which an initdb was interrupted. Only the process that holds the lock on the
 * folder may call this.
 */
export async function removeStaging(data: string): Promise<void> {
  const parent = dirname(data);
  const prefix = `${basename(data)}${STAGING}`;
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix) || name.length !== prefix.length + 6) continue;
    await rm(join(parent, name), { recursive: true, force: true });
  }
}
