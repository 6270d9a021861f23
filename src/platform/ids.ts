import { createHash, randomFillSync } from 'node:crypto';
import { V7Generator } from 'uuidv7';

/** Random numbers from a buffer that is filled seldom: a call of the system for each id costs more than the id. */
class BufferedRandom {
  readonly #numbers = new Uint32Array(1024);
  #next = this.#numbers.length;

  nextUint32(): number {
    if (this.#next === this.#numbers.length) {
      randomFillSync(this.#numbers);
      this.#next = 0;
    }
    return this.#numbers[this.#next++] as number;
  }
}

const generator = new V7Generator(new BufferedRandom());

/**
 * A new UUIDv7 (RFC 9562 §5.7) as a lower-case string. Ids of one process rise strictly, so the rows of one request lie
 * in the order of its recipients.
 */
export function newId(): string {
  return generator.generate().toString();
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text has the form of a UUID of any version (RFC 9562 §4). */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** The last moment that a UUIDv7 has room for, in milliseconds. */
const LAST_MOMENT = 2 ** 48 - 1;

/**
 * The smallest UUIDv7 of a moment: ids below it were made earlier. Of a moment before all ids that of the first, of one behind all,
 * as a cursor that somebody made up may lie, that of the last.
 */
export function lowestIdAt(time: Date): string {
  const hex = Math.min(Math.max(0, time.getTime()), LAST_MOMENT).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/**
 * The UUIDv7 of something that happened at a moment, made of its name: the same whenever it is told again. It lies among the
 * ids of that moment.
 */
export function idOf(time: Date, name: string): string {
  const hash = createHash('sha256').update(name).digest('hex');
  const variant = '89ab'[Number.parseInt(hash[3] as string, 16) & 3];
  const moment = lowestIdAt(time).slice(0, 13);
  return `${moment}-7${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`;
}

/** Below and above every id of ours. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The moment in a UUIDv7, to the millisecond. */
export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}
