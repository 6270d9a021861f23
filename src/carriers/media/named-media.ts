import { isUuid } from '../../platform/ids.js';
import { MEDIA_TYPES, type MessageContent } from '../content.js';
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
    return found.id;
  });
  return named;
}

/** The message with other ids in place of ours. */
export function withMediaIds(content: MessageContent | null, ids: ReadonlyMap<string, string>): MessageContent | null {
  return rewritten(content, '', ({ id }) => ids.get(id) ?? id);
}

type Replace = (found: NamedMedia) => string;

function rewritten(content: MessageContent | null, components: string, replace: Replace): MessageContent | null {
  if (content === null) return null;
  if ('mediaId' in content && content.mediaId !== undefined && isUuid(content.mediaId)) {
    const { type: kind, mediaId } = content;
    return { ...content, mediaId: replace({ id: mediaId.toLowerCase(), kind, field: `${kind}.id` }) };
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
      return [name, { ...(walked as object), id: replace(found) }];
    }),
  ) as T;
}
