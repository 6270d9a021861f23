import type { ComposeForEach } from '../../conversations/sending/commit-to-contacts.js';
import {
  type ChannelSender,
  type ComposedMessage,
  fillTemplate,
  findSendableTemplate,
  maxTextLength,
  requireActive,
  type TemplateOptions,
} from '../../conversations/sending/compose.js';
import type { Shortener } from '../../links/shortening/shorten-text.js';
import { type MediaLookup, requireMedia } from '../../media/require-media.js';
import { sampleComponents } from '../../placeholders/placeholders.js';
import type { CampaignContent, MemberMessage } from './content.js';
import { findMessagedContacts } from './earlier-messages-store.js';
import { type CampaignVariables, checkPlaceholders } from './placeholder-check.js';
import { prepareTemplateMessage } from './template-message.js';
import { checkText, prepareTextMessage } from './text-message.js';
import { findMemberVariables } from './variables-store.js';

export interface MessageOptions extends TemplateOptions {
  /** If 0, only the limit of the schema applies. */
  smsMaxChars: number;
}

/**
 * Checks the content of a new campaign.
 * @throws {AppError} INVALID_REQUEST, NOT_FOUND for an unknown template, or FORBIDDEN if the channel is inactive
 */
export async function checkContent(
  options: MessageOptions & MediaLookup,
  sender: ChannelSender,
  content: CampaignContent,
  variables: CampaignVariables,
): Promise<void> {
  checkPlaceholders(content, variables);
  if (content.type === 'text') {
    requireActive(sender.channel);
    checkText(content, maxTextLength(sender.channel, options.smsMaxChars));
    return;
  }
  const template = await findSendableTemplate(options, sender, content);
  const sample = fillTemplate(template, sampleComponents(content.components));
  await requireMedia(options, sender.channel.id, sample.content);
}

/**
 * @param shortener null: links stay as they are
 * @throws {AppError} as `checkContent`, except for placeholders
 */
export async function prepareMessage(
  options: MessageOptions,
  sender: ChannelSender,
  content: CampaignContent,
  variables: Readonly<Record<string, string>> | null,
  shortener: Omit<Shortener, 'origins'> | null,
): Promise<MemberMessage> {
  if (content.type === 'text') {
    requireActive(sender.channel);
    return prepareTextMessage(content, variables, maxTextLength(sender.channel, options.smsMaxChars), shortener);
  }
  // The template is read again for each batch, because it may have been paused since the last one.
  return prepareTemplateMessage(await findSendableTemplate(options, sender, content), content, variables, shortener);
}

/** @param campaign `variables` is null if no member has values of its own */
export function toCommitMessage(
  message: MemberMessage,
  campaign: { id: string; variables: Readonly<Record<string, string>> | null },
): ComposedMessage | ComposeForEach {
  if (message.shared) return message.shared;
  return async (client, contacts) => {
    const ids = contacts.map(({ id }) => id);
    const memberVariables = campaign.variables && (await findMemberVariables(client, campaign.id, ids));
    const messaged = message.needsEarlierMessages ? await findMessagedContacts(client, ids) : null;
    return contacts.map((contact) =>
      message.compose(contact, {
        variables: memberVariables?.get(contact.id),
        isFirst: messaged !== null && !messaged.has(contact.id),
      }),
    );
  };
}
