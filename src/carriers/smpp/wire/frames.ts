/** Octets of a PDU's header (SMPP 3.4 §3.2); none is shorter. */
export const HEADER_OCTETS = 16;
/** A message_payload of 64 KiB, the longest that a TLV can hold, with room for all other fields. */
const MAX_PDU_OCTETS = 0x10000 + 0x1000;

/** What came over the connection cannot be PDUs: where the next one begins is unknown. */
export class BadFrameError extends Error {
  constructor(length: number) {
    super(`a PDU announced a length of ${length} octets`);
    this.name = 'BadFrameError';
  }
}

/** Divides the octets of a connection into PDUs by their command_length (SMPP 3.4 §3.2, §5.1.1). */
export class FrameReader {
  #chunks: Buffer[] = [];
  #octets = 0;

  /** Octets of a PDU that has not come in full. */
  get pending(): number {
    return this.#octets;
  }

  /**
   * The PDUs that the chunk completes, header included. Where a length cannot be one there is an error too: nothing can be
   * read from the connection after it, but what came before counts.
   */
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
    const joined = Buffer.concat(this.#chunks, this.#octets);
    this.#chunks = [joined];
    return joined;
  }
}
