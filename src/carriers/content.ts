/** The language of a template that is sent without one. */
export const DEFAULT_LANGUAGE = 'en_US';

/** What a message holds beyond its text; stored as JSON in `messages.content`. */
export type MessageContent = (TextContent | TemplateContent | MediaContent) & {
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

/** WhatsApp text with options. */
export interface TextContent {
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

export interface TemplateContent {
  type: 'template';
  name: string;
  /** Language code, e.g. `en_US`. */
  language: string;
  components: TemplateComponent[];
}

export interface MediaContent {
  type: 'image' | 'document';
  url: string;
  /** Only documents have one. */
  filename?: string;
}
