import { checkAcknowledged, checkFinalStatuses, checkLedger, groupBy } from '../check.mjs';

/**
 * Compares the responses that senders received with the stores of both servers. `doubled` counts messages that the second
 * server accepted twice, and `unsure` counts messages with an unknown outcome.
 * @param {{journal: any[], first: any, second: any, kills: number}} evidence with each server as returned by `readStore`
 * @returns {{findings: string[], doubled: number, unsure: number}}
 */
export function checkPair({ journal, first, second, kills }) {
  const secondMessages = groupBy(second.messages, ({ to }) => to);
  const firstMessages = groupBy(first.messages, ({ to }) => to);
  const counts = { doubled: 0, unsure: 0 };
  const findings = [
    ...checkAcknowledged({ journal, store: first }),
    ...journal.flatMap((entry) => checkRequest(entry, firstMessages)),
    ...first.messages.flatMap((message) => checkArrival(message, secondMessages.get(message.to) ?? [], kills, counts)),
    ...second.messages.flatMap(({ id, to }) =>
      firstMessages.has(to) ? [] : [`unknown: ${id} to ${to} was not sent by the first server`],
    ),
    ...checkServer('first', first),
    ...checkServer('second', second),
  ];
  return { findings, ...counts };
}

function checkRequest({ to, outcome, parts }, firstMessages) {
  const rows = firstMessages.get(to) ?? [];
  if (rows.length > 1) return [`twice: a send to ${to} created ${rows.length} messages`];
  if (outcome === 'refused' && rows.length > 0) return [`refused: a send to ${to} was refused, but there is a message`];
  if (outcome !== 'unknown' && outcome !== 'acknowledged') return [`refused: a send to ${to} was refused`];
  return rows.some((row) => row.parts !== parts) ? [`parts: the message to ${to} does not have ${parts} segments`] : [];
}

/**
 * Checks that the second server has a message once, or twice after a lost response, with the same segments and final status.
 */
function checkArrival(message, copies, kills, counts) {
  const { id, to, status, parts, attempts, maybeAccepted, refunded, carrier, carrierMessageId } = message;
  if (carrier !== 'second') return [`carrier: ${id} to ${to} was sent through ${carrier}`];
  const isUnsure = maybeAccepted && status === 'failed';
  if (copies.length === 0) {
    if (isUnsure && kills > 0) {
      counts.unsure += 1;
      return [];
    }
    return [`lost: ${id} to ${to} is ${status}, but the second server does not have it`];
  }
  const findings = [];
  if (refunded) findings.push(`refund: ${id} to ${to} was accepted and refunded`);
  if (copies.length > 1) {
    counts.doubled += 1;
    if (!maybeAccepted) findings.push(`doubled: ${to} has ${copies.length} messages, although no response was lost`);
    if (copies.length > Math.min(2, attempts)) {
      findings.push(`doubled: ${to} has ${copies.length} messages after ${attempts} attempts`);
    }
  }
  for (const copy of copies) {
    if (copy.parts !== parts)
      findings.push(`parts: ${id} to ${to} has ${parts} segments, but ${copy.parts} on the second server`);
  }
  if (isUnsure) {
    counts.unsure += 1;
    return findings;
  }
  const matching = copies.find((copy) => toUuid(carrierMessageId) === copy.id);
  if (!matching)
    findings.push(`id: ${id} to ${to} is ${carrierMessageId} for the second server, which has no such message`);
  else if (matching.status !== status)
    findings.push(`end: ${id} to ${to} is ${status}, but ${matching.status} on the second server`);
  return findings;
}

function checkServer(name, store) {
  return [...checkFinalStatuses({ store }), ...checkLedger({ store })].map((finding) =>
    finding.replace(': ', `: ${name}: `),
  );
}

/** Returns the UUID in a Twilio SID, and other IDs unchanged. */
function toUuid(id) {
  return id?.replace(/^SM(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
