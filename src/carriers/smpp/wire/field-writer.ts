import type { Tlvs } from './tlvs.js';

/** Initial size in octets, large enough for a submit with 140 octets of text. */
const INITIAL_OCTETS = 256;
/** SMPP 3.4 §5.2.21. */
const MAX_SHORT_MESSAGE_OCTETS = 254;

/** SMPP 3.4 §3.1. Methods throw a RangeError if a value does not fit its field. */
export class FieldWriter {
  #buffer = Buffer.allocUnsafe(INITIAL_OCTETS);
  #length = 0;

  /** The writer must not be used after its body has been read. */
  get body(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  octet(value: number): this {
    this.#grow(1);
    this.#length = this.#buffer.writeUInt8(value, this.#length);
    return this;
  }

  /** Terminated with NUL. */
  cString(text: string): this {
    this.#grow(text.length + 1);
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code === 0 || code > 0x7f) throw new RangeError('a C-octet string must be ASCII without NUL');
      this.#buffer[this.#length + index] = code;
    }
    this.#length += text.length;
    return this.octet(0);
  }

  shortMessage(octets: Buffer): this {
    if (octets.length > MAX_SHORT_MESSAGE_OCTETS) {
      throw new RangeError(`short_message holds at most ${MAX_SHORT_MESSAGE_OCTETS} octets`);
    }
    return this.octet(octets.length).#octets(octets);
  }

  /** §3.2.4.1. */
  tlvs(tlvs: Tlvs): this {
    for (const [tag, value] of tlvs) {
      this.#grow(4);
      this.#buffer.writeUInt16BE(tag, this.#length);
      this.#length = this.#buffer.writeUInt16BE(value.length, this.#length + 2);
      this.#octets(value);
    }
    return this;
  }

  #octets(octets: Buffer): this {
    this.#grow(octets.length);
    this.#length += octets.copy(this.#buffer, this.#length);
    return this;
  }

  #grow(octets: number): void {
    const needed = this.#length + octets;
    if (needed <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.#buffer.length));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}
