import type { TObject } from '@sinclair/typebox';
import { Ajv, type ErrorObject } from 'ajv';
import type { FieldProblem } from '../platform/errors/app-error.js';
import { readTextFile } from '../platform/text/text-file.js';
import type { CarrierPreset, CarrierType } from './carrier-type.js';

export type SettingValues = Record<string, unknown>;

export type SettingsForm = Pick<CarrierPreset, 'settings' | 'secrets' | 'destinations'> & {
  findProblems?(settings: Record<string, unknown>): string[];
};

/** For an unknown preset, returns the form of the carrier type, which rejects the preset. */
export function findSettingsForm(type: CarrierType, settings: SettingValues): SettingsForm {
  return type.presets?.find(({ name }) => name === settings.preset) ?? type;
}

/** Reference to an environment variable or file, which is resolved when the secret is used. */
const REFERENCE = /^(env|file):(.+)$/s;
const HIDDEN = '***';

/** `problems` lists every violation. */
export class SettingsError extends Error {
  readonly problems: readonly FieldProblem[];

  constructor(problems: readonly FieldProblem[]) {
    super(problems.map(({ field, rule }) => `${field} ${rule}`).join('; '));
    this.name = 'SettingsError';
    this.problems = problems;
  }
}

/**
 * Checks settings without reading referenced secrets (`env:`, `file:`); see `resolveSettings`.
 * @throws {SettingsError}
 */
export function checkSettings(type: CarrierType, settings: SettingValues): SettingValues {
  const form = findSettingsForm(type, settings);
  const { values, problems } = validate(form.settings, settings, new Set(form.secrets));
  const invalid = problems.filter(({ field }) => !isReference(form, field, settings[field]));
  if (invalid.length > 0) throw new SettingsError(invalid);
  if (problems.length > 0 || !form.findProblems) return values;
  const violations = form.findProblems(values);
  if (violations.length > 0) throw new SettingsError(violations.map((rule) => ({ field: '', rule })));
  return values;
}

/** Finds settings that the carrier ignores because it does not support them. */
export function findUnsupportedSettings(type: CarrierType, settings: SettingValues): FieldProblem[] {
  return findSettingsForm(type, settings) === type ? (type.findUnsupported?.(settings) ?? []) : [];
}

/** @throws {SettingsError} for unreadable secrets */
export function lookUpSecrets(
  type: CarrierType,
  settings: SettingValues,
  env: NodeJS.ProcessEnv,
): Record<string, string> {
  const secrets: Record<string, string> = {};
  const problems: FieldProblem[] = [];
  const form = findSettingsForm(type, settings);
  for (const field of form.secrets) {
    if (!isReference(form, field, settings[field])) continue;
    try {
      secrets[field] = readReference(settings[field] as string, env);
    } catch (error) {
      problems.push({ field, rule: (error as Error).message });
    }
  }
  if (problems.length > 0) throw new SettingsError(problems);
  return secrets;
}

/** Throws a SettingsError if a setting is invalid or a secret cannot be read. */
export function resolveSettings(type: CarrierType, settings: SettingValues, env: NodeJS.ProcessEnv): SettingValues {
  return checkSettings(type, { ...settings, ...lookUpSecrets(type, settings, env) });
}

/** @throws {SettingsError} listing every violation */
export function checkChannelSettings(type: CarrierType | null, settings: SettingValues): SettingValues | null {
  if (!type?.channelSettings) {
    const unknown = Object.keys(settings).map((field) => ({ field, rule: 'is not a channel setting of this carrier' }));
    if (unknown.length > 0) throw new SettingsError(unknown);
    return null;
  }
  const { values, problems } = validate(type.channelSettings, settings, new Set());
  if (problems.length > 0) throw new SettingsError(problems);
  return values;
}

/** Masks secrets, except references such as `env:NAME`. */
export function maskSecrets(type: CarrierType | null, settings: SettingValues): SettingValues {
  // If the carrier type or preset is unknown, all settings are masked, because any setting could be a secret.
  const isUnknown = type === null || (settings.preset !== undefined && findSettingsForm(type, settings) === type);
  const form = type && findSettingsForm(type, settings);
  const isSecret = (name: string, value: unknown) =>
    (isUnknown || form?.secrets.includes(name) === true) &&
    name !== 'preset' &&
    !(typeof value === 'string' && REFERENCE.test(value));
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, isSecret(name, value) ? HIDDEN : value]),
  );
}

/**
 * Values are converted to their types in the schema. Lists and objects must be written as JSON.
 * @throws {SettingsError}
 */
export function parseSettings(schema: TObject | undefined, pairs: readonly string[]): SettingValues {
  const entries = pairs.map((pair): [string, unknown] => {
    const separator = pair.indexOf('=');
    if (separator < 1) throw new SettingsError([{ field: pair, rule: 'must be written name=value' }]);
    const name = pair.slice(0, separator);
    const { type } = (schema?.properties[name] ?? {}) as { type?: unknown };
    return [name, parseValue(type, pair.slice(separator + 1))];
  });
  return Object.fromEntries(entries);
}

function parseValue(type: unknown, text: string): unknown {
  if ((type === 'number' || type === 'integer') && text.trim() !== '' && !Number.isNaN(Number(text))) {
    return Number(text);
  }
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (type !== 'array' && type !== 'object') return text;
  try {
    return JSON.parse(text);
  } catch {
    // Text that is not valid JSON is returned unchanged, because the schema check will reject it.
    return text;
  }
}

export function parseReference(value: unknown): { where: 'env' | 'file'; name: string } | null {
  const match = typeof value === 'string' ? REFERENCE.exec(value) : null;
  return match && { where: match[1] as 'env' | 'file', name: match[2] as string };
}

function isReference(form: SettingsForm, field: string, value: unknown): boolean {
  return form.secrets.includes(field) && typeof value === 'string' && REFERENCE.test(value);
}

function readReference(reference: string, env: NodeJS.ProcessEnv): string {
  const [, where, name = ''] = REFERENCE.exec(reference) as RegExpExecArray;
  if (where === 'env') {
    const value = env[name];
    if (!value) throw new Error(`refers to the environment variable ${name}, which is not set`);
    return value;
  }
  try {
    return readTextFile(name).replace(/\r?\n$/, '');
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    throw new Error(`refers to the file ${name}, which cannot be read (${code})`);
  }
}

/** Schemas are not validated here, because a test validates the settings schemas of all carriers. */
const ajv = new Ajv({ allErrors: true, useDefaults: true, strict: false, validateSchema: false });

function validate(
  schema: TObject,
  settings: SettingValues,
  secrets: ReadonlySet<string>,
): { values: SettingValues; problems: FieldProblem[] } {
  const values = structuredClone(settings);
  const problems: FieldProblem[] = [];
  const names = Object.keys(schema.properties);
  for (const field of Object.keys(settings)) {
    if (!names.includes(field)) problems.push({ field, rule: `is not a setting; valid settings: ${names.join(', ')}` });
  }
  // Ajv caches compiled schemas.
  const check = ajv.compile(schema);
  if (!check(values)) {
    const reportedFields = new Set<string>();
    for (const error of check.errors ?? []) {
      const problem = describeProblem(error, values, secrets);
      if (reportedFields.has(problem.field) || error.keyword === 'additionalProperties') continue;
      reportedFields.add(problem.field);
      problems.push(problem);
    }
  }
  return { values, problems };
}

function describeProblem(error: ErrorObject, values: SettingValues, secrets: ReadonlySet<string>): FieldProblem {
  const { missingProperty, allowedValues } = error.params as { missingProperty?: string; allowedValues?: unknown[] };
  if (missingProperty) return { field: missingProperty, rule: 'must be set' };
  const field = error.instancePath.split('/')[1] ?? '';
  const rule = allowedValues ? `must be one of ${allowedValues.join(', ')}` : (error.message ?? 'is wrong');
  const currentValue = secrets.has(field) ? '' : ` (it is ${JSON.stringify(values[field])})`;
  return { field, rule: `${rule}${currentValue}` };
}
