import type pg from 'pg';
import { describeCapSpan, type FrequencyCap } from '../../../accounts/frequency-cap.js';
import { findOtherWhatsappForm } from '../../../carriers/numbers/whatsapp-numbers.js';
import { AppError } from '../../../platform/errors/app-error.js';
import type { PendingRequest } from '../pending-request.js';
import { findCappedMessages } from './cap-store.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_LISTED_NUMBERS = 10;

type CappedRequest = PendingRequest & { frequencyCap: FrequencyCap };

interface Addition {
  capped: string[];
  /** Removes the added messages again. */
  undo(): void;
}

/** The marketing messages to each number. The accounts must be locked, so that concurrent sends cannot exceed the cap. */
export class CapBook {
  /** Sending times in ascending order, in milliseconds since 1970, by account and number. */
  readonly #times = new Map<string, number[]>();

  static async load(client: pg.PoolClient, batch: readonly PendingRequest[]): Promise<CapBook> {
    const book = new CapBook();
    const capped = batch.filter(isCapped);
    for (const accountId of new Set(capped.map(({ request }) => request.account.id))) {
      const requests = capped.filter(({ request }) => request.account.id === accountId);
      const forms = requests.flatMap(({ request }) => request.recipients.flatMap(({ digits }) => listForms(digits)));
      const sendTimes = requests.map(getSendTime);
      const spanMs = Math.max(...requests.map(({ frequencyCap }) => getSpanMs(frequencyCap)));
      const from = new Date(Math.min(...sendTimes) - spanMs);
      const to = new Date(Math.max(...sendTimes) + spanMs);
      const messages = await findCappedMessages(client, { accountId, recipients: [...new Set(forms)] }, from, to);
      for (const { recipient, at } of messages) book.#insert(toKey(accountId, recipient), at.getTime());
    }
    return book;
  }

  /** Adds all messages of a request, or returns the refusal if one of them would exceed the cap. */
  addOrRefuse(pending: PendingRequest): AppError | null {
    if (!isCapped(pending)) return null;
    const addresses = pending.request.recipients.map(({ digits }) => digits);
    const { capped, undo } = this.#add(pending, addresses);
    const [first] = capped;
    if (first === undefined) return null;
    undo();
    return createCapError(pending.frequencyCap, capped, this.#findNext(pending, first));
  }

  /**
   * Adds messages to the recipients below the cap, and returns the addresses of the others.
   * @param excluded addresses that get no message
   */
  addBelowCap(batch: readonly PendingRequest[], excluded: ReadonlySet<string>): string[] {
    return batch.filter(isCapped).flatMap((pending) => {
      const addresses = pending.request.recipients.map(({ digits }) => digits);
      return this.#add(
        pending,
        addresses.filter((address) => !excluded.has(address)),
      ).capped;
    });
  }

  #add(pending: CappedRequest, addresses: readonly string[]): Addition {
    const sendTime = getSendTime(pending);
    const capped: string[] = [];
    const keys: string[] = [];
    for (const address of addresses) {
      const key = toKey(pending.request.account.id, address);
      if (exceedsCap(this.#times.get(key) ?? [], sendTime, pending.frequencyCap)) capped.push(address);
      else {
        this.#insert(key, sendTime);
        keys.push(key);
      }
    }
    const undo = () => {
      for (const key of keys) {
        const times = this.#times.get(key) as number[];
        times.splice(times.indexOf(sendTime), 1);
      }
    };
    return { capped, undo };
  }

  #insert(key: string, sendTime: number): void {
    const times = this.#times.get(key);
    if (times) times.splice(findIndex(times, sendTime), 0, sendTime);
    else this.#times.set(key, [sendTime]);
  }

  /** Finds the first moment, not before the send, at which the number may get a message, as far as messages are known. */
  #findNext(pending: CappedRequest, address: string): Date {
    const { frequencyCap } = pending;
    const sendTime = getSendTime(pending);
    const times = this.#times.get(toKey(pending.request.account.id, address)) ?? [];
    const next = times
      .map((time) => time + getSpanMs(frequencyCap))
      .find((time) => time > sendTime && !exceedsCap(times, time, frequencyCap));
    return new Date(next ?? sendTime + getSpanMs(frequencyCap));
  }
}

/**
 * Returns whether another message would exceed the cap within any period that contains it.
 * @param times other messages, in ascending order
 */
function exceedsCap(times: readonly number[], sendTime: number, cap: FrequencyCap): boolean {
  const index = findIndex(times, sendTime);
  const all = [...times.slice(0, index), sendTime, ...times.slice(index)];
  for (let first = Math.max(0, index - cap.messages); first <= index && first + cap.messages < all.length; first += 1) {
    if ((all[first + cap.messages] as number) - (all[first] as number) < getSpanMs(cap)) return true;
  }
  return false;
}

export function createCapError({ messages, days }: FrequencyCap, numbers: readonly string[], next?: Date): AppError {
  const span = describeCapSpan({ days });
  const rule = `must not get more than ${messages} marketing ${messages === 1 ? 'message' : 'messages'} in ${span}`;
  const listed = [...new Set(numbers)].slice(0, MAX_LISTED_NUMBERS).join(', ');
  const more = numbers.length > MAX_LISTED_NUMBERS ? ` and ${numbers.length - MAX_LISTED_NUMBERS} more` : '';
  const nextText = next ? ` ${numbers[0]} can get the next one at ${next.toISOString()}.` : '';
  const message = `to ${rule}, the frequency cap of the account: ${listed}${more}.${nextText}`;
  return new AppError('FREQUENCY_CAP', message, [{ field: 'to', rule }]);
}

function isCapped(pending: PendingRequest): pending is CappedRequest {
  return pending.frequencyCap !== null;
}

function getSpanMs({ days }: FrequencyCap): number {
  return days * DAY_MS;
}

function getSendTime({ request, acceptedAt }: PendingRequest): number {
  return (request.scheduledAt ?? acceptedAt).getTime();
}

/** Both WhatsApp forms of a number belong to one phone. */
function listForms(address: string): string[] {
  const otherForm = findOtherWhatsappForm(address);
  return otherForm === null ? [address] : [address, otherForm].sort();
}

function toKey(accountId: string, address: string): string {
  return `${accountId} ${listForms(address)[0]}`;
}

/** Returns the index behind all times that are not after `sendTime`. */
function findIndex(times: readonly number[], sendTime: number): number {
  const index = times.findIndex((time) => time > sendTime);
  return index === -1 ? times.length : index;
}
