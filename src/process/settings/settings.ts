import { type Static, Type } from '@sinclair/typebox';
import { BACKUP_SETTINGS } from './backup-plan.js';
import { MEDIA_SETTINGS } from './media-settings.js';
import { OIDC_SETTINGS } from './oidc-settings.js';
import { Setting } from './setting.js';
import { tracingSettings } from './tracing-settings.js';

/**
 * Every setting by the name of its environment variable, with its description and default; those that are read together lie
 * beside what reads them. `.env.example` is checked against this. In `Config` the same settings have camel-case names: `RATE_LIMIT_PER_SECOND` is `rateLimitPerSecond`.
 */
export const settings = Type.Object({
  HOST: Setting.text('Address to listen on. 0.0.0.0 lets other machines in; localhost is 127.0.0.1.', {
    default: '127.0.0.1',
  }),
  PORT: Setting.count('Port to listen on; 0 takes a free one. A worker listens only when this is set.', {
    default: 3000,
    minimum: 0,
    maximum: 65535,
  }),
  DATA_DIR: Setting.text(
    'Folder of the embedded PostgreSQL, of demo.json and of files, relative to the working directory.',
    {
      default: './.data',
    },
  ),
  DATABASE_URL: Type.Optional(
    Setting.url(
      'PostgreSQL to use, e.g. postgresql://user:password@host:5432/heliograph. Unset: the embedded one.',
      'postgres-url',
    ),
  ),
  DATABASE_PASSWORD: Type.Optional(
    Setting.text(
      'Password for DATABASE_URL, DATABASE_DIRECT_URL and DATABASE_READ_URL where they have none. Any characters, unlike in a URL, where they must be encoded.',
    ),
  ),
  DATABASE_DIRECT_URL: Type.Optional(
    Setting.url(
      'The same PostgreSQL without a pooler, where DATABASE_URL leads to one in transaction mode: for migrations, LISTEN, backups and the queue. See docs/several-machines.md.',
      'postgres-url',
    ),
  ),
  DATABASE_READ_URL: Type.Optional(
    Setting.url(
      'Replica of the same PostgreSQL for lists, overviews and exports of the console. Unset: they are read from the primary. See docs/several-machines.md.',
      'postgres-url',
    ),
  ),
  DATABASE_READ_MAX_AGE_MS: Setting.count(
    'How old, in milliseconds, what the replica shows may be; where it is older, the primary is read.',
    { default: 2_000, minimum: 100, maximum: 3_600_000 },
  ),
  DATABASE_TIMEOUT_MS: Setting.count(
    'How long, in milliseconds, an HTTP request may wait for a database connection, and again for each statement, before it gets a 503.',
    { default: 5_000, minimum: 100, maximum: 60_000 },
  ),
  ALLOW_NEWER_STORE: Type.Boolean({
    description:
      'Whether to start on a store that a later version has migrated, e.g. to go back to this one for a while.',
    default: false,
  }),
  REDIS_URL: Type.Optional(
    Setting.url(
      'Redis for the queue, e.g. redis://host:6379, redis+sentinel://host:26379,host:26379/name or redis+cluster://host:6379,host:6379; rediss encrypts. Unset: the queue lives in PostgreSQL.',
      'redis-url',
    ),
  ),
  ROLE: Setting.choice('What this process does: api, worker, or all. api and worker need DATABASE_URL.', [
    'all',
    'api',
    'worker',
  ]),
  PROCESSES: Type.String({
    format: 'processes',
    description:
      'Processes that one start runs on this machine: a number, or auto for one on each core. See docs/scaling.md.',
    default: '1',
  }),
  SENDING_PROCESSES: Setting.count(
    'How many of them send, where ROLE is all and there are several; the others serve requests. Binds and rates of carriers hold in each that sends.',
    { default: 1, minimum: 1, maximum: 63 },
  ),
  SEED_DEMO: Type.Optional(
    Type.Boolean({
      description: 'Make the demo account when no account exists. Unset: only on an embedded store.',
    }),
  ),
  LOG_LEVEL: Setting.choice(
    'Least severe level that is logged.',
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'info',
  ),
  LOG_FORMAT: Setting.choice('json, pretty, or auto: pretty on a terminal, else json.', ['auto', 'json', 'pretty']),
  TRUST_PROXY: Type.String({
    format: 'trust-proxy',
    description:
      'Whose X-Forwarded-For is believed: addresses and networks of your proxies separated by commas, a number of hops, true (one hop), or false.',
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
    'Connections that may be open at once in each process; further ones are closed at once.',
    {
      default: 10_000,
      minimum: 1,
      maximum: 1_000_000,
    },
  ),
  METRICS_PORT: Type.Optional(
    Type.Integer({
      description:
        'Port of /metrics for Prometheus, in every role; 0 takes a free one. Unset: nothing is listened on. See docs/metrics.md.',
      minimum: 0,
      maximum: 65535,
    }),
  ),
  METRICS_HOST: Setting.text('Address that /metrics is listened for on.', { default: '127.0.0.1' }),
  METRICS_TOKEN: Type.Optional(
    Setting.text('What whoever asks for /metrics must send, as Authorization: Bearer. Unset: anyone may ask.', {
      pattern: '^[!-~]+$',
    }),
  ),
  SHUTDOWN_TIMEOUT_MS: Setting.count('Longest time in milliseconds that a graceful close may take.', {
    default: 10_000,
    minimum: 100,
    maximum: 600_000,
  }),
  SHUTDOWN_DRAIN_MS: Setting.count(
    'For how many milliseconds of that close, a fifth of it at the most, open connections are answered a last time.',
    { default: 2_000, minimum: 0, maximum: 120_000 },
  ),
  RATE_LIMIT_PER_SECOND: Setting.count('Requests per second of one key; 0 switches every rate limit off.', {
    default: 500,
    minimum: 0,
  }),
  CONSOLE_SESSION_IDLE_MINUTES: Setting.count(
    'After how many minutes without a request a session of the console ends.',
    { default: 120, minimum: 1, maximum: 43_200 },
  ),
  CONSOLE_SESSION_HOURS: Setting.count('After how many hours a session ends however much it is used.', {
    default: 24,
    minimum: 1,
    maximum: 8_760,
  }),
  CONSOLE_STREAMS_PER_ACCOUNT: Setting.count(
    'How many pages of the console that show one account may watch it for changes at once, in each process.',
    { default: 200, minimum: 1, maximum: 10_000 },
  ),
  CONSOLE_STREAMS_PER_PROCESS: Setting.count(
    'How many pages of the console may watch for changes at once, in each process.',
    { default: 1_000, minimum: 1, maximum: 10_000 },
  ),
  CONSOLE_URL: Type.Optional(
    Type.String({
      format: 'console-url',
      description:
        'Where browsers reach the server, e.g. https://console.example.com. Sign-in links and OpenID Connect use it. Unset: links name the address that the server listens on, and OpenID Connect goes by that of the browser.',
    }),
  ),
  LOCAL_URL: Type.Optional(
    Type.String({
      format: 'console-url',
      description:
        'Where people on this machine reach the server, if not at HOST and PORT, e.g. http://127.0.0.1:8080 for a container whose port Docker publishes as 8080. Sign-in links and demo.json name it, unless CONSOLE_URL is set.',
    }),
  ),
  PUBLIC_URL: Type.Optional(
    Type.String({
      format: 'console-url',
      description:
        'Where programs reach the server, e.g. https://messages.example.com: addresses of files in webhooks of the format twilio begin with it. Unset: CONSOLE_URL, LOCAL_URL, or the address that the server listens on.',
    }),
  ),
  ...OIDC_SETTINGS,
  PHONE_VALIDATION: Setting.choice(
    'calling-code: 7 to 15 digits with an assigned country calling code; possible: also a possible length for it.',
    ['calling-code', 'possible'],
  ),
  WHATSAPP_STRICT_FROM: Type.Boolean({
    description:
      "Whether /v2/send refuses WhatsApp messages whose from is no channel of the account. If not, the account's default channel sends them.",
    default: false,
  }),
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
  MESSAGE_RETENTION_WHOLE_MONTHS: Type.Boolean({
    description:
      'Whether messages that are divided by months stay until their whole month is older than MESSAGE_RETENTION_DAYS, and then leave at once, as a table.',
    default: false,
  }),
  ...MEDIA_SETTINGS,
  KEPT_REPORTS_DAYS: Setting.count(
    'After how many days reports of carriers that this version does not use are deleted; 0 keeps them for ever.',
    { default: 180, minimum: 0, maximum: 36_500 },
  ),
  KEPT_REPORTS_SECRET: Type.Optional(
    Type.String({
      format: 'long-secrets',
      description:
        'Secret of at least 32 characters under which their bodies are kept; of several, separated by commas, the first seals and each opens. Unset: an embedded store makes one in DATA_DIR; with DATABASE_URL the texts in them are not kept.',
    }),
  ),
  VERIFICATION_SECRET: Type.Optional(
    Type.String({
      format: 'long-secrets',
      description:
        'Secret of at least 32 characters under which sign-in codes are kept, the same in all processes; of several, separated by commas, the first seals and each opens. Unset: an embedded store makes one in DATA_DIR; with DATABASE_URL there are no sign-in codes.',
    }),
  ),
  NEW_ACCOUNT_COUNTRIES: Type.Optional(
    Type.String({
      pattern: '^([A-Z]{2}( *, *[A-Z]{2})*|any)$',
      description:
        'Countries (ISO 3166) that a new account may send to where it is given none of its own, separated by commas, e.g. DE,AT. `any`: any, and nobody who makes one is asked. Unset: any where nobody can be asked. See docs/spending.md.',
    }),
  ),
  ...BACKUP_SETTINGS,
  DATABASE_POOL_SIZE: Setting.count(
    'PostgreSQL connections that each process holds at the most, shared out to its pools and, without Redis, to the queue.',
    { default: 40, minimum: 15, maximum: 1000 },
  ),
  QUEUE_PREFIX: Setting.text('Prefix of the names in the queue, so that several installations can share one Redis.', {
    default: 'heliograph',
    pattern: '^[A-Za-z0-9_.{}-]+$',
  }),
  WORKER_CONCURRENCY: Setting.count('Jobs of one carrier at once in each lane of the queue.', {
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
  CARRIER_SECRETS_ENV: Type.Optional(
    Type.String({
      format: 'variable-names',
      description:
        'Names of variables that the console may name as env:NAME for a secret of a carrier, separated by commas. Whoever sets carriers up there can read them. Unset: none; the command may name any.',
    }),
  ),
  CARRIER_SECRETS_FOLDER: Type.Optional(
    Setting.text(
      'Folder whose files the console may name as file:/path for a secret of a carrier, as a whole path. Whoever sets carriers up there can read them. Unset: none; the command may name any.',
      { pattern: '^/.' },
    ),
  ),
  CARRIER_PRIVATE_HOSTS: Type.Optional(
    Type.String({
      format: 'host-names',
      description:
        'Hosts at private addresses that carriers over HTTP may reach, as their URLs name them, separated by commas, e.g. kannel,10.0.0.7. Unset: public addresses alone.',
    }),
  ),
  SIMULATOR_DELAY_MS: Setting.count("Time in milliseconds from the simulator's submission to its receipt.", {
    default: 50,
    minimum: 0,
    maximum: 86_400_000,
  }),
  SIMULATOR_REPLY_WINDOW: Type.Boolean({
    description:
      "Whether the simulator applies Meta's rule: WhatsApp messages other than templates fail with 131047 unless the contact wrote within the last 24 hours.",
    default: false,
  }),
  WEBHOOK_ALLOW_PRIVATE: Type.Boolean({
    description: 'Whether webhooks may call private, loopback and link-local addresses.',
    default: false,
  }),
  WEBHOOK_CONCURRENCY: Setting.count(
    'Webhook deliveries of one process under way at once to endpoints that answer well; new and troubled ones have a quarter each beside them.',
    { default: 256, minimum: 1, maximum: 10_000 },
  ),
  WEBHOOK_ENDPOINT_CONCURRENCY: Setting.count(
    'Of them at once to one endpoint of a webhook; to one that takes longer than a second or fails, a quarter of it.',
    { default: 32, minimum: 1, maximum: 10_000 },
  ),
  ...tracingSettings,
});

/** The settings by the names of their environment variables, as the schema has checked them. */
export type Settings = Static<typeof settings>;
