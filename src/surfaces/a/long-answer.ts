import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { writePhoneNumber } from '../../carriers/numbers/phone-numbers.js';
import { extractUserId } from '../../carriers/numbers/user-ids.js';
import type { Acceptance, AcceptedMessage, Recipient } from '../../messages/compose/send-request.js';
import type { Turns } from '../../platform/turns.js';
import { presentNotes } from './endpoints/notes-schemas.js';

/** Responses beyond these limits are streamed. */
const MAX_ENTRIES = 256;
const MAX_CHARACTERS = 64 * 1024;
/** Bytes per write. */
const CHUNK_BYTES = 64 * 1024;

export interface RequestedAddresses {
  /** Sender as in the request. A WhatsApp message may be sent from a different number, which appears only in its status. */
  from: string;
  to?: readonly string[];
}

export interface AnswerTarget {
  reply: FastifyReply;
  turns: Turns;
}

/** Whether building the response as one string would block the event loop too long and use too much memory. */
export function isLong({ messages, body }: Acceptance): boolean {
  return messages.length > MAX_ENTRIES || messages.length * body.length > MAX_CHARACTERS;
}

/** @param head fields of the response that precede `data` */
export function sendLong(
  { reply, turns }: AnswerTarget,
  head: object,
  addresses: RequestedAddresses,
  acceptance: Acceptance,
): FastifyReply {
  const answer = new StreamedAnswer(head, addresses, acceptance);
  return reply
    .type('application/json; charset=utf-8')
    .header('content-length', answer.length)
    .send(Readable.from(answer.chunks(turns), { objectMode: false, highWaterMark: CHUNK_BYTES }));
}

export function toDestination(recipient: Recipient): { to: string | null; userId?: string; contactId?: string | null } {
  const userId = extractUserId(recipient.digits);
  if (userId === null) return { to: writePhoneNumber(recipient) };
  return { to: null, userId, contactId: recipient.contactId ?? null };
}

export function toRequestedDestination({ to }: RequestedAddresses, recipient: Recipient, index: number) {
  const requested = to?.[index];
  return requested === undefined ? toDestination(recipient) : { to: requested };
}

class StreamedAnswer {
  readonly #messages: readonly AcceptedMessage[];
  readonly #opening: Buffer;
  readonly #closing = Buffer.from(']}');
  readonly #addresses: RequestedAddresses;
  /** Sender as JSON text. */
  readonly #fromJson: string;
  /** JSON of an entry from the message text onwards, which is equal for all recipients. */
  readonly #entryEnd: Buffer;
  /** In bytes. */
  readonly length: number;

  constructor(head: object, written: RequestedAddresses, { messages, body, acceptedAt, notes }: Acceptance) {
    this.#messages = messages;
    this.#opening = Buffer.from(`${JSON.stringify(head).slice(0, -1)},"data":[`);
    this.#addresses = written;
    this.#fromJson = JSON.stringify(written.from);
    const rest = { message: body, timestamp: acceptedAt.toISOString(), ...presentNotes(notes) };
    this.#entryEnd = Buffer.from(`,${JSON.stringify(rest).slice(1)}`);
    let length = this.#opening.length + this.#closing.length;
    for (const [index, message] of messages.entries()) {
      length += Buffer.byteLength(this.#entryStart(message, index)) + this.#entryEnd.length;
    }
    this.length = length;
  }

  #entryStart({ id, parts, recipient }: AcceptedMessage, index: number): string {
    const comma = index === 0 ? '' : ',';
    const to = JSON.stringify(toRequestedDestination(this.#addresses, recipient, index)).slice(1, -1);
    return `${comma}{"message_id":"${id}","message_count":${parts},"from":${this.#fromJson},${to}`;
  }

  async *chunks(turns: Turns): AsyncGenerator<Buffer> {
    const work = turns.startWork();
    let pending: Buffer[] = [this.#opening];
    let bytes = this.#opening.length;
    for (const [index, message] of this.#messages.entries()) {
      const entryStart = Buffer.from(this.#entryStart(message, index));
      pending.push(entryStart, this.#entryEnd);
      bytes += entryStart.length + this.#entryEnd.length;
      if (bytes < CHUNK_BYTES) continue;
      yield Buffer.concat(pending, bytes);
      await work.waitForTurn();
      pending = [];
      bytes = 0;
    }
    yield Buffer.concat([...pending, this.#closing]);
  }
}
