/** Characters of an answer that the log of deliveries keeps: enough for an error page's first words. */
const KEPT_CHARACTERS = 400;
/** Bytes that hold so many characters of UTF-8 at the most. */
const KEPT_BYTES = 4 * KEPT_CHARACTERS;

/** Control characters, which PostgreSQL's JSON (U+0000) or a reader's screen would not take; not tabs and line breaks. */
const CONTROL = /[^\P{Cc}\t\n]/gu;

/** Keeps the beginning of an answer while the answer is read. */
export class AnswerStart {
  /** It is not compressed. */
  readonly isReadable: boolean;
  readonly #chunks: Buffer[] = [];
  #length = 0;

  /** @param encoding `Content-Encoding` of the answer: what is compressed is not kept, for it is not text */
  constructor(encoding: string | string[] | undefined) {
    this.isReadable = encoding === undefined || String(encoding).toLowerCase() === 'identity';
  }

  add(chunk: Buffer): void {
    if (!this.isReadable || this.#length >= KEPT_BYTES) return;
    this.#chunks.push(chunk.subarray(0, KEPT_BYTES - this.#length));
    this.#length += Math.min(chunk.length, KEPT_BYTES - this.#length);
  }

  /** As text; null where there is none, or nothing that could be read. */
  text(): string | null {
    const text = new TextDecoder()
      .decode(Buffer.concat(this.#chunks))
      .replaceAll('\r\n', '\n')
      .replace(CONTROL, '')
      .trim();
    const start = [...text].slice(0, KEPT_CHARACTERS).join('');
    return start === '' ? null : start;
  }
}
