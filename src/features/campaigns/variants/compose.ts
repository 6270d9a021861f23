import type { AddressedContact, ComposeForEach } from '../../conversations/sending/commit-to-contacts.js';
import type { ComposedMessage } from '../../conversations/sending/compose.js';
import type { Shortener } from '../../links/shortening/shorten-text.js';
import type { RunningCampaign } from '../campaign-store.js';
import { type MessageOptions, prepareMessage, toCommitMessage } from '../message/member-message.js';
import { type CampaignVariant, dealVariants } from './variants.js';

/**
 * Deals the campaign's variants to the members of each batch, or gives everyone the winner. The variant is stored with the
 * message, in the transaction that charges it.
 * @param shortener null: links stay as they are
 * @throws {AppError} as `prepareMessage`
 */
export async function prepareVariants(
  options: MessageOptions,
  campaign: RunningCampaign,
  variants: readonly CampaignVariant[],
  shortener: Omit<Shortener, 'origins'> | null,
): Promise<ComposeForEach> {
  const { sender, variables, winner } = campaign;
  const composers = await Promise.all(
    variants.map(async ({ content }) =>
      toCommitMessage(await prepareMessage(options, sender, content, variables, shortener), campaign),
    ),
  );
  const shares = variants.map(({ share }) => share);
  return async (client, contacts) => {
    const dealt = winner === null ? dealVariants(shares, contacts.length) : contacts.map(() => winner);
    const messages = new Map<string, ComposedMessage | null>();
    for (const [variant, compose] of composers.entries()) {
      const members: readonly AddressedContact[] = contacts.filter((_, index) => dealt[index] === variant);
      const composed = typeof compose === 'function' ? await compose(client, members) : members.map(() => compose);
      for (const [index, { id }] of members.entries()) {
        const message = composed[index] ?? null;
        messages.set(id, message && { ...message, campaignVariant: variant });
      }
    }
    return contacts.map(({ id }) => messages.get(id) ?? null);
  };
}
