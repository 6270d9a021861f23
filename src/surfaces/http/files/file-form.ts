import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, invalidField } from '../../../platform/errors/app-error.js';
import { TransportError } from '../errors.js';
import { UNKNOWN_FIELD } from '../validation.js';

/** A file in a form, whose bytes are still to come. */
export interface FormFile {
  bytes: AsyncIterable<Uint8Array>;
  /** As the part of the form says; null where it does not. */
  filename: string | null;
  mimeType: string | null;
  /** Fields of the form: those before the file at once, those behind it when `bytes` has ended. */
  fields: Readonly<Record<string, string>>;
}

/** Bytes of a field beside the file, and how many there may be. */
const FIELD_BYTES = 4096;
const FIELDS = 16;
/** Milliseconds without a byte, and for all of them: whoever is slower than that holds a connection for nothing. */
const SILENCE_MS = 30_000;
const WHOLE_MS = 15 * 60_000;

/** Lets the endpoints of a context take forms with files. Nothing of a body is read before `receiveFile`. */
export function takesFiles(app: FastifyInstance): void {
  app.addContentTypeParser('multipart/form-data', (_request, _payload, done) => done(null, undefined));
}

/**
 * Reads a form (RFC 7578) with one file. Its bytes come as fast as `take` reads them, and no faster.
 * @param field name of the file's part
 * @returns what `take` made of it, once the whole form has come
 * @throws {AppError} UNSUPPORTED_MEDIA_TYPE for what is no form; INVALID_REQUEST for one without the file, or with several;
 * what `take` throws
 */
export async function receiveFile<T>(
  request: FastifyRequest,
  field: string,
  take: (file: FormFile) => Promise<T>,
): Promise<T> {
  const { raw } = request;
  const form = formOf(raw);
  const fields: Record<string, string> = {};
  const watch = new Watch(raw);
  let open = null as Readable | null;
  let taken = null as Promise<T> | null;
  let isWhole: () => void = () => undefined;
  let isBroken: (error: Error) => void = () => undefined;
  const whole = new Promise<void>((resolve, reject) => {
    isWhole = resolve;
    isBroken = reject;
  });
  // Whoever takes the file learns of it by its bytes.
  whole.catch(() => undefined);
  try {
    return await new Promise<T>((resolve, reject) => {
      const fail = (error: Error) => {
        isBroken(error);
        open?.destroy(error);
        reject(error);
      };
      form.on('field', (name: string, value: string, nameTruncated: boolean, valueTruncated: boolean) => {
        if (nameTruncated || valueTruncated) fail(invalidField(name.slice(0, 100), 'is too long'));
        else fields[name] = value;
      });
      form.on(
        'file',
        (name: string, stream: Readable, filename: string | undefined, _encoding: string, said: string) => {
          // It is told of by whoever destroys the stream, and by what breaks the form.
          stream.on('error', () => undefined);
          if (name !== field || open) {
            stream.resume();
            fail(invalidField(name.slice(0, 100) || field, name === field ? 'must be sent once' : UNKNOWN_FIELD));
            return;
          }
          open = stream;
          const bytes = untilWhole(stream, whole);
          // So is a part without a Content-Type (RFC 7578 §4.4).
          const mimeType = said === 'text/plain' ? null : said;
          taken = take({ bytes, filename: filename || null, mimeType, fields });
          taken.then(resolve, reject);
        },
      );
      form.on('finish', () => {
        if (open) isWhole();
        else fail(invalidField(field, 'is required'));
      });
      form.on('error', () => fail(new AppError('INVALID_REQUEST', 'The request body is no whole form.')));
      raw.once('close', () => {
        if (!raw.readableEnded) fail(new TransportError(400, 'The request was broken off.'));
      });
      watch.late = () => fail(new TransportError(408, 'The request took too long to arrive.'));
      raw.pipe(form);
    });
  } catch (error) {
    // Whoever is told of the refusal finds nothing of the file any more.
    await taken?.catch(() => undefined);
    throw error;
  } finally {
    watch.stop();
    raw.unpipe(form);
    // What is still to come is not wanted. Node.js reads it away; see `Watch.stop`.
    raw.resume();
  }
}

/** The bytes of a file end once all of its form has come: a form that is refused for what follows leaves no file. */
async function* untilWhole(stream: Readable, whole: Promise<void>): AsyncGenerator<Uint8Array> {
  yield* stream;
  await whole;
}

function formOf({ headers }: IncomingMessage): BusboyInstance {
  const type = headers['content-type'] ?? '';
  const wrong = 'The request body must have Content-Type multipart/form-data.';
  if (!/^\s*multipart\/form-data\s*;/i.test(type)) throw new AppError('UNSUPPORTED_MEDIA_TYPE', wrong);
  if (headers['content-encoding'] !== undefined) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'The request body must not be compressed.');
  }
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': type },
      limits: { fieldSize: FIELD_BYTES, fields: FIELDS, files: 2, headerPairs: 32 },
    });
  } catch {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', `${wrong.slice(0, -1)} with a boundary.`);
  }
}

const watched = new WeakSet<IncomingMessage>();

/** Whether it is looked after that the bytes of a request keep coming. */
export function isWatched(request: IncomingMessage): boolean {
  return watched.has(request);
}

/** Ends requests whose bytes stay out. Node.js gives every request the same time, which a large file would not keep. */
class Watch {
  late: () => void = () => undefined;
  readonly #request: IncomingMessage;
  readonly #whole: NodeJS.Timeout;
  #silence: NodeJS.Timeout;
  readonly #heard = () => {
    this.#silence.refresh();
  };

  constructor(request: IncomingMessage) {
    this.#request = request;
    watched.add(request);
    this.#whole = setTimeout(() => this.late(), WHOLE_MS).unref();
    this.#silence = setTimeout(() => this.late(), SILENCE_MS).unref();
    request.on('data', this.#heard);
  }

  /** A refused request may still be sending: for a while that is read away, so that its answer is read. */
  stop(): void {
    clearTimeout(this.#whole);
    clearTimeout(this.#silence);
    this.#request.off('data', this.#heard);
    if (this.#request.readableEnded) return;
    const end = setTimeout(() => this.#request.destroy(), SILENCE_MS).unref();
    this.#request.once('close', () => clearTimeout(end));
    this.#request.once('end', () => clearTimeout(end));
  }
}
