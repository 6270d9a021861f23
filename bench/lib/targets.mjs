// Which servers `npm run bench` measures: each name of --servers, and how it is started.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atExit } from '../../chaos/world/at-exit.mjs';
import { PgBouncer } from '../../chaos/world/pgbouncer.mjs';
import { hasProgram } from '../../chaos/world/programs.mjs';
import { SHORT } from './options.mjs';
import { processorSeconds } from './processor.mjs';

/**
 * @typedef {object} Target
 * @property {string} name of the server and, where it is not the present one, of its Node.js; no other target has it
 * @property {string} server as --servers names it
 * @property {string} title
 * @property {string} script
 * @property {Record<string, string>} settings
 * @property {(url: string) => Promise<Way>} reach how it gets to a database that is reached by a socket in a folder at `url`
 * @property {{ path: string, version: string } | null} node null: that of this process
 *
 * @typedef {object} Way
 * @property {Record<string, string>} settings
 * @property {() => number | null} processorSeconds of what stands between the server and PostgreSQL
 * @property {() => Promise<void>} close
 */

const wayOf = (settings) => ({ settings, processorSeconds: () => 0, close: async () => {} });
const bySocket = async (url) => wayOf({ DATABASE_URL: url });
const byTcp = async (url) => wayOf({ DATABASE_URL: tcpUrl(url) });

/** The same database by TCP at loopback. */
function tcpUrl(url) {
  const tcp = new URL(url);
  tcp.hostname = '127.0.0.1';
  tcp.searchParams.delete('host');
  return tcp.toString();
}

/** By a PgBouncer of its own in transaction mode, which reaches PostgreSQL by TCP. */
async function byPooler(url) {
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-bench-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const removed = atExit(remove);
  const direct = tcpUrl(url);
  const pooler = new PgBouncer(folder, direct);
  const close = async () => {
    await pooler.close();
    remove();
    removed();
  };
  try {
    await pooler.open();
  } catch (error) {
    await close();
    throw error;
  }
  const settings = { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: direct };
  return { settings, processorSeconds: () => processorSeconds(pooler.pid), close };
}

const compared = (script, title) => ({ script, title, settings: {}, reach: bySocket });
const heliograph = (role, title, { settings = {}, reach = bySocket } = {}) => ({
  script: 'dist/main.js',
  title: `Heliograph, ROLE=${role}${title}${role === 'all' ? ', everything delivered meanwhile' : ''}`,
  settings: { ROLE: role, ...settings },
  reach,
});

/** All that there are, in their order; `isExtra`: only measured when named. */
function allServers({ processes, redis }) {
  return {
    bare: compared('bench/servers/bare.mjs', '(a) bare route: same schemas, same authentication, stores nothing'),
    create: compared('bench/servers/prisma-create.mjs', '(b) one prisma.message.create per request'),
    api: heliograph('api', ''),
    all: heliograph('all', ''),
    ...(processes && { several: heliograph('all', ' in several processes', { settings: { PROCESSES: processes } }) }),
    ...(redis && {
      'api-redis': heliograph('api', ', queue on Redis', { settings: { REDIS_URL: redis } }),
      'all-redis': heliograph('all', ', queue on Redis', { settings: { REDIS_URL: redis } }),
    }),
    tcp: { ...heliograph('all', ', PostgreSQL by TCP', { reach: byTcp }), isExtra: true },
    pooled: { ...heliograph('all', ', PostgreSQL through PgBouncer', { reach: byPooler }), isExtra: true },
  };
}

/**
 * Those that are asked for, in the order in which they take turns.
 * @param {{ servers?: string, processes?: string, redis?: string }} options
 * @param {Target['node']} other each is measured under this Node.js as well, right after the present one
 * @returns {Target[]}
 */
export function targetsOf({ servers, processes, redis }, other) {
  const all = allServers({ processes, redis });
  // A short run shows that PgBouncer is still gone through, where it is there.
  const isUsual = (name) => !all[name].isExtra || (SHORT && name === 'pooled' && hasProgram('pgbouncer'));
  const wanted = servers?.split(',') ?? Object.keys(all).filter(isUsual);
  const unknown = wanted.filter((name) => !all[name]);
  if (unknown.length > 0) throw new Error(`--servers names ${unknown}; there are ${Object.keys(all)}`);
  if (wanted.includes('pooled') && !hasProgram('pgbouncer'))
    throw new Error('--servers names pooled, and there is no pgbouncer on this machine (apt-get install pgbouncer)');
  return Object.keys(all)
    .filter((name) => wanted.includes(name))
    .flatMap((server) => {
      const { isExtra: _, ...how } = all[server];
      const here = { name: server, server, node: null, ...how };
      if (!other) return [here];
      const title = `${how.title}, Node.js ${other.version}`;
      return [here, { ...here, name: `${server}-${other.version.split('.')[0]}`, title, node: other }];
    });
}
