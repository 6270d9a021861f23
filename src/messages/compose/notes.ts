export const MAX_REFERENCE_LENGTH = 64;
export const MAX_METADATA_PAIRS = 10;
export const MAX_METADATA_NAME_LENGTH = 40;
export const MAX_METADATA_VALUE_LENGTH = 200;

/** Data that a customer attaches to a send, returned with each message of the send. */
export interface SendNotes {
  reference: string | null;
  metadata: Readonly<Record<string, string>> | null;
  /** Endpoint that receives status events in addition to webhooks. */
  callback: CallbackEndpoint | null;
}

export interface CallbackEndpoint {
  id: string;
  url: string;
}

/** Validated by the schema. */
export interface NotesBody {
  reference?: string;
  metadata?: Record<string, string>;
  callback_url?: string;
}

/** Returns undefined for a request without notes, so that plain sends cost no more. */
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
