import type { TemplateComponent } from '../../carriers/content.js';
import { withoutNullFields } from '../../messages/compose/template/without-null-fields.js';
import { WHATSAPP_TEXT_LIMIT } from '../../messages/compose/v2-plan.js';
import type { FieldProblem } from '../../platform/errors/app-error.js';
import { isBlank } from '../../platform/errors/field-problems.js';
import {
  findUnknownPlaceholders,
  findVariables,
  listComponentTexts,
  PLACEHOLDER_RULE,
} from '../placeholders/placeholders.js';

export const STEP_TYPES = ['send_template', 'send_reply', 'wait', 'add_to_group', 'remove_from_group'] as const;
export type StepType = (typeof STEP_TYPES)[number];

export const MAX_STEPS = 50;
/** 30 days. */
export const MAX_WAIT_SECONDS = 30 * 24 * 60 * 60;

export type Step =
  | { type: 'send_template'; templateName: string; language: string; components: TemplateComponent[] }
  | { type: 'send_reply'; message: string }
  | { type: 'wait'; seconds: number }
  | { type: 'add_to_group' | 'remove_from_group'; groupId: string };

/** A step whose field formats were checked, but whose required fields may be missing. */
export interface StepInput {
  type: StepType;
  templateName?: string;
  language?: string;
  components?: TemplateComponent[];
  message?: string;
  seconds?: number;
  groupId?: string;
}

const REQUIRED_FIELDS = {
  send_template: ['templateName', 'language'],
  send_reply: ['message'],
  wait: ['seconds'],
  add_to_group: ['groupId'],
  remove_from_group: ['groupId'],
} as const satisfies Record<StepType, readonly (keyof StepInput)[]>;

/**
 * Keeps only the fields that belong to each step's type.
 * @param problems collects problems with paths
 */
export function parseSteps(inputs: readonly StepInput[], problems: FieldProblem[]): Step[] {
  return inputs.flatMap((input, index) => {
    const path = `steps[${index}]`;
    const missing = REQUIRED_FIELDS[input.type].filter((field) => input[field] === undefined);
    for (const field of missing) problems.push({ field: `${path}.${field}`, rule: 'is required' });
    if (missing.length > 0) return [];
    const step = parseStep(input);
    if (step.type === 'send_reply' && isBlank(step.message)) {
      const rule = `must be a text of 1 to ${WHATSAPP_TEXT_LIMIT} characters, not only spaces`;
      problems.push({ field: `${path}.message`, rule });
    }
    for (const { field, text } of listPlaceholderTexts(step)) {
      const [unknown] = findUnknownPlaceholders(text);
      if (unknown) problems.push({ field: `${path}.${field}`, rule: `has ${unknown}; ${PLACEHOLDER_RULE}` });
    }
    return [step];
  });
}

function parseStep(input: StepInput): Step {
  const { type, templateName = '', language = '', components = [], message = '', seconds = 0, groupId = '' } = input;
  switch (type) {
    case 'send_template':
      return { type, templateName, language, components: withoutNullFields(components) };
    case 'send_reply':
      return { type, message };
    case 'wait':
      return { type, seconds };
    default:
      return { type, groupId: groupId.toLowerCase() };
  }
}

function listPlaceholderTexts(step: Step): { field: string; text: string }[] {
  if (step.type === 'send_reply') return [{ field: 'message', text: step.message }];
  if (step.type !== 'send_template') return [];
  return listComponentTexts(step.components).map(({ text }) => ({ field: 'components', text }));
}

export function listRequiredVariables(steps: readonly Step[]): string[] {
  return [...new Set(steps.flatMap(listPlaceholderTexts).flatMap(({ text }) => findVariables(text)))];
}
