// Lists the servers that `npm run bench` can measure, keyed by the names that --servers accepts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atExit } from '../../chaos/world/at-exit.mjs';
import { PgBouncer } from '../../chaos/world/pgbouncer.mjs';
import { hasProgram } from '../../chaos/world/programs.mjs';
import { SHORT } from './options.mjs';
import { readProcessorSeconds } from './processor.mjs';

/**
 * @typedef {object} Target
 * @property {string} name unique name: the server's name, followed by the Node.js version if `node` is set
 * @property {string} server name of the server for --servers
 * @property {string} title
 * @property {string} script
 * @property {Record<string, string>} settings
 * @property {(url: string) => Promise<Connection>} connect connects to the database whose Unix socket URL is `url`
 * @property {{ path: string, version: string } | null} node another Node.js that runs the server; null for the Node.js of this
 *   process
 *
 * @typedef {object} Connection
 * @property {Record<string, string>} settings
 * @property {() => number | null} readProcessorSeconds processor seconds of the pooler between the server and PostgreSQL
 * @property {() => Promise<void>} close
 */

const createConnection = (settings) => ({ settings, readProcessorSeconds: () => 0, close: async () => {} });
const connectBySocket = async (url) => createConnection({ DATABASE_URL: url });
const connectByTcp = async (url) => createConnection({ DATABASE_URL: toTcpUrl(url) });

/** Converts a database URL that uses a Unix socket into a URL that uses TCP on loopback. */
function toTcpUrl(url) {
  const tcp = new URL(url);
  tcp.hostname = '127.0.0.1';
  tcp.searchParams.delete('host');
  return tcp.toString();
}

/** Starts a PgBouncer in transaction mode that connects to PostgreSQL over TCP. */
async function connectByPooler(url) {
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-bench-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const unregister = atExit(remove);
  const direct = toTcpUrl(url);
  const pooler = new PgBouncer(folder, direct);
  const close = async () => {
    await pooler.close();
    remove();
    unregister();
  };
  try {
    await pooler.open();
  } catch (error) {
    await close();
    throw error;
  }
  const settings = { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: direct };
  return { settings, readProcessorSeconds: () => readProcessorSeconds(pooler.pid), close };
}

const createReference = (script, title) => ({ script, title, settings: {}, connect: connectBySocket });
const createHeliograph = (role, title, { settings = {}, connect = connectBySocket } = {}) => ({
  script: 'dist/main.js',
  title: `Heliograph, ROLE=${role}${title}${role === 'all' ? ', everything delivered at the same time' : ''}`,
  settings: { ROLE: role, ...settings },
  connect,
});

/** Servers marked `isExtra` are measured only if --servers names them. */
function createServers({ processes, redis }) {
  return {
    bare: createReference(
      'bench/servers/bare.mjs',
      '(a) bare route: same schemas, same authentication, stores nothing',
    ),
    create: createReference('bench/servers/prisma-create.mjs', '(b) one prisma.message.create per request'),
    api: createHeliograph('api', ''),
    all: createHeliograph('all', ''),
    ...(processes && {
      several: createHeliograph('all', ' in several processes', { settings: { PROCESSES: processes } }),
    }),
    ...(redis && {
      'api-redis': createHeliograph('api', ', queue on Redis', { settings: { REDIS_URL: redis } }),
      'all-redis': createHeliograph('all', ', queue on Redis', { settings: { REDIS_URL: redis } }),
    }),
    tcp: { ...createHeliograph('all', ', PostgreSQL by TCP', { connect: connectByTcp }), isExtra: true },
    pooled: {
      ...createHeliograph('all', ', PostgreSQL through PgBouncer', { connect: connectByPooler }),
      isExtra: true,
    },
  };
}

/**
 * Selects the requested targets, in the order in which they take turns. With a second Node.js version, each server is measured
 * with both versions, one after the other.
 * @param {{ servers?: string, processes?: string, redis?: string }} options
 * @param {Target['node']} otherNode
 * @returns {Target[]}
 */
export function selectTargets({ servers, processes, redis }, otherNode) {
  const all = createServers({ processes, redis });
  // A short run also measures `pooled` if PgBouncer is installed, to show that this target still works.
  const isDefault = (name) => !all[name].isExtra || (SHORT && name === 'pooled' && hasProgram('pgbouncer'));
  const selectedNames = servers?.split(',') ?? Object.keys(all).filter(isDefault);
  const unknown = selectedNames.filter((name) => !all[name]);
  if (unknown.length > 0) throw new Error(`--servers names ${unknown}, but possible are ${Object.keys(all)}`);
  if (selectedNames.includes('pooled') && !hasProgram('pgbouncer'))
    throw new Error('--servers names pooled, but pgbouncer is not installed (apt-get install pgbouncer)');
  return Object.keys(all)
    .filter((name) => selectedNames.includes(name))
    .flatMap((server) => {
      const { isExtra: _, ...definition } = all[server];
      const target = { name: server, server, node: null, ...definition };
      if (!otherNode) return [target];
      const title = `${definition.title}, Node.js ${otherNode.version}`;
      return [target, { ...target, name: `${server}-${otherNode.version.split('.')[0]}`, title, node: otherNode }];
    });
}
