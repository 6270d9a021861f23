import type pg from 'pg';
import type { CarrierRegistry } from '../../carriers/registry/registry.js';
import type { TemplateExample } from '../../carriers/templates.js';
import { AppError, invalidField } from '../../platform/errors/app-error.js';
import { isUuid } from '../../platform/ids.js';
import { askCarrier, type OwnedChannel } from '../channels/ask-carrier.js';
import { openMedia } from '../media/open-media.js';
import { NO_MEDIA } from '../media/require-media.js';
import { filesOf } from './draft/carousel.js';
import type { CheckedDraft } from './draft/draft.js';
import { exampleOf, fetchExample, keptExample, NoExample } from './example-file.js';

export interface ExampleOptions extends Omit<Parameters<typeof openMedia>[0], 'pool'> {
  pool: pg.Pool;
  carriers: Pick<CarrierRegistry, 'get'>;
  /** Whether links may lead to private addresses. */
  webhookAllowPrivate: boolean;
}

/**
 * Hands a file to the channel's carrier, as the example of a header.
 * @param data the file as base64
 * @returns what names it in a draft (`header_handle`)
 * @throws {AppError} INVALID_REQUEST for what is no file of Meta's; FORBIDDEN, CARRIER_REFUSED or UNAVAILABLE as `askCarrier`
 */
export async function uploadExample(
  { carriers }: Pick<ExampleOptions, 'carriers'>,
  channel: OwnedChannel,
  { data }: { data: string },
): Promise<{ handle: string; type: string; size: number }> {
  if (!isBase64(data)) throw invalidField('data', 'must be a file as base64');
  const file = await orInvalid('data', async () => exampleOf(Buffer.from(data, 'base64')));
  const handle = await askCarrier(
    carriers,
    channel,
    (carrier) => carrier.uploadExample?.(channel, async () => file),
    'takes no examples of headers',
  );
  return { handle, type: file.type, size: file.size };
}

/**
 * The components of a draft with handles for the examples that links name, or ids of files that the channel keeps: these are handed
 * to the carrier.
 * @throws {AppError} INVALID_REQUEST naming the example that leads to no file, or to one of another kind; NOT_FOUND naming one
 * whose file the channel does not keep; else as `askCarrier`, and for files of contacts as `openMedia`
 */
export async function withHandles(
  options: ExampleOptions,
  channel: OwnedChannel,
  { components }: Pick<CheckedDraft, 'components'>,
): Promise<CheckedDraft['components']> {
  const { carriers, webhookAllowPrivate: allowPrivate } = options;
  const ready = structuredClone(components) as CheckedDraft['components'];
  const made = new Map<string, string>();
  for (const { path, header, handle: link } of filesOf(ready)) {
    const isOurs = isUuid(link);
    if (!isOurs && !/^https?:\/\//i.test(link)) continue;
    const format = String(header.format);
    const field = `${path}.example.header_handle`;
    // Before any carrier is asked, for one may need no file.
    const own = isOurs ? await ownExample(options, channel, { id: link, format, field }) : null;
    const read = () =>
      own ? Promise.resolve(own) : orInvalid(field, () => fetchExample(link, { format, allowPrivate }));
    const handle =
      made.get(link) ??
      (await askCarrier(carriers, channel, (carrier) =>
        // A carrier that needs no handles is given the link.
        carrier.uploadExample ? carrier.uploadExample(channel, read) : Promise.resolve(link),
      ));
    made.set(link, handle);
    header.example = { ...(header.example as object), header_handle: [handle] };
  }
  return ready;
}

/** A file that was uploaded to the channel, or that a contact sent. */
async function ownExample(
  options: ExampleOptions,
  channel: OwnedChannel,
  { id, format, field }: { id: string; format: string; field: string },
): Promise<TemplateExample> {
  const found = await openMedia(options, channel, id.toLowerCase());
  if (!found) throw new AppError('NOT_FOUND', `${field} ${NO_MEDIA}`, [{ field, rule: NO_MEDIA }]);
  return await orInvalid(field, async () => keptExample(found.media, format, () => found.open()));
}

async function orInvalid<T>(field: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NoExample) throw invalidField(field, error.rule);
    throw error;
  }
}

/**
 * Whether a text is base64 (RFC 4648 section 4), with or without padding. The expression tests one character at a time: V8
 * may store a step for each repetition of `[…]+`, and its limit is below the characters of a 16 MB file.
 */
function isBase64(text: string): boolean {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const length = text.length - padding;
  return length > 0 && !/[^A-Za-z0-9+/]/.test(text.slice(0, length));
}
