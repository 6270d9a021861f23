const KEPT_CHARACTERS = 400;
const KEPT_BYTES = 4 * KEPT_CHARACTERS;

/**
 * Control characters are removed, because PostgreSQL's JSON rejects U+0000 and other control characters garble the
 * display.
 */
const CONTROL_CHARACTERS = /[^\P{Cc}\t\n]/gu;

export class ResponseStart {
  readonly isReadable: boolean;
  readonly #chunks: Buffer[] = [];
  #length = 0;

  /** A compressed body is not kept, because it is not text. */
  constructor(encoding: string | string[] | undefined) {
    this.isReadable = encoding === undefined || String(encoding).toLowerCase() === 'identity';
  }

  add(chunk: Buffer): void {
    if (!this.isReadable || this.#length >= KEPT_BYTES) return;
    this.#chunks.push(chunk.subarray(0, KEPT_BYTES - this.#length));
    this.#length += Math.min(chunk.length, KEPT_BYTES - this.#length);
  }

  getText(): string | null {
    const text = new TextDecoder()
      .decode(Buffer.concat(this.#chunks))
      .replaceAll('\r\n', '\n')
      .replace(CONTROL_CHARACTERS, '')
      .trim();
    const start = [...text].slice(0, KEPT_CHARACTERS).join('');
    return start === '' ? null : start;
  }
}
