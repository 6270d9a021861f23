import type { Readable } from 'node:stream';
import type { Clock } from '../../../platform/clock.js';
import type { OutboundMessage } from '../../carrier.js';
import { CarrierError } from '../../carrier-error.js';
import type { MessageContent } from '../../content.js';
import { parseJsonObject } from '../../http/client.js';
import type { CarrierCopy, FetchedMedia, MediaSource, OwnMedia } from '../../media/carrier-media.js';
import { type CopiedMedia, findNamedMedia, replaceWithCopies } from '../../media/named-media.js';
import { readMetaError, toRefusal } from './errors.js';
import type { GraphAnswer, GraphClient } from './graph-client.js';

/**
 * Uploads are used for less than the 30 days for which Meta keeps them (Meta, "Media"), because queued messages must still find
 * the file.
 */
const COPY_LIFETIME_MS = 27 * 24 * 60 * 60 * 1000;
/** Meta may report a missing upload as an invalid parameter or a media error. */
const MAYBE_LOST_CODES: ReadonlySet<number> = new Set([100, 131009, 131053]);
/** Hosts that may receive the token in addition to the configured host. */
const META_HOSTS = /(^|\.)(facebook\.com|fbsbx\.com|fbcdn\.net|whatsapp\.com|whatsapp\.net)$/;

export class UploadRefused extends CarrierError {
  readonly answer: GraphAnswer;
  readonly requestedAt: Date;

  constructor(answer: GraphAnswer, requestedAt: Date) {
    const { code, message, retryable } = toRefusal(answer).error;
    super(code, message, { retryable });
    this.answer = answer;
    this.requestedAt = requestedAt;
  }
}

export interface PreparedContent {
  content: MessageContent | null;
  /** Copies that were uploaded for earlier messages, so that Meta may no longer have them. */
  reusedCopies: readonly { mediaId: string; carrierMediaId: string }[];
}

export interface CloudMediaOptions {
  client: GraphClient;
  clock: Clock;
  carrier: string;
  baseUrl: string;
  token: string;
}

export class CloudMedia {
  readonly #options: CloudMediaOptions;
  #source: MediaSource | null = null;

  constructor(options: CloudMediaOptions) {
    this.#options = options;
  }

  start(source: MediaSource): void {
    this.#source = source;
  }

  /**
   * Throws UploadRefused if Meta refuses a file, and the final CarrierError MEDIA_NOT_FOUND if a file was deleted.
   * @throws {UploadRefused}
   * @throws {CarrierError}
   */
  async prepare(
    { channelId, content }: Pick<OutboundMessage, 'channelId' | 'content'>,
    phoneNumberId: string,
    signal: AbortSignal,
  ): Promise<PreparedContent> {
    const mediaRefs = findNamedMedia(content);
    const source = this.#source;
    if (mediaRefs.length === 0 || !source) return { content, reusedCopies: [] };
    const copies = new Map<string, CopiedMedia>();
    const reusedCopies: { mediaId: string; carrierMediaId: string }[] = [];
    for (const { id } of mediaRefs) {
      if (copies.has(id)) continue;
      const file = channelId === null ? null : await orUnavailable(source.find(channelId, id));
      if (!file) throw CarrierError.refused('MEDIA_NOT_FOUND', `No media has the ID ${id}.`);
      const upload = () => this.#upload(file, phoneNumberId, signal);
      const { carrierMediaId, isNew } = await orUnavailable(
        source.ensureCopy(id, this.#copyKey(phoneNumberId), upload),
      );
      copies.set(id, { carrierMediaId, mimeType: file.mimeType, filename: file.filename });
      if (!isNew) reusedCopies.push({ mediaId: id, carrierMediaId });
    }
    return { content: replaceWithCopies(content, copies), reusedCopies };
  }

  /** Returns true if a retry will upload the files again. */
  async forgetLostCopies(
    reusedCopies: PreparedContent['reusedCopies'],
    code: number | null,
    phoneNumberId: string,
  ): Promise<boolean> {
    if (reusedCopies.length === 0 || code === null || !MAYBE_LOST_CODES.has(code)) return false;
    for (const { mediaId, carrierMediaId } of reusedCopies) {
      await this.#source?.forgetCopy(mediaId, this.#copyKey(phoneNumberId), carrierMediaId);
    }
    return true;
  }

  /**
   * Copies are kept per carrier and number, because Meta may not accept a copy uploaded for another number or with
   * another carrier's token.
   */
  #copyKey(phoneNumberId: string): string {
    return `${this.#options.carrier} ${phoneNumberId}`;
  }

  async #upload(
    { mimeType, size, filename, open }: OwnMedia,
    phoneNumberId: string,
    signal: AbortSignal,
  ): Promise<CarrierCopy> {
    const { client, clock, token } = this.#options;
    const bytes = await orUnavailable(open());
    const file = { bytes, size, mimeType, filename: filename ?? 'file' };
    const fields = { messaging_product: 'whatsapp', type: mimeType };
    const path = `${phoneNumberId}/media`;
    const requestedAt = clock.now();
    const answer = await client.upload({ path, token, file, fields, signal }).catch((cause: unknown) => {
      if (signal.aborted) throw CarrierError.notSubmitted();
      // The upload failed before the message was sent, so Meta cannot have accepted the message.
      throw CarrierError.unavailable('MEDIA_UPLOAD', 'The file could not be uploaded to Meta.', { cause });
    });
    const id = answer.body?.id;
    if (answer.status >= 200 && answer.status < 300 && typeof id === 'string') {
      return { carrierMediaId: id, expiresAt: new Date(clock.now().getTime() + COPY_LIFETIME_MS) };
    }
    throw new UploadRefused(answer, requestedAt);
  }

  /**
   * The CarrierError is not retryable if the file does not exist.
   * @throws {CarrierError}
   */
  async fetch(phoneNumberId: string, mediaId: string, signal: AbortSignal): Promise<FetchedMedia> {
    const { client, token } = this.#options;
    const unreachable = (cause: unknown) => {
      throw CarrierError.unavailable('UNREACHABLE', 'Meta cannot be reached.', { cause });
    };
    const path = encodeURIComponent(mediaId);
    const query = { phone_number_id: phoneNumberId };
    const metadata = await client.call({ method: 'GET', path, query, token }).catch(unreachable);
    if (metadata.status < 200 || metadata.status > 299 || !metadata.body) throw createFileRefusal(metadata);
    const { url, mime_type, sha256 } = metadata.body;
    const address = typeof url === 'string' && URL.canParse(url) ? new URL(url) : null;
    if (!address || !this.#isMetaUrl(address)) {
      throw CarrierError.refused('BAD_ANSWER', 'Meta returned no valid URL for the file.', { retryable: true });
    }
    const { status, headers, body } = await client.download(address, token, signal).catch(unreachable);
    if (status === 200) {
      const mimeType = typeof mime_type === 'string' ? mime_type : headers['content-type'];
      const hash = typeof sha256 === 'string' && sha256 !== '' ? sha256 : null;
      return { mimeType: typeof mimeType === 'string' ? mimeType : null, sha256: hash, bytes: body };
    }
    throw await createDownloadRefusal(status, headers, body);
  }

  /** Checks the host of a file URL, because no response may make us send the token to another host. */
  #isMetaUrl(address: URL): boolean {
    if (address.origin === new URL(this.#options.baseUrl).origin) return true;
    return address.protocol === 'https:' && address.port === '' && META_HOSTS.test(address.hostname);
  }
}

/** Errors of our own database or file storage are retryable. */
async function orUnavailable<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (cause) {
    if (cause instanceof CarrierError) throw cause;
    throw CarrierError.unavailable('MEDIA_UNREADABLE', 'The file cannot be read at the moment.', { cause });
  }
}

/**
 * For a file, error 100 means that the file does not exist. With subcode 33, the error would otherwise count as a problem with
 * the channel's phone number.
 */
function createFileRefusal(answer: GraphAnswer): CarrierError {
  const { error } = toRefusal(answer);
  return error.with({ answerLost: false, ...(readMetaError(answer)?.code === 100 && { retryable: false }) });
}

async function createDownloadRefusal(
  status: number,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: Readable,
): Promise<CarrierError> {
  const answer = { status, headers, body: parseJsonObject({ text: await readStart(body) }) };
  const error = readMetaError(answer)
    ? createFileRefusal(answer)
    : CarrierError.refused('BAD_ANSWER', `Meta answered ${status} for the file.`, { retryable: true });
  return status === 404 || status === 410 ? error.with({ retryable: false }) : error;
}

async function readStart(body: Readable): Promise<string> {
  let text = '';
  for await (const chunk of body) {
    text += String(chunk);
    if (text.length > 64 * 1024) break;
  }
  return text;
}
