import { isUuid } from '../../platform/ids.js';
import { MEDIA_TYPES, type MessageContent } from '../content.js';
import { fittingName } from './file-names.js';
import type { MediaKind } from './media-types.js';

/** A file of ours that a message names. */
export interface NamedMedia {
  /** In lower case. */
  id: string;
  kind: MediaKind;
  /** Where in the message it is named, e.g. `interactive.header.image.id`. */
  field: string;
}

const KINDS: ReadonlySet<string> = new Set(MEDIA_TYPES);

/**
 * The files of ours that a message names, wherever in it. An id is ours if it is a UUID: those of carriers are none, and go
 * to them as they are.
 * @param components path of a template's components in the request
 */
export function namedMedia(content: MessageContent | null, components = 'components'): NamedMedia[] {
  const named: NamedMedia[] = [];
  rewritten(content, components, (found) => {
    named.push(found);
    return null;
  });
  return named;
}

/** A carrier's copy of one of our files. */
export interface CopiedMedia {
  carrierMediaId: string;
  mimeType: string;
  /** As it was uploaded. */
  filename: string | null;
}

/**
 * The message with a carrier's copies in place of our files, by our ids. A document gets the name of the upload unless the message
 * names it, with an extension that fits its type.
 */
export function withCopies(
  content: MessageContent | null,
  copies: ReadonlyMap<string, CopiedMedia>,
): MessageContent | null {
  return rewritten(content, '', ({ id }) => copies.get(id) ?? null);
}

/** Null: it stays as it is. */
type Replace = (found: NamedMedia) => CopiedMedia | null;

function nameOf(kind: MediaKind, given: unknown, { filename, mimeType }: CopiedMedia): { filename?: string } {
  const name = typeof given === 'string' && given !== '' ? given : filename;
  return kind === 'document' ? { filename: fittingName(name, mimeType) } : {};
}

function rewritten(content: MessageContent | null, components: string, replace: Replace): MessageContent | null {
  if (content === null) return null;
  if ('mediaId' in content && content.mediaId !== undefined && isUuid(content.mediaId)) {
    const { type: kind, mediaId } = content;
    const copy = replace({ id: mediaId.toLowerCase(), kind, field: `${kind}.id` });
    if (copy === null) return content;
    return { ...content, mediaId: copy.carrierMediaId, ...nameOf(kind, content.filename, copy) };
  }
  if (content.type === 'template') {
    return { ...content, components: walk(content.components, components, replace) };
  }
  if ('object' in content) return { ...content, object: walk(content.object, content.type, replace) };
  return content;
}

/** A file is an object with an `id` under the name of its kind, as Meta has it in headers, parameters and cards. */
function walk<T>(value: T, path: string, replace: Replace): T {
  if (Array.isArray(value)) return value.map((each, at) => walk(each, `${path}[${at}]`, replace)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, held]: [string, unknown]) => {
      const field = `${path}.${name}`;
      const walked = walk(held, field, replace);
      const id = KINDS.has(name) ? (walked as { id?: unknown } | null)?.id : undefined;
      if (typeof id !== 'string' || !isUuid(id)) return [name, walked];
      const found = { id: id.toLowerCase(), kind: name as MediaKind, field: `${field}.id` };
      const copy = replace(found);
      if (copy === null) return [name, walked];
      const { filename } = walked as { filename?: unknown };
      return [name, { ...(walked as object), id: copy.carrierMediaId, ...nameOf(found.kind, filename, copy) }];
    }),
  ) as T;
}
