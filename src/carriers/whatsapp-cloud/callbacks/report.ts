import type { UnmatchedReason } from '../../callbacks/unmatched/unmatched-report.js';
import type { Receipt } from '../../carrier.js';
import type { InboundReport, PersonReport } from '../../inbound-message.js';
import type { PersonIds } from '../../numbers/user-ids.js';
import type { CarrierTemplateChange } from '../../templates.js';
import type { AccountReport } from './account-fields.js';
import type { Action, Correction, Echo, Preference } from './message-events.js';
import type { Part } from './part.js';

/** A report and the part of the webhook that contains it. */
export type WithPart<Report> = { part: Part } & Report;

/** The parsed content of one webhook. */
export interface CallbackReport {
  statuses: WithPart<{ receipt: Receipt; recipient: PersonIds }>[];
  inbound: WithPart<{ report: InboundReport }>[];
  /** `isFromStatus`: taken from a status, which is itself in `statuses`. */
  people: WithPart<{ person: Omit<PersonReport, 'channel'>; isFromStatus: boolean }>[];
  /** Messages that our numbers sent from another app. */
  echoes: WithPart<{ echo: Echo }>[];
  /** Edits and revocations of messages. */
  corrections: WithPart<{ correction: Correction }>[];
  /** Actions such as clicks on a link. */
  actions: WithPart<{ action: Action }>[];
  preferences: WithPart<{ preference: Preference }>[];
  /** About templates and numbers of a WhatsApp Business account. */
  templates: WithPart<{ news: CarrierTemplateChange }>[];
  accounts: WithPart<{ news: AccountReport }>[];
  /** Parts that are unsupported or incomplete. */
  unused: WithPart<{ reason: UnmatchedReason }>[];
}
