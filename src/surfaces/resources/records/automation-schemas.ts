import { Type } from '@sinclair/typebox';
import { RUN_STATES, type RunState } from '../../../features/automations/runs.js';
import { MAX_STEPS, MAX_WAIT_SECONDS, STEP_TYPES, type StepInput } from '../../../features/automations/steps.js';
import { KEYWORD_LIMIT } from '../../../features/automations/triggers.js';
import { DOCUMENTED_PLACEHOLDERS } from '../../../features/placeholders/placeholders.js';
import { WHATSAPP_TEXT_LIMIT } from '../../../messages/compose/v2-plan.js';
import { BodyId } from '../../http/ids.js';
import { Id, NullableText, NullableTimestamp, Timestamp } from '../../http/schemas/values.js';
import { RULE } from '../../http/validation.js';
import { nameSchema } from '../names.js';
import { UserId } from '../people/people.js';
import { LanguageCode, TemplateComponents, TemplateName } from './templates.js';
import { Variables } from './variables.js';

const Name = nameSchema(255, 'Welcome');

const Keyword = Type.String({
  maxLength: KEYWORD_LIMIT + 20,
  description:
    'An inbound message with exactly this text starts the automation; case and surrounding white space are ignored. "" means none.',
  examples: ['start'],
  [RULE]: `must be a text of at most ${KEYWORD_LIMIT} characters`,
});

/** 30 days. */
const MAX_COOLDOWN_SECONDS = 30 * 24 * 60 * 60;

const IsActive = Type.Boolean({
  description: 'An inactive automation starts no runs. Runs in progress continue.',
  [RULE]: 'must be true or false',
});

const CooldownSeconds = Type.Integer({
  minimum: 0,
  maximum: MAX_COOLDOWN_SECONDS,
  default: 60,
  description:
    'Seconds after the start of a run during which the keyword starts no other run for the same contact. Prevents loops with another bot.',
  [RULE]: `must be an integer from 0 to ${MAX_COOLDOWN_SECONDS}`,
});

const Step = Type.Unsafe<StepInput>(
  Type.Object(
    {
      type: Type.Unsafe<StepInput['type']>({
        type: 'string',
        enum: [...STEP_TYPES],
        [RULE]: `must be one of ${STEP_TYPES.join(', ')}`,
      }),
      templateName: Type.Optional({ ...TemplateName, description: 'Required for `send_template`.' }),
      language: Type.Optional({ ...LanguageCode, description: 'Required for `send_template`.' }),
      components: Type.Optional({
        ...TemplateComponents,
        description: 'Only for `send_template`. Texts may contain placeholders.',
      }),
      message: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: WHATSAPP_TEXT_LIMIT,
          description: 'Required for `send_reply`. May contain placeholders.',
          [RULE]: `must be a text of 1 to ${WHATSAPP_TEXT_LIMIT} characters`,
        }),
      ),
      seconds: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_WAIT_SECONDS,
          description: 'Required for `wait`.',
          [RULE]: `must be an integer from 1 to ${MAX_WAIT_SECONDS}`,
        }),
      ),
      groupId: Type.Optional({ ...BodyId, description: 'Required for `add_to_group` and `remove_from_group`.' }),
    },
    { [RULE]: 'must be an object with type' },
  ),
);

const Steps = Type.Array(Step, {
  minItems: 1,
  maxItems: MAX_STEPS,
  description: `Executed in order. Placeholders: ${DOCUMENTED_PLACEHOLDERS}, and \`{{variables.<name>}}\` for a variable sent with the trigger. \`{{contact.name|there}}\` uses the word "there" if the contact has no name.`,
  [RULE]: `must be an array of 1 to ${MAX_STEPS} steps`,
});

const EXAMPLE = {
  name: 'Welcome',
  keyword: 'start',
  steps: [
    { type: 'send_reply', message: 'Hello {{contact.name}}, welcome!' },
    { type: 'wait', seconds: 3600 },
    { type: 'send_template', templateName: 'hello_world', language: 'en_US' },
  ],
};

export const AutomationBody = Type.Object(
  {
    name: Name,
    steps: Steps,
    keyword: Type.Optional(Keyword),
    isActive: Type.Optional(IsActive),
    cooldownSeconds: Type.Optional(CooldownSeconds),
  },
  { examples: [EXAMPLE] },
);

export const AutomationChange = Type.Partial(AutomationBody, { examples: [{ name: 'Welcome' }] });

export const TriggerBody = Type.Object(
  {
    contactId: Type.Optional(BodyId),
    phone: Type.Optional(
      Type.String({
        description: 'Digits with country code; instead of contactId. A contact is created if there is none.',
        examples: ['15005550111'],
        [RULE]: 'must be a phone number with country code, digits only',
      }),
    ),
    userId: Type.Optional({
      ...UserId,
      description: "WhatsApp's ID for the person; instead of contactId. A contact is created if there is none.",
    }),
    variables: Type.Optional({ ...Variables, description: 'Values for `{{variables.<name>}}` in the steps.' }),
    concurrent: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Start the run even if another run of this automation is in progress for the contact. Otherwise the response is 409.',
        [RULE]: 'must be true or false',
      }),
    ),
  },
  { examples: [{ phone: '15005550111', variables: { order: 'A-1001' } }] },
);

const StoredStep = Type.Unsafe<object>(
  Type.Object({ type: Type.String({ enum: [...STEP_TYPES] }) }, { additionalProperties: true }),
);

export const AutomationRecord = Type.Object({
  id: Id,
  name: Type.String(),
  keyword: NullableText,
  steps: Type.Array(StoredStep),
  isActive: Type.Boolean(),
  cooldownSeconds: Type.Integer(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export const RunRecord = Type.Object({
  id: Id,
  automationId: Id,
  contactId: Id,
  status: Type.Unsafe<RunState>({ type: 'string', enum: [...RUN_STATES], examples: ['completed'] }),
  step: Type.Integer({ description: 'Completed steps.' }),
  stepCount: Type.Integer(),
  variables: Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } }),
  errorMessage: Type.Union([Type.String(), Type.Null()], { description: 'Why the run `failed`.' }),
  waitingUntil: NullableTimestamp,
  startedAt: Timestamp,
  completedAt: NullableTimestamp,
});
