import { resolve } from 'node:path';
import { Ajv, type ErrorObject } from 'ajv';
import { demoBaseUrl } from '../../features/demo/keys-file.js';
import { StartError } from '../../platform/errors/start-error.js';
import { readEnvironment, readEnvironmentFile } from '../../platform/machine/environment.js';
import { nearest } from '../../platform/text/nearest.js';
import { backupProblems } from './backup-plan.js';
import { mediaProblems } from './media-settings.js';
import { oidcProblems } from './oidc-settings.js';
import { availableCores, parseProcesses, processProblems } from './processes.js';
import { addSettingFormats, FORMAT_RULES, namesIn, parseTrustProxy } from './setting-formats.js';
import { type Settings, settings } from './settings.js';
import { isTraced, TRACING_SETTINGS, tracingProblems } from './tracing-settings.js';

type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<S>;

type CamelCased<T> = { [Name in keyof T & string as CamelCase<Name>]: T[Name] };

/** The settings of a process, frozen. Names are those of the environment variables in camel case. */
export type Config = Readonly<
  Omit<
    CamelCased<Settings>,
    | 'trustProxy'
    | 'consoleUrl'
    | 'localUrl'
    | 'publicUrl'
    | 'databasePassword'
    | 'carrierSecretsEnv'
    | 'carrierPrivateHosts'
    | 'processes'
  > & {
    /** Absolute. */
    dataDir: string;
    /** How many hops, or which addresses and networks; false: nobody. */
    trustProxy: false | number | string;
    /** How many one start runs; `auto` is a number by now. */
    processes: number;
    /** Without a slash at the end. */
    consoleUrl: string | undefined;
    /** Where people on this machine reach the server, if not where it listens; without a slash at the end. */
    localUrl: string | undefined;
    /** Where programs reach the server, without a slash at the end. */
    publicUrl: string;
    /** Names of variables. */
    carrierSecretsEnv: readonly string[];
    /** Names and addresses. */
    carrierPrivateHosts: readonly string[];
    /** Whether to open a port at all: false for a worker that was given no PORT. */
    listens: boolean;
    /** The settings of traces by the names of their environment variables; null where nothing is traced. */
    tracing: Readonly<Record<string, string>> | null;
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

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Checks settings and fills in defaults. An empty value counts as unset, as Docker Compose passes it.
 * @param env by variable name; by default `readEnvironment()`. Names that are no settings are ignored.
 * @param inFile names that `.env` sets: one that is nearly a setting is a slip of the pen, while any other may be a secret
 *   that a carrier is told to read there. By default those of the file, where `env` is not given
 * @throws {ConfigError} that lists every wrong setting
 */
export function loadConfig(env?: NodeJS.ProcessEnv, inFile = env ? [] : Object.keys(readEnvironmentFile())): Config {
  return readConfig(env ?? readEnvironment(), inFile);
}

function readConfig(env: NodeJS.ProcessEnv, inFile: readonly string[]): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const values = checkSettings(given, inFile);
  const processes = processesOf(values);
  const wrong = processProblems({ role: values.ROLE, total: processes, sending: values.SENDING_PROCESSES });
  if (wrong.length > 0) throw new ConfigError(wrong);
  // It has two addresses on many machines. Fastify would open a second server for the other one, which ends without a last answer.
  const host = values.HOST === 'localhost' ? '127.0.0.1' : values.HOST;
  const { databasePassword, ...settings } = camelCased(values);
  const withPassword = (url: string | undefined) => addPassword(url, databasePassword);
  return Object.freeze({
    ...settings,
    databaseUrl: withPassword(settings.databaseUrl),
    databaseDirectUrl: withPassword(settings.databaseDirectUrl),
    databaseReadUrl: withPassword(settings.databaseReadUrl),
    localUrl: withoutSlash(values.LOCAL_URL),
    processes,
    dataDir: resolve(values.DATA_DIR),
    trustProxy: parseTrustProxy(values.TRUST_PROXY) ?? false,
    consoleUrl: withoutSlash(values.CONSOLE_URL),
    host,
    publicUrl:
      withoutSlash(values.PUBLIC_URL ?? values.CONSOLE_URL ?? values.LOCAL_URL) ?? demoBaseUrl(host, values.PORT),
    carrierSecretsEnv: values.CARRIER_SECRETS_ENV === undefined ? [] : namesIn(values.CARRIER_SECRETS_ENV),
    carrierPrivateHosts: namesIn(values.CARRIER_PRIVATE_HOSTS ?? ''),
    listens: values.ROLE !== 'worker' || given.PORT !== undefined,
    tracing: isTraced(given) ? tracingOf(values) : null,
  });
}

/** Between the user and the host of a URL that has a user and no password; it may name several hosts. */
function addPassword(url: string | undefined, password: string | undefined): string | undefined {
  if (password === undefined) return url;
  const encoded = encodeURIComponent(password);
  return url?.replace(/^(\w+:\/\/[^:@/?#]+)@/, (_, before: string) => `${before}:${encoded}@`);
}

function withoutSlash(url: string | undefined): string | undefined {
  return url?.replace(/\/$/, '');
}

function processesOf({ PROCESSES }: Settings): number {
  const number = parseProcesses(PROCESSES);
  return number === 'auto' || number === null ? availableCores() : number;
}

function tracingOf(values: Settings): Record<string, string> {
  return Object.fromEntries(
    TRACING_SETTINGS.flatMap((name) => (values[name] === undefined ? [] : [[name, String(values[name])]])),
  );
}

function misspelled(names: readonly string[]): SettingProblem[] {
  const known = Object.keys(settings.properties);
  return names.flatMap((name) => {
    const meant = known.includes(name) ? null : nearest(name.toUpperCase(), known);
    return meant ? [{ setting: name, problem: `in .env is no setting: did you mean ${meant}?` }] : [];
  });
}

/**
 * Converts texts, puts defaults in and drops what is no setting. Compiled once: each application that a test opens would
 * compile it anew otherwise. A test holds the schema against that of schemas, which would cost each start 0.1 s.
 */
const isValid = addSettingFormats(
  new Ajv({ allErrors: true, removeAdditional: true, useDefaults: true, coerceTypes: true, validateSchema: false }),
).compile<Settings>({ ...settings, additionalProperties: false });

function checkSettings(given: Environment, inFile: readonly string[]): Settings {
  const problems: SettingProblem[] = misspelled(inFile);
  if ((given.ROLE === 'api' || given.ROLE === 'worker') && given.DATABASE_URL === undefined) {
    problems.push({
      setting: 'DATABASE_URL',
      problem: `must be set when ROLE is ${given.ROLE}: the embedded PostgreSQL serves one process only`,
    });
  }
  if (given.DATABASE_DIRECT_URL !== undefined && given.DATABASE_URL === undefined) {
    problems.push({
      setting: 'DATABASE_DIRECT_URL',
      problem: 'is for a DATABASE_URL that leads to a pooler, and that is not set',
    });
  }
  // A secret of Heliograph itself is no carrier's.
  for (const name of namesIn(given.CARRIER_SECRETS_ENV ?? '').filter((each) => each in settings.properties)) {
    problems.push({
      setting: 'CARRIER_SECRETS_ENV',
      problem: `must not name ${name}, which is a setting of Heliograph`,
    });
  }
  problems.push(...oidcProblems(given), ...backupProblems(given), ...mediaProblems(given), ...tracingProblems(given));
  const values: unknown = { ...given };
  if (isValid(values) && problems.length === 0) return values;
  problems.unshift(...(isValid.errors ?? []).map((each) => describe(each, given)));
  throw new ConfigError(problems);
}

const TYPE_RULES: Record<string, string> = {
  integer: 'must be a whole number',
  boolean: 'must be true or false',
};

function describe(error: ErrorObject, given: Environment): SettingProblem {
  const setting = error.instancePath.slice(1);
  const rule =
    (error.params.format && FORMAT_RULES[error.params.format]) ??
    (error.params.allowedValues && `must be one of ${error.params.allowedValues.join(', ')}`) ??
    (error.params.type && TYPE_RULES[error.params.type]) ??
    error.message ??
    'is wrong';
  // A URL may hold a password, so its value is never shown, nor is a secret.
  const value = /_(URL|PASSWORD|ISSUER|SECRET|TOKEN|ENDPOINT|HEADERS|KEY|KEY_ID)$/.test(setting)
    ? ''
    : ` (it is ${JSON.stringify(given[setting])})`;
  return { setting, problem: `${rule}${value}` };
}

function camelCased<T extends object>(values: T): CamelCased<T> {
  const camelCase = (name: string) => name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [camelCase(name), value])) as CamelCased<T>;
}
