import type { Readable } from 'node:stream';
import type { TemplateStatus } from '../platform/generated/prisma/client.js';
import type { ChannelSettings } from './channel-settings.js';

/** A template as submitted for approval, in Meta's format. */
export interface TemplateDraft {
  name: string;
  /** Language code, e.g. `en_US`. */
  language: string;
  /** `MARKETING`, `UTILITY` or `AUTHENTICATION`. */
  category: string;
  /** `[{type: "HEADER"|"BODY"|"FOOTER"|"BUTTONS", ...}]` */
  components: readonly object[];
}

/** New components for a template. The edited template is reviewed again. */
export interface TemplateEdit extends Pick<TemplateDraft, 'name' | 'language' | 'components'> {
  /** Null to keep it. An approved template's category cannot change. */
  category: string | null;
}

/** A template with its review status at the carrier. */
export interface CarrierTemplate extends TemplateDraft {
  status: TemplateStatus;
}

/** An example file that shows the reviewer what a template's header will look like. */
export interface TemplateExample {
  /** `image/jpeg`, `image/png`, `video/mp4` or `application/pdf`. */
  type: string;
  /** In bytes. */
  size: number;
  /** Opens the file. Called once. */
  open(): Promise<Readable>;
}

/** A change the carrier made to a template. Absent fields are unchanged. */
export interface CarrierTemplateChange {
  name: string;
  language: string;
  at: Date;
  status?: TemplateStatus;
  category?: string;
  /** The carrier's quality rating. */
  quality?: string;
}

/** The channel whose templates to read or change. */
export interface TemplateChannel {
  id: string;
  /** Digits with country code. */
  phoneNumber: string;
  /** Null if the carrier needs none. */
  carrierSettings: ChannelSettings | null;
}
