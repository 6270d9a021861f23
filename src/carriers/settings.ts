import type { TObject } from '@sinclair/typebox';
import { Ajv, type ErrorObject } from 'ajv';
import type { FieldProblem } from '../platform/errors/app-error.js';
import { readTextFile } from '../platform/text/text-file.js';
import type { CarrierPreset, CarrierType } from './carrier-type.js';

export type SettingValues = Record<string, unknown>;

/** What a type and its presets have in common. */
export type SettingsForm = Pick<CarrierPreset, 'settings' | 'secrets' | 'destinations'> & {
  problems?(settings: Record<string, unknown>): string[];
};

/** By what settings are read: the preset that they name, else the type itself, which refuses a preset that there is not. */
export function formOf(type: CarrierType, given: SettingValues): SettingsForm {
  return type.presets?.find(({ name }) => name === given.preset) ?? type;
}

/** A secret that stands elsewhere: in a variable of the process that uses it, or in a file on its machine. */
const REFERENCE = /^(env|file):(.+)$/s;
const HIDDEN = '***';

/** The settings of a carrier or of its channel break rules, each of which it names. */
export class SettingsError extends Error {
  readonly problems: readonly FieldProblem[];

  constructor(problems: readonly FieldProblem[]) {
    super(problems.map(({ field, rule }) => `${field} ${rule}`).join('; '));
    this.name = 'SettingsError';
    this.problems = problems;
  }
}

/**
 * Checks the settings of a carrier and fills in defaults. A secret that stands elsewhere is checked where it is resolved.
 * @throws {SettingsError} that names every rule that is broken
 */
export function checkSettings(type: CarrierType, given: SettingValues): SettingValues {
  const form = formOf(type, given);
  const { values, problems } = validate(form.settings, given, new Set(form.secrets));
  const wrong = problems.filter(({ field }) => !isReference(form, field, given[field]));
  if (wrong.length > 0) throw new SettingsError(wrong);
  if (problems.length > 0 || !form.problems) return values;
  const broken = form.problems(values);
  if (broken.length > 0) throw new SettingsError(broken.map((rule) => ({ field: '', rule })));
  return values;
}

/**
 * Settings of a carrier that this version does not run any more. The carrier works without them.
 * @returns the fields with their rules; none for a preset, whose patterns are ours
 */
export function unsupportedSettings(type: CarrierType, settings: SettingValues): FieldProblem[] {
  return formOf(type, settings) === type ? (type.unsupported?.(settings) ?? []) : [];
}

/**
 * The secrets of settings that stand elsewhere, as they are there now.
 * @param env where `env:NAME` is looked up
 * @throws {SettingsError} for those that are not where they should be
 */
export function lookUpSecrets(type: CarrierType, given: SettingValues, env: NodeJS.ProcessEnv): Record<string, string> {
  const found: Record<string, string> = {};
  const problems: FieldProblem[] = [];
  const form = formOf(type, given);
  for (const field of form.secrets) {
    if (!isReference(form, field, given[field])) continue;
    try {
      found[field] = lookUp(given[field] as string, env);
    } catch (error) {
      problems.push({ field, rule: (error as Error).message });
    }
  }
  if (problems.length > 0) throw new SettingsError(problems);
  return found;
}

/**
 * The settings with which a carrier is opened: checked, complete, and with every secret in its place.
 * @param env where `env:NAME` is looked up
 * @throws {SettingsError} also for a secret that is not where it should be
 */
export function resolveSettings(type: CarrierType, given: SettingValues, env: NodeJS.ProcessEnv): SettingValues {
  return checkSettings(type, { ...given, ...lookUpSecrets(type, given, env) });
}

/**
 * Checks what a carrier must know of a channel.
 * @throws {SettingsError} that names every rule that is broken, and whatever the type does not know
 */
export function checkChannelSettings(type: CarrierType | null, given: SettingValues): SettingValues | null {
  if (!type?.channelSettings) {
    const unknown = Object.keys(given).map((field) => ({ field, rule: 'is not a setting that this carrier knows' }));
    if (unknown.length > 0) throw new SettingsError(unknown);
    return null;
  }
  const { values, problems } = validate(type.channelSettings, given, new Set());
  if (problems.length > 0) throw new SettingsError(problems);
  return values;
}

/** Settings as an operator may see them: a secret only where it says where it stands. */
export function shownSettings(type: CarrierType | null, settings: SettingValues): SettingValues {
  // What an unknown type or preset keeps secret is unknown too.
  const isUnknown = type === null || (settings.preset !== undefined && formOf(type, settings) === type);
  const form = type && formOf(type, settings);
  const secret = (name: string, value: unknown) =>
    (isUnknown || form?.secrets.includes(name) === true) &&
    name !== 'preset' &&
    !(typeof value === 'string' && REFERENCE.test(value));
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, secret(name, value) ? HIDDEN : value]),
  );
}

/**
 * Reads `name=value` arguments of a command line. A value becomes what the schema asks for: a number, true or false; a
 * list or an object is written as JSON.
 * @throws {SettingsError} for an argument without `=`
 */
export function parseSettings(schema: TObject | undefined, pairs: readonly string[]): SettingValues {
  const entries = pairs.map((pair): [string, unknown] => {
    const at = pair.indexOf('=');
    if (at < 1) throw new SettingsError([{ field: pair, rule: 'must be written name=value' }]);
    const name = pair.slice(0, at);
    return [name, parseValue((schema?.properties[name] as { type?: unknown } | undefined)?.type, pair.slice(at + 1))];
  });
  return Object.fromEntries(entries);
}

function parseValue(wanted: unknown, text: string): unknown {
  if ((wanted === 'number' || wanted === 'integer') && text.trim() !== '' && !Number.isNaN(Number(text))) {
    return Number(text);
  }
  if (wanted === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (wanted !== 'array' && wanted !== 'object') return text;
  try {
    return JSON.parse(text);
  } catch {
    // Left as it is, for the check to refuse.
    return text;
  }
}

/** Where a secret stands that stands elsewhere; null for any other value. */
export function referenceOf(value: unknown): { where: 'env' | 'file'; name: string } | null {
  const match = typeof value === 'string' ? REFERENCE.exec(value) : null;
  return match && { where: match[1] as 'env' | 'file', name: match[2] as string };
}

function isReference(form: SettingsForm, field: string, value: unknown): boolean {
  return form.secrets.includes(field) && typeof value === 'string' && REFERENCE.test(value);
}

function lookUp(reference: string, env: NodeJS.ProcessEnv): string {
  const [, where, name = ''] = REFERENCE.exec(reference) as RegExpExecArray;
  if (where === 'env') {
    const value = env[name];
    if (!value) throw new Error(`is to be found in the variable ${name}, which is not set`);
    return value;
  }
  try {
    return readTextFile(name).replace(/\r?\n$/, '');
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    throw new Error(`is to be found in the file ${name}, which cannot be read (${code})`);
  }
}

/** A test holds the forms of all carriers against the schema of schemas. */
const ajv = new Ajv({ allErrors: true, useDefaults: true, strict: false, validateSchema: false });

function validate(
  schema: TObject,
  given: SettingValues,
  secrets: ReadonlySet<string>,
): { values: SettingValues; problems: FieldProblem[] } {
  const values = structuredClone(given);
  const problems: FieldProblem[] = [];
  const known = Object.keys(schema.properties);
  for (const field of Object.keys(given)) {
    if (!known.includes(field)) problems.push({ field, rule: `is not a setting; there are ${known.join(', ')}` });
  }
  // Compiled once, for Ajv knows a schema again.
  const check = ajv.compile(schema);
  if (!check(values)) {
    const told = new Set<string>();
    for (const error of check.errors ?? []) {
      const problem = describe(error, values, secrets);
      if (told.has(problem.field) || error.keyword === 'additionalProperties') continue;
      told.add(problem.field);
      problems.push(problem);
    }
  }
  return { values, problems };
}

function describe(error: ErrorObject, values: SettingValues, secrets: ReadonlySet<string>): FieldProblem {
  const { missingProperty, allowedValues } = error.params as { missingProperty?: string; allowedValues?: unknown[] };
  if (missingProperty) return { field: missingProperty, rule: 'must be set' };
  const field = error.instancePath.split('/')[1] ?? '';
  const rule = allowedValues ? `must be one of ${allowedValues.join(', ')}` : (error.message ?? 'is wrong');
  const shown = secrets.has(field) ? '' : ` (it is ${JSON.stringify(values[field])})`;
  return { field, rule: `${rule}${shown}` };
}
