import { acknowledgedAreThere, allEnded, grouped, moneyAddsUp } from '../check.mjs';

/**
 * Compares the responses that senders got with the stores of both servers.
 * @param {{journal: any[], first: any, second: any, kills: number}} evidence each server as returned by `readStore`
 * @returns {{findings: string[], doubled: number, unsure: number}} `doubled`: messages that the second server accepted twice, after a
 *   lost response; `unsure`: messages whose outcome the first server does not know
 */
export function checkPair({ journal, first, second, kills }) {
  const there = grouped(second.messages, ({ to }) => to);
  const here = grouped(first.messages, ({ to }) => to);
  const counts = { doubled: 0, unsure: 0 };
  const findings = [
    ...acknowledgedAreThere({ journal, store: first }),
    ...journal.flatMap((entry) => oncePerKey(entry, here)),
    ...first.messages.flatMap((message) => arrived(message, there.get(message.to) ?? [], kills, counts)),
    ...second.messages.flatMap(({ id, to }) => (here.has(to) ? [] : [`unknown: ${id} to ${to} was sent by nobody`])),
    ...onServer('first', first),
    ...onServer('second', second),
  ];
  return { findings, ...counts };
}

function oncePerKey({ to, outcome, parts }, here) {
  const rows = here.get(to) ?? [];
  if (rows.length > 1) return [`twice: a send to ${to} made ${rows.length} messages`];
  if (outcome === 'refused' && rows.length > 0) return [`refused: a send to ${to} was refused, and there is a message`];
  if (outcome !== 'unknown' && outcome !== 'acknowledged') return [`refused: a send to ${to} was refused`];
  return rows.some((row) => row.parts !== parts) ? [`parts: the message to ${to} has not the ${parts} it was of`] : [];
}

/** A message must exist once on the second server, or twice after a lost response, with equal segments and final status. */
function arrived(message, copies, kills, counts) {
  const { id, to, status, parts, attempts, maybeAccepted, refunded, carrier, carrierMessageId } = message;
  if (carrier !== 'second') return [`carrier: ${id} to ${to} went by ${carrier}`];
  const isUnsure = maybeAccepted && status === 'failed';
  if (copies.length === 0) {
    if (isUnsure && kills > 0) {
      counts.unsure += 1;
      return [];
    }
    return [`lost: ${id} to ${to} is ${status}, and the second never had it`];
  }
  const findings = [];
  if (refunded) findings.push(`refund: ${id} to ${to} was taken, and refunded`);
  if (copies.length > 1) {
    counts.doubled += 1;
    if (!maybeAccepted) findings.push(`doubled: ${to} has ${copies.length} messages, and no answer was lost`);
    if (copies.length > Math.min(2, attempts)) {
      findings.push(`doubled: ${to} has ${copies.length} messages of ${attempts} attempts`);
    }
  }
  for (const copy of copies) {
    if (copy.parts !== parts) findings.push(`parts: ${id} to ${to} has ${parts}, and ${copy.parts} at the second`);
  }
  if (isUnsure) {
    counts.unsure += 1;
    return findings;
  }
  const matching = copies.find((copy) => toUuid(carrierMessageId) === copy.id);
  if (!matching) findings.push(`id: ${id} to ${to} is ${carrierMessageId} at the second, which has no such message`);
  else if (matching.status !== status)
    findings.push(`end: ${id} to ${to} is ${status}, and ${matching.status} at the second`);
  return findings;
}

function onServer(name, store) {
  return [...allEnded({ store }), ...moneyAddsUp({ store })].map((finding) => finding.replace(': ', `: ${name}: `));
}

/** The ID in a Twilio SID; other IDs are returned unchanged. */
function toUuid(id) {
  return id?.replace(/^SM(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
