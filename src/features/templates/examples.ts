import type { CarrierRegistry } from '../../carriers/registry/registry.js';
import { invalidField } from '../../platform/errors/app-error.js';
import { askCarrier, type OwnedChannel } from '../channels/ask-carrier.js';
import { filesOf } from './draft/carousel.js';
import type { CheckedDraft } from './draft/draft.js';
import { exampleOf, fetchExample, NoExample } from './example-file.js';

export interface ExampleOptions {
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
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(data)) throw invalidField('data', 'must be a file as base64');
  const file = await orInvalid('data', async () => exampleOf(Buffer.from(data, 'base64')));
  const handle = await askCarrier(
    carriers,
    channel,
    (carrier) => carrier.uploadExample?.(channel, async () => file),
    'takes no examples of headers',
  );
  return { handle, type: file.type, size: file.data.length };
}

/**
 * The components of a draft with handles for the examples that links name, which the carrier is given.
 * @throws {AppError} INVALID_REQUEST naming the example that leads to no file; else as `askCarrier`
 */
export async function withHandles(
  { carriers, webhookAllowPrivate: allowPrivate }: ExampleOptions,
  channel: OwnedChannel,
  { components }: Pick<CheckedDraft, 'components'>,
): Promise<CheckedDraft['components']> {
  const ready = structuredClone(components) as CheckedDraft['components'];
  const made = new Map<string, string>();
  for (const { path, header, handle: link } of filesOf(ready)) {
    if (!/^https?:\/\//i.test(link)) continue;
    const format = String(header.format);
    const field = `${path}.example.header_handle`;
    const read = () => orInvalid(field, () => fetchExample(link, { format, allowPrivate }));
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

async function orInvalid<T>(field: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NoExample) throw invalidField(field, error.rule);
    throw error;
  }
}
