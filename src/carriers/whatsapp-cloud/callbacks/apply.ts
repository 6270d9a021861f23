import type { Logger } from 'pino';
import type { ClaimedCallback } from '../../callbacks/callback-store.js';
import { idsIn, idsInText, type UnusedReason, type UnusedReport } from '../../callbacks/kept/unused-report.js';
import type { ChannelPause } from '../../carrier.js';
import type { CallbackContext } from '../../carrier-type.js';
import type { EchoReport } from '../../inbound-message.js';
import { channelHealthOf } from '../send/errors.js';
import { emptyReport, readCallback } from './callback-body.js';
import { type FoundChannel, findChannels, findChannelsOfAccounts, keyOf } from './channel-store.js';
import type { Part } from './part.js';
import type { CallbackReport, Told } from './report.js';
import { recordStops } from './stops.js';

/** A callback that a report is of. */
type Origin = Pick<ClaimedCallback, 'id' | 'carrier' | 'receivedAt'>;
type From<News> = News & { origin: Origin };
type Reports = { [List in keyof CallbackReport]: From<CallbackReport[List][number]>[] };

/**
 * Does what callbacks of the Cloud API report: statuses go to the receipts, all of them together, and messages into the
 * channel that has the number. What this version cannot use is returned, so that it is kept: reports of numbers that no channel
 * of the carrier has among it, and of those of deleted channels all but the statuses.
 */
export async function applyCallbacks(
  callbacks: readonly ClaimedCallback[],
  { pool, log, sinks }: CallbackContext,
): Promise<readonly UnusedReport[]> {
  const unused: UnusedReport[] = [];
  const reports = emptyReport() as Reports;
  for (const callback of callbacks) {
    const parsed = parse(callback.body);
    if (parsed === undefined) unused.push(unreadable(callback));
    else gather(reports, readCallback(parsed, callback.carrier, callback.receivedAt), callback);
  }
  const channels = await findChannels(
    pool,
    Object.values(reports).flatMap((list) => list.map(numberOf)),
  );
  const channelOf = (each: From<Told<object>>) => channels.get(keyOf(numberOf(each)));
  const keep = (each: From<Told<object>>, reason: UnusedReason) =>
    void unused.push(unusedPart(each.origin, each.part, reason, channelOf(each)?.id ?? null));
  /** Those whose channel is there; the others are kept. */
  const present = <News extends From<Told<object>>>(list: readonly News[]) =>
    list.flatMap((each) => {
      const channel = channelOf(each);
      if (channel && !channel.isDeleted) return [{ ...each, channel }];
      keep(each, 'no-channel');
      return [];
    });

  const ours: Reports['statuses'] = [];
  for (const each of reports.statuses) {
    if (channelOf(each)) ours.push(each);
    else keep(each, 'no-channel');
  }
  if (ours.length > 0) await sinks.receipts(ours.map(({ receipt }) => receipt));
  await pauseChannels(ours, channels, sinks);
  await recordStops(
    ours.flatMap((each) => {
      const channel = channelOf(each);
      return channel && !channel.isDeleted ? [{ ...each, channel }] : [];
    }),
    sinks,
  );
  const messages = present(reports.inbound).map(({ report, channel }) => ({ ...report, channel }));
  if (messages.length > 0) await sinks.inbound(messages);
  // After what they wrote: some are made contacts by it. What a status says by the way goes with the status.
  const beside = reports.people.filter((each) => each.isBeside && channelOf(each)?.isDeleted === false);
  const people = present([...reports.people.filter(({ isBeside }) => !isBeside), ...beside]);
  if (people.length > 0) await sinks.people(people.map(({ person, channel }) => ({ ...person, channel })));
  await applyEchoes(present(reports.echoes), keep, sinks);
  // After the messages that they change, which may be of the same callbacks.
  for (const each of present(reports.corrections)) {
    if (!(await sinks.correction({ ...each.correction, channel: each.channel }))) keep(each, 'no-message');
  }
  for (const each of present(reports.actions)) {
    if (!(await sinks.action({ ...each.action, channel: each.channel }))) keep(each, 'no-contact');
  }
  for (const { preference, channel } of present(reports.preferences))
    await sinks.preference({ ...preference, channel });
  await applyToAccounts(reports, keep, { pool, sinks });
  for (const each of reports.unused) keep(each, each.reason);
  tell(log, unused);
  return unused;
}

/** Those that name no recipient come last: what they are about may be of the same callbacks. */
async function applyEchoes(
  reports: readonly (Reports['echoes'][number] & { channel: FoundChannel })[],
  keep: (each: From<Told<object>>, reason: UnusedReason) => void,
  sinks: CallbackContext['sinks'],
): Promise<void> {
  if (reports.length === 0) return;
  const told = new Map(reports.map((each) => [{ ...each.echo, channel: each.channel }, each]));
  const echoes: EchoReport[] = [...told.keys()].sort((a, b) => Number(a.to === null) - Number(b.to === null));
  const strays = new Set(await sinks.echoes(echoes));
  for (const [echo, each] of told) if (strays.has(echo)) keep(each, 'no-message');
}

function gather(reports: Reports, read: CallbackReport, { id, carrier, receivedAt }: ClaimedCallback): void {
  const origin = { id, carrier, receivedAt };
  for (const list of Object.keys(read) as (keyof CallbackReport)[]) {
    for (const each of read[list]) (reports[list] as object[]).push({ ...each, origin });
  }
}

function numberOf({ origin, part }: From<Told<object>>) {
  return { carrier: origin.carrier, phoneNumberId: part.phoneNumberId ?? '' };
}

function unusedPart(origin: Origin, part: Part, reason: UnusedReason, channelId: string | null): UnusedReport {
  const { id: callbackId, carrier, receivedAt } = origin;
  const body = part.body();
  const common = { callbackId, carrier, channelId, kind: part.kind, reason, receivedAt };
  return { ...common, ids: idsIn(body), body: Buffer.from(JSON.stringify(body)) };
}

/** The endpoint has verified who sent it, and not what it is. */
function parse(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

function unreadable({ id: callbackId, carrier, receivedAt, body }: ClaimedCallback): UnusedReport {
  const common = { callbackId, carrier, channelId: null, receivedAt, body };
  return { ...common, kind: 'body:unreadable', reason: 'unreadable', ids: idsInText(body.toString('utf8')) };
}

/** Templates and numbers are those of all channels whose numbers belong to the account. */
async function applyToAccounts(
  { templates, accounts }: Reports,
  keep: (each: From<Told<object>>, reason: UnusedReason) => void,
  { pool, sinks }: Pick<CallbackContext, 'pool' | 'sinks'>,
): Promise<void> {
  const accountOf = ({ origin, part }: From<Told<object>>) => ({
    carrier: origin.carrier,
    businessAccountId: part.businessAccountId ?? '',
  });
  const known = await findChannelsOfAccounts(pool, [...templates, ...accounts].map(accountOf));
  const channelsOf = (each: From<Told<object>>) => {
    const { carrier, businessAccountId } = accountOf(each);
    return known.filter((channel) => channel.carrier === carrier && channel.businessAccountId === businessAccountId);
  };
  for (const each of templates) {
    const channelIds = channelsOf(each).map(({ id }) => id);
    if (channelIds.length === 0) keep(each, 'no-channel');
    else if (!(await sinks.template(channelIds, each.news))) keep(each, 'no-template');
  }
  for (const each of accounts) {
    const { phoneNumber, phoneNumberId, standing, pause } = each.news;
    const meant = channelsOf(each).filter(
      (channel) =>
        (phoneNumber === null || channel.phoneNumber === phoneNumber) &&
        (phoneNumberId === null || channel.phoneNumberId === phoneNumberId),
    );
    if (meant.length === 0) keep(each, 'no-channel');
    for (const { id } of meant) {
      await sinks.standing(id, standing);
      if (pause) await sinks.pause(id, pause);
    }
  }
}

/** Meta finds some errors only after it took a message: they concern what the channel would send after it as well. */
async function pauseChannels(
  statuses: readonly From<CallbackReport['statuses'][number]>[],
  channels: ReadonlyMap<string, FoundChannel>,
  { pause }: CallbackContext['sinks'],
): Promise<void> {
  const latest = new Map<string, ChannelPause>();
  for (const status of statuses) {
    const channel = channels.get(keyOf(numberOf(status)));
    const { errorCode: code, errorMessage: reason = '', occurredAt: at } = status.receipt;
    const health = code === undefined ? null : channelHealthOf(Number(code));
    if (!channel || code === undefined || health === null) continue;
    const known = latest.get(channel.id);
    if (!known || known.at < at) latest.set(channel.id, { health, code, reason, at });
  }
  for (const [channelId, found] of latest) await pause(channelId, found);
}

/** Once for each carrier and reason, without a word of anybody's. */
function tell(log: Logger, unused: readonly UnusedReport[]): void {
  const lines = new Map<string, { carrier: string; reason: string; kept: Record<string, number> }>();
  for (const { carrier, reason, kind } of unused) {
    const line = lines.get(`${carrier} ${reason}`) ?? { carrier, reason, kept: {} };
    line.kept[kind] = (line.kept[kind] ?? 0) + 1;
    lines.set(`${carrier} ${reason}`, line);
  }
  for (const line of lines.values()) {
    const isMisfit = line.reason === 'no-channel' || line.reason === 'unreadable';
    if (isMisfit) log.warn(line, `reports of Meta were kept: ${WHY[line.reason] ?? line.reason}`);
    else log.info(line, `reports of Meta were kept: ${WHY[line.reason] ?? line.reason}`);
  }
}

const WHY: Readonly<Record<string, string>> = {
  'no-channel': 'no channel of the carrier has this phoneNumberId',
  unreadable: 'a webhook is no JSON',
  unknown: 'this version does not use them',
};
