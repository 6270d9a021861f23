import type { TemplateComponent } from '../../carriers/content.js';
import { AppError, type FieldProblem } from '../../platform/errors/app-error.js';
import { invalidFields } from '../../platform/errors/field-problems.js';
import type { ComposeForEach } from '../conversations/sending/commit-to-contacts.js';
import {
  type ComposedMessage,
  fillTemplate,
  needsNumber,
  type SendableTemplate,
} from '../conversations/sending/compose.js';
import {
  fillComponents,
  findUnknownPlaceholders,
  findVariables,
  hasEmptyText,
  hasPlaceholders,
  listComponentTexts,
  PLACEHOLDER_RULE,
  type PlaceholderValues,
  sampleComponents,
} from '../placeholders/placeholders.js';
import type { RunningCampaign } from './campaign-store.js';
import { findMemberVariables, type MemberVariables } from './values-store.js';

export interface CampaignVariables {
  variables: Readonly<Record<string, string>>;
  memberVariables: readonly MemberVariables[];
}

/** A campaign with more member variables must be split. */
export const MAX_MEMBER_VARIABLES = 10_000;

/**
 * @throws {AppError} INVALID_REQUEST for an unknown placeholder, or for a variable with neither a value nor a fallback
 */
export function checkPlaceholders(
  components: readonly TemplateComponent[],
  { variables, memberVariables }: CampaignVariables,
): void {
  const names = new Set([variables, ...memberVariables.map((each) => each.variables)].flatMap(Object.keys));
  const problems: FieldProblem[] = listComponentTexts(components).flatMap(({ path, text }) => {
    const field = `components${path}`;
    const [unknown] = findUnknownPlaceholders(text);
    if (unknown !== undefined) return [{ field, rule: `has ${unknown}; ${PLACEHOLDER_RULE}` }];
    const missing = findVariables(text).find((name) => !names.has(name));
    return missing === undefined
      ? []
      : [{ field, rule: `needs {{variables.${missing}}}, which is neither in variables nor in memberVariables` }];
  });
  if (problems.length > 0) throw invalidFields(problems);
}

export function isPersonal({ components }: Pick<RunningCampaign, 'components'>): boolean {
  return listComponentTexts(components).some(({ text }) => hasPlaceholders(text));
}

/**
 * Skips members with an empty parameter, which Meta rejects, or with values that break a rule, such as the format of a
 * link.
 * @throws {AppError} INVALID_REQUEST if the components cannot fit the template for any member
 */
export function composeForMembers(campaign: RunningCampaign, template: SendableTemplate): ComposeForEach {
  const compose = createMemberComposer(campaign, template);
  return async (client, contacts) => {
    const ids = contacts.map(({ id }) => id);
    const memberVariables = campaign.variables && (await findMemberVariables(client, campaign.id, ids));
    return contacts.map((contact) =>
      canReceive(template, contact) ? compose(contact, memberVariables?.get(contact.id)) : null,
    );
  };
}

/** Meta sends authentication codes only to phone numbers. */
export function canReceive(
  template: SendableTemplate,
  { phone, address }: { phone: string | null; address: string | null },
): boolean {
  return phone !== null || (address !== null && !needsNumber(template));
}

export function composeForReachable(
  campaign: RunningCampaign,
  template: SendableTemplate,
): ComposeForEach | ComposedMessage {
  const message = fillTemplate(template, campaign.components);
  if (!needsNumber(template)) return message;
  return async (_client, contacts) => contacts.map((contact) => (canReceive(template, contact) ? message : null));
}

export function createMemberComposer(
  { components, variables: campaignVariables }: Pick<RunningCampaign, 'components' | 'variables'>,
  template: SendableTemplate,
): (
  contact: PlaceholderValues['contact'],
  memberVariables?: Readonly<Record<string, string>>,
) => ComposedMessage | null {
  fillTemplate(template, sampleComponents(components));
  const texts = listComponentTexts(components).map(({ text }) => text);
  // Variables are empty for members without a value, because only some members may have one.
  const emptyVariables = Object.fromEntries(texts.flatMap(findVariables).map((name) => [name, '']));
  const defaultVariables = { ...emptyVariables, ...campaignVariables };
  return (contact, memberVariables) => {
    const variables = { ...defaultVariables, ...memberVariables };
    const filled = fillComponents(components, { contact, variables });
    if (hasEmptyText(components, filled)) return null;
    try {
      return fillTemplate(template, filled);
    } catch (error) {
      if (error instanceof AppError && error.code === 'INVALID_REQUEST') return null;
      throw error;
    }
  };
}
