import { isAbsolute, relative, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { FieldProblem } from '../../platform/errors/app-error.js';
import { invalidFields } from '../../platform/errors/field-problems.js';
import type { CarrierType } from '../carrier-type.js';
import { formOf, referenceOf, type SettingsForm, type SettingValues } from '../settings.js';

/**
 * Where secrets may stand that somebody at the console names. Whoever sets a carrier up says where its secrets are sent, so
 * a name that they may choose freely would hand them every secret of the server.
 */
export interface AllowedReferences {
  /** Names of variables, for `env:NAME`. */
  names: readonly string[];
  /** The folder of the files, for `file:/path`; null: none may be named. */
  folder: string | null;
}

/**
 * Checks where secrets stand that are to be set.
 * @throws {AppError} INVALID_REQUEST that names each setting that says a place which is not allowed
 */
export function requireAllowedReferences(type: CarrierType, given: SettingValues, allowed: AllowedReferences): void {
  refuse(
    formOf(type, given).secrets.flatMap((field) => {
      const reference = referenceOf(given[field]);
      const rule = reference && ruleBroken(reference, allowed);
      return rule ? [{ field, rule }] : [];
    }),
  );
}

/**
 * Checks that no stored secret goes to another place than it was given for: who changes where a carrier is, or how it is
 * trusted, gives its secrets anew.
 * @param before the settings so far
 * @param after the settings to be
 * @param named the settings that the change sets or takes away
 * @throws {AppError} INVALID_REQUEST that names each secret that must be given
 */
export function requireSecretsAnew(
  type: CarrierType,
  { before, after, named }: { before: SettingValues; after: SettingValues; named: ReadonlySet<string> },
): void {
  const [was, is] = [formOf(type, before), formOf(type, after)];
  const destinations = [...new Set([...(is === was ? [] : ['preset']), ...was.destinations, ...is.destinations])];
  const moved = destinations.filter(
    (name) => !isDeepStrictEqual(effective(was, before, name), effective(is, after, name)),
  );
  if (moved.length === 0) return;
  const rule = `must be given again, because ${moved.join(', ')} ${moved.length > 1 ? 'become' : 'becomes'} another: stored secrets are not sent elsewhere`;
  const kept = is.secrets.filter(
    (name) => before[name] !== undefined && !named.has(name) && !destinations.includes(name),
  );
  refuse(kept.map((field) => ({ field, rule })));
}

function effective(form: SettingsForm, settings: SettingValues, name: string): unknown {
  return settings[name] ?? form.settings.properties[name]?.default;
}

function ruleBroken({ where, name }: { where: 'env' | 'file'; name: string }, { names, folder }: AllowedReferences) {
  if (where === 'env') {
    if (names.includes(name)) return null;
    return 'must be the secret itself: from the console env:NAME works for the names of CARRIER_SECRETS_ENV alone';
  }
  if (folder !== null && isAbsolute(name) && isInside(folder, name)) return null;
  return 'must be the secret itself: from the console file:/path works for files below CARRIER_SECRETS_FOLDER alone';
}

function isInside(folder: string, path: string): boolean {
  const way = relative(resolve(folder), resolve(path));
  return way !== '' && way !== '..' && !/^\.\.[/\\]/.test(way) && !isAbsolute(way);
}

function refuse(problems: readonly FieldProblem[]): void {
  if (problems.length === 0) return;
  throw invalidFields(problems.map((problem) => ({ ...problem, sentence: `${problem.field} ${problem.rule}` })));
}
