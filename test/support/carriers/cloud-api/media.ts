import { createHash, randomInt } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { MetaRefusal } from './meta-error.js';

export interface StubFile {
  bytes: Buffer;
  mimeType: string;
  /** Hash that the stub reports instead of the file's actual hash. */
  sha256?: string;
  /** Download URL that the stub reports instead of its own. */
  url?: string;
}

export interface UploadedFile extends StubFile {
  id: string;
  phoneNumberId: string;
  filename: string;
  fields: Record<string, string>;
}

export class MediaStub {
  readonly uploads: UploadedFile[] = [];
  readonly #files = new Map<string, StubFile>();
  /** Returns the refusal of an upload, or null to accept the upload. */
  fault: () => MetaRefusal | null = () => null;
  downloads = 0;
  downloadStatus = 200;
  /** Refusal of every download, unless null. */
  downloadFault: MetaRefusal | null = null;

  /** Adds a file from a contact, and returns Meta's media ID. */
  receive(file: StubFile): string {
    const id = String(randomInt(10 ** 12, 10 ** 14));
    this.#files.set(id, file);
    return id;
  }

  /** Removes a file, as if Meta had lost it. */
  remove(id: string): void {
    this.#files.delete(id);
  }

  has(id: string): boolean {
    return this.#files.has(id);
  }

  upload(phoneNumberId: string, request: IncomingMessage, body: Buffer): { id: string } {
    const fault = this.fault();
    if (fault) throw fault;
    const boundary = /boundary=(\S+)/.exec(request.headers['content-type'] ?? '')?.[1] ?? '';
    if (Number(request.headers['content-length']) !== body.length)
      throw new MetaRefusal(100, 'Content-Length does not match the body');
    const parts = body.toString('latin1').split(`--${boundary}`).slice(1, -1);
    const parsedParts = parts.map((part) => {
      const [head = '', ...bodyParts] = part.slice(2).split('\r\n\r\n');
      return { head, text: bodyParts.join('\r\n\r\n').slice(0, -2) };
    });
    const readParameter = (head: string, parameter: string) =>
      new RegExp(`${parameter}="([^"]*)"`).exec(head)?.[1] ?? '';
    const file = parsedParts.find(({ head }) => / name="file"/.test(head));
    if (!file) throw new MetaRefusal(100, '(#100) The parameter file is required.');
    const fields = Object.fromEntries(
      parsedParts.filter((part) => part !== file).map(({ head, text }) => [readParameter(head, ' name'), text]),
    );
    if (fields.messaging_product !== 'whatsapp') throw new MetaRefusal(100, 'messaging_product is required');
    const mimeType = /Content-Type: (\S+)/.exec(file.head)?.[1] ?? '';
    const bytes = Buffer.from(file.text, 'latin1');
    const id = this.receive({ bytes, mimeType });
    this.uploads.push({ id, phoneNumberId, bytes, mimeType, filename: readParameter(file.head, 'filename'), fields });
    return { id };
  }

  describe(id: string, baseUrl: string): object {
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

  /** Responds to downloads, and returns null for other requests. */
  respondToDownload({ url, headers }: IncomingMessage, tokens: ReadonlySet<string>) {
    const id = /^\/whatsapp_business\/attachments\/\?mid=(\d+)$/.exec(url ?? '')?.[1];
    if (id === undefined) return null;
    this.downloads += 1;
    const file = this.#files.get(id);
    if (this.downloadFault) {
      const { status, body, headers: more } = this.downloadFault;
      return { status, headers: { 'content-type': 'application/json', ...more }, bytes: JSON.stringify(body) };
    }
    const isAuthorized = tokens.has((headers.authorization ?? '').replace(/^Bearer /, '')) && headers['user-agent'];
    const status = isAuthorized && file ? this.downloadStatus : 404;
    return {
      status,
      headers: { 'content-type': file?.mimeType ?? 'text/plain' },
      bytes: status === 200 ? (file as StubFile).bytes : '',
    };
  }

  /** Refuses messages whose uploaded file has been removed. */
  check(body: Record<string, unknown>): void {
    const mediaIds = JSON.stringify(body).match(/"id":"(\d{12,})"/g) ?? [];
    for (const match of mediaIds) {
      const id = match.slice(6, -1);
      if (this.uploads.some((file) => file.id === id) && !this.has(id)) {
        throw new MetaRefusal(131009, '(#131009) Parameter value is not valid', {
          details: 'Media ID is not valid',
        });
      }
    }
  }
}
