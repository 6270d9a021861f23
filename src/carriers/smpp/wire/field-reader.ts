/** Error for a PDU that has a valid length but ends before its last field. */
export class MalformedPduError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MalformedPduError';
  }
}

/** SMPP 3.4 §3.1. */
export class FieldReader {
  readonly #buffer: Buffer;
  #offset = 0;

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
  }

  /** @throws {MalformedPduError} */
  octet(): number {
    const octet = this.#buffer[this.#offset];
    if (octet === undefined) throw new MalformedPduError('the PDU ends within its mandatory fields');
    this.#offset += 1;
    return octet;
  }

  /**
   * Decodes Latin-1.
   * @throws {MalformedPduError}
   */
  cString(): string {
    const end = this.#buffer.indexOf(0, this.#offset);
    if (end === -1) throw new MalformedPduError('a C-octet string in the PDU is not terminated');
    const text = this.#buffer.toString('latin1', this.#offset, end);
    this.#offset = end + 1;
    return text;
  }

  /** @throws {MalformedPduError} */
  octets(length: number): Buffer {
    const end = this.#offset + length;
    if (end > this.#buffer.length) throw new MalformedPduError('sm_length is longer than the PDU');
    const octets = this.#buffer.subarray(this.#offset, end);
    this.#offset = end;
    return octets;
  }

  /** A truncated TLV (SMPP 3.4 §3.2.4.1) is ignored, because the mandatory fields are still usable. */
  tlvs(): Map<number, Buffer> {
    const tlvs = new Map<number, Buffer>();
    while (this.#offset + 4 <= this.#buffer.length) {
      const tag = this.#buffer.readUInt16BE(this.#offset);
      const start = this.#offset + 4;
      const end = start + this.#buffer.readUInt16BE(this.#offset + 2);
      if (end > this.#buffer.length) break;
      if (!tlvs.has(tag)) tlvs.set(tag, this.#buffer.subarray(start, end));
      this.#offset = end;
    }
    return tlvs;
  }
}
