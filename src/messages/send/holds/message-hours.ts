import type { Purpose } from '../../compose/purpose.js';
import type { QuietAccount } from '../../quiet-hours/quiet-accounts.js';
import { findRecipientHours } from '../../quiet-hours/recipient-hours.js';
import type { ClaimedMessage } from '../send-store.js';
import type { Hold, QuietDetails } from './hold-store.js';

export const MAX_HOLD_MS = 7 * 24 * 60 * 60 * 1000;

/** The hours in which one claimed message may leave. */
export class MessageHours {
  readonly #account: QuietAccount;
  readonly #recipient: { recipient: string; contactZone: string | null };
  readonly purpose: Purpose;
  /** Times in milliseconds since 1970 between which the hours are known to be open. */
  #openFrom = 0;
  #openUntil = 0;

  private constructor(account: QuietAccount, { recipient }: ClaimedMessage, details: QuietDetails) {
    this.#account = account;
    this.#recipient = { recipient, contactZone: details.contactZone };
    this.purpose = details.purpose;
  }

  /** Returns null for a message to which quiet hours do not apply. */
  static create(account: QuietAccount, message: ClaimedMessage, details: QuietDetails): MessageHours | null {
    const { purpose, isExempt } = details;
    const isCovered = purpose === 'marketing' || (purpose === 'transactional' && account.includesTransactional);
    return isCovered && !isExempt ? new MessageHours(account, message, details) : null;
  }

  isOpen(now: Date): boolean {
    const instant = now.getTime();
    if (instant >= this.#openFrom && instant < this.#openUntil) return true;
    const hours = findRecipientHours(this.#account.rules, this.#recipient, instant);
    if (!hours.isOpen) return false;
    this.#openFrom = instant;
    this.#openUntil = hours.until ?? Number.POSITIVE_INFINITY;
    return true;
  }

  /** When the next quiet hours begin; null if they do not begin within three weeks. Call after `isOpen` returned true. */
  get closesAt(): Date | null {
    return Number.isFinite(this.#openUntil) ? new Date(this.#openUntil) : null;
  }

  /** Returns the hold of a message. `open`: it may leave now. `never`: no moment within seven days is allowed. */
  findHold({ id, attempt }: Pick<ClaimedMessage, 'id' | 'attempt'>, now: Date): Hold | 'open' | 'never' {
    const hours = findRecipientHours(this.#account.rules, this.#recipient, now.getTime());
    if (hours.isOpen) return 'open';
    const { opening } = hours;
    if (!opening || opening.at > now.getTime() + MAX_HOLD_MS) return 'never';
    const { zone, rule } = opening;
    return { id, attempt, heldAt: now, heldUntil: new Date(opening.at), zone, rule: rule.label, purpose: this.purpose };
  }
}
