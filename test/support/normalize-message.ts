import { toDocumentFilename } from '../../src/messages/compose/document-filename.js';

type Json = Record<string, unknown>;

/**
 * Normalizes a body of Meta's Messages API (plus signs, defaults, case, message ID), so that bodies with the same effect are
 * equal.
 */
export function normalizeMessage(body: Json): Json {
  const {
    to,
    type = findType(body),
    recipient_type = 'individual',
    biz_opaque_callback_data: _id,
    ...otherFields
  } = withoutNulls(body) as Json;
  const normalized: Json = { ...otherFields, type, recipient_type };
  if (to !== undefined) normalized.to = String(to).replace(/\D/g, '');
  if (normalized.text) normalized.text = { preview_url: false, ...(normalized.text as Json) };
  if (normalized.document) normalized.document = addFilename(normalized.document as Json);
  if (normalized.template) normalized.template = normalizeTemplate(normalized.template as Json);
  return normalized;
}

const KINDS = ['text', 'image', 'audio', 'video', 'document', 'sticker', 'location', 'contacts', 'interactive'];

function findType(body: Json): string | undefined {
  return KINDS.find((kind) => body[kind] !== undefined);
}

/** Names a document without a name after the file in its link. */
function addFilename(document: Json): Json {
  const { link, filename } = document;
  if (typeof link !== 'string' || filename !== undefined) return document;
  return { ...document, filename: toDocumentFilename(link) };
}

function normalizeTemplate({ language, components = [], ...otherFields }: Json): Json {
  // The language policy is dropped, because Meta defines only `deterministic`.
  const { policy: _policy, ...languageFields } = language as Json;
  const normalizedComponents = (components as Json[]).map(({ type, sub_type, index, ...otherFields }) => ({
    type: String(type).toLowerCase(),
    ...(sub_type !== undefined && { sub_type: String(sub_type).toLowerCase() }),
    ...(index !== undefined && { index: String(index) }),
    ...otherFields,
  }));
  return { ...otherFields, language: languageFields, components: normalizedComponents };
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => (field === null ? [] : [[name, withoutNulls(field)]])),
  );
}
