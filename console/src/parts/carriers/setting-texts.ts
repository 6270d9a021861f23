import type { DescribedSetting } from '../../api/installation/carriers.js';

/** Settings as the fields hold them: texts, empty where a setting is left to its default. */
export type SettingTexts = Readonly<Record<string, string>>;

/** What the server shows in place of a secret. */
export const HIDDEN = '***';

/** Settings as texts, without the secrets that nobody may see. */
export function toTexts(
  settings: readonly DescribedSetting[],
  values: Readonly<Record<string, unknown>>,
): SettingTexts {
  const isHidden = (name: string) => values[name] === HIDDEN && settings.find((each) => each.name === name)?.secret;
  const shown = Object.entries(values).filter(([name]) => !isHidden(name));
  return Object.fromEntries(
    shown.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

/** What was typed, as the server takes it; what is no number or no JSON goes as it is, for the server to refuse. */
export function toValues(settings: readonly DescribedSetting[], texts: SettingTexts): Record<string, unknown> {
  const typed = Object.entries(texts).filter(([, value]) => value !== '');
  return Object.fromEntries(
    typed.map(([name, value]) => [name, parsed(settings.find((each) => each.name === name)?.kind, value)]),
  );
}

/** What was changed: settings with another value, and those that go back to their default. */
export function changesOf(
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

function parsed(kind: DescribedSetting['kind'] | undefined, value: string): unknown {
  if (kind === undefined || kind === 'text') return value;
  if (kind === 'boolean') return value === 'true';
  if (kind !== 'json') return Number.isNaN(Number(value)) ? value : Number(value);
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
