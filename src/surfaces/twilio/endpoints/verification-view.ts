import type { Static } from '@sinclair/typebox';
import type { ServiceCode } from '../../../features/verifications/services/service-codes-store.js';
import { toSid } from '../../../platform/text/sids.js';
import type { CheckResource, VerificationResource } from './verification-schemas.js';

interface VerificationOwner {
  accountId: string;
  serviceId: string;
}

/** `2026-11-24T08:30:00Z` */
const iso = (time: Date) => `${time.toISOString().slice(0, 19)}Z`;

export function verificationResource(code: ServiceCode, owner: VerificationOwner): Static<typeof VerificationResource> {
  const common = commonFields(code, owner);
  return {
    ...common,
    lookup: {},
    send_code_attempts: code.attempts.map(({ messageId, kind, at }) => ({
      attempt_sid: toSid('VL', messageId),
      channel: kind,
      time: iso(new Date(at)),
    })),
    sna: null,
    url: `/v2/Services/${common.service_sid}/Verifications/${common.sid}`,
  };
}

export function checkResource(code: ServiceCode, owner: VerificationOwner): Static<typeof CheckResource> {
  return { ...commonFields(code, owner), sna_attempts_error_codes: [] };
}

function commonFields(
  { id, recipient, status, attempts, createdAt, updatedAt }: ServiceCode,
  { accountId, serviceId }: VerificationOwner,
) {
  return {
    sid: toSid('VE', id),
    service_sid: toSid('VA', serviceId),
    account_sid: toSid('AC', accountId),
    to: `+${recipient}`,
    channel: attempts.at(-1)?.kind ?? 'sms',
    status,
    valid: status === 'approved',
    amount: null,
    payee: null,
    date_created: iso(createdAt),
    date_updated: iso(updatedAt),
  };
}
