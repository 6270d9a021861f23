export interface RedisTarget {
  kind: 'sentinel' | 'cluster';
  /** Addresses of the Sentinels, or of some cluster nodes. */
  hosts: readonly { host: string; port: number }[];
  /** The Sentinels' name for the primary. Empty for a cluster. */
  name: string;
  db: number;
  username: string | undefined;
  password: string | undefined;
  /** For the Sentinels themselves. */
  sentinelUsername: string | undefined;
  sentinelPassword: string | undefined;
  isEncrypted: boolean;
}

/** The URL class cannot parse URLs with several hosts, because RFC 3986 allows only one host. */
const URL_PATTERN = /^(rediss?)\+(sentinel|cluster):\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/i;
const HOST = /^(\[[0-9a-f:.]+\]|[^\s:[\]]+)(?::(\d{1,5}))?$/i;
const PORTS = { sentinel: 26379, cluster: 6379 };
const QUERY_PARAMETERS = ['sentinelUsername', 'sentinelPassword'];

/**
 * Parses `redis+sentinel://user:password@host:26379,host:26379/name/0` or `redis+cluster://user:password@host:6379`. Returns
 * null for any other URL, because the driver parses the URL of a single Redis.
 */
export function readRedisUrl(url: string): RedisTarget | null {
  const [, scheme = '', suffix, login, hosts = '', path = '', query = ''] = URL_PATTERN.exec(url) ?? [];
  if (scheme === '') return null;
  const kind = suffix?.toLowerCase() as RedisTarget['kind'];
  const addresses = hosts.split(',').map((host) => parseHost(host, PORTS[kind]));
  if (addresses.includes(null)) return null;
  const parts = path.split('/').filter(Boolean);
  const name = kind === 'sentinel' ? parts.shift() : '';
  const db = kind === 'cluster' ? undefined : parts.shift();
  if (name === undefined || parts.length > 0 || !/^\d{0,5}$/.test(db ?? '')) return null;
  const parameters = new URLSearchParams(query);
  if ([...parameters.keys()].some((parameter) => kind === 'cluster' || !QUERY_PARAMETERS.includes(parameter)))
    return null;
  try {
    const [username, ...password] = (login ?? '').split(':').map((part) => decodeURIComponent(part) || undefined);
    return {
      kind,
      hosts: addresses as { host: string; port: number }[],
      name: decodeURIComponent(name),
      db: Number(db ?? 0),
      username,
      password: password[0],
      sentinelUsername: parameters.get('sentinelUsername') ?? undefined,
      sentinelPassword: parameters.get('sentinelPassword') ?? undefined,
      isEncrypted: scheme.toLowerCase() === 'rediss',
    };
  } catch {
    return null;
  }
}

export function describeRedisTarget(redis: RedisTarget): string {
  const { kind, hosts, name, db } = redis;
  const addresses = hosts.map(({ host, port }) => `${host}:${port}`).join(',');
  if (kind === 'cluster') return `the cluster of ${addresses}`;

  const target = kind === 'sentinel' ? `${name} as the Sentinels at ${addresses} know it` : addresses;
  return db === 0 ? target : `${target}/${db}`;
}

function parseHost(text: string, defaultPort: number): { host: string; port: number } | null {
  const [, host, port] = HOST.exec(text) ?? [];
  const portNumber = port === undefined ? defaultPort : Number(port);
  return host === undefined || portNumber < 1 || portNumber > 65_535
    ? null
    : { host: host.replace(/^\[|\]$/g, ''), port: portNumber };
}
