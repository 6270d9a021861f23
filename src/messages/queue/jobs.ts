import type { JobLine, NewJob } from './backend.js';
import { type LaneOrder, SAME_TURN } from './lane-order.js';
import { packIds } from './packed-ids.js';

const ID_END = 12;
/** Messages of one job of a backlog at the most, so that it can soon be overtaken. */
export const JOB_MESSAGES = 100;
/** Of messages that come at a time and are no backlog so many go in one job, for a job costs as much as the sending of dozens. */
const FLOW_MESSAGES = 500;
/** Part of a second of the carrier's rate that one job may hold. */
const JOB_RATE_SHARE = 0.25;

/** A message that is due, as the queue needs it. */
export interface DueMessage {
  id: string;
  accountId: string;
  /** The campaign that sends it. */
  campaignId: string | null;
  priority: number;
  carrier: string;
  /** It was accepted a moment ago, with few others in its request: what comes so is no backlog. */
  flows?: boolean;
  /** The step that accepted it, as in W3C Trace Context; left out where that is not known or not traced. */
  traceparent?: string | null;
}

/** Messages of one line, as many as a job holds or fewer. */
interface Chunk {
  number: number;
  line: JobLine | null;
  ids: string[];
  traceparent: string | null;
}

/**
 * The jobs of messages of one lane: of one carrier each, and of one account, unless messages of several are so few that
 * they fit into one job of the same turn.
 * @param rateOf messages per second that a carrier takes; null when it sets no limit
 */
export function jobsOf(
  messages: readonly DueMessage[],
  order: LaneOrder,
  rateOf: (carrier: string) => number | null,
): NewJob[] {
  const jobs: NewJob[] = [];
  for (const ofCarrier of groups(messages, (message) => `${isFlow(message)} ${message.carrier}`)) {
    const { carrier } = ofCarrier[0] as DueMessage;
    const size = jobSize(rateOf(carrier), isFlow(ofCarrier[0] as DueMessage));
    const chunks = groups(ofCarrier, (message) => `${message.accountId} ${message.campaignId} ${message.priority}`)
      .flatMap((line) => chunksOf(line, size, order))
      .sort((a, b) => a.number - b.number);
    for (const { number, line, ids, traceparent } of joined(chunks, size)) {
      const data = { ids: packIds(ids), carrier, ...(line && { line }) };
      jobs.push({ name: 'send', data, opts: { priority: number, ...KEEP_NOTHING }, traceparent });
    }
  }
  return jobs;
}

function chunksOf(line: readonly DueMessage[], size: number, order: LaneOrder): Chunk[] {
  const { accountId, campaignId, priority } = line[0] as DueMessage;
  const first = priority % 2 === 1;
  const chunks: Chunk[] = [];
  for (let start = 0; start < line.length; start += size) {
    const ids = line.slice(start, start + size).map(({ id }) => id);
    const number = order.next({ accountId, campaignId, first, share: ids.length / Math.min(size, JOB_MESSAGES) });
    const { traceparent = null } = line[start] as DueMessage;
    chunks.push({ number, line: lineOf(accountId, campaignId, first), ids, traceparent });
  }
  return chunks;
}

/** Fills jobs with the chunks that follow on each other, for a job costs as much as the sending of dozens of messages. */
function joined(chunks: readonly Chunk[], size: number): Chunk[] {
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

/** The ends of ids are random enough to tell lines apart. */
function lineOf(accountId: string, campaignId: string | null, first: boolean): JobLine {
  const account = accountId.slice(-ID_END);
  return { account, ...(campaignId && { campaign: campaignId.slice(-ID_END) }), ...(first && { first }) };
}

function jobSize(rate: number | null, flow: boolean): number {
  if (rate === null) return flow ? FLOW_MESSAGES : JOB_MESSAGES;
  return Math.max(1, Math.min(JOB_MESSAGES, Math.floor(rate * JOB_RATE_SHARE)));
}

/** A campaign is a backlog from its beginning, which may be canceled as long as its messages are in no job that runs. */
function isFlow({ flows = false, campaignId }: DueMessage): boolean {
  return flows && campaignId === null;
}

function groups(messages: readonly DueMessage[], keyOf: (message: DueMessage) => string): DueMessage[][] {
  const found = new Map<string, DueMessage[]>();
  for (const message of messages) {
    const key = keyOf(message);
    const known = found.get(key);
    if (known) known.push(message);
    else found.set(key, [message]);
  }
  return [...found.values()];
}

const KEEP_NOTHING = { removeOnComplete: true, removeOnFail: true, attempts: 1 };
