/** Scheme, user and password, hosts, path, query: as libpq has it, several hosts (PostgreSQL, "Connection URIs"). */
const FORM = /^(postgres(?:ql)?:\/\/)([^@/?#]*@)?([^@/?#]*)([/?].*)?$/i;
const ATTRIBUTE = 'target_session_attrs';

/** Which of several servers is wanted: the one that takes writes, or any. */
export type Wanted = 'primary' | 'any';

/** Those that libpq knows, as far as one of them can be what a store is. */
const WANTED: Readonly<Record<string, Wanted>> = { 'read-write': 'primary', primary: 'primary', any: 'any' };

export interface StoreHosts {
  /** A URL of one host each, in the order in which they were given. */
  urls: readonly string[];
  wanted: Wanted;
}

/**
 * Reads a URL of several servers, such as `postgresql://user:password@host1:5432,host2:5432/database`, of which one takes
 * writes. That one is wanted, where libpq would take any, unless `target_session_attrs=any` is said.
 * @returns null where it names one server and no attribute, as the driver reads it; undefined where it names an attribute that
 *   no store has, such as `standby`
 */
export function readHosts(url: string): StoreHosts | null | undefined {
  const [, scheme = '', login = '', authority = '', rest = ''] = FORM.exec(url) ?? [];
  const hosts = authority.split(',');
  const [path = '', query = ''] = rest.split('?');
  const parameters = query.split('&').filter(Boolean);
  const isAttribute = (each: string) => each.startsWith(`${ATTRIBUTE}=`);
  const attribute = parameters.find(isAttribute)?.slice(ATTRIBUTE.length + 1);
  if (hosts.length === 1 && attribute === undefined) return null;
  const wanted = WANTED[attribute ?? 'read-write'];
  if (wanted === undefined) return undefined;
  const others = parameters.filter((each) => !isAttribute(each));
  const end = others.length > 0 ? `?${others.join('&')}` : '';
  return { urls: hosts.map((host) => `${scheme}${login}${host}${path}${end}`), wanted };
}

/** The URL of another database of the same servers. */
export function withDatabase(url: string, database: string): string {
  const [, scheme = '', credentials = '', hosts = '', rest = ''] = FORM.exec(url) ?? [];
  return `${scheme}${credentials}${hosts}/${encodeURIComponent(database)}${rest.replace(/^\/[^?]*/, '')}`;
}
