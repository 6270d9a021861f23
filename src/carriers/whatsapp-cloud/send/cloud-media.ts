import type { Readable } from 'node:stream';
import type { Clock } from '../../../platform/clock.js';
import type { OutboundMessage } from '../../carrier.js';
import { CarrierError } from '../../carrier-error.js';
import type { MessageContent } from '../../content.js';
import { objectIn } from '../../http/client.js';
import type { CarrierCopy, FetchedMedia, MediaSource, OwnMedia } from '../../media/carrier-media.js';
import { type CopiedMedia, namedMedia, withCopies } from '../../media/named-media.js';
import { metaErrorOf, refusalOf } from './errors.js';
import type { GraphAnswer, GraphClient } from './graph-client.js';

/** Meta keeps an upload for 30 days (Meta, "Media"); a message that waits must still find it. */
const COPY_MS = 27 * 24 * 60 * 60 * 1000;
/** What a refusal may say of a copy that Meta does not have any more: a parameter that is not valid, a file that fails. */
const GONE: ReadonlySet<number> = new Set([100, 131009, 131053]);
/** Where Meta's answers may send the token, beside the host that is configured. */
const META_HOSTS = /(^|\.)(facebook\.com|fbsbx\.com|fbcdn\.net|whatsapp\.com|whatsapp\.net)$/;

/** Meta did not take a file: its answer says what that holds up, as the answer to a send does. */
export class UploadRefused extends CarrierError {
  readonly answer: GraphAnswer;
  readonly askedAt: Date;

  constructor(answer: GraphAnswer, askedAt: Date) {
    const { code, message, retryable } = refusalOf(answer).error;
    super(code, message, { retryable });
    this.answer = answer;
    this.askedAt = askedAt;
  }
}

/** A message whose files Meta knows. */
export interface ReadyContent {
  content: MessageContent | null;
  /** Copies that were made for an earlier message: Meta may have lost them. */
  reused: readonly { mediaId: string; carrierMediaId: string }[];
}

export interface CloudMediaOptions {
  client: GraphClient;
  clock: Clock;
  /** Name of the carrier. */
  carrier: string;
  baseUrl: string;
  token: string;
}

/** Files on their way to Meta and from it. */
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
   * Hands the files of ours that a message names over to Meta, where it does not have them yet, and puts Meta's ids in place
   * of ours.
   * @throws {UploadRefused} for a file that Meta does not take
   * @throws {CarrierError} MEDIA_NOT_FOUND, for good, for a file that was deleted
   */
  async ready(
    { channelId, content }: Pick<OutboundMessage, 'channelId' | 'content'>,
    number: string,
    signal: AbortSignal,
  ): Promise<ReadyContent> {
    const named = namedMedia(content);
    const source = this.#source;
    if (named.length === 0 || !source) return { content, reused: [] };
    const copies = new Map<string, CopiedMedia>();
    const reused: { mediaId: string; carrierMediaId: string }[] = [];
    for (const { id } of named) {
      if (copies.has(id)) continue;
      const file = channelId === null ? null : await stored(source.find(channelId, id));
      if (!file) throw CarrierError.refused('MEDIA_NOT_FOUND', `There is no media with the id ${id} any more.`);
      const handOver = () => this.#upload(file, number, signal);
      const { carrierMediaId, isNew } = await stored(source.copyOf(id, this.#placeOf(number), handOver));
      copies.set(id, { carrierMediaId, mimeType: file.mimeType, filename: file.filename });
      if (!isNew) reused.push({ mediaId: id, carrierMediaId });
    }
    return { content: withCopies(content, copies), reused };
  }

  /**
   * Forgets the copies that a refused message named, if that is what it may have been refused for.
   * @returns whether another try hands them over anew
   */
  async forgetIfGone(reused: ReadyContent['reused'], code: number | null, number: string): Promise<boolean> {
    if (reused.length === 0 || code === null || !GONE.has(code)) return false;
    for (const { mediaId, carrierMediaId } of reused) {
      await this.#source?.forgetCopy(mediaId, this.#placeOf(number), carrierMediaId);
    }
    return true;
  }

  /** Of another number, or another carrier, Meta may not let it be used. */
  #placeOf(number: string): string {
    return `${this.#options.carrier} ${number}`;
  }

  async #upload(
    { mimeType, size, filename, open }: OwnMedia,
    number: string,
    signal: AbortSignal,
  ): Promise<CarrierCopy> {
    const { client, clock, token } = this.#options;
    const bytes = await stored(open());
    const file = { bytes, size, mimeType, filename: filename ?? 'file' };
    const fields = { messaging_product: 'whatsapp', type: mimeType };
    const path = `${number}/media`;
    const askedAt = clock.now();
    const answer = await client.upload({ path, token, file, fields, signal }).catch((cause: unknown) => {
      if (signal.aborted) throw CarrierError.notSubmitted();
      // The message itself has not left: nothing is lost but the copy.
      throw CarrierError.unavailable('MEDIA_UPLOAD', 'Meta did not take the file.', { cause });
    });
    const id = answer.body?.id;
    if (answer.status >= 200 && answer.status < 300 && typeof id === 'string') {
      return { carrierMediaId: id, expiresAt: new Date(clock.now().getTime() + COPY_MS) };
    }
    throw new UploadRefused(answer, askedAt);
  }

  /** @throws {CarrierError} where Meta does not hand the file out: for good where it says that there is none */
  async fetch(number: string, mediaId: string, signal: AbortSignal): Promise<FetchedMedia> {
    const { client, token } = this.#options;
    const unreachable = (cause: unknown) => {
      throw CarrierError.unavailable('UNREACHABLE', 'Meta cannot be reached.', { cause });
    };
    const path = encodeURIComponent(mediaId);
    const query = { phone_number_id: number };
    const about = await client.call({ method: 'GET', path, query, token }).catch(unreachable);
    if (about.status < 200 || about.status > 299 || !about.body) throw refusedFile(about);
    const { url, mime_type, sha256 } = about.body;
    const address = typeof url === 'string' && URL.canParse(url) ? new URL(url) : null;
    if (!address || !this.#isMetas(address)) {
      throw CarrierError.refused('BAD_ANSWER', 'Meta names no address of its own for the file.', { retryable: true });
    }
    const { status, headers, body } = await client.download(address, token, signal).catch(unreachable);
    if (status === 200) {
      const said = typeof mime_type === 'string' ? mime_type : headers['content-type'];
      const hash = typeof sha256 === 'string' && sha256 !== '' ? sha256 : null;
      return { mimeType: typeof said === 'string' ? said : null, sha256: hash, bytes: body };
    }
    throw await refusedDownload(status, headers, body);
  }

  /** The token goes to Meta alone, whatever an answer says: by HTTPS, or to the very place that is configured. */
  #isMetas(address: URL): boolean {
    if (address.origin === new URL(this.#options.baseUrl).origin) return true;
    return address.protocol === 'https:' && address.port === '' && META_HOSTS.test(address.hostname);
  }
}

/** The store of this server, or its files, are away: another try may find them. */
async function stored<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (cause) {
    if (cause instanceof CarrierError) throw cause;
    throw CarrierError.unavailable('MEDIA_UNREADABLE', 'The file cannot be read at the moment.', { cause });
  }
}

/** A file that is not there (any more) is 100, with a subcode that of a number would concern its channel. */
function refusedFile(answer: GraphAnswer): CarrierError {
  const { error } = refusalOf(answer);
  return error.with({ answerLost: false, ...(metaErrorOf(answer)?.code === 100 && { retryable: false }) });
}

async function refusedDownload(
  status: number,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: Readable,
): Promise<CarrierError> {
  const answer = { status, headers, body: objectIn({ text: await startOf(body) }) };
  const error = metaErrorOf(answer)
    ? refusedFile(answer)
    : CarrierError.refused('BAD_ANSWER', `Meta answered ${status} for the file.`, { retryable: true });
  return status === 404 || status === 410 ? error.with({ retryable: false }) : error;
}

async function startOf(body: Readable): Promise<string> {
  let text = '';
  for await (const chunk of body) {
    text += String(chunk);
    if (text.length > 64 * 1024) break;
  }
  return text;
}
