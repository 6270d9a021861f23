import type pg from 'pg';
import type { CarrierRegistry } from '../../carriers/registry/registry.js';
import type { TemplateExample } from '../../carriers/templates.js';
import { AppError, invalidField } from '../../platform/errors/app-error.js';
import { isUuid } from '../../platform/ids.js';
import { callCarrier, type OwnedChannel } from '../channels/call-carrier.js';
import { openMedia } from '../media/open-media.js';
import { NO_MEDIA } from '../media/require-media.js';
import { listFileHeaders } from './draft/carousel.js';
import type { CheckedDraft } from './draft/draft.js';
import { fetchExample, InvalidExample, toExample, toStoredExample } from './example-file.js';

export interface ExampleOptions extends Omit<Parameters<typeof openMedia>[0], 'pool'> {
  pool: pg.Pool;
  carriers: Pick<CarrierRegistry, 'get'>;
  webhookAllowPrivate: boolean;
}

/**
 * Uploads a file in base64, and returns the handle for `header_handle` in a draft.
 * @throws {AppError} INVALID_REQUEST for an unsupported file; otherwise the errors of `callCarrier`
 */
export async function uploadExample(
  { carriers }: Pick<ExampleOptions, 'carriers'>,
  channel: OwnedChannel,
  { data }: { data: string },
): Promise<{ handle: string; type: string; size: number }> {
  if (!isBase64(data)) throw invalidField('data', 'must be a file in base64');
  const file = await rethrowAsInvalid('data', async () => toExample(Buffer.from(data, 'base64')));
  const handle = await callCarrier(
    carriers,
    channel,
    (carrier) => carrier.uploadExample?.(channel, async () => file),
    'does not accept header examples',
  );
  return { handle, type: file.type, size: file.size };
}

/**
 * Replaces links and media IDs in the examples of a draft with handles from the carrier.
 * @throws {AppError} INVALID_REQUEST for a missing or unsuitable file; NOT_FOUND for a file that the channel does not
 * have; otherwise the errors of `callCarrier` and `openMedia`
 */
export async function replaceWithHandles(
  options: ExampleOptions,
  channel: OwnedChannel,
  { components }: Pick<CheckedDraft, 'components'>,
): Promise<CheckedDraft['components']> {
  const { carriers, webhookAllowPrivate: allowPrivate } = options;
  const componentsWithHandles = structuredClone(components) as CheckedDraft['components'];
  const handles = new Map<string, string>();
  for (const { path, header, handle: link } of listFileHeaders(componentsWithHandles)) {
    const isMediaId = isUuid(link);
    if (!isMediaId && !/^https?:\/\//i.test(link)) continue;
    const format = String(header.format);
    const field = `${path}.example.header_handle`;
    // Stored files are checked first, because a carrier that needs no handles would not read them.
    const stored = isMediaId ? await loadStoredExample(options, channel, { id: link, format, field }) : null;
    const read = () =>
      stored ? Promise.resolve(stored) : rethrowAsInvalid(field, () => fetchExample(link, { format, allowPrivate }));
    const handle =
      handles.get(link) ??
      (await callCarrier(carriers, channel, (carrier) =>
        carrier.uploadExample ? carrier.uploadExample(channel, read) : Promise.resolve(link),
      ));
    handles.set(link, handle);
    header.example = { ...(header.example as object), header_handle: [handle] };
  }
  return componentsWithHandles;
}

async function loadStoredExample(
  options: ExampleOptions,
  channel: OwnedChannel,
  { id, format, field }: { id: string; format: string; field: string },
): Promise<TemplateExample> {
  const media = await openMedia(options, channel, id.toLowerCase());
  if (!media) throw new AppError('NOT_FOUND', `${field} ${NO_MEDIA}`, [{ field, rule: NO_MEDIA }]);
  return await rethrowAsInvalid(field, async () => toStoredExample(media.media, format, () => media.open()));
}

async function rethrowAsInvalid<T>(field: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InvalidExample) throw invalidField(field, error.rule);
    throw error;
  }
}

/**
 * Detects base64 (RFC 4648 section 4), with or without padding. The expression tests single characters, because V8
 * could exceed its limit of steps if it repeated `[…]+` over a 16 MB file.
 */
function isBase64(text: string): boolean {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const length = text.length - padding;
  return length > 0 && !/[^A-Za-z0-9+/]/.test(text.slice(0, length));
}
