import type { JobLine, NewJob } from './backend.js';
import { type LaneOrder, SAME_TURN } from './lane-order.js';
import { packIds } from './packed-ids.js';

const ID_SUFFIX_LENGTH = 12;
/** Maximum messages per job of a backlog, small enough that urgent jobs can soon overtake the backlog. */
export const JOB_MESSAGES = 100;
/**
 * Maximum messages per job of steady traffic. The limit is higher than for a backlog, because the overhead of a job costs as
 * much as sending dozens of messages.
 */
const STEADY_JOB_MESSAGES = 500;
/** A job may contain at most this share of the messages that the carrier accepts per second. */
const JOB_RATE_SHARE = 0.25;

export interface DueMessage {
  id: string;
  accountId: string;
  campaignId: string | null;
  priority: number;
  carrier: string;
  /** Whether the message was just accepted in a small request, so that it is not part of a backlog. */
  isFlowing?: boolean;
  traceparent?: string | null;
}

interface Chunk {
  number: number;
  line: JobLine | null;
  ids: string[];
  traceparent: string | null;
}

/**
 * Builds jobs that each have messages for one carrier. A job has messages of several accounts only if they have the same turn
 * and fit into one job.
 * @param rateLimitFor maximum messages per second of a carrier, or null for no limit
 */
export function buildJobs(
  messages: readonly DueMessage[],
  order: LaneOrder,
  rateLimitFor: (carrier: string) => number | null,
): NewJob[] {
  const jobs: NewJob[] = [];
  for (const carrierMessages of groupBy(messages, (message) => `${isSteadyTraffic(message)} ${message.carrier}`)) {
    const { carrier } = carrierMessages[0] as DueMessage;
    const size = chooseJobSize(rateLimitFor(carrier), isSteadyTraffic(carrierMessages[0] as DueMessage));
    const chunks = groupBy(
      carrierMessages,
      (message) => `${message.accountId} ${message.campaignId} ${message.priority}`,
    )
      .flatMap((line) => splitLine(line, size, order))
      .sort((a, b) => a.number - b.number);
    for (const { number, line, ids, traceparent } of mergeChunks(chunks, size)) {
      const data = { ids: packIds(ids), carrier, ...(line && { line }) };
      jobs.push({ name: 'send', data, opts: { priority: number, ...KEEP_NOTHING }, traceparent });
    }
  }
  return jobs;
}

function splitLine(line: readonly DueMessage[], size: number, order: LaneOrder): Chunk[] {
  const { accountId, campaignId, priority } = line[0] as DueMessage;
  const first = priority % 2 === 1;
  const chunks: Chunk[] = [];
  for (let start = 0; start < line.length; start += size) {
    const ids = line.slice(start, start + size).map(({ id }) => id);
    const number = order.assignNumber({
      accountId,
      campaignId,
      first,
      share: ids.length / Math.min(size, JOB_MESSAGES),
    });
    const { traceparent = null } = line[start] as DueMessage;
    chunks.push({ number, line: toJobLine(accountId, campaignId, first), ids, traceparent });
  }
  return chunks;
}

function mergeChunks(chunks: readonly Chunk[], size: number): Chunk[] {
  const jobs: Chunk[] = [];
  for (const chunk of chunks) {
    const last = jobs.at(-1);
    const fits = last && last.ids.length + chunk.ids.length <= size && chunk.number - last.number <= SAME_TURN;
    if (fits) {
      last.ids.push(...chunk.ids);
      last.line = null;
      last.traceparent ??= chunk.traceparent;
    } else {
      jobs.push(chunk);
    }
  }
  return jobs;
}

/** Uses only the last characters of the IDs, because they are random enough to be distinct. */
function toJobLine(accountId: string, campaignId: string | null, first: boolean): JobLine {
  const account = accountId.slice(-ID_SUFFIX_LENGTH);
  return { account, ...(campaignId && { campaign: campaignId.slice(-ID_SUFFIX_LENGTH) }), ...(first && { first }) };
}

function chooseJobSize(rate: number | null, isSteady: boolean): number {
  if (rate === null) return isSteady ? STEADY_JOB_MESSAGES : JOB_MESSAGES;
  return Math.max(1, Math.min(JOB_MESSAGES, Math.floor(rate * JOB_RATE_SHARE)));
}

/** Campaigns always count as a backlog, because messages in a running job can no longer be canceled. */
function isSteadyTraffic({ isFlowing = false, campaignId }: DueMessage): boolean {
  return isFlowing && campaignId === null;
}

function groupBy(messages: readonly DueMessage[], toKey: (message: DueMessage) => string): DueMessage[][] {
  const groupsByKey = new Map<string, DueMessage[]>();
  for (const message of messages) {
    const key = toKey(message);
    const group = groupsByKey.get(key);
    if (group) group.push(message);
    else groupsByKey.set(key, [message]);
  }
  return [...groupsByKey.values()];
}

const KEEP_NOTHING = { removeOnComplete: true, removeOnFail: true, attempts: 1 };
