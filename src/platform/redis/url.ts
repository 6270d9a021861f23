/** Where several processes of Redis are, and who asks them. */
export interface RedisPlaces {
  kind: 'sentinel' | 'cluster';
  /** Of the Sentinels, or of some nodes of the cluster. */
  hosts: readonly { host: string; port: number }[];
  /** What the Sentinels call the primary; empty for a cluster. */
  name: string;
  db: number;
  username: string | undefined;
  password: string | undefined;
  /** Of the Sentinels, where they want any. */
  sentinelUsername: string | undefined;
  sentinelPassword: string | undefined;
  isEncrypted: boolean;
}

/** Scheme, user and password, hosts, path, query. RFC 3986 has a scheme and an authority of one host. */
const FORM = /^(rediss?)\+(sentinel|cluster):\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/i;
const HOST = /^(\[[0-9a-f:.]+\]|[^\s:[\]]+)(?::(\d{1,5}))?$/i;
const PORTS = { sentinel: 26379, cluster: 6379 };
const ASKED = ['sentinelUsername', 'sentinelPassword'];

/**
 * Reads a URL of a Redis that Sentinels know, `redis+sentinel://user:password@host:26379,host:26379/name/0`, or of a cluster,
 * `redis+cluster://user:password@host:6379,host:6379`. With `rediss` in the place of `redis` all connections are encrypted.
 * @returns null where it is neither; one of a single Redis, `redis://host:6379`, is read by the driver
 */
export function readRedisUrl(url: string): RedisPlaces | null {
  const [, scheme = '', form, login, hosts = '', path = '', query = ''] = FORM.exec(url) ?? [];
  if (scheme === '') return null;
  const kind = form?.toLowerCase() as RedisPlaces['kind'];
  const found = hosts.split(',').map((each) => hostOf(each, PORTS[kind]));
  if (found.includes(null)) return null;
  const parts = path.split('/').filter(Boolean);
  const name = kind === 'sentinel' ? parts.shift() : '';
  const db = kind === 'cluster' ? undefined : parts.shift();
  if (name === undefined || parts.length > 0 || !/^\d{0,5}$/.test(db ?? '')) return null;
  const asked = new URLSearchParams(query);
  if ([...asked.keys()].some((each) => kind === 'cluster' || !ASKED.includes(each))) return null;
  try {
    const [username, ...password] = (login ?? '').split(':').map((each) => decodeURIComponent(each) || undefined);
    return {
      kind,
      hosts: found as { host: string; port: number }[],
      name: decodeURIComponent(name),
      db: Number(db ?? 0),
      username,
      password: password[0],
      sentinelUsername: asked.get('sentinelUsername') ?? undefined,
      sentinelPassword: asked.get('sentinelPassword') ?? undefined,
      isEncrypted: scheme.toLowerCase() === 'rediss',
    };
  } catch {
    // A percent sign that encodes nothing.
    return null;
  }
}

/** Where it is, as it may be told to anybody, for a URL of `readRedisUrl`. */
export function placeOfSeveral(place: RedisPlaces): string {
  const { kind, hosts, name, db } = place;
  const at = hosts.map(({ host, port }) => `${host}:${port}`).join(',');
  if (kind === 'cluster') return `the cluster of ${at}`;
  const of = kind === 'sentinel' ? `${name} as the Sentinels at ${at} know it` : at;
  return db === 0 ? of : `${of}/${db}`;
}

function hostOf(text: string, usualPort: number): { host: string; port: number } | null {
  const [, host, port] = HOST.exec(text) ?? [];
  const number = port === undefined ? usualPort : Number(port);
  return host === undefined || number < 1 || number > 65_535
    ? null
    : { host: host.replace(/^\[|\]$/g, ''), port: number };
}
