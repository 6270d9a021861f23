import { AppError } from '../../../platform/errors/app-error.js';
import { fillTemplate, needsNumber, type SendableTemplate } from '../../conversations/sending/compose.js';
import { createMemberShortener } from '../../links/shortening/for-members.js';
import { shortenComponents } from '../../links/shortening/shorten-template.js';
import type { Shortener } from '../../links/shortening/shorten-text.js';
import {
  fillComponents,
  findVariables,
  hasEmptyText,
  hasPlaceholders,
  listComponentTexts,
  sampleComponents,
} from '../../placeholders/placeholders.js';
import type { Member, MemberMessage, TemplateContent } from './content.js';

/**
 * Skips members with an empty parameter, which Meta rejects, or with values that break a rule, such as the format of a
 * link.
 * @param shortener null: links stay as they are
 * @throws {AppError} INVALID_REQUEST if the components cannot fit the template for any member
 */
export function prepareTemplateMessage(
  template: SendableTemplate,
  { components }: TemplateContent,
  campaignVariables: Readonly<Record<string, string>> | null,
  shortener: Omit<Shortener, 'origins'> | null = null,
): MemberMessage {
  const texts = listComponentTexts(components).map(({ text }) => text);
  if (!texts.some(hasPlaceholders) && !shortener) {
    const message = fillTemplate(template, components);
    return {
      shared: needsNumber(template) ? null : message,
      needsEarlierMessages: false,
      compose: (member) => (canReceive(template, member) ? message : null),
    };
  }
  fillTemplate(template, sampleComponents(components));
  // Variables are empty for members without a value, because only some members may have one.
  const emptyVariables = Object.fromEntries(texts.flatMap(findVariables).map((name) => [name, '']));
  const defaultVariables = { ...emptyVariables, ...campaignVariables };
  const createShortener = shortener && createMemberShortener(shortener, texts, campaignVariables);
  return {
    shared: null,
    needsEarlierMessages: false,
    compose: (member, { variables: memberVariables }) => {
      if (!canReceive(template, member)) return null;
      const variables = { ...defaultVariables, ...memberVariables };
      const filled = fillComponents(components, { contact: member, variables });
      if (hasEmptyText(components, filled)) return null;
      try {
        if (!createShortener) return fillTemplate(template, filled);
        const memberShortener = createShortener({ fields: member.fields, variables: memberVariables });
        const { components: shortened, links } = shortenComponents(template.components, filled, memberShortener);
        return { ...fillTemplate(template, shortened), links };
      } catch (error) {
        if (error instanceof AppError && error.code === 'INVALID_REQUEST') return null;
        throw error;
      }
    },
  };
}

/** Meta sends authentication codes only to phone numbers. */
function canReceive(template: SendableTemplate, { phone, address }: Pick<Member, 'phone' | 'address'>): boolean {
  return phone !== null || (address !== null && !needsNumber(template));
}
