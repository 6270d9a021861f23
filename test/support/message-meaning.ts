import { toDocumentFilename } from '../../src/messages/compose/document-filename.js';

type Json = Record<string, unknown>;

/**
 * Normalizes a body of Meta's Messages API, so that bodies with the same effect are equal: plus signs, defaults, case in
 * components, our message ID.
 */
export function meaningOf(body: Json): Json {
  const {
    to,
    type = typeIn(body),
    recipient_type = 'individual',
    biz_opaque_callback_data: _id,
    ...rest
  } = withoutNulls(body) as Json;
  const said: Json = { ...rest, type, recipient_type };
  if (to !== undefined) said.to = String(to).replace(/\D/g, '');
  if (said.text) said.text = { preview_url: false, ...(said.text as Json) };
  if (said.document) said.document = named(said.document as Json);
  if (said.template) said.template = templateOf(said.template as Json);
  return said;
}

const KINDS = ['text', 'image', 'audio', 'video', 'document', 'sticker', 'location', 'contacts', 'interactive'];

function typeIn(body: Json): string | undefined {
  return KINDS.find((kind) => body[kind] !== undefined);
}

/** A document without a name gets the name in its link. */
function named(document: Json): Json {
  const { link, filename } = document;
  if (typeof link !== 'string' || filename !== undefined) return document;
  return { ...document, filename: toDocumentFilename(link) };
}

function templateOf({ language, components = [], ...rest }: Json): Json {
  // `deterministic` is the only policy.
  const { policy: _policy, ...wanted } = language as Json;
  const read = (components as Json[]).map(({ type, sub_type, index, ...more }) => ({
    type: String(type).toLowerCase(),
    ...(sub_type !== undefined && { sub_type: String(sub_type).toLowerCase() }),
    ...(index !== undefined && { index: String(index) }),
    ...more,
  }));
  return { ...rest, language: wanted, components: read };
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => (each === null ? [] : [[name, withoutNulls(each)]])),
  );
}
