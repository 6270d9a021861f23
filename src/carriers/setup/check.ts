import type { Logger } from 'pino';
import type { Clock } from '../../platform/clock.js';
import type { CarrierType, CheckedChannel, CheckStep } from '../carrier-type.js';
import { UNLOGGED } from '../http/client.js';
import type { CarrierRow } from '../registry/carrier-store.js';
import { checkChannelSettings, resolveSettings, SettingsError, type SettingValues } from '../settings.js';
import { carrierType } from '../types.js';

export interface CheckOptions {
  types: readonly CarrierType[];
  /** Where `env:NAME` of a setting is looked up. */
  env: NodeJS.ProcessEnv;
  log: Logger;
  clock: Clock;
  /** As of `CarrierContext`. */
  privateHosts?: readonly string[];
}

/** A channel that names a carrier. One that is switched off sends nothing, but what comes in may find it. */
export interface ChannelOfCarrier extends CheckedChannel {
  isActive: boolean;
}

/** Tries a carrier out step by step: its settings, its secrets, its channels, and then whatever its type can try. */
export async function* checkCarrier(
  row: CarrierRow,
  all: readonly ChannelOfCarrier[],
  { types, env, log, clock, privateHosts = [] }: CheckOptions,
): AsyncIterable<CheckStep> {
  const type = carrierType(row.type, types);
  if (!type) {
    yield { what: `the type ${row.type}`, problem: 'this version does not know it' };
    return;
  }
  // It may be tried out before any message goes to it.
  if (!row.isActive) yield { what: 'the carrier is switched off: no message goes to it', problem: null };
  let settings: SettingValues;
  try {
    settings = resolveSettings(type, row.settings, env);
  } catch (error) {
    yield* refused('the settings', error);
    return;
  }
  yield { what: 'the settings', problem: null };
  const channels = all.filter(({ isActive }) => isActive);
  for (const channel of channels) {
    const what = `the settings of the channel ${channel.phoneNumber}`;
    try {
      if (channel.kind === 'whatsapp') checkChannelSettings(type, channel.settings ?? {});
      yield { what, problem: null };
    } catch (error) {
      yield* refused(what, error);
    }
  }
  yield* sharedIdentities(type, all);
  yield* type.check({ name: row.name, settings, log, clock, privateHosts, calls: UNLOGGED }, channels);
}

/** Channels that are the same at the carrier, each named with the oldest of them. */
function* sharedIdentities(
  { channelIdentity }: CarrierType,
  channels: readonly ChannelOfCarrier[],
): Iterable<CheckStep> {
  if (channelIdentity === undefined) return;
  const first = new Map<unknown, ChannelOfCarrier>();
  for (const channel of channels) {
    const value = channel.settings?.[channelIdentity];
    const other = first.get(value);
    if (value === undefined) continue;
    if (!other) first.set(value, channel);
    else {
      yield {
        what: `tell the channels ${other.id} (${other.phoneNumber}) and ${channel.id} (${channel.phoneNumber}) apart`,
        problem: `both have the ${channelIdentity} ${value}: what comes in goes to one of them only`,
        setting: channelIdentity,
      };
    }
  }
}

function* refused(what: string, error: unknown): Iterable<CheckStep> {
  if (!(error instanceof SettingsError)) throw error;
  for (const { field, rule } of error.problems) {
    yield { what, problem: `${field} ${rule}`.trim(), ...(field && { setting: field }) };
  }
}
