/** The language of a template that is sent without one. */
export const DEFAULT_LANGUAGE = 'en_US';

/** The type of a message of the past whose file is told later, under the same id, or never ("Webhooks: history"). */
export const PLACEHOLDER_TYPE = 'media_placeholder';

/** What a message holds beyond its text; stored as JSON in `messages.content`. */
export type MessageContent = (TextContent | TemplateContent | MediaContent | ObjectContent) & {
  /** The carrier's id of the message that it quotes. */
  quotes?: string;
  /** What is to be sent instead of a WhatsApp message that finally fails. No carrier's business. */
  fallback?: SmsFallback;
};

export interface SmsFallback {
  /** Sender ID of the SMS. */
  from: string;
  /** Without it, the message's own text. */
  message?: string;
  /** Seconds for which the SMS may be tried; without it, those of the setting MESSAGE_VALIDITY_SECONDS. */
  validitySeconds?: number;
}

/** Fields of Meta's object that this version does not know. They go to Meta as they are. */
interface FurtherFields {
  more?: Readonly<Record<string, unknown>>;
}

/** WhatsApp text with options. */
export interface TextContent extends FurtherFields {
  type: 'text';
  previewUrl: boolean;
}

/** A parameter of a template component, as Meta's Cloud API takes it. */
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

/** A button of a template as its recipient sees it. */
export interface ShownButton {
  /** Meta's, in capital letters: `QUICK_REPLY`, `URL` … */
  type: string;
  /** Empty where WhatsApp words it itself. */
  text: string;
  /** Where it leads, with its parameter in place. */
  url?: string;
  /** What it copies. */
  code?: string;
}

/** A template as its recipient sees it, with its parameters in place; of a carousel a card too. */
export interface ShownTemplate {
  /** `media` is Meta's object of the picture, video, document, place or product that was sent. */
  header?: { format: string; text?: string; media?: object };
  body: string;
  footer?: string;
  /** A limited-time offer, and when it ends (ISO 8601). */
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
  /** As it was when it was sent, for whoever looks at it later; a template with nothing but a body has none. */
  shown?: ShownTemplate;
}

/** What WhatsApp shows of a file. */
export const MEDIA_TYPES = ['image', 'document', 'audio', 'video', 'sticker'] as const;

export interface MediaContent extends FurtherFields {
  type: (typeof MEDIA_TYPES)[number];
  /** Where the carrier fetches it; left out where `mediaId` names it. */
  url?: string;
  /** The carrier's own id of it. */
  mediaId?: string;
  /** Only documents have one. */
  filename?: string;
}

/** Kinds of WhatsApp messages that are neither text, template nor media. */
export const OBJECT_TYPES = ['interactive', 'reaction', 'location', 'contacts'] as const;

/** A message of such a kind. */
export interface ObjectContent {
  type: (typeof OBJECT_TYPES)[number];
  /** What stands under the type's name in a message of Meta's Cloud API; its shape is checked where it is composed. */
  object: object;
}
