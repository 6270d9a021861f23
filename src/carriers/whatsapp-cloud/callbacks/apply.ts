import type { Logger } from 'pino';
import type { ClaimedCallback } from '../../callbacks/callback-store.js';
import {
  findIds,
  findIdsInText,
  type UnmatchedReason,
  type UnmatchedReport,
} from '../../callbacks/unmatched/unmatched-report.js';
import type { ChannelPause } from '../../carrier.js';
import type { CallbackContext } from '../../carrier-type.js';
import type { EchoReport } from '../../inbound-message.js';
import { findChannelHealth } from '../send/errors.js';
import { emptyReport, readCallback } from './callback-body.js';
import { type FoundChannel, findChannels, findChannelsOfAccounts, toNumberKey } from './channel-store.js';
import { recordMarketingOptOuts } from './marketing-opt-outs.js';
import type { Part } from './part.js';
import type { CallbackReport, WithPart } from './report.js';

type Origin = Pick<ClaimedCallback, 'id' | 'carrier' | 'receivedAt'>;
type WithOrigin<Report> = Report & { origin: Origin };
type Reports = { [List in keyof CallbackReport]: WithOrigin<CallbackReport[List][number]>[] };

/** Applies callbacks and returns the unmatched parts. Of the webhooks for a deleted channel, only statuses are applied. */
export async function applyCallbacks(
  callbacks: readonly ClaimedCallback[],
  { pool, log, sinks }: CallbackContext,
): Promise<readonly UnmatchedReport[]> {
  const unmatched: UnmatchedReport[] = [];
  const reports = emptyReport() as Reports;
  for (const callback of callbacks) {
    const parsed = parse(callback.body);
    if (parsed === undefined) unmatched.push(toUnreadableReport(callback));
    else collectReports(reports, readCallback(parsed, callback.carrier, callback.receivedAt), callback);
  }
  const channels = await findChannels(
    pool,
    Object.values(reports).flatMap((list) => list.map(toMetaNumber)),
  );
  const findChannel = (report: WithOrigin<WithPart<object>>) => channels.get(toNumberKey(toMetaNumber(report)));
  const addUnmatched = (report: WithOrigin<WithPart<object>>, reason: UnmatchedReason) =>
    void unmatched.push(toUnmatchedReport(report.origin, report.part, reason, findChannel(report)?.id ?? null));
  const withActiveChannel = <Report extends WithOrigin<WithPart<object>>>(list: readonly Report[]) =>
    list.flatMap((report) => {
      const channel = findChannel(report);
      if (channel && !channel.isDeleted) return [{ ...report, channel }];
      addUnmatched(report, 'no-channel');
      return [];
    });

  const statuses: Reports['statuses'] = [];
  for (const report of reports.statuses) {
    if (findChannel(report)) statuses.push(report);
    else addUnmatched(report, 'no-channel');
  }
  if (statuses.length > 0) await sinks.receipts(statuses.map(({ receipt }) => receipt));
  await pauseChannels(statuses, channels, sinks);
  await recordMarketingOptOuts(
    statuses.flatMap((report) => {
      const channel = findChannel(report);
      return channel && !channel.isDeleted ? [{ ...report, channel }] : [];
    }),
    sinks,
  );
  const messages = withActiveChannel(reports.inbound).map(({ report, channel }) => ({ ...report, channel }));
  if (messages.length > 0) await sinks.inbound(messages);
  // People are reported after inbound messages, because inbound messages create some of the contacts.
  const fromStatuses = reports.people.filter(
    (report) => report.isFromStatus && findChannel(report)?.isDeleted === false,
  );
  const people = withActiveChannel([...reports.people.filter(({ isFromStatus }) => !isFromStatus), ...fromStatuses]);
  if (people.length > 0) await sinks.people(people.map(({ person, channel }) => ({ ...person, channel })));
  await applyEchoes(withActiveChannel(reports.echoes), addUnmatched, sinks);
  // Corrections are applied after messages, because the corrected message may be in the same batch.
  for (const report of withActiveChannel(reports.corrections)) {
    if (!(await sinks.correction({ ...report.correction, channel: report.channel })))
      addUnmatched(report, 'no-message');
  }
  for (const report of withActiveChannel(reports.actions)) {
    if (!(await sinks.action({ ...report.action, channel: report.channel }))) addUnmatched(report, 'no-contact');
  }
  for (const { preference, channel } of withActiveChannel(reports.preferences))
    await sinks.preference({ ...preference, channel });
  await applyToAccounts(reports, addUnmatched, { pool, sinks });
  for (const report of reports.unmatched) addUnmatched(report, report.reason);
  logUnmatched(log, unmatched);
  return unmatched;
}

/** Echoes without a recipient are applied last, because they refer to a message that may be in the same batch. */
async function applyEchoes(
  reports: readonly (Reports['echoes'][number] & { channel: FoundChannel })[],
  addUnmatched: (report: WithOrigin<WithPart<object>>, reason: UnmatchedReason) => void,
  sinks: CallbackContext['sinks'],
): Promise<void> {
  if (reports.length === 0) return;
  const reportsByEcho = new Map(reports.map((report) => [{ ...report.echo, channel: report.channel }, report]));
  const echoes: EchoReport[] = [...reportsByEcho.keys()].sort((a, b) => Number(a.to === null) - Number(b.to === null));
  const unmatchedEchoes = new Set(await sinks.echoes(echoes));
  for (const [echo, report] of reportsByEcho) if (unmatchedEchoes.has(echo)) addUnmatched(report, 'no-message');
}

function collectReports(reports: Reports, report: CallbackReport, { id, carrier, receivedAt }: ClaimedCallback): void {
  const origin = { id, carrier, receivedAt };
  for (const list of Object.keys(report) as (keyof CallbackReport)[]) {
    for (const item of report[list]) (reports[list] as object[]).push({ ...item, origin });
  }
}

function toMetaNumber({ origin, part }: WithOrigin<WithPart<object>>) {
  return { carrier: origin.carrier, phoneNumberId: part.phoneNumberId ?? '' };
}

function toUnmatchedReport(
  origin: Origin,
  part: Part,
  reason: UnmatchedReason,
  channelId: string | null,
): UnmatchedReport {
  const { id: callbackId, carrier, receivedAt } = origin;
  const body = part.body();
  const common = { callbackId, carrier, channelId, kind: part.kind, reason, receivedAt };
  return { ...common, ids: findIds(body), body: Buffer.from(JSON.stringify(body)) };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

function toUnreadableReport({ id: callbackId, carrier, receivedAt, body }: ClaimedCallback): UnmatchedReport {
  const common = { callbackId, carrier, channelId: null, receivedAt, body };
  return { ...common, kind: 'body:unreadable', reason: 'unreadable', ids: findIdsInText(body.toString('utf8')) };
}

async function applyToAccounts(
  { templates, accounts }: Reports,
  addUnmatched: (report: WithOrigin<WithPart<object>>, reason: UnmatchedReason) => void,
  { pool, sinks }: Pick<CallbackContext, 'pool' | 'sinks'>,
): Promise<void> {
  const toMetaAccount = ({ origin, part }: WithOrigin<WithPart<object>>) => ({
    carrier: origin.carrier,
    businessAccountId: part.businessAccountId ?? '',
  });
  const accountChannels = await findChannelsOfAccounts(pool, [...templates, ...accounts].map(toMetaAccount));
  const findAccountChannels = (report: WithOrigin<WithPart<object>>) => {
    const { carrier, businessAccountId } = toMetaAccount(report);
    return accountChannels.filter(
      (channel) => channel.carrier === carrier && channel.businessAccountId === businessAccountId,
    );
  };
  for (const report of templates) {
    const channelIds = findAccountChannels(report).map(({ id }) => id);
    if (channelIds.length === 0) addUnmatched(report, 'no-channel');
    else if (!(await sinks.template(channelIds, report.change))) addUnmatched(report, 'no-template');
  }
  for (const report of accounts) {
    const { phoneNumber, phoneNumberId, statusChange, pause } = report.accountReport;
    const affectedChannels = findAccountChannels(report).filter(
      (channel) =>
        (phoneNumber === null || channel.phoneNumber === phoneNumber) &&
        (phoneNumberId === null || channel.phoneNumberId === phoneNumberId),
    );
    if (affectedChannels.length === 0) addUnmatched(report, 'no-channel');
    for (const { id } of affectedChannels) {
      await sinks.channelStatus(id, statusChange);
      if (pause) await sinks.pause(id, pause);
    }
  }
}

/**
 * Pauses channels after errors that Meta reports only after accepting a message, because these errors also affect the
 * channel's next messages.
 */
async function pauseChannels(
  statuses: readonly WithOrigin<CallbackReport['statuses'][number]>[],
  channels: ReadonlyMap<string, FoundChannel>,
  { pause }: CallbackContext['sinks'],
): Promise<void> {
  const latest = new Map<string, ChannelPause>();
  for (const status of statuses) {
    const channel = channels.get(toNumberKey(toMetaNumber(status)));
    const { errorCode: code, errorMessage: reason = '', occurredAt: at } = status.receipt;
    const health = code === undefined ? null : findChannelHealth(Number(code));
    if (!channel || code === undefined || health === null) continue;
    const previous = latest.get(channel.id);
    if (!previous || previous.at < at) latest.set(channel.id, { health, code, reason, at });
  }
  for (const [channelId, channelPause] of latest) await pause(channelId, channelPause);
}

function logUnmatched(log: Logger, unmatched: readonly UnmatchedReport[]): void {
  const lines = new Map<string, { carrier: string; reason: string; kept: Record<string, number> }>();
  for (const { carrier, reason, kind } of unmatched) {
    const line = lines.get(`${carrier} ${reason}`) ?? { carrier, reason, kept: {} };
    line.kept[kind] = (line.kept[kind] ?? 0) + 1;
    lines.set(`${carrier} ${reason}`, line);
  }
  for (const line of lines.values()) {
    const isSuspicious = line.reason === 'no-channel' || line.reason === 'unreadable';
    if (isSuspicious) log.warn(line, `stored unused webhook reports: ${REASON_TEXTS[line.reason] ?? line.reason}`);
    else log.info(line, `stored unused webhook reports: ${REASON_TEXTS[line.reason] ?? line.reason}`);
  }
}

const REASON_TEXTS: Readonly<Record<string, string>> = {
  'no-channel': 'no channel of the carrier has this phoneNumberId',
  unreadable: 'the body is not valid JSON',
  unknown: 'this version does not support them',
};
