import { type Static, Type } from '@sinclair/typebox';
import { BACKUP_SETTINGS } from './backup-plan.js';
import { MEDIA_SETTINGS } from './media-settings.js';
import { OIDC_SETTINGS } from './oidc-settings.js';
import { Setting } from './setting.js';
import { tracingSettings } from './tracing-settings.js';

/** The file `.env.example` is generated from this schema. */
export const settings = Type.Object({
  HOST: Setting.text(
    'Address to listen on. 0.0.0.0 accepts connections from other machines; localhost means 127.0.0.1.',
    {
      default: '127.0.0.1',
    },
  ),
  PORT: Setting.count('Port to listen on; 0 picks a free one. A worker listens only when this is set.', {
    default: 3000,
    minimum: 0,
    maximum: 65535,
  }),
  DATA_DIR: Setting.text(
    'Folder for the embedded PostgreSQL, demo.json and media files, relative to the working directory.',
    {
      default: './.data',
    },
  ),
  DATABASE_URL: Type.Optional(
    Setting.url(
      'URL of a PostgreSQL database, e.g. postgresql://user:password@host:5432/heliograph. Unset: the embedded PostgreSQL.',
      'postgres-url',
    ),
  ),
  DATABASE_PASSWORD: Type.Optional(
    Setting.text(
      'Password for DATABASE_URL, DATABASE_DIRECT_URL and DATABASE_READ_URL if they contain none. Unlike in a URL, special characters need no encoding.',
    ),
  ),
  DATABASE_DIRECT_URL: Type.Optional(
    Setting.url(
      'URL of the same database without the pooler, if DATABASE_URL uses one in transaction mode. Migrations, LISTEN, backups and the queue need it. See docs/run/several-machines.md.',
      'postgres-url',
    ),
  ),
  DATABASE_READ_URL: Type.Optional(
    Setting.url(
      'URL of a replica of the same database, for lists, overviews and exports in the console. Unset: they use the primary. See docs/run/several-machines.md.',
      'postgres-url',
    ),
  ),
  DATABASE_READ_MAX_AGE_MS: Setting.count(
    'Maximum lag of the replica in milliseconds; if it lags more, the primary is used.',
    { default: 2_000, minimum: 100, maximum: 3_600_000 },
  ),
  DATABASE_TIMEOUT_MS: Setting.count(
    'How long an HTTP request may wait for a database connection, and again for each statement, before it gets a 503. In milliseconds.',
    { default: 5_000, minimum: 100, maximum: 60_000 },
  ),
  ALLOW_NEWER_STORE: Type.Boolean({
    description:
      'Whether to start on a database that a later version has migrated, e.g. to return to this version for a while.',
    default: false,
  }),
  REDIS_URL: Type.Optional(
    Setting.url(
      'Redis for the queue, e.g. redis://host:6379, redis+sentinel://host:26379,host:26379/name or redis+cluster://host:6379,host:6379; rediss uses TLS. Unset: the queue is in PostgreSQL.',
      'redis-url',
    ),
  ),
  ROLE: Setting.choice(
    'What this process does: api serves requests, worker sends messages, all does both. api and worker need DATABASE_URL.',
    ['all', 'api', 'worker'],
  ),
  PROCESSES: Type.String({
    format: 'processes',
    description:
      'How many processes to run on this machine: a number, or auto for one per core. See docs/run/scaling.md.',
    default: '1',
  }),
  SENDING_PROCESSES: Setting.count(
    'If several processes run and ROLE is all: how many of them send messages; the others serve requests. Binds and rate limits of carriers apply to each process that sends.',
    { default: 1, minimum: 1, maximum: 63 },
  ),
  SEED_DEMO: Type.Optional(
    Type.Boolean({
      description:
        'Whether to create the demo account if there is no account. Unset: only with the embedded PostgreSQL.',
    }),
  ),
  LOG_LEVEL: Setting.choice(
    'Lowest level that is logged.',
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'info',
  ),
  LOG_FORMAT: Setting.choice('Log format: json, pretty, or auto (pretty on a terminal, otherwise json).', [
    'auto',
    'json',
    'pretty',
  ]),
  TRUST_PROXY: Type.String({
    format: 'trust-proxy',
    description:
      'Which proxies to trust for X-Forwarded-For: their addresses and networks separated by commas, their number, true (one proxy), or false.',
    default: 'false',
  }),
  CORS_ORIGIN: Type.Optional(
    Type.String({
      format: 'origins',
      description: 'Origins from which browsers may call the API, separated by commas, or *. Unset: CORS is off.',
    }),
  ),
  BODY_LIMIT_BYTES: Setting.count('Maximum size of a request body in bytes.', { default: 1_048_576, minimum: 1024 }),
  MAX_CONNECTIONS: Setting.count(
    'Maximum number of open HTTP connections per process; additional ones are closed immediately.',
    {
      default: 10_000,
      minimum: 1,
      maximum: 1_000_000,
    },
  ),
  METRICS_PORT: Type.Optional(
    Type.Integer({
      description:
        'Port of /metrics for Prometheus, in every role; 0 picks a free one. Unset: off. See docs/reference/metrics.md.',
      minimum: 0,
      maximum: 65535,
    }),
  ),
  METRICS_HOST: Setting.text('Address that /metrics listens on.', { default: '127.0.0.1' }),
  METRICS_TOKEN: Type.Optional(
    Setting.text('Token that requests to /metrics must send as Authorization: Bearer. Unset: no token is needed.', {
      pattern: '^[!-~]+$',
    }),
  ),
  SHUTDOWN_TIMEOUT_MS: Setting.count('Maximum duration of a graceful shutdown in milliseconds.', {
    default: 10_000,
    minimum: 100,
    maximum: 600_000,
  }),
  SHUTDOWN_DRAIN_MS: Setting.count(
    'How long requests on open connections are still served during the shutdown, in milliseconds; at most a fifth of SHUTDOWN_TIMEOUT_MS.',
    { default: 2_000, minimum: 0, maximum: 120_000 },
  ),
  RATE_LIMIT_PER_SECOND: Setting.count('Requests per second allowed per API key; 0 turns all rate limits off.', {
    default: 500,
    minimum: 0,
  }),
  CONSOLE_SESSION_IDLE_MINUTES: Setting.count('A console session ends after this many minutes without a request.', {
    default: 120,
    minimum: 1,
    maximum: 43_200,
  }),
  CONSOLE_SESSION_HOURS: Setting.count('A console session ends after this many hours even if it is in use.', {
    default: 24,
    minimum: 1,
    maximum: 8_760,
  }),
  CONSOLE_STREAMS_PER_ACCOUNT: Setting.count(
    'How many console pages may receive live updates of one account at once, per process.',
    { default: 200, minimum: 1, maximum: 10_000 },
  ),
  CONSOLE_STREAMS_PER_PROCESS: Setting.count('How many console pages may receive live updates at once, per process.', {
    default: 1_000,
    minimum: 1,
    maximum: 10_000,
  }),
  CONSOLE_URL: Type.Optional(
    Type.String({
      format: 'console-url',
      description:
        'URL at which browsers reach the server, e.g. https://console.example.com. Used in sign-in links and for OpenID Connect. Unset: links use the address that the server listens on, and OpenID Connect uses the address in the browser.',
    }),
  ),
  LOCAL_URL: Type.Optional(
    Type.String({
      format: 'console-url',
      description:
        'URL at which people on this machine reach the server, if not at HOST and PORT, e.g. http://127.0.0.1:8080 for a container whose port Docker publishes as 8080. Sign-in links and demo.json contain it unless CONSOLE_URL is set.',
    }),
  ),
  PUBLIC_URL: Type.Optional(
    Type.String({
      format: 'console-url',
      description:
        'URL at which programs reach the server, e.g. https://messages.example.com. File URLs in webhooks with the format twilio begin with it. Unset: CONSOLE_URL, LOCAL_URL, or the address that the server listens on.',
    }),
  ),
  ...OIDC_SETTINGS,
  PHONE_VALIDATION: Setting.choice(
    'How phone numbers are checked. calling-code: 7 to 15 digits with an assigned country calling code; possible: the length must also be possible in that country.',
    ['calling-code', 'possible'],
  ),
  WHATSAPP_STRICT_FROM: Type.Boolean({
    description:
      "Whether /v2/send rejects WhatsApp messages whose from is not a channel of the account. If false, the account's default channel sends them.",
    default: false,
  }),
  SMS_MAX_CHARS: Setting.count('Maximum length of an SMS text in characters; 0 sets no limit.', {
    default: 1600,
    minimum: 0,
  }),
  MESSAGE_VALIDITY_SECONDS: Setting.count('How long delivery of a message is attempted, in seconds.', {
    default: 172_800,
    minimum: 1,
    maximum: 2_592_000,
  }),
  MESSAGE_RETENTION_DAYS: Setting.count(
    'Messages and finished automation runs are deleted after this many days; 0 keeps them forever.',
    {
      default: 0,
      minimum: 0,
      maximum: 36_500,
    },
  ),
  MESSAGE_RETENTION_WHOLE_MONTHS: Type.Boolean({
    description:
      'Whether a table that is partitioned by month keeps messages until their whole month is older than MESSAGE_RETENTION_DAYS, and then drops that month in one step.',
    default: false,
  }),
  ...MEDIA_SETTINGS,
  KEPT_REPORTS_DAYS: Setting.count(
    'Carrier reports that this version cannot use are deleted after this many days; 0 keeps them forever.',
    { default: 180, minimum: 0, maximum: 36_500 },
  ),
  KEPT_REPORTS_SECRET: Type.Optional(
    Type.String({
      format: 'long-secrets',
      description:
        'Secret of at least 32 characters that encrypts the stored carrier reports. With several, separated by commas, the first encrypts and all decrypt. Unset: with the embedded PostgreSQL, a secret is created in DATA_DIR; with DATABASE_URL, texts in reports are not stored.',
    }),
  ),
  VERIFICATION_SECRET: Type.Optional(
    Type.String({
      format: 'long-secrets',
      description:
        'Secret of at least 32 characters that encrypts sign-in codes, the same in all processes. With several, separated by commas, the first encrypts and all decrypt. Unset: with the embedded PostgreSQL, a secret is created in DATA_DIR; with DATABASE_URL, sign-in codes are off.',
    }),
  ),
  NEW_ACCOUNT_COUNTRIES: Type.Optional(
    Type.String({
      pattern: '^([A-Z]{2}( *, *[A-Z]{2})*|any)$',
      description:
        'Countries (ISO 3166) that new accounts may send to by default, separated by commas, e.g. DE,AT, or any. Unset: the person who creates an account is asked, and without a terminal there is no restriction. See docs/run/spending.md.',
    }),
  ),
  ...BACKUP_SETTINGS,
  DATABASE_POOL_SIZE: Setting.count(
    'Maximum number of PostgreSQL connections per process, divided among its pools and, without Redis, the queue.',
    { default: 40, minimum: 15, maximum: 1000 },
  ),
  QUEUE_PREFIX: Setting.text('Prefix of queue names, so that several installations can share one Redis.', {
    default: 'heliograph',
    pattern: '^[A-Za-z0-9_.{}-]+$',
  }),
  WORKER_CONCURRENCY: Setting.count('Concurrent jobs per carrier in each lane of the queue.', {
    default: 4,
    minimum: 1,
    maximum: 1000,
  }),
  ACCEPT_WAITING_LIMIT: Setting.count(
    'How many messages may wait for their commit in one process; above this number, sends get a 503.',
    {
      default: 100_000,
      minimum: 1,
    },
  ),
  SEND_WAIT_MS: Setting.count("How long a send on Surface B waits for the carrier's response, in milliseconds.", {
    default: 10_000,
    minimum: 1,
    maximum: 60_000,
  }),
  SMS_CARRIER: Setting.text('Carrier for SMS that match no carrier route.', {
    default: 'simulator',
    pattern: '^[a-z0-9-]{1,40}$',
  }),
  CARRIER_SECRETS_ENV: Type.Optional(
    Type.String({
      format: 'variable-names',
      description:
        'Environment variables that the console may use as carrier secrets (env:NAME), separated by commas. Operators who manage carriers can read them. Unset: none. The command line may use any.',
    }),
  ),
  CARRIER_SECRETS_FOLDER: Type.Optional(
    Setting.text(
      'Absolute path of a folder whose files the console may use as carrier secrets (file:/path). Operators who manage carriers can read them. Unset: none. The command line may use any.',
      { pattern: '^/.' },
    ),
  ),
  CARRIER_PRIVATE_HOSTS: Type.Optional(
    Type.String({
      format: 'host-names',
      description:
        'Hosts at private addresses that HTTP carriers may call, as written in their URLs, separated by commas, e.g. kannel,10.0.0.7. Unset: only public addresses.',
    }),
  ),
  SIMULATOR_DELAY_MS: Setting.count('Time between submission and delivery receipt in the simulator, in milliseconds.', {
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
    'Concurrent webhook deliveries per process to healthy endpoints; new endpoints and failing endpoints each get another quarter of this number.',
    { default: 256, minimum: 1, maximum: 10_000 },
  ),
  WEBHOOK_ENDPOINT_CONCURRENCY: Setting.count(
    'Concurrent webhook deliveries to one endpoint; a quarter of it if the endpoint fails or takes longer than a second.',
    { default: 32, minimum: 1, maximum: 10_000 },
  ),
  ...tracingSettings,
});

export type Settings = Static<typeof settings>;
