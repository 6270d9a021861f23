/** A header alone is the shortest PDU (SMPP 3.4 §3.2). */
export const HEADER_OCTETS = 16;
/** The limit is the longest possible TLV (a 64 KiB message_payload) plus room for all other fields. */
const MAX_PDU_OCTETS = 0x10000 + 0x1000;

/** Error for a connection that carries data other than SMPP. */
export class BadFrameError extends Error {
  constructor(length: number) {
    super(`received a PDU with an invalid length of ${length} octets`);
    this.name = 'BadFrameError';
  }
}

/** SMPP 3.4 §3.2, §5.1.1. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #octets = 0;

  get pending(): number {
    return this.#octets;
  }

  /** PDUs before an invalid length are still returned. */
  push(chunk: Buffer): { frames: Buffer[]; error: BadFrameError | null } {
    this.#chunks.push(chunk);
    this.#octets += chunk.length;
    const frames: Buffer[] = [];
    while (this.#octets >= 4) {
      const length = this.#peekLength();
      if (length < HEADER_OCTETS || length > MAX_PDU_OCTETS) return { frames, error: new BadFrameError(length) };
      if (this.#octets < length) break;
      const octets = this.#join();
      frames.push(octets.subarray(0, length));
      this.#chunks = octets.length > length ? [octets.subarray(length)] : [];
      this.#octets -= length;
    }
    return { frames, error: null };
  }

  #peekLength(): number {
    const [first] = this.#chunks as [Buffer];
    return first.length >= 4 ? first.readUInt32BE(0) : this.#join().readUInt32BE(0);
  }

  #join(): Buffer {
    const [first] = this.#chunks as [Buffer];
    if (this.#chunks.length === 1) return first;
    const buffer = Buffer.concat(this.#chunks, this.#octets);
    this.#chunks = [buffer];
    return buffer;
  }
}
