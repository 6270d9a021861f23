import { invalidField } from '../../platform/errors/app-error.js';

/** From the least to the most strict. Opt-outs, consent and quiet hours may apply to marketing only. */
export const PURPOSES = ['verification', 'transactional', 'marketing'] as const;
export type Purpose = (typeof PURPOSES)[number];

export const DEFAULT_PURPOSE: Purpose = 'transactional';

const RESERVED =
  'must not be verification, which is reserved for sign-in codes and templates of the category AUTHENTICATION';

/** Meta's categories of templates. A category that Meta adds later counts as transactional, as messages without a template do. */
const PURPOSES_BY_CATEGORY: Readonly<Record<string, Purpose>> = {
  AUTHENTICATION: 'verification',
  UTILITY: 'transactional',
  MARKETING: 'marketing',
};

export function getCategoryPurpose(category: string): Purpose {
  return PURPOSES_BY_CATEGORY[category] ?? DEFAULT_PURPOSE;
}

/**
 * A known template decides the purpose of its message, and a request may only name a stricter one.
 * @param requested purpose in the request, if any
 * @param category category of the template; null for a message without a template, or with one that this server does not know
 * @throws {AppError} INVALID_REQUEST on `purpose`
 */
export function decidePurpose(requested: Purpose | undefined, category: string | null): Purpose {
  const minimum = category === null ? DEFAULT_PURPOSE : getCategoryPurpose(category);
  if (requested === undefined || isAtLeastAsStrict(requested, minimum)) return requested ?? minimum;
  if (requested === 'verification') throw invalidField('purpose', RESERVED);
  throw invalidField('purpose', `must be ${minimum}, because the template is of the category ${category}`);
}

export function isAtLeastAsStrict(purpose: Purpose, minimum: Purpose): boolean {
  return PURPOSES.indexOf(purpose) >= PURPOSES.indexOf(minimum);
}

/** Null for the purpose that `readPurpose` derives anyway, which keeps plain messages in the fast statement. */
export function toStoredPurpose({
  purpose = DEFAULT_PURPOSE,
  campaignId,
}: {
  purpose?: Purpose;
  campaignId?: string;
}): Purpose | null {
  return purpose === DEFAULT_PURPOSE && campaignId === undefined ? null : purpose;
}

/** Messages that were accepted before the column existed have no stored purpose. */
export function readPurpose({
  purpose,
  verificationId,
  campaignId,
}: {
  purpose: Purpose | null;
  verificationId: string | null;
  campaignId: string | null;
}): Purpose {
  if (purpose !== null) return purpose;
  if (verificationId !== null) return 'verification';
  return campaignId === null ? DEFAULT_PURPOSE : 'marketing';
}

/**
 * SQL for the same value as `readPurpose`.
 * @param message alias of a row of `messages`
 */
export function purposeSql(message: string): string {
  return `coalesce(${message}.purpose, CASE WHEN ${message}.verification_id IS NOT NULL THEN 'verification'
    WHEN ${message}.campaign_id IS NOT NULL THEN 'marketing' ELSE 'transactional' END::message_purpose)`;
}
