import { isCorrection, readCorrection } from './app-messages.js';
import type { Json } from './fields.js';
import type { Part } from './part.js';
import type { CallbackReport } from './report.js';

/**
 * Reports a message that is no new one, but changes another; one that does not say which, or to what, as unused.
 * @param isOwn whether the number sent it, and not a contact
 * @returns whether it is such a one
 */
export function takeCorrection(message: Json, part: Part, report: CallbackReport, now: Date, isOwn: boolean): boolean {
  if (!isCorrection(message)) return false;
  const correction = readCorrection(message, now, isOwn);
  if (correction) report.corrections.push({ part, correction });
  else report.unused.push({ part, reason: 'incomplete' });
  return true;
}
