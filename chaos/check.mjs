import { endOf } from './plan.mjs';

const FINAL = new Set(['delivered', 'read', 'undelivered', 'failed', 'rejected', 'expired', 'canceled']);
/** A response close to a fault may not have been recorded. */
const BEFORE_MS = 2_000;
const AFTER_MS = 5_000;

/**
 * Compares records kept outside the server with the store.
 * @param {object} evidence
 * @param {{to: string, kind: string, via: string, outcome: string, id: string | null}[]} evidence.journal responses that senders got
 * @param {{id: string, members: string[]}[]} evidence.campaigns
 * @param {{messages: any[], ledger: Record<string, number>, balance: number, inbound: Record<string, number>}} evidence.store
 *   `lostResponses` of a message: its attempts that were recorded as possibly accepted
 * @param {{to: string, via: string, id: string, at: number, lost: boolean}[]} evidence.taken messages that carriers accepted
 * @param {{to: string, via: string, state: string}[]} evidence.reported receipts that the server acknowledged
 * @param {{id: string, type: string, data: any}[]} evidence.told events that the webhook receiver got
 * @param {string[]} evidence.wrote IDs of inbound messages that the server acknowledged
 * @param {{name: string, from: number, to: number, mayDouble: boolean}[]} evidence.faults
 * @param {{to: string, id: string, afterMs: number, isShown?: boolean, status?: number}[]} evidence.reads what operators saw
 * @param {number} evidence.maxAgeMs how stale a list may be
 * @returns {string[]} findings, each starting with the name of the broken invariant
 */
export function check(evidence) {
  return [
    ...acknowledgedAreThere(evidence),
    ...eachOnce(evidence),
    ...campaignsReachAll(evidence),
    ...fallbacksStepIn(evidence),
    ...inboundAreThere(evidence),
    ...allEnded(evidence),
    ...moneyAddsUp(evidence),
    ...refundsAreRight(evidence),
    ...doublesAreExplained(evidence),
    ...endsAreRight(evidence),
    ...webhooksReportTheEnd(evidence),
    ...listsAreYoung(evidence),
  ];
}

const recipientKey = ({ to, via }) => `${via} ${to}`;

export function grouped(list, keyOf) {
  const groups = new Map();
  for (const each of list) {
    const key = keyOf(each);
    const group = groups.get(key);
    if (group) group.push(each);
    else groups.set(key, [each]);
  }
  return groups;
}

/** Invariant 1: success means committed. */
export function acknowledgedAreThere({ journal, store }) {
  const ids = new Map(store.messages.map((message) => [message.id, message]));
  return journal.flatMap(({ outcome, id, to, kind }) => {
    if (outcome !== 'acknowledged') return [];
    if (!ids.has(id)) return [`lost: ${kind} to ${to} was acknowledged as ${id}, which is not there`];
    return ids.get(id).to === to ? [] : [`lost: ${kind} to ${to} was acknowledged as ${id}, which goes to another`];
  });
}

/** A key creates one message even if it is repeated. A refused request creates none. */
function eachOnce({ journal, store }) {
  const rows = grouped(store.messages, recipientKey);
  return journal.flatMap(({ outcome, to, via, kind }) => {
    const count = rows.get(recipientKey({ to, via }))?.length ?? 0;
    if (count > 1) return [`twice: ${kind} to ${to} made ${count} messages`];
    const mayBe = outcome === 'refused' || outcome === 'closed' ? 0 : 1;
    return count > mayBe ? [`refused: ${kind} to ${to} was ${outcome}, and there is a message`] : [];
  });
}

function campaignsReachAll({ campaigns, store }) {
  const rows = grouped(
    store.messages.filter(({ campaignId }) => campaignId !== null),
    ({ campaignId, to }) => `${campaignId} ${to}`,
  );
  return campaigns.flatMap(({ id, members }) =>
    members.flatMap((to) => {
      const count = rows.get(`${id} ${to}`)?.length ?? 0;
      return count === 1 ? [] : [`campaign: ${to} is a member of ${id} and has ${count} messages of it`];
    }),
  );
}

/** A failed WhatsApp message leads to exactly one fallback SMS, other messages to none. */
function fallbacksStepIn({ journal, store }) {
  const rows = grouped(store.messages, recipientKey);
  return journal.flatMap(({ outcome, kind, to }) => {
    const [message] = rows.get(`whatsapp ${to}`) ?? [];
    if (kind !== 'fallback' || outcome !== 'acknowledged' || !message) return [];
    const count = rows.get(`sms ${to}`)?.length ?? 0;
    const owed = message.status === 'failed' ? 1 : 0;
    return count === owed ? [] : [`fallback: ${message.id} to ${to} is ${message.status}, and has ${count} SMS`];
  });
}

function inboundAreThere({ wrote, store }) {
  return wrote.flatMap((id) => {
    const count = store.inbound[id] ?? 0;
    return count === 1 ? [] : [`inbound: ${id} was acknowledged and is there ${count} times`];
  });
}

/** Invariant 2: every message reaches a final status. */
export function allEnded({ store }) {
  return store.messages.flatMap(({ id, to, status }) =>
    FINAL.has(status) ? [] : [`unfinished: ${id} to ${to} is still ${status}`],
  );
}

/** Invariant 3: every message is charged once and refunded at most once, and the balance matches the ledger. */
export function moneyAddsUp({ store }) {
  const sum = (messages) => messages.reduce((total, { price }) => total + price, 0);
  const { charge = 0, refund = 0, ...others } = store.ledger;
  const charged = sum(store.messages);
  const refunded = sum(store.messages.filter((message) => message.refunded));
  const total = Object.values(others).reduce((all, amount) => all + amount, charge + refund);
  return [
    ...(-charge === charged ? [] : [`charged: the ledger charged ${-charge} for messages of ${charged}`]),
    ...(refund === refunded ? [] : [`refunded: the ledger gave ${refund} back for messages of ${refunded}`]),
    ...(store.balance === total ? [] : [`balance: it is ${store.balance}, and the ledger says ${total}`]),
  ];
}

/** A message is refunded if and only if no carrier accepted it. An unknown outcome, which a fault must explain, gets no refund. */
function refundsAreRight({ store, taken, faults }) {
  const takenBy = grouped(taken, recipientKey);
  // When a session ends, all of its open requests lose their responses.
  const couldLose = faults.some(({ mayDouble }) => mayDouble) || taken.some(({ lost }) => lost);
  return store.messages.flatMap((message) => {
    const wasTaken = takenBy.has(recipientKey(message));
    if (message.refunded && wasTaken) return [`refund: ${message.id} to ${message.to} was taken, and refunded`];
    if (message.refunded || message.status !== 'failed' || wasTaken) return [];
    if (message.maybeAccepted && couldLose) return [];
    return [`refund: ${message.id} to ${message.to} failed, nobody took it, and it was not refunded`];
  });
}

/**
 * Invariant 4: a message is submitted again only after a response was lost: dropped by the carrier, cut off by a fault, or
 * recorded as timed out.
 */
function doublesAreExplained({ store, taken, faults }) {
  const messages = new Map(store.messages.map((message) => [recipientKey(message), message]));
  const explains = faults.filter(({ mayDouble }) => mayDouble);
  return [...grouped(taken, recipientKey)].flatMap(([place, times]) => {
    const message = messages.get(place);
    if (!message) return [`unknown: a carrier was sent something to ${place}, and there is no message`];
    const submissions = [...times].sort((a, b) => a.at - b.at);
    const earlier = submissions.slice(0, -1);
    const unexplained = earlier.filter(
      ({ lost, at }) => !lost && !explains.some(({ from, to }) => at > from - BEFORE_MS && at < to + AFTER_MS),
    );
    const timeouts = Math.max(0, message.lostResponses - earlier.filter(({ lost }) => lost).length);
    const findings = unexplained
      .slice(timeouts)
      .map(({ at }) => `doubled: ${place} was sent again after ${at}, and no response to that submission was lost`);
    if (times.length > message.attempts) {
      findings.push(`doubled: ${place} was taken ${times.length} times in ${message.attempts} attempts`);
    }
    return findings;
  });
}

/** Invariant 5: every message ends as its carrier reported. If a carrier contradicted itself, either report is right. */
function endsAreRight({ store, reported }) {
  const words = grouped(reported, recipientKey);
  return store.messages.flatMap(({ id, to, via, status }) => {
    if (endOf(to) === 'refused') return status === 'failed' ? [] : [`end: ${id} was refused, and is ${status}`];
    const reportedStates = new Set((words.get(recipientKey({ to, via })) ?? []).map(({ state }) => state));
    return reportedStates.has(status)
      ? []
      : [`end: ${id} to ${to} is ${status}, and its carrier said ${[...reportedStates].join(', ') || 'nothing'}`];
  });
}

/** Webhooks report the final status of every message. */
function webhooksReportTheEnd({ store, told }) {
  const statuses = grouped(
    told.filter(({ type }) => type === 'message.status'),
    ({ data }) => data.messageId,
  );
  return store.messages.flatMap(({ id, to, status }) => {
    const words = (statuses.get(id) ?? []).map(({ data }) => data.status);
    return words.includes(status)
      ? []
      : [`webhook: ${id} to ${to} is ${status}, and told was ${words.join(', ') || 'nothing'}`];
  });
}

/** Invariant 8: a message appears in lists once they can no longer be older than the message. */
function listsAreYoung({ reads, maxAgeMs }) {
  if (reads.length === 0) return ['look: nobody saw a list'];
  return reads.flatMap(({ id, to, afterMs, isShown, status }) => {
    const description = `${id} to ${to} was acknowledged ${Math.round(afterMs)} ms before a look`;
    if (status !== undefined) return [`look: ${description} that was answered with ${status}`];
    return isShown || afterMs < maxAgeMs ? [] : [`stale: ${description} that did not show it`];
  });
}
