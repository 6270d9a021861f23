import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { writePhoneNumber } from '../../carriers/numbers/phone-numbers.js';
import { userIdIn } from '../../carriers/numbers/user-ids.js';
import type { Acceptance, AcceptedMessage, Recipient } from '../../messages/compose/send-request.js';
import type { Turns } from '../../platform/turns.js';
import { noted } from './endpoints/notes-schemas.js';

/** An answer of more entries, or of more text, is written in slices. */
const MOST_ENTRIES = 256;
const MOST_CHARACTERS = 64 * 1024;
/** Bytes that are handed to the connection at once. */
const CHUNK_BYTES = 64 * 1024;

/** What a request wrote, which its answer repeats; so does the answer of a repetition, which has the same body. */
export interface Written {
  /** A WhatsApp message may leave from another number; its status shows it. */
  from: string;
  /** The numbers, in order; left out where a person is named otherwise. */
  to?: readonly string[];
}

/** What an answer is written to, and the turns in which a long one is. */
export interface Answering {
  reply: FastifyReply;
  turns: Turns;
}

/** Whether an answer would hold the event loop too long, and take too much memory, as one text. */
export function isLong({ messages, body }: Acceptance): boolean {
  return messages.length > MOST_ENTRIES || messages.length * body.length > MOST_CHARACTERS;
}

/**
 * Writes an answer whose last field is `data`, the list of what was accepted. Each entry repeats the text of the message,
 * so that text is encoded once, and no more of the answer is made than the connection takes.
 * @param head the fields before `data`; its values are JSON
 */
export function sendLong(
  { reply, turns }: Answering,
  head: object,
  written: Written,
  acceptance: Acceptance,
): FastifyReply {
  const pieces = new Pieces(head, written, acceptance);
  return reply
    .type('application/json; charset=utf-8')
    .header('content-length', pieces.length)
    .send(Readable.from(pieces.chunks(turns), { objectMode: false, highWaterMark: CHUNK_BYTES }));
}

/** Where a message goes: a number as the request wrote it, or a person who has none. */
export function destinationOf(recipient: Recipient): { to: string | null; userId?: string; contactId?: string | null } {
  const userId = userIdIn(recipient.digits);
  if (userId === null) return { to: writePhoneNumber(recipient) };
  return { to: null, userId, contactId: recipient.contactId ?? null };
}

/** Where an accepted message goes, as the request wrote it. @param index of the message among those of the request */
export function writtenDestination({ to }: Written, recipient: Recipient, index: number) {
  const written = to?.[index];
  return written === undefined ? destinationOf(recipient) : { to: written };
}

/** The bytes of a long answer: everything but the ids, numbers and recipients is the same in each entry. */
class Pieces {
  readonly #messages: readonly AcceptedMessage[];
  readonly #opening: Buffer;
  readonly #closing = Buffer.from(']}');
  readonly #written: Written;
  /** As JSON. */
  readonly #from: string;
  /** From the text of the message to the end of its entry, its notes included. */
  readonly #rest: Buffer;
  /** Of the whole answer. */
  readonly length: number;

  constructor(head: object, written: Written, { messages, body, acceptedAt, notes }: Acceptance) {
    this.#messages = messages;
    this.#opening = Buffer.from(`${JSON.stringify(head).slice(0, -1)},"data":[`);
    this.#written = written;
    this.#from = JSON.stringify(written.from);
    const rest = { message: body, timestamp: acceptedAt.toISOString(), ...noted(notes) };
    this.#rest = Buffer.from(`,${JSON.stringify(rest).slice(1)}`);
    let length = this.#opening.length + this.#closing.length;
    for (const [index, message] of messages.entries()) {
      length += Buffer.byteLength(this.#beginning(message, index)) + this.#rest.length;
    }
    this.length = length;
  }

  #beginning({ id, parts, recipient }: AcceptedMessage, index: number): string {
    const comma = index === 0 ? '' : ',';
    const to = JSON.stringify(writtenDestination(this.#written, recipient, index)).slice(1, -1);
    return `${comma}{"message_id":"${id}","message_count":${parts},"from":${this.#from},${to}`;
  }

  async *chunks(turns: Turns): AsyncGenerator<Buffer> {
    const work = turns.begin();
    let pending: Buffer[] = [this.#opening];
    let bytes = this.#opening.length;
    for (const [index, message] of this.#messages.entries()) {
      const beginning = Buffer.from(this.#beginning(message, index));
      pending.push(beginning, this.#rest);
      bytes += beginning.length + this.#rest.length;
      if (bytes < CHUNK_BYTES) continue;
      yield Buffer.concat(pending, bytes);
      await work.take();
      pending = [];
      bytes = 0;
    }
    yield Buffer.concat([...pending, this.#closing]);
  }
}
