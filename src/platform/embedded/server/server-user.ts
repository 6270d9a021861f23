import { stat } from 'node:fs/promises';
import { StartError } from '../../errors/start-error.js';
import { hasCode } from '../errors.js';
import { run, type ServerUser } from '../run.js';

const NAME = 'postgres';

/**
 * PostgreSQL refuses to run as root. As root, Heliograph runs PostgreSQL as the owner of the existing folder `cluster`, or as
 * `postgres`. Throws a StartError if the user `postgres` can be neither found nor created.
 */
export async function findServerUser(cluster: string): Promise<ServerUser | null> {
  if (process.getuid?.() !== 0) return null;
  const existing = (await findOwner(cluster)) ?? (await findPostgresUser());
  if (existing) return existing;

  await run('groupadd', ['--system', NAME]);
  const creation = await run('useradd', ['--system', '--gid', NAME, '--no-create-home', '--shell', '/bin/false', NAME]);
  const user = await findPostgresUser();
  if (user) return user;
  throw new StartError(
    `PostgreSQL cannot run as root, and its user "${NAME}" could not be created (${creation.stderr.trim()}). ` +
      'Start Heliograph as an ordinary user, add that user, or set DATABASE_URL.',
  );
}

async function findOwner(cluster: string): Promise<ServerUser | null> {
  try {
    const { uid, gid } = await stat(cluster);
    return uid === 0 ? null : { name: `number ${uid}`, uid, gid };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

async function findPostgresUser(): Promise<ServerUser | null> {
  const [user, group] = await Promise.all([run('id', ['-u', NAME]), run('id', ['-g', NAME])]);
  if (user.code !== 0 || group.code !== 0) return null;
  return { name: NAME, uid: Number(user.stdout), gid: Number(group.stdout) };
}
