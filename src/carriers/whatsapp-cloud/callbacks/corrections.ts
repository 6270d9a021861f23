import type { Json } from './fields.js';
import { isCorrection, readCorrection } from './message-events.js';
import type { Part } from './part.js';
import type { CallbackReport } from './report.js';

/** Adds the correction to the report, and returns false if the message is neither an edit nor a revocation. */
export function addCorrection(message: Json, part: Part, report: CallbackReport, now: Date, isOwn: boolean): boolean {
  if (!isCorrection(message)) return false;
  const correction = readCorrection(message, now, isOwn);
  if (correction) report.corrections.push({ part, correction });
  else report.unmatched.push({ part, reason: 'incomplete' });
  return true;
}
