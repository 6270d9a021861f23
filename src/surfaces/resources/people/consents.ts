import { Type } from '@sinclair/typebox';
import type { PersonConsent, RecordedEntry } from '../../../features/consents/consents.js';
import type { ConsentEntry } from '../../../features/consents/entries-store.js';
import { CONSENT_PURPOSES } from '../../../features/opt-outs/ledger/ledger-store.js';
import { CONSENT_SOURCES } from '../../../messages/events/webhook-events.js';
import { Id, NullableText, NullableTimestamp, Timestamp } from '../../http/schemas/values.js';
import { RULE } from '../../http/validation.js';
import { NullablePhone, WHATSAPP_PERSON } from './people.js';

const literals = <T extends string>(values: readonly T[]) => Type.Unsafe<T>({ type: 'string', enum: [...values] });

export const CONSENT_DECISIONS = ['granted', 'withdrawn'] as const;

export const ConsentPurposeField = { ...literals(CONSENT_PURPOSES), [RULE]: 'must be marketing or transactional' };
export const ConsentDecisionField = { ...literals(CONSENT_DECISIONS), [RULE]: 'must be granted or withdrawn' };
export const ConsentSourceField = {
  ...literals(CONSENT_SOURCES),
  [RULE]: `must be one of ${CONSENT_SOURCES.join(', ')}`,
};

const evidence = (maxLength: number, description: string, example: string) =>
  Type.Optional(
    Type.String({
      maxLength,
      description,
      examples: [example],
      [RULE]: `must be a text of at most ${maxLength} characters`,
    }),
  );

/** What proves a decision. */
export const EVIDENCE_FIELDS = {
  name: evidence(200, "The person's name, as given with the consent.", 'Ada Lovelace'),
  wording: evidence(4000, 'The text that the person agreed to.', 'Send me offers by SMS, at most two a week.'),
  wordingVersion: evidence(100, 'Your version of the text.', '2026-11'),
  ip: Type.Optional(
    Type.String({
      maxLength: 45,
      pattern: '^[0-9A-Fa-f:.]{2,45}$',
      description: "The person's IP address.",
      examples: ['203.0.113.7'],
      [RULE]: 'must be an IPv4 or IPv6 address',
    }),
  ),
  url: evidence(2000, 'The page on which the person agreed.', 'https://shop.example/newsletter'),
};

export const ConsentData = Type.Object({
  id: Id,
  phone: NullablePhone,
  userId: WHATSAPP_PERSON.userId,
  purpose: ConsentPurposeField,
  decision: ConsentDecisionField,
  source: ConsentSourceField,
  name: NullableText,
  wording: NullableText,
  wordingVersion: NullableText,
  ip: NullableText,
  url: NullableText,
  decidedAt: { ...Timestamp, description: 'When the person decided.' },
  createdAt: { ...Timestamp, description: 'When the entry was written.' },
});

const OptOut = Type.Union(
  [Type.Object({ scope: literals(['all', 'marketing'] as const), since: Timestamp }), Type.Null()],
  {
    description:
      'The opt-out that blocks messages of this purpose, whatever the consent is. Only START, the person in WhatsApp, or an operator ' +
      'lifts it. Null if there is none.',
  },
);

export const RecordedConsentData = Type.Object({ ...ConsentData.properties, optOut: OptOut });

const CONSENT_STATES = ['granted', 'withdrawn', 'unknown'] as const;

export const PersonConsentData = Type.Object({
  purpose: ConsentPurposeField,
  consent: { ...literals(CONSENT_STATES), description: '`unknown` if the ledger has no entry.' },
  consentId: Type.Union([Id, Type.Null()], { description: 'The entry that counts.' }),
  decidedAt: NullableTimestamp,
  optOut: OptOut,
});

export function toConsentRecord({ isGranted, decidedAt, createdAt, ...entry }: ConsentEntry) {
  const { id, phone, userId, purpose, source, name, wording, wordingVersion, ip, url } = entry;
  return {
    ...{ id, phone, userId, purpose, decision: isGranted ? ('granted' as const) : ('withdrawn' as const), source },
    ...{ name, wording, wordingVersion, ip, url },
    decidedAt: decidedAt.toISOString(),
    createdAt: createdAt.toISOString(),
  };
}

function toOptOutRecord(optOut: RecordedEntry['optOut']) {
  return optOut && { scope: optOut.scope, since: optOut.since.toISOString() };
}

export function toRecordedConsent({ entry, optOut }: RecordedEntry) {
  return { ...toConsentRecord(entry), optOut: toOptOutRecord(optOut) };
}

export function toPersonConsentRecord({ purpose, current, optOut }: PersonConsent) {
  const consent =
    current === null ? ('unknown' as const) : current.isGranted ? ('granted' as const) : ('withdrawn' as const);
  return {
    ...{ purpose, consent, consentId: current?.id ?? null, decidedAt: current?.decidedAt.toISOString() ?? null },
    optOut: toOptOutRecord(optOut),
  };
}
