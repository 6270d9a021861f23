import type { FieldProblem } from '../../../platform/errors/app-error.js';
import { invalidFields } from '../../../platform/errors/field-problems.js';
import {
  findUnknownPlaceholders,
  findVariables,
  listComponentTexts,
  PLACEHOLDER_RULE,
} from '../../placeholders/placeholders.js';
import type { CampaignContent } from './content.js';
import type { MemberVariables } from './variables-store.js';

export interface CampaignVariables {
  variables: Readonly<Record<string, string>>;
  memberVariables: readonly MemberVariables[];
}

/** A campaign with more member variables must be split. */
export const MAX_MEMBER_VARIABLES = 10_000;

/**
 * @throws {AppError} INVALID_REQUEST for an unknown placeholder, or for a variable with neither a value nor a fallback
 */
export function checkPlaceholders(content: CampaignContent, { variables, memberVariables }: CampaignVariables): void {
  const names = new Set([variables, ...memberVariables.map((each) => each.variables)].flatMap(Object.keys));
  const problems: FieldProblem[] = listTexts(content).flatMap(({ field, text }) => {
    const [unknown] = findUnknownPlaceholders(text);
    if (unknown !== undefined) return [{ field, rule: `has ${unknown}; ${PLACEHOLDER_RULE}` }];
    const missing = findVariables(text).find((name) => !names.has(name));
    return missing === undefined
      ? []
      : [{ field, rule: `needs {{variables.${missing}}}, which is neither in variables nor in memberVariables` }];
  });
  if (problems.length > 0) throw invalidFields(problems);
}

function listTexts(content: CampaignContent): { field: string; text: string }[] {
  if (content.type === 'text') return [{ field: 'text', text: content.text }];
  return listComponentTexts(content.components).map(({ path, text }) => ({ field: `components${path}`, text }));
}
