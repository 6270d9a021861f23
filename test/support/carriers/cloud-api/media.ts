import { createHash, randomInt } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { MetaRefusal } from './meta-error.js';

/** A file that Meta has. */
export interface StubFile {
  bytes: Buffer;
  mimeType: string;
  /** What Meta says that its hash is, where that is another than it is. */
  sha256?: string;
  /** Where Meta says that it is, where that is no place of Meta's. */
  url?: string;
}

/** A file that was handed over for messages of a number. */
export interface TakenFile extends StubFile {
  id: string;
  phoneNumberId: string;
  filename: string;
  fields: Record<string, string>;
}

/** Meta's files: those that were handed over, and those that contacts sent. */
export class MediaStub {
  readonly taken: TakenFile[] = [];
  readonly #files = new Map<string, StubFile>();
  /** Asked for each file that is handed over; null lets it pass. */
  fault: () => MetaRefusal | null = () => null;
  /** How often bytes were asked for. */
  downloads = 0;
  /** Status of the answers to downloads. */
  downloadStatus = 200;
  /** What they are refused with, in place of the bytes. */
  downloadFault: MetaRefusal | null = null;

  /** A contact sends a file. @returns Meta's id of it */
  receive(file: StubFile): string {
    const id = String(randomInt(10 ** 12, 10 ** 14));
    this.#files.set(id, file);
    return id;
  }

  /** Meta has a file no more. */
  lose(id: string): void {
    this.#files.delete(id);
  }

  has(id: string): boolean {
    return this.#files.has(id);
  }

  take(phoneNumberId: string, request: IncomingMessage, body: Buffer): { id: string } {
    const fault = this.fault();
    if (fault) throw fault;
    const boundary = /boundary=(\S+)/.exec(request.headers['content-type'] ?? '')?.[1] ?? '';
    if (Number(request.headers['content-length']) !== body.length) throw new MetaRefusal(100, 'another length');
    const parts = body.toString('latin1').split(`--${boundary}`).slice(1, -1);
    const read = parts.map((part) => {
      const [head = '', ...rest] = part.slice(2).split('\r\n\r\n');
      return { head, text: rest.join('\r\n\r\n').slice(0, -2) };
    });
    const named = (head: string, what: string) => new RegExp(`${what}="([^"]*)"`).exec(head)?.[1] ?? '';
    const file = read.find(({ head }) => / name="file"/.test(head));
    if (!file) throw new MetaRefusal(100, '(#100) The parameter file is required.');
    const fields = Object.fromEntries(
      read.filter((each) => each !== file).map(({ head, text }) => [named(head, ' name'), text]),
    );
    if (fields.messaging_product !== 'whatsapp') throw new MetaRefusal(100, 'messaging_product is required');
    const mimeType = /Content-Type: (\S+)/.exec(file.head)?.[1] ?? '';
    const bytes = Buffer.from(file.text, 'latin1');
    const id = this.receive({ bytes, mimeType });
    this.taken.push({ id, phoneNumberId, bytes, mimeType, filename: named(file.head, 'filename'), fields });
    return { id };
  }

  about(id: string, baseUrl: string): object {
    const { bytes, mimeType, sha256, url } = this.#files.get(id) as StubFile;
    return {
      messaging_product: 'whatsapp',
      url: url ?? `${baseUrl}/whatsapp_business/attachments/?mid=${id}`,
      mime_type: mimeType,
      sha256: sha256 ?? createHash('sha256').update(bytes).digest('hex'),
      file_size: bytes.length,
      id,
    };
  }

  /** The answer to a request for bytes; null where it asks for something else. */
  fileAt({ url, headers }: IncomingMessage, tokens: ReadonlySet<string>) {
    const id = /^\/whatsapp_business\/attachments\/\?mid=(\d+)$/.exec(url ?? '')?.[1];
    if (id === undefined) return null;
    this.downloads += 1;
    const file = this.#files.get(id);
    if (this.downloadFault) {
      const { status, body, headers: more } = this.downloadFault;
      return { status, headers: { 'content-type': 'application/json', ...more }, bytes: JSON.stringify(body) };
    }
    const knows = tokens.has((headers.authorization ?? '').replace(/^Bearer /, '')) && headers['user-agent'];
    const status = knows && file ? this.downloadStatus : 404;
    return {
      status,
      headers: { 'content-type': file?.mimeType ?? 'text/plain' },
      bytes: status === 200 ? (file as StubFile).bytes : '',
    };
  }

  /** Refuses a message that names a file which was handed over and is gone. */
  check(body: Record<string, unknown>): void {
    const named = JSON.stringify(body).match(/"id":"(\d{12,})"/g) ?? [];
    for (const each of named) {
      const id = each.slice(6, -1);
      if (this.taken.some((taken) => taken.id === id) && !this.has(id)) {
        throw new MetaRefusal(131009, '(#131009) Parameter value is not valid', {
          details: 'Media ID is not valid',
        });
      }
    }
  }
}
