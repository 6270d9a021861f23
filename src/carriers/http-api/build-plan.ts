import { Value } from '@sinclair/typebox/value';
import type { SettingValues } from '../settings.js';
import { buildGenericPlan } from './generic/plan.js';
import { GENERIC_SECRETS, type GenericSettings, genericSettings } from './generic/settings.js';
import type { Plan } from './plan.js';
import { HTTP_PRESETS } from './presets/presets.js';

export function buildPlan(settings: SettingValues): Plan {
  const preset = HTTP_PRESETS.find(({ name }) => name === settings.preset);
  return preset ? preset.buildPlan(settings) : buildGenericPlan(settings as GenericSettings);
}

export function listSecretValues(settings: SettingValues): string[] {
  const preset = HTTP_PRESETS.find(({ name }) => name === settings.preset);
  const names: readonly string[] = preset?.secrets ?? GENERIC_SECRETS;
  return names.map((name) => settings[name]).filter((value) => typeof value === 'string');
}

/** The plan cannot be used for sending, because it lacks default settings and contains unresolved secret references. */
export function buildStoredPlan(settings: SettingValues): Plan {
  const preset = HTTP_PRESETS.find(({ name }) => name === settings.preset);
  return buildPlan(Value.Default(preset?.settings ?? genericSettings, structuredClone(settings)) as SettingValues);
}
