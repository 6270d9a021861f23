export const MAX_REFERENCE_LENGTH = 64;
export const MAX_METADATA_PAIRS = 10;
export const MAX_METADATA_NAME_LENGTH = 40;
export const MAX_METADATA_VALUE_LENGTH = 200;

/** The customer's own data on a send, returned with each of its messages. */
export interface SendNotes {
  reference: string | null;
  metadata: Readonly<Record<string, string>> | null;
  /** Receives status events in addition to webhooks. */
  callback: CallbackEndpoint | null;
}

export interface CallbackEndpoint {
  id: string;
  url: string;
}

/** After schema validation. */
export interface NotesBody {
  reference?: string;
  metadata?: Record<string, string>;
  callback_url?: string;
}

/** Undefined if there are none, so that plain sends cost no more. */
export function readNotes(
  { reference = null, metadata = {} }: { reference?: string | null; metadata?: SendNotes['metadata'] },
  callback: CallbackEndpoint | null = null,
): SendNotes | undefined {
  const pairs = metadata && Object.keys(metadata).length > 0 ? metadata : null;
  if (reference === null && pairs === null && callback === null) return undefined;
  return { reference, metadata: pairs, callback };
}

export function withCallback<S extends { notes?: SendNotes }>(request: S, callback: CallbackEndpoint): S {
  return { ...request, notes: { reference: null, metadata: null, ...request.notes, callback } };
}
