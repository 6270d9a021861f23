// The servers that `npm run bench` can measure, by the names of --servers, and how to start each.
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
 * @property {string} name unique: the server's name, with the Node.js version if it is not the current one
 * @property {string} server as in --servers
 * @property {string} title
 * @property {string} script
 * @property {Record<string, string>} settings
 * @property {(url: string) => Promise<Way>} reach connects to the database whose Unix socket URL is `url`
 * @property {{ path: string, version: string } | null} node null: the Node.js of this process
 *
 * @typedef {object} Way
 * @property {Record<string, string>} settings
 * @property {() => number | null} processorSeconds of a pooler between the server and PostgreSQL
 * @property {() => Promise<void>} close
 */

const directWay = (settings) => ({ settings, processorSeconds: () => 0, close: async () => {} });
const bySocket = async (url) => directWay({ DATABASE_URL: url });
const byTcp = async (url) => directWay({ DATABASE_URL: tcpUrl(url) });

/** The TCP URL of the same database, on loopback. */
function tcpUrl(url) {
  const tcp = new URL(url);
  tcp.hostname = '127.0.0.1';
  tcp.searchParams.delete('host');
  return tcp.toString();
}

/** Starts a PgBouncer in transaction mode that connects to PostgreSQL over TCP. */
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

/** Every server, in order. `isExtra`: measured only if named. */
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
 * The requested targets, in the order in which they take turns.
 * @param {{ servers?: string, processes?: string, redis?: string }} options
 * @param {Target['node']} otherNode another Node.js, with which each server is measured too, right after the current one
 * @returns {Target[]}
 */
export function selectTargets({ servers, processes, redis }, otherNode) {
  const all = allServers({ processes, redis });
  // A short run includes PgBouncer, if installed, to show that it still works.
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
      if (!otherNode) return [here];
      const title = `${how.title}, Node.js ${otherNode.version}`;
      return [here, { ...here, name: `${server}-${otherNode.version.split('.')[0]}`, title, node: otherNode }];
    });
}
