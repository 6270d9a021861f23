import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import type { Ajv } from 'ajv';
import { envSchema } from 'env-schema';
import { readEnvironment } from '../platform/environment.js';
import { StartError } from '../platform/start-error.js';

const Setting = {
  text: (description: string, options: { default?: string; pattern?: string } = {}) =>
    Type.String({ description, minLength: 1, ...options }),
  url: (description: string, format: 'postgres-url' | 'redis-url') => Type.String({ description, format }),
  count: (description: string, options: { default: number; minimum: number; maximum?: number }) =>
    Type.Integer({ description, ...options }),
  choice: <T extends string>(description: string, choices: readonly [T, ...T[]]) =>
    Type.Unsafe<T>({ type: 'string', description, enum: [...choices], default: choices[0] }),
};

/**
 * Every setting by the name of its environment variable, with its description and default. `.env.example` is checked
 * against this. In `Config` the same settings have camel-case names: `RATE_LIMIT_PER_SECOND` is `rateLimitPerSecond`.
 */
export const settings = Type.Object({
  HOST: Setting.text('Address to listen on. 0.0.0.0 lets other machines in.', { default: '127.0.0.1' }),
  PORT: Setting.count('Port to listen on; 0 takes a free one. A worker listens only when this is set.', {
    default: 3000,
    minimum: 0,
    maximum: 65535,
  }),
  DATA_DIR: Setting.text('Folder of the embedded PostgreSQL and of demo.json, relative to the working directory.', {
    default: './.data',
  }),
  DATABASE_URL: Type.Optional(
    Setting.url(
      'PostgreSQL to use, e.g. postgresql://user:password@host:5432/heliograph. Unset: the embedded one.',
      'postgres-url',
    ),
  ),
  REDIS_URL: Type.Optional(
    Setting.url('Redis for the queue, e.g. redis://host:6379. Unset: the queue lives in PostgreSQL.', 'redis-url'),
  ),
  ROLE: Setting.choice('What this process does: api, worker, or all. api and worker need DATABASE_URL.', [
    'all',
    'api',
    'worker',
  ]),
  SEED_DEMO: Type.Optional(
    Type.Boolean({
      description: 'Make the demo account when no account exists. Unset: only on an embedded store.',
    }),
  ),
  LOG_LEVEL: Type.Unsafe<'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'>({
    type: 'string',
    description: 'Least severe level that is logged.',
    enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
  }),
  LOG_FORMAT: Setting.choice('json, pretty, or auto: pretty on a terminal, else json.', ['auto', 'json', 'pretty']),
  TRUST_PROXY: Type.Unsafe<boolean | number | string>({
    type: 'string',
    format: 'trust-proxy',
    description:
      'Whose X-Forwarded-For is believed: true, false, a number of hops, or addresses and networks separated by commas.',
    default: 'false',
  }),
  CORS_ORIGIN: Type.Optional(
    Type.String({
      format: 'origins',
      description: 'Origins that browsers may call from, separated by commas, or *. Unset: CORS is off.',
    }),
  ),
  BODY_LIMIT_BYTES: Setting.count('Largest request body in bytes.', { default: 1_048_576, minimum: 1024 }),
  MAX_CONNECTIONS: Setting.count(
    'Connections that may be open at once in one process; further ones are closed at once.',
    {
      default: 10_000,
      minimum: 1,
      maximum: 1_000_000,
    },
  ),
  SHUTDOWN_TIMEOUT_MS: Setting.count('Longest time in milliseconds that a graceful close may take.', {
    default: 10_000,
    minimum: 100,
    maximum: 600_000,
  }),
  RATE_LIMIT_PER_SECOND: Setting.count('Requests per second of one key; 0 switches every rate limit off.', {
    default: 500,
    minimum: 0,
  }),
  PHONE_VALIDATION: Setting.choice(
    'calling-code: 7 to 15 digits with an assigned country calling code; possible: also a possible length for it.',
    ['calling-code', 'possible'],
  ),
  SMS_MAX_CHARS: Setting.count('Longest SMS text in characters; 0 sets no limit.', { default: 1600, minimum: 0 }),
  MESSAGE_VALIDITY_SECONDS: Setting.count('How long a message is tried, in seconds.', {
    default: 172_800,
    minimum: 1,
    maximum: 2_592_000,
  }),
  MESSAGE_RETENTION_DAYS: Setting.count(
    'After how many days messages and ended runs of automations are deleted; 0 keeps them for ever.',
    {
      default: 0,
      minimum: 0,
      maximum: 36_500,
    },
  ),
  DATABASE_POOL_SIZE: Setting.count('PostgreSQL connections of one process.', {
    default: 10,
    minimum: 2,
    maximum: 1000,
  }),
  QUEUE_PREFIX: Setting.text('Prefix of the names in the queue, so that several installations can share one Redis.', {
    default: 'heliograph',
    pattern: '^[A-Za-z0-9_.{}-]+$',
  }),
  WORKER_CONCURRENCY: Setting.count('Jobs at once in each lane of the queue.', {
    default: 4,
    minimum: 1,
    maximum: 1000,
  }),
  ACCEPT_WAITING_LIMIT: Setting.count('Messages that may wait for their commit in one process; beyond it, 503.', {
    default: 100_000,
    minimum: 1,
  }),
  SEND_WAIT_MS: Setting.count("Longest time in milliseconds that a send of Surface B waits for the carrier's answer.", {
    default: 10_000,
    minimum: 1,
    maximum: 60_000,
  }),
  SMS_CARRIER: Setting.text('Carrier of the SMS for which no route says otherwise.', {
    default: 'simulator',
    pattern: '^[a-z0-9-]{1,40}$',
  }),
  SIMULATOR_DELAY_MS: Setting.count("Time in milliseconds from the simulator's submission to its receipt.", {
    default: 50,
    minimum: 0,
    maximum: 86_400_000,
  }),
  WEBHOOK_ALLOW_PRIVATE: Type.Boolean({
    description: 'Whether webhooks may call private, loopback and link-local addresses.',
    default: false,
  }),
  WEBHOOK_CONCURRENCY: Setting.count(
    'Webhook deliveries of one process under way at once to endpoints that answer well; new and troubled ones have a quarter each beside them.',
    { default: 256, minimum: 1, maximum: 10_000 },
  ),
});

type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<S>;

type Settings = Static<typeof settings>;

/** The settings of a process, frozen. Names are those of the environment variables in camel case. */
export type Config = Readonly<
  { [Name in keyof Settings as CamelCase<Name>]: Settings[Name] } & {
    /** Whether to open a port at all: false for a worker that was given no PORT. */
    listens: boolean;
  }
>;

/** A setting that is wrong, and why. */
export interface SettingProblem {
  setting: string;
  problem: string;
}

/** Names every wrong setting at once. */
export class ConfigError extends StartError {
  readonly problems: readonly SettingProblem[];

  constructor(problems: readonly SettingProblem[]) {
    const lines = problems.map(({ setting, problem }) => `  ${setting} ${problem}`);
    super(`${problems.length === 1 ? 'A setting is' : `${problems.length} settings are`} wrong:\n${lines.join('\n')}`);
    this.problems = problems;
  }
}

/**
 * Checks settings and fills in defaults. An empty value counts as unset, as Docker Compose passes it.
 * @param env by variable name; by default `readEnvironment()`. Names that are no settings are ignored.
 * @throws {ConfigError} that lists every wrong setting
 */
export function loadConfig(env: NodeJS.ProcessEnv = readEnvironment()): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const needsDatabase = (given.ROLE === 'api' || given.ROLE === 'worker') && given.DATABASE_URL === undefined;
  const problems: SettingProblem[] = [];
  let values = {} as Settings;
  try {
    values = envSchema<Settings>({
      schema: structuredClone(settings),
      data: given,
      env: false,
      ajv: { customOptions: (ajv) => addFormats(ajv) },
    });
  } catch (error) {
    const { errors } = error as { errors?: ValidationError[] };
    if (!errors) throw error;
    problems.push(...errors.map((each) => describe(each, given)));
  }
  if (needsDatabase) {
    problems.push({
      setting: 'DATABASE_URL',
      problem: `must be set when ROLE is ${given.ROLE}: the embedded PostgreSQL serves one process only`,
    });
  }
  if (problems.length > 0) throw new ConfigError(problems);

  const byCamelCase = Object.fromEntries(Object.entries(values).map(([name, value]) => [camelCase(name), value]));
  return Object.freeze({
    ...byCamelCase,
    dataDir: resolve(values.DATA_DIR),
    trustProxy: parseTrustProxy(String(values.TRUST_PROXY)),
    listens: values.ROLE !== 'worker' || given.PORT !== undefined,
  } as Config);
}

function addFormats(ajv: Ajv): Ajv {
  return ajv
    .addFormat('postgres-url', (text: string) => hasScheme(text, ['postgres:', 'postgresql:']))
    .addFormat('redis-url', (text: string) => hasScheme(text, ['redis:', 'rediss:']))
    .addFormat('trust-proxy', (text: string) => parseTrustProxy(text) !== null)
    .addFormat('origins', (text: string) => text === '*' || text.split(',').every((each) => isOrigin(each.trim())));
}

function hasScheme(text: string, schemes: readonly string[]): boolean {
  return URL.canParse(text) && schemes.includes(new URL(text).protocol);
}

function isOrigin(text: string): boolean {
  return hasScheme(text, ['http:', 'https:']) && new URL(text).origin === text;
}

/** Fastify's `trustProxy` from its text; null when it is none of the allowed forms. */
function parseTrustProxy(text: string): boolean | number | string | null {
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^\d{1,3}$/.test(text)) return Number(text);
  return text.split(',').every((each) => isNetwork(each.trim())) ? text : null;
}

/** An address, an address with a prefix length, or a name that proxy-addr knows. */
function isNetwork(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return rest.length === 0 && bits > 0 && (prefix === undefined || (/^\d+$/.test(prefix) && Number(prefix) <= bits));
}

interface ValidationError {
  instancePath: string;
  keyword: string;
  message?: string;
  params: { format?: string; allowedValues?: string[]; type?: string };
}

const TYPE_RULES: Record<string, string> = {
  integer: 'must be a whole number',
  boolean: 'must be true or false',
};

const FORMAT_RULES: Record<string, string> = {
  'postgres-url': 'must be a URL that begins with postgres:// or postgresql://',
  'redis-url': 'must be a URL that begins with redis:// or rediss://',
  'trust-proxy': 'must be true, false, a number of hops, or addresses and networks separated by commas',
  origins: 'must be * or origins such as https://example.com, separated by commas',
};

function describe(error: ValidationError, given: Record<string, string | undefined>): SettingProblem {
  const setting = error.instancePath.slice(1);
  const rule =
    (error.params.format && FORMAT_RULES[error.params.format]) ??
    (error.params.allowedValues && `must be one of ${error.params.allowedValues.join(', ')}`) ??
    (error.params.type && TYPE_RULES[error.params.type]) ??
    error.message ??
    'is wrong';
  // A URL may hold a password, so its value is never shown.
  const value = setting.endsWith('_URL') ? '' : ` (it is ${JSON.stringify(given[setting])})`;
  return { setting, problem: `${rule}${value}` };
}

function camelCase(name: string): string {
  return name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}
