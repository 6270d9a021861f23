import { isIP } from 'node:net';
import type { Ajv } from 'ajv';
import { readRedisUrl } from '../../platform/redis/url.js';
import { readHosts } from '../../platform/store/reaching/hosts.js';
import { parseProcesses } from './processes.js';

/** Teaches the validator the formats that settings name, beside those of JSON Schema. */
export function addSettingFormats(ajv: Ajv): Ajv {
  return ajv
    .addFormat('postgres-url', isPostgresUrl)
    .addFormat('redis-url', (text: string) => readRedisUrl(text) !== null || isUrlOfOneRedis(text))
    .addFormat('trust-proxy', (text: string) => parseTrustProxy(text) !== null)
    .addFormat('console-url', (text: string) => isOrigin(text.replace(/\/$/, '')))
    .addFormat('oidc-issuer', (text: string) => isIssuer(text))
    .addFormat('oidc-scopes', (text: string) => /^[!#-[\]-~ ]+$/.test(text) && text.split(' ').includes('openid'))
    .addFormat('processes', (text: string) => parseProcesses(text) !== null)
    .addFormat('http-url', (text: string) => hasScheme(text, ['http:', 'https:']))
    .addFormat('interval', (text: string) => parseInterval(text) !== null)
    .addFormat('host-names', (text: string) => namesIn(text).every((each) => /^[A-Za-z0-9_.:-]{1,253}$/.test(each)))
    .addFormat('variable-names', (text: string) => namesIn(text).every((each) => /^[A-Za-z_]\w*$/.test(each)))
    .addFormat('long-secrets', (text: string) => namesIn(text).every((each) => each.length >= SECRET_LENGTH))
    .addFormat('ratio', (text: string) => /^(0?\.\d+|[01](\.0*)?)$/.test(text))
    .addFormat('propagators', (text: string) => /^(tracecontext|baggage|none)(,(tracecontext|baggage))*$/.test(text))
    .addFormat('origins', (text: string) => text === '*' || text.split(',').every((each) => isOrigin(each.trim())));
}

/** Characters of a secret that bodies are sealed with. */
const SECRET_LENGTH = 32;

/** What most such URLs fail for: their password has a sign that ends it. */
const PERCENT_ENCODE =
  '; percent-encode the signs of a password that mean something in a URL: @ is %40, # is %23, / is %2F, ? is %3F, : is %3A, % is %25';

/** The rule of each format, as it follows the name of a setting that breaks it. */
export const FORMAT_RULES: Readonly<Record<string, string>> = {
  'postgres-url': `must be a URL that begins with postgres:// or postgresql://, with target_session_attrs=read-write, primary or any where it has one${PERCENT_ENCODE}`,
  'redis-url': `must be redis://host:6379, redis+sentinel://host:26379,host:26379/name or redis+cluster://host:6379,host:6379, each also with rediss${PERCENT_ENCODE}`,
  'trust-proxy': 'must be true, false, a number of hops, or addresses and networks separated by commas',
  'console-url': 'must be a scheme and a host such as https://console.example.com, without a path',
  'oidc-issuer': 'must be a URL that begins with https://, or with http:// on this very machine (localhost)',
  'oidc-scopes': 'must be scopes separated by spaces, openid among them',
  processes: 'must be auto, or a whole number from 1 to 64',
  'http-url': 'must be a URL that begins with http:// or https://',
  interval: 'must be a number of minutes, hours or days from 1m to 31d, such as 30m, 24h or 7d',
  'host-names': 'must be names or addresses of hosts, without ports, separated by commas',
  'variable-names': 'must be names of variables, separated by commas',
  'long-secrets': 'must be at least 32 characters without a comma, or several of such separated by commas',
  ratio: 'must be a number from 0 to 1',
  propagators: 'must be tracecontext, baggage, both separated by a comma, or none',
  origins: 'must be * or origins such as https://example.com, separated by commas',
};

/**
 * Fastify's `trustProxy` from the text of TRUST_PROXY; null when it is none of the allowed forms. `true` is one hop: whoever
 * calls writes what stands further left in X-Forwarded-For, so it is never all of it that is believed.
 */
export function parseTrustProxy(text: string): false | number | string | null {
  if (text === 'false') return false;
  if (text === 'true') return 1;
  if (/^\d{1,3}$/.test(text)) return Number(text);
  return text.split(',').every((each) => isNetwork(each.trim())) ? text : null;
}

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_MS = 31 * 86_400_000;

/** Milliseconds of a text such as `30m`, `24h` or `7d`; null where it is none. */
export function parseInterval(text: string): number | null {
  const [, number, unit = ''] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  const milliseconds = Number(number) * (UNITS_MS[unit] ?? Number.NaN);
  return milliseconds <= LONGEST_MS ? milliseconds : null;
}

/** The texts of a list that is separated by commas. */
export function namesIn(text: string): string[] {
  return text.split(',').map((each) => each.trim());
}

/** Whether a text is a URL of PostgreSQL, as DATABASE_URL is one. */
export function isPostgresUrl(text: string): boolean {
  const hosts = readHosts(text);
  const isOne = (url: string) => hasScheme(url, ['postgres:', 'postgresql:']) && isUnmistakable(url);
  return hosts !== undefined && (hosts?.urls ?? [text]).every(isOne);
}

/**
 * Whether no sign of a password can have ended it: then a part of it would be taken for a host, a port or a database, and
 * shown as one. So an @ behind the host is refused, and so are a fragment, which no such URL has, and a percent sign that
 * encodes nothing.
 */
function isUnmistakable(text: string): boolean {
  const { username, password, pathname, hash } = new URL(text);
  if (hash !== '' || text.endsWith('#') || /\s/.test(text)) return false;
  const [authority = '', ...rest] = text.slice(text.indexOf('://') + 3).split(/(?=[/?])/);
  const behind = authority.includes('@') ? rest.join('').split('?')[0] : rest.join('');
  if (behind?.includes('@')) return false;
  try {
    for (const part of [username, password, pathname]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

function isUrlOfOneRedis(text: string): boolean {
  return hasScheme(text, ['redis:', 'rediss:']) && isUnmistakable(text) && !new URL(text).hostname.includes(',');
}

function hasScheme(text: string, schemes: readonly string[]): boolean {
  return URL.canParse(text) && schemes.includes(new URL(text).protocol);
}

function isOrigin(text: string): boolean {
  return hasScheme(text, ['http:', 'https:']) && new URL(text).origin === text;
}

/**
 * OpenID Connect Discovery §3: https, without query and fragment. Plain http only where nobody is in between, for trying
 * it out.
 */
function isIssuer(text: string): boolean {
  if (!hasScheme(text, ['https:', 'http:'])) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (`${username}${password}${search}${hash}` !== '') return false;
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

/** An address, an address with a prefix length, or a name that proxy-addr knows. */
function isNetwork(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return rest.length === 0 && bits > 0 && (prefix === undefined || (/^\d+$/.test(prefix) && Number(prefix) <= bits));
}
