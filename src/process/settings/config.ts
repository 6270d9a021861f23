import { resolve } from 'node:path';
import { Ajv, type ErrorObject } from 'ajv';
import { toDemoBaseUrl } from '../../features/demo/keys-file.js';
import { StartError } from '../../platform/errors/start-error.js';
import { readEnvironment, readEnvironmentFile } from '../../platform/machine/environment.js';
import { findNearest } from '../../platform/text/nearest.js';
import { backupProblems } from './backup-plan.js';
import { mediaProblems } from './media-settings.js';
import { oidcProblems } from './oidc-settings.js';
import { availableCores, parseProcesses, processProblems } from './processes.js';
import { addSettingFormats, FORMAT_RULES, parseTrustProxy, splitList } from './setting-formats.js';
import { type Settings, settings } from './settings.js';
import { isTraced, TRACING_SETTINGS, tracingProblems } from './tracing-settings.js';

type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<S>;

type CamelCased<T> = { [Name in keyof T & string as CamelCase<Name>]: T[Name] };

/** Properties are named like the environment variables, but in camel case. */
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
    /** A number of trusted proxies, or their addresses and networks, or false if no proxy is trusted. */
    trustProxy: false | number | string;
    processes: number;
    /** Without a trailing slash. */
    consoleUrl: string | undefined;
    /** URL at which people on this machine reach the server, if it differs from HOST and PORT. Without a trailing slash. */
    localUrl: string | undefined;
    /** Without a trailing slash. */
    publicUrl: string;
    /** Names of environment variables. */
    carrierSecretsEnv: readonly string[];
    carrierPrivateHosts: readonly string[];
    /** False for a worker without PORT, which does not listen. */
    listens: boolean;
    tracing: Readonly<Record<string, string>> | null;
  }
>;

export interface SettingProblem {
  setting: string;
  problem: string;
}

export class ConfigError extends StartError {
  readonly problems: readonly SettingProblem[];

  constructor(problems: readonly SettingProblem[]) {
    const lines = problems.map(({ setting, problem }) => `  ${setting} ${problem}`);
    super(
      `${problems.length === 1 ? 'A setting is' : `${problems.length} settings are`} invalid:\n${lines.join('\n')}`,
    );
    this.problems = problems;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings. An empty variable counts as unset, because Docker Compose passes unset variables as empty. In `.env`, a
 * name that resembles a setting is rejected as a typo.
 * @throws {ConfigError}
 */
export function loadConfig(env?: NodeJS.ProcessEnv, fileNames = env ? [] : Object.keys(readEnvironmentFile())): Config {
  return readConfig(env ?? readEnvironment(), fileNames);
}

function readConfig(env: NodeJS.ProcessEnv, fileNames: readonly string[]): Config {
  const setValues = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const values = checkSettings(setValues, fileNames);
  const processes = resolveProcesses(values);
  const problems = processProblems({ role: values.ROLE, total: processes, sending: values.SENDING_PROCESSES });
  if (problems.length > 0) throw new ConfigError(problems);
  // Fastify would open a second server for the second address of `localhost`, and close it at shutdown before its last
  // responses.
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
      withoutSlash(values.PUBLIC_URL ?? values.CONSOLE_URL ?? values.LOCAL_URL) ?? toDemoBaseUrl(host, values.PORT),
    carrierSecretsEnv: values.CARRIER_SECRETS_ENV === undefined ? [] : splitList(values.CARRIER_SECRETS_ENV),
    carrierPrivateHosts: splitList(values.CARRIER_PRIVATE_HOSTS ?? ''),
    listens: values.ROLE !== 'worker' || setValues.PORT !== undefined,
    tracing: isTraced(setValues) ? selectTracing(values) : null,
  });
}

function addPassword(url: string | undefined, password: string | undefined): string | undefined {
  if (password === undefined) return url;
  const encoded = encodeURIComponent(password);
  return url?.replace(/^(\w+:\/\/[^:@/?#]+)@/, (_, schemeAndUser: string) => `${schemeAndUser}:${encoded}@`);
}

function withoutSlash(url: string | undefined): string | undefined {
  return url?.replace(/\/$/, '');
}

function resolveProcesses({ PROCESSES }: Settings): number {
  const number = parseProcesses(PROCESSES);
  return number === 'auto' || number === null ? availableCores() : number;
}

function selectTracing(values: Settings): Record<string, string> {
  return Object.fromEntries(
    TRACING_SETTINGS.flatMap((name) => (values[name] === undefined ? [] : [[name, String(values[name])]])),
  );
}

function findTypos(names: readonly string[]): SettingProblem[] {
  const settingNames = Object.keys(settings.properties);
  return names.flatMap((name) => {
    const suggestion = settingNames.includes(name) ? null : findNearest(name.toUpperCase(), settingNames);
    return suggestion ? [{ setting: name, problem: `in .env is not a setting: did you mean ${suggestion}?` }] : [];
  });
}

/** The schema is compiled only once per process, because tests load many configurations. */
const isValid = addSettingFormats(
  new Ajv({ allErrors: true, removeAdditional: true, useDefaults: true, coerceTypes: true, validateSchema: false }),
).compile<Settings>({ ...settings, additionalProperties: false });

function checkSettings(env: Environment, fileNames: readonly string[]): Settings {
  const problems: SettingProblem[] = findTypos(fileNames);
  if ((env.ROLE === 'api' || env.ROLE === 'worker') && env.DATABASE_URL === undefined) {
    problems.push({
      setting: 'DATABASE_URL',
      problem: `must be set when ROLE is ${env.ROLE}: the embedded PostgreSQL serves only one process`,
    });
  }
  if (env.DATABASE_DIRECT_URL !== undefined && env.DATABASE_URL === undefined) {
    problems.push({
      setting: 'DATABASE_DIRECT_URL',
      problem: 'requires DATABASE_URL, the address of the pooler that it bypasses',
    });
  }
  // Carriers may read the variables in CARRIER_SECRETS_ENV, so they must not include Heliograph's own secrets.
  for (const name of splitList(env.CARRIER_SECRETS_ENV ?? '').filter((name) => name in settings.properties)) {
    problems.push({
      setting: 'CARRIER_SECRETS_ENV',
      problem: `must not name ${name}, which is a setting of Heliograph`,
    });
  }
  problems.push(...oidcProblems(env), ...backupProblems(env), ...mediaProblems(env), ...tracingProblems(env));
  const values: unknown = { ...env };
  if (isValid(values) && problems.length === 0) return values;
  problems.unshift(...(isValid.errors ?? []).map((error) => describeProblem(error, env)));
  throw new ConfigError(problems);
}

const TYPE_RULES: Record<string, string> = {
  integer: 'must be a whole number',
  boolean: 'must be true or false',
};

function describeProblem(error: ErrorObject, env: Environment): SettingProblem {
  const setting = error.instancePath.slice(1);
  const rule =
    (error.params.format && FORMAT_RULES[error.params.format]) ??
    (error.params.allowedValues && `must be one of ${error.params.allowedValues.join(', ')}`) ??
    (error.params.type && TYPE_RULES[error.params.type]) ??
    error.message ??
    'is invalid';
  // The message shows neither secrets nor URLs, because a URL may contain a password.
  const value = /_(URL|PASSWORD|ISSUER|SECRET|TOKEN|ENDPOINT|HEADERS|KEY|KEY_ID)$/.test(setting)
    ? ''
    : ` (it is ${JSON.stringify(env[setting])})`;
  return { setting, problem: `${rule}${value}` };
}

function camelCased<T extends object>(values: T): CamelCased<T> {
  const camelCase = (name: string) => name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [camelCase(name), value])) as CamelCased<T>;
}
