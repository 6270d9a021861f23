import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, invalidField } from '../../../platform/errors/app-error.js';
import { TransportError } from '../errors.js';
import { UNKNOWN_FIELD } from '../validation.js';

/** A file that is passed on while its bytes are still arriving. */
export interface FormFile {
  bytes: AsyncIterable<Uint8Array>;
  /** File name as declared in the form, or null if missing. */
  filename: string | null;
  mimeType: string | null;
  /** Form fields. Fields that follow the file in the form are missing until `bytes` has ended. */
  fields: Readonly<Record<string, string>>;
}

const MAX_FIELD_BYTES = 4096;
const MAX_FIELDS = 16;
/** An upload that receives no data for this time is aborted, because it only occupies a connection. */
const SILENCE_MS = 30_000;
const TOTAL_MS = 15 * 60_000;

export function acceptFileForms(app: FastifyInstance): void {
  app.addContentTypeParser('multipart/form-data', (_request, _payload, done) => done(null, undefined));
}

/**
 * Reads a form (RFC 7578) with one file, as fast as `take` consumes it.
 * @returns the result of `take`, once the whole form has arrived
 * @throws {AppError} UNSUPPORTED_MEDIA_TYPE; INVALID_REQUEST unless the form has exactly one file; errors of `take`
 */
export async function receiveFile<T>(
  request: FastifyRequest,
  field: string,
  consume: (file: FormFile) => Promise<T>,
): Promise<T> {
  const { raw } = request;
  const form = createParser(raw);
  const fields: Record<string, string> = {};
  const timeouts = new UploadTimeouts(raw);
  let fileStream = null as Readable | null;
  let result = null as Promise<T> | null;
  let completeForm: () => void = () => undefined;
  let failForm: (error: Error) => void = () => undefined;
  const wholeForm = new Promise<void>((resolve, reject) => {
    completeForm = resolve;
    failForm = reject;
  });
  // The error is ignored here, because `consume` gets the error through `bytes`.
  wholeForm.catch(() => undefined);
  try {
    return await new Promise<T>((resolve, reject) => {
      const fail = (error: Error) => {
        failForm(error);
        fileStream?.destroy(error);
        reject(error);
      };
      form.on('field', (name: string, value: string, nameTruncated: boolean, valueTruncated: boolean) => {
        if (nameTruncated || valueTruncated) fail(invalidField(name.slice(0, 100), 'is too long'));
        else fields[name] = value;
      });
      form.on(
        'file',
        (name: string, stream: Readable, filename: string | undefined, _encoding: string, declaredType: string) => {
          // Errors of the stream are ignored here, because the form reports them too.
          stream.on('error', () => undefined);
          if (name !== field || fileStream) {
            stream.resume();
            fail(invalidField(name.slice(0, 100) || field, name === field ? 'must be sent once' : UNKNOWN_FIELD));
            return;
          }
          fileStream = stream;
          const bytes = endAfterForm(stream, wholeForm);
          // busboy reports text/plain even for a part without Content-Type (RFC 7578 §4.4).
          const mimeType = declaredType === 'text/plain' ? null : declaredType;
          result = consume({ bytes, filename: filename || null, mimeType, fields });
          result.then(resolve, reject);
        },
      );
      form.on('finish', () => {
        if (fileStream) completeForm();
        else fail(invalidField(field, 'is required'));
      });
      form.on('error', () => fail(new AppError('INVALID_REQUEST', 'The request body is not a complete form.')));
      raw.once('close', () => {
        if (!raw.readableEnded) fail(new TransportError(400, 'The request was aborted.'));
      });
      timeouts.onTimeout = () => fail(new TransportError(408, 'The request took too long to arrive.'));
      raw.pipe(form);
    });
  } catch (error) {
    // Waits for `consume` to remove the stored bytes, so that no part of the file is left when the caller gets the error.
    await result?.catch(() => undefined);
    throw error;
  } finally {
    timeouts.stop();
    raw.unpipe(form);
    raw.resume();
  }
}

/**
 * Ends the file's stream only after the whole form has arrived, because no file may be stored if a later part of the form is
 * refused.
 */
async function* endAfterForm(stream: Readable, wholeForm: Promise<void>): AsyncGenerator<Uint8Array> {
  yield* stream;
  await wholeForm;
}

function createParser({ headers }: IncomingMessage): BusboyInstance {
  const type = headers['content-type'] ?? '';
  const wrongType = 'The request body must have Content-Type multipart/form-data.';
  if (!/^\s*multipart\/form-data\s*;/i.test(type)) throw new AppError('UNSUPPORTED_MEDIA_TYPE', wrongType);
  if (headers['content-encoding'] !== undefined) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'The request body must not be compressed.');
  }
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': type },
      limits: { fieldSize: MAX_FIELD_BYTES, fields: MAX_FIELDS, files: 2, headerPairs: 32 },
    });
  } catch {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', `${wrongType.slice(0, -1)} with a boundary.`);
  }
}

const watchedRequests = new WeakSet<IncomingMessage>();

export function isWatched(request: IncomingMessage): boolean {
  return watchedRequests.has(request);
}

/**
 * Uploads have their own timeouts, because Node.js has a single timeout for all requests, which is too short for large files.
 */
class UploadTimeouts {
  onTimeout: () => void = () => undefined;
  readonly #request: IncomingMessage;
  readonly #whole: NodeJS.Timeout;
  #silence: NodeJS.Timeout;
  readonly #onData = () => {
    this.#silence.refresh();
  };

  constructor(request: IncomingMessage) {
    this.#request = request;
    watchedRequests.add(request);
    this.#whole = setTimeout(() => this.onTimeout(), TOTAL_MS).unref();
    this.#silence = setTimeout(() => this.onTimeout(), SILENCE_MS).unref();
    request.on('data', this.#onData);
  }

  /** Data from a refused client is discarded for a while, so that the client can read the response. */
  stop(): void {
    clearTimeout(this.#whole);
    clearTimeout(this.#silence);
    this.#request.off('data', this.#onData);
    if (this.#request.readableEnded) return;
    const end = setTimeout(() => this.#request.destroy(), SILENCE_MS).unref();
    this.#request.once('close', () => clearTimeout(end));
    this.#request.once('end', () => clearTimeout(end));
  }
}
