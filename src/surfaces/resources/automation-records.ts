import { isPhoneNumber, type PhoneValidation, phoneRule } from '../../carriers/numbers/phone-numbers.js';
import type { Automation } from '../../features/automations/automations.js';
import { type AutomationRun, type RunContact, stateOf } from '../../features/automations/runs.js';
import { invalidField } from '../../platform/errors/app-error.js';
import { bodyId } from '../http/ids.js';
import { iso } from '../http/schemas/values.js';

/** @throws {AppError} INVALID_REQUEST unless either a contact's id or a number is given */
export function contactOf(body: { contactId?: string; phone?: string }, validation: PhoneValidation): RunContact {
  const { contactId, phone } = body;
  if (contactId !== undefined && phone !== undefined) {
    throw invalidField('phone', 'must not be sent together with contactId');
  }
  if (contactId !== undefined) return { contactId: bodyId(contactId, 'contactId') };
  if (phone === undefined) throw invalidField('contactId', 'is required unless phone is sent');
  if (!isPhoneNumber(phone, validation)) throw invalidField('phone', phoneRule(phone));
  return { phone };
}

/** An automation in the shape of `AutomationRecord`. */
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

/** A run in the shape of `RunRecord`. */
export function runRecord(run: AutomationRun) {
  const { id, automationId, contactId, status, step, steps, variables, errorMessage, dueAt } = run;
  return {
    id,
    automationId,
    contactId,
    status: stateOf(run),
    step,
    stepCount: (steps as unknown[]).length,
    variables: variables as Record<string, string>,
    errorMessage: run.canceledAt ? null : errorMessage,
    waitingUntil: status === 'waiting' ? iso(dueAt) : null,
    startedAt: run.startedAt.toISOString(),
    completedAt: iso(run.completedAt),
  };
}
