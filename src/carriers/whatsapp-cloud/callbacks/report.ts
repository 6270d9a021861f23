import type { UnmatchedReason } from '../../callbacks/unmatched/unmatched-report.js';
import type { Receipt } from '../../carrier.js';
import type { InboundReport, PersonReport } from '../../inbound-message.js';
import type { PersonIds } from '../../numbers/user-ids.js';
import type { CarrierTemplateChange } from '../../templates.js';
import type { AccountReport } from './account-fields.js';
import type { Action, Correction, Echo, Preference } from './message-events.js';
import type { Part } from './part.js';

export type WithPart<Report> = { part: Part } & Report;

export interface CallbackReport {
  statuses: WithPart<{ receipt: Receipt; recipient: PersonIds }>[];
  inbound: WithPart<{ report: InboundReport }>[];
  /** If `isFromStatus` is true, a status in `statuses` names the person. */
  people: WithPart<{ person: Omit<PersonReport, 'channel'>; isFromStatus: boolean }>[];
  /** Messages that our numbers sent from another app. */
  echoes: WithPart<{ echo: Echo }>[];
  corrections: WithPart<{ correction: Correction }>[];
  actions: WithPart<{ action: Action }>[];
  preferences: WithPart<{ preference: Preference }>[];
  templates: WithPart<{ change: CarrierTemplateChange }>[];
  accounts: WithPart<{ accountReport: AccountReport }>[];
  unmatched: WithPart<{ reason: UnmatchedReason }>[];
}
