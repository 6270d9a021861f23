import { createHash, randomFillSync } from 'node:crypto';
import { V7Generator } from 'uuidv7';

/** Buffers random numbers, because a system call per ID would cost more than generating the ID itself. */
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
 * Returns a UUIDv7 (RFC 9562 §5.7). IDs from one process ascend, so the rows of a request sort in the order of its recipients.
 */
export function newId(): string {
  return generator.generate().toString();
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Accepts any UUID version (RFC 9562 §4). */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

const MAX_TIME_MS = 2 ** 48 - 1;

/** Clamps times that do not fit into a UUIDv7, for example from an invented page cursor. */
export function lowestIdAt(time: Date): string {
  const hex = Math.min(Math.max(0, time.getTime()), MAX_TIME_MS).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** The same time and name always result in the same UUIDv7, which sorts among the IDs created at that time. */
export function deriveId(time: Date, name: string): string {
  const hash = createHash('sha256').update(name).digest('hex');
  const variant = '89ab'[Number.parseInt(hash[3] as string, 16) & 3];
  const prefix = lowestIdAt(time).slice(0, 13);
  return `${prefix}-7${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`;
}

export const FIRST_ID = '00000000-0000-0000-0000-000000000000';
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export function readIdTime(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}
