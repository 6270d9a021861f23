/** Connection URL with several hosts, as libpq allows ("Connection URIs"). */
const URL_PATTERN = /^(postgres(?:ql)?:\/\/)([^@/?#]*@)?([^@/?#]*)([/?].*)?$/i;
const ATTRIBUTE = 'target_session_attrs';

/** `primary` accepts writes. */
export type WantedServer = 'primary' | 'any';

const WANTED_BY_ATTRIBUTE: Readonly<Record<string, WantedServer>> = {
  'read-write': 'primary',
  primary: 'primary',
  any: 'any',
};

export interface StoreHosts {
  urls: readonly string[];
  wanted: WantedServer;
}

/**
 * By default, selects the server that accepts writes, unlike libpq. Returns null for a URL that the driver can parse, and
 * undefined for an unsupported `target_session_attrs`.
 */
export function readHosts(url: string): StoreHosts | null | undefined {
  const [, scheme = '', login = '', authority = '', rest = ''] = URL_PATTERN.exec(url) ?? [];
  const hosts = authority.split(',');
  const [path = '', query = ''] = rest.split('?');
  const parameters = query.split('&').filter(Boolean);
  const isAttribute = (parameter: string) => parameter.startsWith(`${ATTRIBUTE}=`);
  const attribute = parameters.find(isAttribute)?.slice(ATTRIBUTE.length + 1);
  if (hosts.length === 1 && attribute === undefined) return null;
  const wanted = WANTED_BY_ATTRIBUTE[attribute ?? 'read-write'];
  if (wanted === undefined) return undefined;
  const otherParameters = parameters.filter((parameter) => !isAttribute(parameter));
  const querySuffix = otherParameters.length > 0 ? `?${otherParameters.join('&')}` : '';
  return { urls: hosts.map((host) => `${scheme}${login}${host}${path}${querySuffix}`), wanted };
}

export function withDatabase(url: string, database: string): string {
  const [, scheme = '', credentials = '', hosts = '', rest = ''] = URL_PATTERN.exec(url) ?? [];
  return `${scheme}${credentials}${hosts}/${encodeURIComponent(database)}${rest.replace(/^\/[^?]*/, '')}`;
}
