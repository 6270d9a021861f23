import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis as Client } from 'ioredis';
import { readUsers } from './rights.mjs';

/** Password of Heliograph's user, which contains characters that a URL must encode. */
const PASSWORD = 'of the run @ loopback';
/** Password of the users for administration, replicas and Sentinels. */
const INTERNAL_PASSWORD = 'of-the-world';
const REPLICA_USER = `user replica on ${hashPassword(INTERNAL_PASSWORD)} +psync +replconf +ping`;
/** The rights are explained in "Redis Access Control List authentication" in Redis' documentation of Sentinel. */
const MONITOR_USER =
  `user watcher on ${hashPassword(INTERNAL_PASSWORD)} allchannels +multi +slaveof +ping +exec +subscribe +config|rewrite +role +publish ` +
  '+info +client|setname +client|kill +script|kill';
/** For connections between Sentinels. */
const SENTINEL_USER = `user colleague on ${hashPassword(INTERNAL_PASSWORD)} allchannels +@all`;
const ADMIN_USER = `user admin on ${hashPassword(INTERNAL_PASSWORD)} ~* &* +@all`;

/** Access to Redis. A secured run encrypts connections, and has a user with the recommended rights for each purpose. */
export class Access {
  #certificate = null;
  #key;

  /**
   * @param {string} folder
   * @param {object} options
   * @param {boolean} options.isSecured
   */
  constructor(folder, { isSecured }) {
    this.folder = join(folder, 'redis');
    mkdirSync(this.folder, { recursive: true });
    if (!isSecured) return;
    this.#certificate = join(this.folder, 'redis.crt');
    this.#key = join(this.folder, 'redis.key');
    const keyOptions = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
    const subjectOptions = ['-subj', '/CN=Redis of the run', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const files = ['-keyout', this.#key, '-out', this.#certificate];
    execFileSync('openssl', ['req', ...keyOptions, ...subjectOptions, ...files], { stdio: 'ignore' });
  }

  #listenLines(port) {
    if (!this.#certificate) return [`port ${port}`, 'bind 127.0.0.1'];
    return [
      ...['port 0', `tls-port ${port}`, 'bind 127.0.0.1', 'tls-auth-clients no', 'tls-replication yes'],
      ...[`tls-cert-file ${this.#certificate}`, `tls-key-file ${this.#key}`, `tls-ca-cert-file ${this.#certificate}`],
    ];
  }

  /**
   * Returns the configuration of a server, which may later become a replica.
   * @returns {string[]}
   */
  serverLines(port) {
    if (!this.#certificate) return this.#listenLines(port);
    const users = [...readUsers('Redis', hashPassword(PASSWORD)), ADMIN_USER, REPLICA_USER, MONITOR_USER];
    return [...this.#listenLines(port), 'masteruser replica', `masterauth ${INTERNAL_PASSWORD}`, ...users];
  }

  nodeLines(port) {
    if (!this.#certificate) return this.#listenLines(port);
    const users = [...readUsers('nodes of a cluster', hashPassword(PASSWORD)), ADMIN_USER, REPLICA_USER];
    const replicationLines = ['tls-cluster yes', 'masteruser replica', `masterauth ${INTERNAL_PASSWORD}`];
    return [...this.#listenLines(port), ...replicationLines, ...users];
  }

  /**
   * Returns the configuration of a Sentinel.
   * @param {string} name of the monitored primary
   */
  sentinelLines(port, name) {
    if (!this.#certificate) return this.#listenLines(port);
    const serverLogin = [`sentinel auth-user ${name} watcher`, `sentinel auth-pass ${name} ${INTERNAL_PASSWORD}`];
    const sentinelLogin = ['sentinel sentinel-user colleague', `sentinel sentinel-pass ${INTERNAL_PASSWORD}`];
    return [
      ...this.#listenLines(port),
      ...serverLogin,
      ...sentinelLogin,
      ...readUsers('Sentinels', hashPassword(PASSWORD)),
      ADMIN_USER,
      SENTINEL_USER,
    ];
  }

  /** @param {'sentinel' | 'cluster'} kind  @param {number[]} ports  @param {string} [name] of the primary */
  url(kind, ports, name) {
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
    const path = name ? `/${name}` : '';
    if (!this.#certificate) return `redis+${kind}://${hosts}${path}`;
    const login = `heliograph:${encodeURIComponent(PASSWORD)}`;
    const query = new URLSearchParams({ sentinelUsername: 'heliograph', sentinelPassword: PASSWORD });
    return `rediss+${kind}://${login}@${hosts}${path}${name ? `?${query}` : ''}`;
  }

  settings(url) {
    if (!this.#certificate) return { REDIS_URL: url };
    // The rate limit is too high to be reached, but makes processes count requests in Redis.
    return { REDIS_URL: url, NODE_EXTRA_CA_CERTS: this.#certificate, RATE_LIMIT_PER_SECOND: '100000' };
  }

  runCli(...args) {
    const tlsOptions = this.#certificate ? ['--tls', '--cacert', this.#certificate, '--user', 'admin'] : [];
    const env = this.#certificate ? { ...process.env, REDISCLI_AUTH: INTERNAL_PASSWORD } : process.env;
    execFileSync('redis-cli', [...tlsOptions, ...args], { stdio: ['ignore', 'ignore', 'inherit'], env });
  }

  /** Sends a command to the Redis on a local port. */
  async call(port, ...command) {
    const tlsOptions = this.#certificate && {
      ...{ username: 'admin', password: INTERNAL_PASSWORD, tls: { ca: readFileSync(this.#certificate) } },
    };
    const timeouts = { lazyConnect: true, retryStrategy: null, maxRetriesPerRequest: 0, connectTimeout: 2_000 };
    const client = new Client(port, '127.0.0.1', { ...timeouts, ...tlsOptions });
    client.on('error', () => {});
    try {
      await client.connect();
      return await client.call(...command);
    } finally {
      client.disconnect();
    }
  }
}

/**
 * Hashes a password for an access control list, so that the password may contain any character.
 * @param {string} password
 */
function hashPassword(password) {
  return `#${createHash('sha256').update(password).digest('hex')}`;
}
