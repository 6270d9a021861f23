import type { Logger } from 'pino';
import type { ClaimedCallback } from '../../callbacks/callback-store.js';
import type { ChannelPause } from '../../carrier.js';
import type { CallbackContext } from '../../carrier-type.js';
import { channelHealthOf } from '../send/errors.js';
import { type CloudInbound, type CloudPerson, type CloudStatus, readCallback } from './callback-body.js';
import { findChannels, keyOf, type MetaNumber } from './channel-store.js';

/**
 * Does what callbacks of the Cloud API report: statuses go to the receipts, all of them together, and messages into the
 * channel that has the number. Of numbers that no channel of the carrier has, nothing is used; of those of deleted channels,
 * the statuses alone.
 */
export async function applyCallbacks(
  callbacks: readonly ClaimedCallback[],
  { pool, log, sinks }: CallbackContext,
): Promise<void> {
  const statuses: (MetaNumber & CloudStatus)[] = [];
  const inbound: (MetaNumber & CloudInbound)[] = [];
  const people: (MetaNumber & CloudPerson)[] = [];
  for (const { carrier, body, receivedAt } of callbacks) {
    const report = readCallback(parse(body, carrier, log), carrier, receivedAt);
    for (const status of report.statuses) statuses.push({ ...status, carrier });
    for (const message of report.inbound) inbound.push({ ...message, carrier });
    for (const person of report.people) people.push({ ...person, carrier });
    const ignored = Object.entries(report.ignored).filter(([kind]) => kind !== 'status:sent');
    if (ignored.length > 0) log.info({ carrier, ignored: Object.fromEntries(ignored) }, 'reports of Meta not used');
  }
  const channels = await findChannels(pool, [...statuses, ...inbound, ...people]);
  const isGone = (each: MetaNumber) => channels.get(keyOf(each))?.isDeleted !== false;
  logUnknown(log, [...statuses.filter((each) => !channels.has(keyOf(each))), ...inbound.filter(isGone)]);

  const receipts = statuses.filter((each) => channels.has(keyOf(each))).map(({ receipt }) => receipt);
  if (receipts.length > 0) await sinks.receipts(receipts);
  await pauseChannels(statuses, channels, sinks);
  const messages = inbound.flatMap((each) => {
    const channel = channels.get(keyOf(each));
    return channel && !isGone(each) ? [{ ...each.report, channel }] : [];
  });
  if (messages.length > 0) await sinks.inbound(messages);
  // After what they wrote: some are made contacts by it.
  const reports = people.flatMap((each) => {
    const channel = channels.get(keyOf(each));
    return channel && !isGone(each) ? [{ ...each.person, channel }] : [];
  });
  if (reports.length > 0) await sinks.people(reports);
}

/** Meta finds some errors only after it took a message: they concern what the channel would send after it as well. */
async function pauseChannels(
  statuses: readonly (MetaNumber & CloudStatus)[],
  channels: Awaited<ReturnType<typeof findChannels>>,
  { pause }: CallbackContext['sinks'],
): Promise<void> {
  const latest = new Map<string, ChannelPause>();
  for (const status of statuses) {
    const channel = channels.get(keyOf(status));
    const { errorCode: code, errorMessage: reason = '', occurredAt: at } = status.receipt;
    const health = code === undefined ? null : channelHealthOf(Number(code));
    if (!channel || code === undefined || health === null) continue;
    const known = latest.get(channel.id);
    if (!known || known.at < at) latest.set(channel.id, { health, code, reason, at });
  }
  for (const [channelId, found] of latest) await pause(channelId, found);
}

/** The endpoint has verified who sent it, and no more than how it begins and ends. */
function parse(body: Buffer, carrier: string, log: Logger): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    log.warn({ carrier }, 'a webhook is no JSON, and nothing of it is used');
    return null;
  }
}

function logUnknown(log: Logger, numbers: readonly MetaNumber[]): void {
  const counts = new Map<string, MetaNumber & { reports: number }>();
  for (const { carrier, phoneNumberId } of numbers) {
    const key = keyOf({ carrier, phoneNumberId });
    const known = counts.get(key) ?? { carrier, phoneNumberId, reports: 0 };
    known.reports += 1;
    counts.set(key, known);
  }
  for (const count of counts.values()) {
    log.warn(count, 'webhooks were ignored: no channel of the carrier has this phoneNumberId');
  }
}
