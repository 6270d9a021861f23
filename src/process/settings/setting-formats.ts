import { isIP } from 'node:net';
import type { Ajv } from 'ajv';
import { readRedisUrl } from '../../platform/redis/url.js';
import { readHosts } from '../../platform/store/servers/hosts.js';
import { parseProcesses } from './processes.js';

export function addSettingFormats(ajv: Ajv): Ajv {
  return ajv
    .addFormat('postgres-url', isPostgresUrl)
    .addFormat('redis-url', (text: string) => readRedisUrl(text) !== null || isSingleRedisUrl(text))
    .addFormat('trust-proxy', (text: string) => parseTrustProxy(text) !== null)
    .addFormat('console-url', (text: string) => isOrigin(text.replace(/\/$/, '')))
    .addFormat('oidc-issuer', (text: string) => isIssuer(text))
    .addFormat('oidc-scopes', (text: string) => /^[!#-[\]-~ ]+$/.test(text) && text.split(' ').includes('openid'))
    .addFormat('processes', (text: string) => parseProcesses(text) !== null)
    .addFormat('http-url', (text: string) => hasScheme(text, ['http:', 'https:']))
    .addFormat('interval', (text: string) => parseInterval(text) !== null)
    .addFormat('host-names', (text: string) => splitList(text).every((host) => /^[A-Za-z0-9_.:-]{1,253}$/.test(host)))
    .addFormat('variable-names', (text: string) => splitList(text).every((name) => /^[A-Za-z_]\w*$/.test(name)))
    .addFormat('long-secrets', (text: string) => splitList(text).every((secret) => secret.length >= MIN_SECRET_LENGTH))
    .addFormat('ratio', (text: string) => /^(0?\.\d+|[01](\.0*)?)$/.test(text))
    .addFormat('propagators', (text: string) => /^(tracecontext|baggage|none)(,(tracecontext|baggage))*$/.test(text))
    .addFormat('origins', (text: string) => text === '*' || text.split(',').every((origin) => isOrigin(origin.trim())));
}

const MIN_SECRET_LENGTH = 32;

/** Hint for an unencoded special character in a password, the usual mistake in these URLs. */
const PERCENT_ENCODE =
  '; percent-encode special characters of the password: @ is %40, # is %23, / is %2F, ? is %3F, : is %3A, % is %25';

/** In error messages, the rule follows the name of the setting. */
export const FORMAT_RULES: Readonly<Record<string, string>> = {
  'postgres-url': `must be a URL that begins with postgres:// or postgresql://; target_session_attrs, if present, must be read-write, primary or any${PERCENT_ENCODE}`,
  'redis-url': `must be redis://host:6379, redis+sentinel://host:26379,host:26379/name or redis+cluster://host:6379,host:6379, or the same with rediss${PERCENT_ENCODE}`,
  'trust-proxy': 'must be true, false, a number of proxies, or addresses and networks separated by commas',
  'console-url': 'must be a scheme and a host such as https://console.example.com, without a path',
  'oidc-issuer': 'must be a URL that begins with https://, or with http:// for localhost',
  'oidc-scopes': 'must be scopes separated by spaces, including openid',
  processes: 'must be auto, or a whole number from 1 to 64',
  'http-url': 'must be a URL that begins with http:// or https://',
  interval: 'must be a number of minutes, hours or days from 1m to 31d, such as 30m, 24h or 7d',
  'host-names': 'must be host names or IP addresses without ports, separated by commas',
  'variable-names': 'must be names of environment variables, separated by commas',
  'long-secrets': 'must be a secret of at least 32 characters, or several separated by commas',
  ratio: 'must be a number from 0 to 1',
  propagators: 'must be tracecontext, baggage, both separated by a comma, or none',
  origins: 'must be * or origins such as https://example.com, separated by commas',
};

/** Callers can write any address into X-Forwarded-For, so `true` means one trusted proxy instead of trusting all of them. */
export function parseTrustProxy(text: string): false | number | string | null {
  if (text === 'false') return false;
  if (text === 'true') return 1;
  if (/^\d{1,3}$/.test(text)) return Number(text);
  return text.split(',').every((network) => isNetwork(network.trim())) ? text : null;
}

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const MAX_INTERVAL_MS = 31 * 86_400_000;

/** Parses an interval such as `30m`, `24h` or `7d` into milliseconds. */
export function parseInterval(text: string): number | null {
  const [, number, unit = ''] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  const milliseconds = Number(number) * (UNITS_MS[unit] ?? Number.NaN);
  return milliseconds <= MAX_INTERVAL_MS ? milliseconds : null;
}

export function splitList(text: string): string[] {
  return text.split(',').map((entry) => entry.trim());
}

export function isPostgresUrl(text: string): boolean {
  const hosts = readHosts(text);
  const isSingleUrl = (url: string) => hasScheme(url, ['postgres:', 'postgresql:']) && isUnambiguous(url);
  return hosts !== undefined && (hosts?.urls ?? [text]).every(isSingleUrl);
}

/**
 * With an unencoded special character, part of the password could be parsed as a host, port or database, and appear in
 * messages.
 */
function isUnambiguous(text: string): boolean {
  const { username, password, pathname, hash } = new URL(text);
  if (hash !== '' || text.endsWith('#') || /\s/.test(text)) return false;
  const [authority = '', ...rest] = text.slice(text.indexOf('://') + 3).split(/(?=[/?])/);
  const afterHost = authority.includes('@') ? rest.join('').split('?')[0] : rest.join('');
  if (afterHost?.includes('@')) return false;
  try {
    for (const part of [username, password, pathname]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

function isSingleRedisUrl(text: string): boolean {
  return hasScheme(text, ['redis:', 'rediss:']) && isUnambiguous(text) && !new URL(text).hostname.includes(',');
}

function hasScheme(text: string, schemes: readonly string[]): boolean {
  return URL.canParse(text) && schemes.includes(new URL(text).protocol);
}

function isOrigin(text: string): boolean {
  return hasScheme(text, ['http:', 'https:']) && new URL(text).origin === text;
}

/** Checks an issuer URL (OpenID Connect Discovery §3). Plain http is allowed for localhost, because tests use it. */
function isIssuer(text: string): boolean {
  if (!hasScheme(text, ['https:', 'http:'])) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (`${username}${password}${search}${hash}` !== '') return false;
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

/** Accepts an IP address, a network in CIDR notation, or a name that proxy-addr knows. */
function isNetwork(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return rest.length === 0 && bits > 0 && (prefix === undefined || (/^\d+$/.test(prefix) && Number(prefix) <= bits));
}
