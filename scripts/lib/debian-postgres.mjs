import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

export async function findFreePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Starts a new cluster of Debian's PostgreSQL. If the package is missing and this process runs as root, the package is
 * installed.
 * @param {string} major version such as 15
 * @param {string} folder must not exist yet
 * @returns the URL of the database, its version, and a function that stops it
 */
export async function startDebianPostgres(major, folder) {
  const bin = `/usr/lib/postgresql/${major}/bin`;
  if (!existsSync(bin)) installPackage(`postgresql-${major}`);
  if (!existsSync(bin))
    throw new Error(`PostgreSQL ${major} is missing in ${bin}. Install the package postgresql-${major}.`);
  return await startStockPostgres(bin, folder);
}

/**
 * Starts a new cluster with the default configuration of `initdb`. The cluster sorts text by the rules of a language, as most
 * installations do, while the embedded PostgreSQL sorts text by bytes.
 * @param {string} bin folder of PostgreSQL's programs
 * @param {string} folder empty, or does not exist yet
 * @returns the URL of the database, its version, and a function that stops it
 */
export async function startStockPostgres(bin, folder) {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
  const user = findServerUser();
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const initdb = spawnSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', ...LANGUAGE_SORT_OPTIONS],
    {
      ...user,
      cwd: folder,
      encoding: 'utf8',
    },
  );
  if (initdb.status !== 0) throw new Error(`initdb failed: ${initdb.stderr}`);
  const port = await findFreePort();
  const server = spawn(
    join(bin, 'postgres'),
    ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', `unix_socket_directories=${folder}`],
    { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let output = '';
  await new Promise((resolve, reject) => {
    server.stderr.setEncoding('utf8').on('data', (text) => {
      output += text;
      if (output.includes('ready to accept connections')) resolve();
    });
    server.once('exit', () => reject(new Error(`PostgreSQL in ${bin} exited: ${output}`)));
  });
  server.stderr.removeAllListeners('data').resume();
  const version = spawnSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' }).stdout;
  return {
    // PostgreSQL ignores this password, but tests check that passwords in URLs are hidden.
    url: `postgresql://postgres:stock@127.0.0.1:${port}/postgres`,
    version: /\d+\.\d+/.exec(version)?.[0] ?? '',
    async stop() {
      const exited = once(server, 'exit');
      server.kill('SIGINT');
      await exited;
    },
  };
}

/** Options for sorting with ICU, which works without installed locales. */
const LANGUAGE_SORT_OPTIONS = ['--locale-provider=icu', '--icu-locale=en-US'];

/** Returns the user that runs PostgreSQL, because PostgreSQL refuses to run as root. */
function findServerUser() {
  if (process.getuid() !== 0) return {};
  const id = (flag) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
  return { uid: id('-u'), gid: id('-g') };
}

function installPackage(name) {
  if (process.getuid() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  console.log(`Installing the Debian package ${name}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', name],
  ]) {
    spawnSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  }
}
