import { explainPhoneRule, isPhoneNumber, type PhoneValidation } from '../../../carriers/numbers/phone-numbers.js';
import { isUserId, USER_ID_ON_SMS_RULE, USER_ID_RULE } from '../../../carriers/numbers/user-ids.js';
import { getPhoneValidation } from '../../../carriers/numbers/whatsapp-numbers.js';
import type { Automation } from '../../../features/automations/automations.js';
import { type AutomationRun, getRunState, type RunContact } from '../../../features/automations/runs.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { bodyId } from '../../http/ids.js';
import { iso } from '../../http/schemas/values.js';
import { requiredUnless } from '../../http/validation.js';

const FIELDS = ['contactId', 'phone', 'userId'] as const;

/** @throws {AppError} INVALID_REQUEST unless exactly one of a contact ID, a phone number and a user ID is present */
export function readRunContact(
  body: { [F in (typeof FIELDS)[number]]?: string },
  { kind = 'whatsapp', validation }: { kind?: 'sms' | 'whatsapp'; validation: PhoneValidation },
): RunContact {
  const { contactId, phone, userId } = body;
  const [field, second] = FIELDS.filter((name) => body[name] !== undefined);
  if (field === undefined) throw invalidField('contactId', requiredUnless(FIELDS.slice(1)));
  if (second !== undefined) throw invalidField(second, `must not be sent together with ${field}`);
  if (contactId !== undefined) return { contactId: bodyId(contactId, 'contactId') };
  if (userId !== undefined) {
    if (!isUserId(userId)) throw invalidField('userId', USER_ID_RULE);
    if (kind === 'sms') throw invalidField('userId', USER_ID_ON_SMS_RULE);
    return { userId };
  }
  const number = phone as string;
  if (!isPhoneNumber(number, getPhoneValidation(kind, validation)))
    throw invalidField('phone', explainPhoneRule(number));
  return { phone: number };
}

export function automationRecord(automation: Automation) {
  const { id, name, keyword, steps, isActive, cooldownSeconds, createdAt, updatedAt } = automation;
  return {
    id,
    name,
    keyword,
    steps: steps as object[],
    isActive,
    cooldownSeconds,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

export function runRecord(run: AutomationRun) {
  const { id, automationId, contactId, status, step, steps, variables, errorMessage, dueAt } = run;
  return {
    id,
    automationId,
    contactId,
    status: getRunState(run),
    step,
    stepCount: (steps as unknown[]).length,
    variables: variables as Record<string, string>,
    errorMessage: run.canceledAt ? null : errorMessage,
    waitingUntil: status === 'waiting' ? iso(dueAt) : null,
    startedAt: run.startedAt.toISOString(),
    completedAt: iso(run.completedAt),
  };
}
