export const DEFAULT_LANGUAGE = 'en_US';

/**
 * Type of an imported message whose file Meta reports later under the same message ID, or never (Meta, "Webhooks: history").
 */
export const PLACEHOLDER_TYPE = 'media_placeholder';

/** Stored as JSON in `messages.content`. */
export type MessageContent = (TextContent | TemplateContent | MediaContent | ObjectContent) & {
  /** The carrier's ID for the quoted message. */
  quotes?: string;
  fallback?: SmsFallback;
};

export interface SmsFallback {
  from: string;
  /** Text of the SMS; defaults to the text of the WhatsApp message. */
  message?: string;
  /** Default: MESSAGE_VALIDITY_SECONDS. */
  validitySeconds?: number;
}

/** Members of Meta's objects that Heliograph passes on unchanged. */
interface FurtherFields {
  more?: Readonly<Record<string, unknown>>;
}

export interface TextContent extends FurtherFields {
  type: 'text';
  previewUrl: boolean;
}

/** Meta's Cloud API format. */
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

export interface ShownButton {
  /** Meta's type, e.g. `QUICK_REPLY` or `URL`. */
  type: string;
  /** Label of the button, empty if WhatsApp chooses the label. */
  text: string;
  /** URL of the button, with the parameter filled in. */
  url?: string;
  code?: string;
}

/** A template as the recipient sees it, with parameters filled in. */
export interface ShownTemplate {
  /** `media` is Meta's object for a picture, video, document, location or product. */
  header?: { format: string; text?: string; media?: object };
  body: string;
  footer?: string;
  /** `expiresAt` is ISO 8601. */
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
  /** Copy of the template's texts for later display, absent if the template has only a body. */
  shown?: ShownTemplate;
}

export const MEDIA_TYPES = ['image', 'document', 'audio', 'video', 'sticker'] as const;

export interface MediaContent extends FurtherFields {
  type: (typeof MEDIA_TYPES)[number];
  /** URL of the file, absent if `mediaId` is set. */
  url?: string;
  /** The carrier's ID for the file. */
  mediaId?: string;
  /** Documents only. */
  filename?: string;
}

export const OBJECT_TYPES = ['interactive', 'reaction', 'location', 'contacts'] as const;

export interface ObjectContent {
  type: (typeof OBJECT_TYPES)[number];
  /** Object that a Cloud API message contains under the name of its type. Validated in `messages/compose`. */
  object: object;
}
