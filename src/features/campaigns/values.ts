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
  hasPlaceholders,
  isLeftEmpty,
  PLACEHOLDER_RULE,
  type PlaceholderValues,
  sampleComponents,
  textsOf,
  unknownPlaceholders,
  variablesOf,
} from '../placeholders/placeholders.js';
import type { RunningCampaign } from './campaign-store.js';
import { findMemberVariables, type MemberVariables } from './values-store.js';

/** What `{{variables.<name>}}` stands for in a campaign. */
export interface CampaignVariables {
  /** For every member that has none of its own. */
  variables: Readonly<Record<string, string>>;
  memberVariables: readonly MemberVariables[];
}

/** Members whose variables are their own; more belong into more campaigns. */
export const MAX_MEMBER_VARIABLES = 10_000;

/**
 * Checks that every placeholder of a campaign stands for something.
 * @throws {AppError} INVALID_REQUEST naming each text with a placeholder that is unknown, or whose variable nobody is
 * given and which has no fallback
 */
export function checkPlaceholders(
  components: readonly TemplateComponent[],
  { variables, memberVariables }: CampaignVariables,
): void {
  const given = new Set([variables, ...memberVariables.map((each) => each.variables)].flatMap(Object.keys));
  const problems: FieldProblem[] = textsOf(components).flatMap(({ path, text }) => {
    const field = `components${path}`;
    const [unknown] = unknownPlaceholders(text);
    if (unknown !== undefined) return [{ field, rule: `has ${unknown}; ${PLACEHOLDER_RULE}` }];
    const missing = variablesOf(text).find((name) => !given.has(name));
    return missing === undefined
      ? []
      : [{ field, rule: `needs {{variables.${missing}}}, which is neither in variables nor in memberVariables` }];
  });
  if (problems.length > 0) throw invalidFields(problems);
}

/** Whether a campaign's messages differ from member to member. */
export function isPersonal({ components }: Pick<RunningCampaign, 'components'>): boolean {
  return textsOf(components).some(({ text }) => hasPlaceholders(text));
}

/**
 * Composes a campaign's message for each member. One to whom a parameter would be empty, which Meta refuses, is passed
 * over; so is one whose values make of a parameter what breaks another rule, such as a link that is none.
 * @throws {AppError} INVALID_REQUEST when the components do not fit the template, whoever the member
 */
export function composeForMembers(campaign: RunningCampaign, template: SendableTemplate): ComposeForEach {
  const compose = composerForMembers(campaign, template);
  return async (client, contacts) => {
    const ids = contacts.map(({ id }) => id);
    const own = campaign.variables && (await findMemberVariables(client, campaign.id, ids));
    return contacts.map((contact) => (reaches(template, contact) ? compose(contact, own?.get(contact.id)) : null));
  };
}

/** Whether a message of a template can go to a contact: Meta sends codes to numbers alone. */
export function reaches(
  template: SendableTemplate,
  { phone, address }: { phone: string | null; address: string | null },
): boolean {
  return phone !== null || (address !== null && !needsNumber(template));
}

/** The same message for each member whom the template can reach. */
export function composeForReached(
  campaign: RunningCampaign,
  template: SendableTemplate,
): ComposeForEach | ComposedMessage {
  const message = fillTemplate(template, campaign.components);
  if (!needsNumber(template)) return message;
  return async (_client, contacts) => contacts.map((contact) => (reaches(template, contact) ? message : null));
}

/**
 * What composes a campaign's message for one member, whose own variables go before those for all; null for one who is
 * passed over.
 * @throws {AppError} as `composeForMembers`
 */
export function composerForMembers(
  { components, variables: forAll }: Pick<RunningCampaign, 'components' | 'variables'>,
  template: SendableTemplate,
): (contact: PlaceholderValues['contact'], own?: Readonly<Record<string, string>>) => ComposedMessage | null {
  fillTemplate(template, sampleComponents(components));
  const texts = textsOf(components).map(({ text }) => text);
  // A variable without a value is an empty one here: that of a member need not be given for all.
  const blank = Object.fromEntries(texts.flatMap(variablesOf).map((name) => [name, '']));
  const common = { ...blank, ...forAll };
  return (contact, own) => {
    const variables = { ...common, ...own };
    const filled = fillComponents(components, { contact, variables });
    if (isLeftEmpty(components, filled)) return null;
    try {
      return fillTemplate(template, filled);
    } catch (error) {
      if (error instanceof AppError && error.code === 'INVALID_REQUEST') return null;
      throw error;
    }
  };
}
