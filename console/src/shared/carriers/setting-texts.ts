import type { DescribedSetting } from '../../api/installation/carriers.js';

/** Typed texts by setting name; an empty text means the default value. */
export type SettingTexts = Readonly<Record<string, string>>;

/** Text that the server returns instead of a secret. */
export const HIDDEN = '***';

/** Leaves out hidden secrets. */
export function toTexts(
  settings: readonly DescribedSetting[],
  values: Readonly<Record<string, unknown>>,
): SettingTexts {
  const isHidden = (name: string) =>
    values[name] === HIDDEN && settings.find((setting) => setting.name === name)?.secret;
  const visible = Object.entries(values).filter(([name]) => !isHidden(name));
  return Object.fromEntries(
    visible.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

/** Invalid numbers and invalid JSON stay strings, and the server then refuses them. */
export function toValues(settings: readonly DescribedSetting[], texts: SettingTexts): Record<string, unknown> {
  const filled = Object.entries(texts).filter(([, value]) => value !== '');
  return Object.fromEntries(
    filled.map(([name, value]) => [name, parseValue(settings.find((setting) => setting.name === name)?.kind, value)]),
  );
}

export function diffSettings(
  settings: readonly DescribedSetting[],
  before: SettingTexts,
  after: SettingTexts,
): { set: Record<string, unknown>; unset: string[] } {
  const changed = Object.entries(after).filter(([name, value]) => value !== (before[name] ?? ''));
  return {
    set: toValues(settings, Object.fromEntries(changed)),
    unset: changed.filter(([name, value]) => value === '' && name in before).map(([name]) => name),
  };
}

function parseValue(kind: DescribedSetting['kind'] | undefined, value: string): unknown {
  if (kind === undefined || kind === 'text') return value;
  if (kind === 'boolean') return value === 'true';
  if (kind !== 'json') return Number.isNaN(Number(value)) ? value : Number(value);
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
