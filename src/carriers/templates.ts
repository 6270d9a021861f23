import type { Readable } from 'node:stream';
import type { TemplateStatus } from '../platform/generated/prisma/client.js';
import type { ChannelSettings } from './channel-settings.js';

/** A template as it is handed in for approval: Meta's form. */
export interface TemplateDraft {
  name: string;
  /** Language code, e.g. `en_US`. */
  language: string;
  /** `MARKETING`, `UTILITY` or `AUTHENTICATION`. */
  category: string;
  /** `[{type: "HEADER"|"BODY"|"FOOTER"|"BUTTONS", ...}]` */
  components: readonly object[];
}

/** New components of a template, which goes back to review with them. */
export interface TemplateEdit extends Pick<TemplateDraft, 'name' | 'language' | 'components'> {
  /** Null where it stays, for that of an approved one cannot be changed. */
  category: string | null;
}

/** A template and what its carrier has decided about it. */
export interface CarrierTemplate extends TemplateDraft {
  status: TemplateStatus;
}

/** A file that shows the reviewer what the header of a template will look like. */
export interface TemplateExample {
  /** `image/jpeg`, `image/png`, `video/mp4` or `application/pdf`. */
  type: string;
  /** In bytes. */
  size: number;
  /** Its bytes, read once. */
  open(): Promise<Readable>;
}

/** What a carrier decided of a template by itself; what is left out stays as it is. */
export interface TemplateNews {
  name: string;
  language: string;
  at: Date;
  status?: TemplateStatus;
  category?: string;
  /** Its word for how the template is received. */
  quality?: string;
}

/** The channel whose templates a carrier is asked about. */
export interface TemplateChannel {
  id: string;
  /** Digits with country code. */
  phoneNumber: string;
  /** What the carrier must know of it; null where it needs nothing. */
  carrierSettings: ChannelSettings | null;
}
