import { Type } from '@sinclair/typebox';
import { MAX_URL_LENGTH } from '../../../features/webhooks/url.js';
import {
  MAX_METADATA_NAME_LENGTH,
  MAX_METADATA_PAIRS,
  MAX_METADATA_VALUE_LENGTH,
  MAX_REFERENCE_LENGTH,
} from '../../../messages/compose/notes.js';
import { RULE } from '../../http/validation.js';

/** Keeps line breaks and terminal escape sequences out of logs that print notes. */
const NO_CONTROLS = '^\\P{Cc}*$';
const WITHOUT_CONTROLS = 'without control characters';

const REFERENCE_RULE = `must be a string of 1 to ${MAX_REFERENCE_LENGTH} characters, ${WITHOUT_CONTROLS}`;

export const NOTES = {
  reference: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_REFERENCE_LENGTH,
      description:
        'Extension of the contract. Your own reference for this send. It is returned in responses, statuses and webhooks, and ' +
        'you can filter `GET /v2/messages` by it. It need not be unique.',
      examples: ['order-4711'],
      pattern: NO_CONTROLS,
      [RULE]: REFERENCE_RULE,
    }),
  ),
  metadata: Type.Optional(
    Type.Unsafe<Record<string, string>>({
      type: 'object',
      maxProperties: MAX_METADATA_PAIRS,
      propertyNames: {
        type: 'string',
        minLength: 1,
        maxLength: MAX_METADATA_NAME_LENGTH,
        pattern: NO_CONTROLS,
        [RULE]: `must have names of 1 to ${MAX_METADATA_NAME_LENGTH} characters, ${WITHOUT_CONTROLS}`,
      },
      additionalProperties: {
        type: 'string',
        maxLength: MAX_METADATA_VALUE_LENGTH,
        pattern: NO_CONTROLS,
        [RULE]: `must be a string of at most ${MAX_METADATA_VALUE_LENGTH} characters, ${WITHOUT_CONTROLS}`,
      },
      description:
        'Extension of the contract. Key-value pairs of strings, returned in responses, statuses and webhooks: at most ' +
        `${MAX_METADATA_PAIRS}, with names of up to ${MAX_METADATA_NAME_LENGTH} characters and values of up to ` +
        `${MAX_METADATA_VALUE_LENGTH}.`,
      examples: [{ customer: '42', purpose: 'reminder' }],
      [RULE]: `must be an object with at most ${MAX_METADATA_PAIRS} string values`,
    }),
  ),
};

export const CALLBACK = {
  callback_url: Type.Optional(
    Type.String({
      maxLength: MAX_URL_LENGTH,
      description:
        'Extension of the contract. A URL that receives every status of the messages, like a webhook for ' +
        '`message.status`, signed with the secret of `POST /v2/callback-secret`. Private addresses are refused.',
      examples: ['https://example.com/hooks/heliograph?order=4711'],
      [RULE]: `must be an http or https URL of at most ${MAX_URL_LENGTH} characters, without a user name or password`,
    }),
  ),
};

const NOTE_FIELDS = {
  reference: Type.String({ description: 'As sent.', examples: ['order-4711'] }),
  metadata: Type.Record(Type.String(), Type.String(), { description: 'As sent.' }),
};

export const OPTIONAL_NOTES = {
  reference: Type.Optional(NOTE_FIELDS.reference),
  metadata: Type.Optional(NOTE_FIELDS.metadata),
};

export const NULLABLE_NOTES = {
  reference: Type.Union([NOTE_FIELDS.reference, Type.Null()]),
  metadata: Type.Union([NOTE_FIELDS.metadata, Type.Null()]),
};

interface StoredNotes {
  reference: string | null;
  metadata: unknown;
}

export function nullableNotes({ reference, metadata }: StoredNotes) {
  return { reference, metadata: metadata as Record<string, string> | null };
}

export function presentNotes(notes: StoredNotes | undefined) {
  const { reference = null, metadata = null } = notes ?? {};
  return {
    ...(reference !== null && { reference }),
    ...(metadata !== null && { metadata: metadata as Record<string, string> }),
  };
}
