import type { UnmatchedReason } from '../../callbacks/unmatched/unmatched-report.js';
import type { Receipt } from '../../carrier.js';
import type { InboundReport, PersonReport } from '../../inbound-message.js';
import type { PersonIds } from '../../numbers/user-ids.js';
import type { CarrierTemplateChange } from '../../templates.js';
import type { AccountNews } from './account.js';
import type { Action, Correction, Echo, Preference } from './app-messages.js';
import type { Part } from './part.js';

/** A report and the part of the webhook that contains it. */
export type Told<Report> = { part: Part } & Report;

/** The parsed content of one webhook. */
export interface CallbackReport {
  statuses: Told<{ receipt: Receipt; recipient: PersonIds }>[];
  inbound: Told<{ report: InboundReport }>[];
  /** `isFromStatus`: taken from a status, which is itself in `statuses`. */
  people: Told<{ person: Omit<PersonReport, 'channel'>; isFromStatus: boolean }>[];
  /** Messages that our numbers sent from another app. */
  echoes: Told<{ echo: Echo }>[];
  /** Edits and revocations of messages. */
  corrections: Told<{ correction: Correction }>[];
  /** Actions such as clicks on a link. */
  actions: Told<{ action: Action }>[];
  preferences: Told<{ preference: Preference }>[];
  /** About templates and numbers of a WhatsApp Business account. */
  templates: Told<{ news: CarrierTemplateChange }>[];
  accounts: Told<{ news: AccountNews }>[];
  /** Parts that are unsupported or incomplete. */
  unused: Told<{ reason: UnmatchedReason }>[];
}
