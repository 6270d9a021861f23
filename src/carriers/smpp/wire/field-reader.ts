/** A PDU of a right length whose fields do not fit into it. */
export class MalformedPduError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MalformedPduError';
  }
}

/** Reads the fields of a body one after the other (types: SMPP 3.4 §3.1), never beyond its end. */
export class FieldReader {
  readonly #buffer: Buffer;
  #offset = 0;

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
  }

  /** @throws {MalformedPduError} */
  octet(): number {
    const octet = this.#buffer[this.#offset];
    if (octet === undefined) throw new MalformedPduError('the PDU ends before its mandatory fields do');
    this.#offset += 1;
    return octet;
  }

  /**
   * A C-octet string, as Latin-1.
   * @throws {MalformedPduError}
   */
  cString(): string {
    const end = this.#buffer.indexOf(0, this.#offset);
    if (end === -1) throw new MalformedPduError('a text of the PDU has no end');
    const text = this.#buffer.toString('latin1', this.#offset, end);
    this.#offset = end + 1;
    return text;
  }

  /**
   * The next octets; they share the memory of the PDU.
   * @throws {MalformedPduError}
   */
  octets(length: number): Buffer {
    const end = this.#offset + length;
    if (end > this.#buffer.length) throw new MalformedPduError('sm_length exceeds the PDU');
    const octets = this.#buffer.subarray(this.#offset, end);
    this.#offset = end;
    return octets;
  }

  /** The rest as TLVs (§3.2.4.1). One that does not fit is left out: the mandatory fields are worth more than it is. */
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
