import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis as Client } from 'ioredis';
import { usersOn } from './rights.mjs';

/** The password of Heliograph's user, with characters that a URL must encode. */
const PASSWORD = 'of the run @ loopback';
/** The password of the run, of replicas and of Sentinels. */
const OWN_PASSWORD = 'of-the-world';
const REPLICA = `user replica on ${sum(OWN_PASSWORD)} +psync +replconf +ping`;
/** "Redis Sentinel", "Redis Access Control List authentication". */
const WATCHER =
  `user watcher on ${sum(OWN_PASSWORD)} allchannels +multi +slaveof +ping +exec +subscribe +config|rewrite +role +publish ` +
  '+info +client|setname +client|kill +script|kill';
/** For Sentinels among each other. */
const COLLEAGUE = `user colleague on ${sum(OWN_PASSWORD)} allchannels +@all`;
const ADMIN = `user admin on ${sum(OWN_PASSWORD)} ~* &* +@all`;

/** Without access control, or encrypted with one user for each purpose, with the rights that the documentation recommends. */
export class Access {
  #certificate = null;
  #key;

  /**
   * @param {string} folder of the run
   * @param {object} options
   * @param {boolean} options.isSecured creates a certificate
   */
  constructor(folder, { isSecured }) {
    /** Contains a folder for each server. */
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

  #listens(port) {
    if (!this.#certificate) return [`port ${port}`, 'bind 127.0.0.1'];
    return [
      ...['port 0', `tls-port ${port}`, 'bind 127.0.0.1', 'tls-auth-clients no', 'tls-replication yes'],
      ...[`tls-cert-file ${this.#certificate}`, `tls-key-file ${this.#key}`, `tls-ca-cert-file ${this.#certificate}`],
    ];
  }

  /** @returns {string[]} for a server, including one that may become a replica */
  serverLines(port) {
    if (!this.#certificate) return this.#listens(port);
    const users = [...usersOn('Redis', sum(PASSWORD)), ADMIN, REPLICA, WATCHER];
    return [...this.#listens(port), 'masteruser replica', `masterauth ${OWN_PASSWORD}`, ...users];
  }

  nodeLines(port) {
    if (!this.#certificate) return this.#listens(port);
    const users = [...usersOn('nodes of a cluster', sum(PASSWORD)), ADMIN, REPLICA];
    const replicates = ['tls-cluster yes', 'masteruser replica', `masterauth ${OWN_PASSWORD}`];
    return [...this.#listens(port), ...replicates, ...users];
  }

  /** @param {string} name of the monitored primary */
  sentinelLines(port, name) {
    if (!this.#certificate) return this.#listens(port);
    const comes = [`sentinel auth-user ${name} watcher`, `sentinel auth-pass ${name} ${OWN_PASSWORD}`];
    const meets = ['sentinel sentinel-user colleague', `sentinel sentinel-pass ${OWN_PASSWORD}`];
    return [...this.#listens(port), ...comes, ...meets, ...usersOn('Sentinels', sum(PASSWORD)), ADMIN, COLLEAGUE];
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
    // These limits are never reached, but Redis counts requests.
    return { REDIS_URL: url, NODE_EXTRA_CA_CERTS: this.#certificate, RATE_LIMIT_PER_SECOND: '100000' };
  }

  command(...args) {
    const secure = this.#certificate ? ['--tls', '--cacert', this.#certificate, '--user', 'admin'] : [];
    const env = this.#certificate ? { ...process.env, REDISCLI_AUTH: OWN_PASSWORD } : process.env;
    execFileSync('redis-cli', [...secure, ...args], { stdio: ['ignore', 'ignore', 'inherit'], env });
  }

  /** Sends one command to the Redis on a local port. @throws without a response */
  async ask(port, ...command) {
    const secure = this.#certificate && {
      ...{ username: 'admin', password: OWN_PASSWORD, tls: { ca: readFileSync(this.#certificate) } },
    };
    const patience = { lazyConnect: true, retryStrategy: null, maxRetriesPerRequest: 0, connectTimeout: 2_000 };
    const client = new Client(port, '127.0.0.1', { ...patience, ...secure });
    client.on('error', () => {});
    try {
      await client.connect();
      return await client.call(...command);
    } finally {
      client.disconnect();
    }
  }
}

/** @param {string} password hashed for an access control list, which then may contain any character */
function sum(password) {
  return `#${createHash('sha256').update(password).digest('hex')}`;
}
