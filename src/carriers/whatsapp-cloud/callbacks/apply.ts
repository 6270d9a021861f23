import type pg from 'pg';
import type { Logger } from 'pino';
import { type InboundChannel, receiveInbound } from '../../../features/inbound/receive.js';
import type { Statement } from '../../../platform/store/pool.js';
import type { Deps } from '../../../process/deps.js';
import type { ClaimedCallback } from '../../callbacks/callback-store.js';
import type { ReceiptSink } from '../../carrier.js';
import { type CloudInbound, type CloudStatus, readWebhook } from './callback-body.js';

/** Contacts whose messages are stored at the same time. */
const SENDERS_AT_ONCE = 4;

const FIND_CHANNELS: Statement = {
  name: 'whatsapp-cloud-find-channels',
  text: `SELECT DISTINCT ON (r.carrier, r.number) r.carrier, r.number AS "phoneNumberId", c.id,
                c.account_id AS "accountId", c.kind, c.phone_number AS "phoneNumber"
         FROM unnest($1::text[], $2::text[]) AS r(carrier, number)
         JOIN channels c ON c.kind = 'whatsapp' AND c.carrier = r.carrier
                        AND c.carrier_settings ->> 'phoneNumberId' = r.number
         ORDER BY r.carrier, r.number, c.id`,
};

export type ApplyDeps = Pick<Deps, 'pool' | 'clock'> & {
  log: Logger;
  receipts: ReceiptSink;
};

type Of<T> = T & { carrier: string };

/**
 * Does what webhooks of the Cloud API report: statuses go to the receipts, all of them together, and messages into the
 * channel that has the number. Of numbers that no channel of the carrier has, nothing is used.
 */
export async function applyWebhooks(deps: ApplyDeps, callbacks: readonly ClaimedCallback[]): Promise<void> {
  const statuses: Of<CloudStatus>[] = [];
  const inbound: Of<CloudInbound>[] = [];
  for (const { carrier, body, receivedAt } of callbacks) {
    const report = readWebhook(parse(body), carrier, receivedAt);
    for (const status of report.statuses) statuses.push({ ...status, carrier });
    for (const message of report.inbound) inbound.push({ ...message, carrier });
    const ignored = Object.entries(report.ignored).filter(([kind]) => kind !== 'status:sent');
    if (ignored.length > 0)
      deps.log.info({ carrier, ignored: Object.fromEntries(ignored) }, 'reports of Meta not used');
  }
  const channels = await findChannels(deps.pool, [...statuses, ...inbound]);
  const known = ({ carrier, phoneNumberId }: Of<{ phoneNumberId: string }>) =>
    channels.has(`${carrier} ${phoneNumberId}`);
  logUnknown(
    deps.log,
    [...statuses, ...inbound].filter((each) => !known(each)),
  );

  const receipts = statuses.filter(known).map(({ receipt }) => receipt);
  if (receipts.length > 0) await deps.receipts(receipts);
  await storeMessages(deps, channels, inbound.filter(known));
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    // The route takes JSON only.
    return null;
  }
}

async function findChannels(pool: pg.Pool, reports: readonly Of<{ phoneNumberId: string }>[]) {
  const wanted = [...new Map(reports.map((each) => [`${each.carrier} ${each.phoneNumberId}`, each])).values()];
  if (wanted.length === 0) return new Map<string, InboundChannel>();
  const { rows } = await pool.query<InboundChannel & { carrier: string; phoneNumberId: string }>({
    ...FIND_CHANNELS,
    values: [wanted.map(({ carrier }) => carrier), wanted.map(({ phoneNumberId }) => phoneNumberId)],
  });
  return new Map<string, InboundChannel>(
    rows.map(({ carrier, phoneNumberId, ...channel }) => [`${carrier} ${phoneNumberId}`, channel]),
  );
}

/** Contacts at once, but the messages of one in the order in which they came. */
async function storeMessages(
  deps: ApplyDeps,
  channels: ReadonlyMap<string, InboundChannel>,
  inbound: readonly Of<CloudInbound>[],
): Promise<void> {
  const bySender = new Map<string, Of<CloudInbound>[]>();
  for (const message of inbound) {
    const key = `${message.carrier} ${message.phoneNumberId} ${message.report.from}`;
    const known = bySender.get(key);
    if (known) known.push(message);
    else bySender.set(key, [message]);
  }
  const senders = bySender.values();
  const work = async () => {
    for (const messages of senders) {
      for (const { carrier, phoneNumberId, report } of messages) {
        const channel = channels.get(`${carrier} ${phoneNumberId}`) as InboundChannel;
        await receiveInbound(deps, channel, report);
      }
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: SENDERS_AT_ONCE }, work));
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
}

function logUnknown(log: Logger, reports: readonly Of<{ phoneNumberId: string }>[]): void {
  const counts = new Map<string, { carrier: string; phoneNumberId: string; reports: number }>();
  for (const { carrier, phoneNumberId } of reports) {
    const key = `${carrier} ${phoneNumberId}`;
    const known = counts.get(key) ?? { carrier, phoneNumberId, reports: 0 };
    known.reports += 1;
    counts.set(key, known);
  }
  for (const count of counts.values()) {
    log.warn(count, 'webhooks were ignored: no channel of the carrier has this phoneNumberId');
  }
}
