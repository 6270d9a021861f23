/** Characters of a reference. */
export const MAX_REFERENCE_LENGTH = 64;
/** Pairs of metadata, and characters of a name and of a value among them. */
export const MAX_METADATA_PAIRS = 10;
export const MAX_METADATA_NAME_LENGTH = 40;
export const MAX_METADATA_VALUE_LENGTH = 200;

/** What a sender wants back with each message of a send. */
export interface SendNotes {
  /** What the sender calls it. */
  reference: string | null;
  metadata: Readonly<Record<string, string>> | null;
  /** Where its statuses are told beside the webhooks. */
  callback: CallbackEndpoint | null;
}

/** A URL that is told of the statuses of single sends. */
export interface CallbackEndpoint {
  /** The row of `webhooks` that it belongs to. */
  id: string;
  url: string;
}

/** What a sender may note on a send, as the schema has checked it. */
export interface NotesBody {
  reference?: string;
  metadata?: Record<string, string>;
  /** Checked, and made an endpoint of, where the outbox is known. */
  callback_url?: string;
}

/**
 * The notes of a send; undefined where it has none, so that it costs what a plain one does. Metadata without a pair
 * count as absent.
 */
export function readNotes(
  { reference = null, metadata = {} }: { reference?: string | null; metadata?: SendNotes['metadata'] },
  callback: CallbackEndpoint | null = null,
): SendNotes | undefined {
  const pairs = metadata && Object.keys(metadata).length > 0 ? metadata : null;
  if (reference === null && pairs === null && callback === null) return undefined;
  return { reference, metadata: pairs, callback };
}

/** A send with the endpoint of its callback URL. */
export function withCallback<S extends { notes?: SendNotes }>(request: S, callback: CallbackEndpoint): S {
  return { ...request, notes: { reference: null, metadata: null, ...request.notes, callback } };
}
