import { Value } from '@sinclair/typebox/value';
import type { SettingValues } from '../settings.js';
import { genericPlan } from './generic/plan.js';
import { GENERIC_SECRETS, type GenericSettings, genericSettings } from './generic/settings.js';
import type { Plan } from './plan.js';
import { HTTP_PRESETS } from './presets/presets.js';

/** What settings that were checked come to. */
export function planOf(settings: SettingValues): Plan {
  const preset = HTTP_PRESETS.find(({ name }) => name === settings.preset);
  return preset ? preset.plan(settings) : genericPlan(settings as GenericSettings);
}

/** The values of settings that are secret. */
export function secretsIn(settings: SettingValues): string[] {
  const preset = HTTP_PRESETS.find(({ name }) => name === settings.preset);
  const names: readonly string[] = preset?.secrets ?? GENERIC_SECRETS;
  return names.map((name) => settings[name]).filter((value) => typeof value === 'string');
}

/** The same of settings as they are stored: without defaults, and secrets perhaps not in their places. It reads, and sends nothing. */
export function planOfStored(settings: SettingValues): Plan {
  const preset = HTTP_PRESETS.find(({ name }) => name === settings.preset);
  return planOf(Value.Default(preset?.settings ?? genericSettings, structuredClone(settings)) as SettingValues);
}
