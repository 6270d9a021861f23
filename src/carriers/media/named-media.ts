import { isUuid } from '../../platform/ids.js';
import { MEDIA_TYPES, type MessageContent } from '../content.js';
import { ensureFittingExtension } from './file-names.js';
import type { MediaKind } from './media-types.js';

export interface NamedMedia {
  /** Lower case. */
  id: string;
  kind: MediaKind;
  /** E.g. `interactive.header.image.id`. */
  field: string;
}

const KINDS: ReadonlySet<string> = new Set(MEDIA_TYPES);

/** Finds references to files on this server, whose IDs are UUIDs. File IDs in any other format belong to the carrier. */
export function findNamedMedia(content: MessageContent | null, components = 'components'): NamedMedia[] {
  const references: NamedMedia[] = [];
  rewriteContent(content, components, (reference) => {
    references.push(reference);
    return null;
  });
  return references;
}

export interface CopiedMedia {
  carrierMediaId: string;
  mimeType: string;
  filename: string | null;
}

/** A document without a name in the message gets the uploaded file's name, with an extension that fits its type. */
export function replaceWithCopies(
  content: MessageContent | null,
  copies: ReadonlyMap<string, CopiedMedia>,
): MessageContent | null {
  return rewriteContent(content, '', ({ id }) => copies.get(id) ?? null);
}

/** Null keeps the reference. */
type Replace = (reference: NamedMedia) => CopiedMedia | null;

function chooseDocumentName(
  kind: MediaKind,
  requested: unknown,
  { filename, mimeType }: CopiedMedia,
): { filename?: string } {
  const name = typeof requested === 'string' && requested !== '' ? requested : filename;
  return kind === 'document' ? { filename: ensureFittingExtension(name, mimeType) } : {};
}

function rewriteContent(content: MessageContent | null, components: string, replace: Replace): MessageContent | null {
  if (content === null) return null;
  if ('mediaId' in content && content.mediaId !== undefined && isUuid(content.mediaId)) {
    const { type: kind, mediaId } = content;
    const copy = replace({ id: mediaId.toLowerCase(), kind, field: `${kind}.id` });
    if (copy === null) return content;
    return { ...content, mediaId: copy.carrierMediaId, ...chooseDocumentName(kind, content.filename, copy) };
  }
  if (content.type === 'template') {
    return { ...content, components: rewriteJson(content.components, components, replace) };
  }
  if ('object' in content) return { ...content, object: rewriteJson(content.object, content.type, replace) };
  return content;
}

/** In headers, parameters and cards, Meta puts the `id` of a file into an object named after the kind of file. */
function rewriteJson<T>(value: T, path: string, replace: Replace): T {
  if (Array.isArray(value)) return value.map((item, index) => rewriteJson(item, `${path}[${index}]`, replace)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]: [string, unknown]) => {
      const fieldPath = `${path}.${name}`;
      const rewritten = rewriteJson(field, fieldPath, replace);
      const id = KINDS.has(name) ? (rewritten as { id?: unknown } | null)?.id : undefined;
      if (typeof id !== 'string' || !isUuid(id)) return [name, rewritten];
      const kind = name as MediaKind;
      const copy = replace({ id: id.toLowerCase(), kind, field: `${fieldPath}.id` });
      if (copy === null) return [name, rewritten];
      const { filename } = rewritten as { filename?: unknown };
      return [name, { ...(rewritten as object), id: copy.carrierMediaId, ...chooseDocumentName(kind, filename, copy) }];
    }),
  ) as T;
}
