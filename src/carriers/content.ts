/** Template language when a request names none. */
export const DEFAULT_LANGUAGE = 'en_US';

/**
 * Type of a message from before the channel was connected whose file has not arrived. The file follows under the same ID,
 * or never (Meta, "Webhooks: history").
 */
export const PLACEHOLDER_TYPE = 'media_placeholder';

/** Message content beyond plain text, stored as JSON in `messages.content`. */
export type MessageContent = (TextContent | TemplateContent | MediaContent | ObjectContent) & {
  /** Carrier's ID of the quoted message. */
  quotes?: string;
  /** The SMS to send if the WhatsApp message fails for good. Not passed to the carrier. */
  fallback?: SmsFallback;
};

export interface SmsFallback {
  /** Sender ID of the SMS. */
  from: string;
  /** Default: the message's own text. */
  message?: string;
  /** Default: MESSAGE_VALIDITY_SECONDS. */
  validitySeconds?: number;
}

/** Unknown fields of Meta's object, passed to Meta unchanged. */
interface FurtherFields {
  more?: Readonly<Record<string, unknown>>;
}

/** WhatsApp text with options. */
export interface TextContent extends FurtherFields {
  type: 'text';
  previewUrl: boolean;
}

/** A template component's parameter in Meta's Cloud API format. */
export interface TemplateParameter {
  type: string;
  text?: string;
  [extra: string]: unknown;
}

export interface TemplateComponent {
  type: string;
  parameters?: TemplateParameter[];
  [extra: string]: unknown;
}

/** A template button as the recipient sees it. */
export interface ShownButton {
  /** Meta's type, e.g. `QUICK_REPLY` or `URL`. */
  type: string;
  /** Empty if WhatsApp chooses the label. */
  text: string;
  /** Target URL with the parameter filled in. */
  url?: string;
  /** Code that the button copies. */
  code?: string;
}

/** A template, or a carousel card, as the recipient sees it: parameters filled in. */
export interface ShownTemplate {
  /** `media` is Meta's object for the picture, video, document, location or product. */
  header?: { format: string; text?: string; media?: object };
  body: string;
  footer?: string;
  /** Limited-time offer; `expiresAt` is ISO 8601. */
  offer?: { text: string; expiresAt?: string };
  buttons?: ShownButton[];
  cards?: ShownTemplate[];
}

export interface TemplateContent {
  type: 'template';
  name: string;
  /** Language code, e.g. `en_US`. */
  language: string;
  components: TemplateComponent[];
  /** Snapshot for later display. Absent if the template has only a body. */
  shown?: ShownTemplate;
}

/** WhatsApp message types that carry a file. */
export const MEDIA_TYPES = ['image', 'document', 'audio', 'video', 'sticker'] as const;

export interface MediaContent extends FurtherFields {
  type: (typeof MEDIA_TYPES)[number];
  /** The carrier downloads the file from here. Absent if `mediaId` is set. */
  url?: string;
  /** Carrier's ID of the file. */
  mediaId?: string;
  /** Documents only. */
  filename?: string;
}

/** WhatsApp message types that are neither text, template nor media. */
export const OBJECT_TYPES = ['interactive', 'reaction', 'location', 'contacts'] as const;

export interface ObjectContent {
  type: (typeof OBJECT_TYPES)[number];
  /** The object under the type's name in a Cloud API message. Its shape is validated in `messages/compose`. */
  object: object;
}
