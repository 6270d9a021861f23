import type { Logger } from 'pino';
import type { Clock } from '../../platform/clock.js';
import type { CarrierType, CheckedChannel, CheckStep } from '../carrier-type.js';
import { UNLOGGED } from '../http/client.js';
import type { CarrierRow } from '../registry/carrier-store.js';
import { checkChannelSettings, resolveSettings, SettingsError, type SettingValues } from '../settings.js';
import { findCarrierType } from '../types.js';

export interface CheckOptions {
  types: readonly CarrierType[];
  env: NodeJS.ProcessEnv;
  log: Logger;
  clock: Clock;
  /** See `CarrierContext`. */
  privateHosts?: readonly string[];
}

export interface ChannelOfCarrier extends CheckedChannel {
  isActive: boolean;
}

export async function* checkCarrier(
  row: CarrierRow,
  allChannels: readonly ChannelOfCarrier[],
  { types, env, log, clock, privateHosts = [] }: CheckOptions,
): AsyncIterable<CheckStep> {
  const type = findCarrierType(row.type, types);
  if (!type) {
    yield { what: `the type ${row.type}`, problem: 'this version does not support it' };
    return;
  }
  if (!row.isActive) yield { what: 'the carrier is disabled and gets no messages', problem: null };
  let settings: SettingValues;
  try {
    settings = resolveSettings(type, row.settings, env);
  } catch (error) {
    yield* toProblemSteps('the settings', error);
    return;
  }
  yield { what: 'the settings', problem: null };
  const channels = allChannels.filter(({ isActive }) => isActive);
  for (const channel of channels) {
    const step = `the settings of the channel ${channel.phoneNumber}`;
    try {
      if (channel.kind === 'whatsapp') checkChannelSettings(type, channel.settings ?? {});
      yield { what: step, problem: null };
    } catch (error) {
      yield* toProblemSteps(step, error);
    }
  }
  yield* checkSharedIdentities(type, allChannels);
  yield* type.check({ name: row.name, settings, log, clock, privateHosts, calls: UNLOGGED }, channels);
}

function* checkSharedIdentities(
  { channelIdentity }: CarrierType,
  channels: readonly ChannelOfCarrier[],
): Iterable<CheckStep> {
  if (channelIdentity === undefined) return;
  const oldestByIdentity = new Map<unknown, ChannelOfCarrier>();
  for (const channel of channels) {
    const value = channel.settings?.[channelIdentity];
    const conflicting = oldestByIdentity.get(value);
    if (value === undefined) continue;
    if (!conflicting) oldestByIdentity.set(value, channel);
    else {
      yield {
        what: `distinguish the channels ${conflicting.id} (${conflicting.phoneNumber}) and ${channel.id} (${channel.phoneNumber})`,
        problem: `both have the ${channelIdentity} ${value}: inbound messages reach only one of them`,
        setting: channelIdentity,
      };
    }
  }
}

function* toProblemSteps(step: string, error: unknown): Iterable<CheckStep> {
  if (!(error instanceof SettingsError)) throw error;
  for (const { field, rule } of error.problems) {
    yield { what: step, problem: `${field} ${rule}`.trim(), ...(field && { setting: field }) };
  }
}
