import { isAbsolute, relative, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { FieldProblem } from '../../platform/errors/app-error.js';
import { invalidFields } from '../../platform/errors/field-problems.js';
import type { CarrierType } from '../carrier-type.js';
import { findSettingsForm, parseReference, type SettingsForm, type SettingValues } from '../settings.js';

/**
 * The person who adds a carrier chooses where its secrets are sent, and could expose every secret of the server if all
 * references were allowed.
 */
export interface AllowedReferences {
  names: readonly string[];
  /** Folder for files with secrets; null if references to files are not allowed. */
  folder: string | null;
}

/** Throws the AppError INVALID_REQUEST naming each setting with a forbidden reference. */
export function requireAllowedReferences(type: CarrierType, settings: SettingValues, allowed: AllowedReferences): void {
  throwProblems(
    findSettingsForm(type, settings).secrets.flatMap((field) => {
      const reference = parseReference(settings[field]);
      const rule = reference && findBrokenRule(reference, allowed);
      return rule ? [{ field, rule }] : [];
    }),
  );
}

/**
 * Throws the AppError INVALID_REQUEST naming each secret that must be entered again. Settings in `entered` were set or
 * removed by the change.
 */
export function requireSecretsAgain(
  type: CarrierType,
  { before, after, entered }: { before: SettingValues; after: SettingValues; entered: ReadonlySet<string> },
): void {
  const [formBefore, formAfter] = [findSettingsForm(type, before), findSettingsForm(type, after)];
  const destinations = [
    ...new Set([
      ...(formAfter === formBefore ? [] : ['preset']),
      ...formBefore.destinations,
      ...formAfter.destinations,
    ]),
  ];
  const changedDestinations = destinations.filter(
    (name) =>
      !isDeepStrictEqual(getEffectiveValue(formBefore, before, name), getEffectiveValue(formAfter, after, name)),
  );
  if (changedDestinations.length === 0) return;
  const rule = `must be entered again, because ${changedDestinations.join(', ')} changed: stored secrets are not sent to a new destination`;
  const affectedSecrets = formAfter.secrets.filter(
    (name) => before[name] !== undefined && !entered.has(name) && !destinations.includes(name),
  );
  throwProblems(affectedSecrets.map((field) => ({ field, rule })));
}

function getEffectiveValue(form: SettingsForm, settings: SettingValues, name: string): unknown {
  return settings[name] ?? form.settings.properties[name]?.default;
}

function findBrokenRule(
  { where, name }: { where: 'env' | 'file'; name: string },
  { names, folder }: AllowedReferences,
) {
  if (where === 'env') {
    if (names.includes(name)) return null;
    return 'must be the secret itself: the console accepts env:NAME only for names in CARRIER_SECRETS_ENV';
  }
  if (folder !== null && isAbsolute(name) && isInside(folder, name)) return null;
  return 'must be the secret itself: the console accepts file:/path only for files below CARRIER_SECRETS_FOLDER';
}

function isInside(folder: string, path: string): boolean {
  const relativePath = relative(resolve(folder), resolve(path));
  return relativePath !== '' && relativePath !== '..' && !/^\.\.[/\\]/.test(relativePath) && !isAbsolute(relativePath);
}

function throwProblems(problems: readonly FieldProblem[]): void {
  if (problems.length === 0) return;
  throw invalidFields(problems.map((problem) => ({ ...problem, sentence: `${problem.field} ${problem.rule}` })));
}
