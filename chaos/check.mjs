import { getPlannedEnd } from './plan.mjs';

const FINAL_STATUSES = new Set(['delivered', 'read', 'undelivered', 'failed', 'rejected', 'expired', 'canceled']);
/** A fault explains the lost response of a submit up to this long before the fault, and up to AFTER_MS after it. */
const BEFORE_MS = 2_000;
const AFTER_MS = 5_000;

/**
 * Compares what senders, carriers, webhook receivers and operators recorded with the store.
 * @param {object} evidence
 * @param {{to: string, kind: string, via: string, outcome: string, id: string | null}[]} evidence.journal responses that senders got
 * @param {{id: string, members: string[]}[]} evidence.campaigns
 * @param {{messages: any[], ledger: Record<string, number>, balance: number, inbound: Record<string, number>}} evidence.store
 *   `lostResponses` of a message counts the attempts that were recorded as possibly accepted
 * @param {{to: string, via: string, id: string, at: number, lost: boolean}[]} evidence.submissions messages that carriers accepted
 * @param {{to: string, via: string, state: string}[]} evidence.receipts receipts that the server acknowledged
 * @param {{id: string, type: string, data: any}[]} evidence.events events that the webhook receiver got
 * @param {string[]} evidence.inboundIds inbound messages that the server acknowledged
 * @param {{name: string, from: number, to: number, mayDouble: boolean}[]} evidence.faults
 * @param {{to: string, id: string, afterMs: number, isShown?: boolean, status?: number}[]} evidence.reads what operators saw
 * @param {number} evidence.maxAgeMs how stale a list may be
 * @returns {string[]} findings, which start with the name of the violated invariant
 */
export function check(evidence) {
  return [
    ...checkAcknowledged(evidence),
    ...checkDuplicates(evidence),
    ...checkCampaigns(evidence),
    ...checkFallbacks(evidence),
    ...checkInbound(evidence),
    ...checkFinalStatuses(evidence),
    ...checkLedger(evidence),
    ...checkRefunds(evidence),
    ...checkDuplicateSubmissions(evidence),
    ...checkReportedEnds(evidence),
    ...checkWebhooks(evidence),
    ...checkLists(evidence),
  ];
}

const toRecipientKey = ({ to, via }) => `${via} ${to}`;

export function groupBy(list, toKey) {
  const groups = new Map();
  for (const entry of list) {
    const key = toKey(entry);
    const group = groups.get(key);
    if (group) group.push(entry);
    else groups.set(key, [entry]);
  }
  return groups;
}

/** Checks invariant 1: every acknowledged message is in the store. */
export function checkAcknowledged({ journal, store }) {
  const messages = new Map(store.messages.map((message) => [message.id, message]));
  return journal.flatMap(({ outcome, id, to, kind }) => {
    if (outcome !== 'acknowledged') return [];
    if (!messages.has(id)) return [`lost: ${kind} to ${to} was acknowledged as ${id}, which does not exist`];
    return messages.get(id).to === to
      ? []
      : [`lost: ${kind} to ${to} was acknowledged as ${id}, which has another recipient`];
  });
}

/**
 * Checks that requests with the same idempotency key created only one message, and that refused requests created no message.
 */
function checkDuplicates({ journal, store }) {
  const rows = groupBy(store.messages, toRecipientKey);
  return journal.flatMap(({ outcome, to, via, kind }) => {
    const count = rows.get(toRecipientKey({ to, via }))?.length ?? 0;
    if (count > 1) return [`twice: ${kind} to ${to} created ${count} messages`];
    const maxCount = outcome === 'refused' || outcome === 'closed' ? 0 : 1;
    return count > maxCount ? [`refused: ${kind} to ${to} was ${outcome}, but there is a message`] : [];
  });
}

function checkCampaigns({ campaigns, store }) {
  const rows = groupBy(
    store.messages.filter(({ campaignId }) => campaignId !== null),
    ({ campaignId, to }) => `${campaignId} ${to}`,
  );
  return campaigns.flatMap(({ id, members }) =>
    members.flatMap((to) => {
      const count = rows.get(`${id} ${to}`)?.length ?? 0;
      return count === 1 ? [] : [`campaign: member ${to} of ${id} has ${count} messages`];
    }),
  );
}

/** Checks that a failed WhatsApp message led to exactly one fallback SMS, and other messages to no SMS. */
function checkFallbacks({ journal, store }) {
  const rows = groupBy(store.messages, toRecipientKey);
  return journal.flatMap(({ outcome, kind, to }) => {
    const [message] = rows.get(`whatsapp ${to}`) ?? [];
    if (kind !== 'fallback' || outcome !== 'acknowledged' || !message) return [];
    const count = rows.get(`sms ${to}`)?.length ?? 0;
    const expected = message.status === 'failed' ? 1 : 0;
    return count === expected
      ? []
      : [`fallback: ${message.id} to ${to} is ${message.status} and has ${count} fallback SMS`];
  });
}

function checkInbound({ inboundIds, store }) {
  return inboundIds.flatMap((id) => {
    const count = store.inbound[id] ?? 0;
    return count === 1 ? [] : [`inbound: ${id} was acknowledged and is stored ${count} times`];
  });
}

/** Checks invariant 2: every message reaches a final status. */
export function checkFinalStatuses({ store }) {
  return store.messages.flatMap(({ id, to, status }) =>
    FINAL_STATUSES.has(status) ? [] : [`unfinished: ${id} to ${to} is still ${status}`],
  );
}

/** Checks invariant 3: every message is charged once and refunded at most once, and the balance matches the ledger. */
export function checkLedger({ store }) {
  const sum = (messages) => messages.reduce((total, { price }) => total + price, 0);
  const { charge = 0, refund = 0, ...otherEntries } = store.ledger;
  const charged = sum(store.messages);
  const refunded = sum(store.messages.filter((message) => message.refunded));
  const total = Object.values(otherEntries).reduce((subtotal, amount) => subtotal + amount, charge + refund);
  return [
    ...(-charge === charged ? [] : [`charged: the ledger charged ${-charge} instead of ${charged}`]),
    ...(refund === refunded ? [] : [`refunded: the ledger refunded ${refund} instead of ${refunded}`]),
    ...(store.balance === total ? [] : [`balance: it is ${store.balance}, but the ledger adds up to ${total}`]),
  ];
}

/** Checks that failed messages are refunded unless a carrier may have accepted them, which only a lost response can explain. */
function checkRefunds({ store, submissions, faults }) {
  const submissionsByRecipient = groupBy(submissions, toRecipientKey);
  // All open requests of a session lose their responses when the session ends.
  const mayHaveLostResponse = faults.some(({ mayDouble }) => mayDouble) || submissions.some(({ lost }) => lost);
  return store.messages.flatMap((message) => {
    const wasAccepted = submissionsByRecipient.has(toRecipientKey(message));
    if (message.refunded && wasAccepted) return [`refund: ${message.id} to ${message.to} was accepted and refunded`];
    if (message.refunded || message.status !== 'failed' || wasAccepted) return [];
    if (message.maybeAccepted && mayHaveLostResponse) return [];
    return [`refund: ${message.id} to ${message.to} failed without being accepted, but was not refunded`];
  });
}

/** Checks invariant 4: a message is submitted again only after its response was lost. */
function checkDuplicateSubmissions({ store, submissions, faults }) {
  const messages = new Map(store.messages.map((message) => [toRecipientKey(message), message]));
  const losingFaults = faults.filter(({ mayDouble }) => mayDouble);
  return [...groupBy(submissions, toRecipientKey)].flatMap(([recipient, recipientSubmissions]) => {
    const message = messages.get(recipient);
    if (!message) return [`unknown: a carrier accepted a message for ${recipient}, but there is none`];
    const sorted = [...recipientSubmissions].sort((a, b) => a.at - b.at);
    const earlier = sorted.slice(0, -1);
    const unexplained = earlier.filter(
      ({ lost, at }) => !lost && !losingFaults.some(({ from, to }) => at > from - BEFORE_MS && at < to + AFTER_MS),
    );
    const timeouts = Math.max(0, message.lostResponses - earlier.filter(({ lost }) => lost).length);
    const findings = unexplained
      .slice(timeouts)
      .map(
        ({ at }) =>
          `doubled: ${recipient} was submitted again after ${at}, although no response to that submission was lost`,
      );
    if (sorted.length > message.attempts) {
      findings.push(`doubled: ${recipient} was accepted ${sorted.length} times in ${message.attempts} attempts`);
    }
    return findings;
  });
}

/**
 * Checks invariant 5: the final status is the status that the carrier reported. If a carrier contradicted itself, both of its
 * reports are accepted.
 */
function checkReportedEnds({ store, receipts }) {
  const receiptsByRecipient = groupBy(receipts, toRecipientKey);
  return store.messages.flatMap(({ id, to, via, status }) => {
    if (getPlannedEnd(to) === 'refused') return status === 'failed' ? [] : [`end: ${id} was refused, but is ${status}`];
    const reportedStates = new Set(
      (receiptsByRecipient.get(toRecipientKey({ to, via })) ?? []).map(({ state }) => state),
    );
    return reportedStates.has(status)
      ? []
      : [`end: ${id} to ${to} is ${status}, but its carrier reported ${[...reportedStates].join(', ') || 'nothing'}`];
  });
}

/** Checks that webhooks reported the final status of every message. */
function checkWebhooks({ store, events }) {
  const eventsByMessage = groupBy(
    events.filter(({ type }) => type === 'message.status'),
    ({ data }) => data.messageId,
  );
  return store.messages.flatMap(({ id, to, status }) => {
    const statuses = (eventsByMessage.get(id) ?? []).map(({ data }) => data.status);
    return statuses.includes(status)
      ? []
      : [`webhook: ${id} to ${to} is ${status}, but webhooks reported ${statuses.join(', ') || 'nothing'}`];
  });
}

/** Checks invariant 8: a list shows every message that is older than the list's maximum staleness. */
function checkLists({ reads, maxAgeMs }) {
  if (reads.length === 0) return ['look: no list was read'];
  return reads.flatMap(({ id, to, afterMs, isShown, status }) => {
    const description = `${id} to ${to} was acknowledged ${Math.round(afterMs)} ms before a list read`;
    if (status !== undefined) return [`look: ${description} that returned ${status}`];
    return isShown || afterMs < maxAgeMs ? [] : [`stale: ${description} that did not show it`];
  });
}
