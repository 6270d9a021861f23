import type { Readable } from 'node:stream';
import type { TemplateStatus } from '../platform/generated/prisma/client.js';
import type { ChannelSettings } from './channel-settings.js';

/** In Meta's format. */
export interface TemplateDraft {
  name: string;
  /** E.g. `en_US`. */
  language: string;
  /** `MARKETING`, `UTILITY` or `AUTHENTICATION`. */
  category: string;
  /** `[{type: "HEADER"|"BODY"|"FOOTER"|"BUTTONS", ...}]` */
  components: readonly object[];
}

export interface TemplateEdit extends Pick<TemplateDraft, 'name' | 'language' | 'components'> {
  /** Null to keep it. */
  category: string | null;
}

export interface CarrierTemplate extends TemplateDraft {
  status: TemplateStatus;
}

export interface TemplateExample {
  /** Media type: `image/jpeg`, `image/png`, `video/mp4` or `application/pdf`. */
  type: string;
  /** In bytes. */
  size: number;
  /** Called once. */
  open(): Promise<Readable>;
}

/** Absent fields are unchanged. */
export interface CarrierTemplateChange {
  name: string;
  language: string;
  at: Date;
  status?: TemplateStatus;
  category?: string;
  /** The carrier's rating. */
  quality?: string;
}

export interface TemplateChannel {
  id: string;
  /** Digits with country code. */
  phoneNumber: string;
  carrierSettings: ChannelSettings | null;
}
