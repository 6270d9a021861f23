import type { UnusedReason } from '../../callbacks/kept/unused-report.js';
import type { Receipt } from '../../carrier.js';
import type { InboundReport, PersonReport } from '../../inbound-message.js';
import type { PersonIds } from '../../numbers/user-ids.js';
import type { TemplateNews } from '../../templates.js';
import type { AccountNews } from './account.js';
import type { Action, Correction, Echo, Preference } from './app-messages.js';
import type { Part } from './part.js';

/** Something that a callback tells, with the part of the callback that tells it. */
export type Told<News> = { part: Part } & News;

/** What a callback of Meta's reports. */
export interface CallbackReport {
  statuses: Told<{ receipt: Receipt; recipient: PersonIds }>[];
  inbound: Told<{ report: InboundReport }>[];
  /** `isBeside`: a status tells it by the way, and is kept for itself. */
  people: Told<{ person: Omit<PersonReport, 'channel'>; isBeside: boolean }>[];
  /** Sent by the numbers elsewhere. */
  echoes: Told<{ echo: Echo }>[];
  /** Messages that were changed or taken back. */
  corrections: Told<{ correction: Correction }>[];
  /** What people did with messages, and said nothing by. */
  actions: Told<{ action: Action }>[];
  preferences: Told<{ preference: Preference }>[];
  /** Of the templates and the numbers of a WhatsApp Business account. */
  templates: Told<{ news: TemplateNews }>[];
  accounts: Told<{ news: AccountNews }>[];
  /** What is not used, or cannot be. */
  unused: Told<{ reason: UnusedReason }>[];
}
