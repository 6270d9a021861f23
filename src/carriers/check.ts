import type { Logger } from 'pino';
import { systemClock } from '../clock.js';
import type { CarrierRow } from './carrier-store.js';
import type { CarrierType, CheckedChannel, CheckStep } from './carrier-type.js';
import { checkChannelSettings, resolveSettings, SettingsError, type SettingValues } from './settings.js';
import { carrierType } from './types.js';

export interface CheckOptions {
  types: readonly CarrierType[];
  /** Where `env:NAME` of a setting is looked up. */
  env: NodeJS.ProcessEnv;
  log: Logger;
}

/** Tries a carrier out step by step: its settings, its secrets, its channels, and then whatever its type can try. */
export async function* checkCarrier(
  row: CarrierRow,
  channels: readonly CheckedChannel[],
  { types, env, log }: CheckOptions,
): AsyncIterable<CheckStep> {
  const type = carrierType(row.type, types);
  if (!type) {
    yield { what: `the type ${row.type}`, problem: 'this version does not know it' };
    return;
  }
  if (!row.isActive) yield { what: 'the carrier is switched on', problem: 'it is off: no message goes to it' };
  let settings: SettingValues;
  try {
    settings = resolveSettings(type, row.settings, env);
  } catch (error) {
    yield* refused('the settings', error);
    return;
  }
  yield { what: 'the settings', problem: null };
  for (const channel of channels) {
    const what = `the settings of the channel ${channel.phoneNumber}`;
    try {
      if (channel.kind === 'whatsapp') checkChannelSettings(type, channel.settings ?? {});
      yield { what, problem: null };
    } catch (error) {
      yield* refused(what, error);
    }
  }
  yield* type.check({ name: row.name, settings, log, clock: systemClock }, channels);
}

function* refused(what: string, error: unknown): Iterable<CheckStep> {
  if (!(error instanceof SettingsError)) throw error;
  for (const { field, rule } of error.problems) {
    yield { what, problem: `${field} ${rule}`.trim(), ...(field && { setting: field }) };
  }
}
