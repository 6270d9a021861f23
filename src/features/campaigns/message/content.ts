import type { TemplateComponent } from '../../../carriers/content.js';
import type { Campaign } from '../../../platform/generated/prisma/client.js';
import type { ComposedMessage } from '../../conversations/sending/compose.js';
import type { PlaceholderValues } from '../../placeholders/placeholders.js';

export interface TemplateContent {
  type: 'template';
  templateName: string;
  /** Language code, e.g. `en_US`. */
  language: string;
  components: readonly TemplateComponent[];
}

export interface TextContent {
  type: 'text';
  text: string;
  /** Appended to the first message to a contact. Null: nothing. */
  optOutLine: string | null;
}

/** WhatsApp channels send a template, and SMS channels send a text. */
export type CampaignContent = TemplateContent | TextContent;

export type Member = PlaceholderValues['contact'] & { id: string; address: string | null };

export interface MemberVariableValues {
  variables?: Readonly<Record<string, string>> | undefined;
  /** Whether no carrier has accepted a message to the member so far. Only texts with an opt-out line need this. */
  isFirst: boolean;
}

export interface MemberMessage {
  /** The message that every member gets, or null if it depends on the member. */
  shared: ComposedMessage | null;
  needsEarlierMessages: boolean;
  /** Returns null if the member gets no message, for example because a parameter would be empty. */
  compose(member: Member, values: MemberVariableValues): ComposedMessage | null;
}

type ContentRow = Pick<Campaign, 'templateName' | 'language' | 'components' | 'text' | 'optOutLine'>;

export function readContent({ templateName, language, components, text, optOutLine }: ContentRow): CampaignContent {
  if (text !== null) return { type: 'text', text, optOutLine };
  return {
    type: 'template',
    templateName: templateName ?? '',
    language: language ?? '',
    components: components as unknown as TemplateComponent[],
  };
}

export function toContentRow(content: CampaignContent): Omit<ContentRow, 'components'> & {
  components: readonly TemplateComponent[];
} {
  return content.type === 'text'
    ? { templateName: null, language: null, components: [], text: content.text, optOutLine: content.optOutLine }
    : {
        templateName: content.templateName,
        language: content.language,
        components: content.components,
        text: null,
        optOutLine: null,
      };
}
