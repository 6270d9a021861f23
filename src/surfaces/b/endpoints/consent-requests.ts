import { Type } from '@sinclair/typebox';
import { composeConsentRequest, createConsentRequestCommit } from '../../../features/consents/double-opt-in/request.js';
import type { sendAndWait } from '../../../features/conversations/sending/send-and-wait.js';
import { WHATSAPP_TEXT_LIMIT } from '../../../messages/compose/v2-plan.js';
import { IdUnlessDeleted } from '../../http/ids.js';
import { Id } from '../../http/schemas/values.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { NULL_IS_ABSENT, ONE_OF_FIELDS, RULE } from '../../http/validation.js';
import { ConsentPurposeField, EVIDENCE_FIELDS } from '../../resources/people/consents.js';
import { ALTERNATIVE_TARGETS, readTarget, TARGET_FIELDS } from '../../resources/people/people.js';
import { LanguageCode, TemplateComponents, TemplateName } from '../../resources/records/templates.js';
import { ReplyBody, SendStatus } from '../../resources/sends/channel-sends.js';
import { sendForRequest } from '../../resources/sends/waited-send.js';
import { ok } from '../answers.js';
import { type Endpoints, endpoint } from '../endpoint.js';

const RequestBody = Type.Object(
  {
    to: ReplyBody.properties.to,
    ...ALTERNATIVE_TARGETS,
    purpose: { ...ConsentPurposeField, description: 'What the consent is for. It is also the purpose of the message.' },
    message: Type.Optional(
      Type.String({
        description: 'Your own text. It must say how to confirm. Default: a text in the language.',
        minLength: 1,
        maxLength: WHATSAPP_TEXT_LIMIT,
        examples: ['Example Shop: Reply YES to receive our offers. Reply STOP to opt out.'],
        [RULE]: `must be a text of 1 to ${WHATSAPP_TEXT_LIMIT} characters`,
      }),
    ),
    templateName: Type.Optional({
      ...TemplateName,
      description:
        'On WhatsApp, instead of a text: an approved template. Needed if the person has not written within 24 hours.',
    }),
    language: Type.Optional({
      ...LanguageCode,
      description:
        'Language of the template, or of the default text: de, en, es, fr, it, nl or pt. Default: the language of the replies to keywords.',
    }),
    components: Type.Optional(TemplateComponents),
    buttonLabel: Type.Optional(
      Type.String({
        description: "Label of the template's button that confirms, in addition to the words for yes.",
        minLength: 1,
        maxLength: 25,
        examples: ['Sign me up'],
        [RULE]: 'must be a text of 1 to 25 characters',
      }),
    ),
    ...EVIDENCE_FIELDS,
  },
  {
    [NULL_IS_ABSENT]: true,
    [ONE_OF_FIELDS]: TARGET_FIELDS,
    examples: [
      {
        ...{ to: '15005550111', purpose: 'marketing', language: 'en' },
        ...{ wording: 'Send me offers by SMS, at most two a week.', wordingVersion: '2026-11' },
        ...{ ip: '203.0.113.7', url: 'https://shop.example/newsletter' },
      },
    ],
  },
);

const RequestData = Type.Object({
  messageId: Id,
  status: SendStatus,
  contactId: IdUnlessDeleted('contact'),
  conversationId: IdUnlessDeleted('conversation'),
});

export type ConsentRequestOptions = UseCaseOptions<typeof composeConsentRequest | typeof sendAndWait>;

// The request sends a message that costs, so the permission to write consent is not enough.
const sendEndpoint = endpoint('Consent', 'messages:send');

export const consentRequestEndpoints: Endpoints<ConsentRequestOptions> = async (app, options) => {
  app.post(
    '/consents/requests',
    sendEndpoint({
      operationId: 'requestConsent',
      idempotent: true,
      summary: 'Ask a person to confirm consent (double opt-in)',
      description:
        'Sends one message that is charged as any other. If the person answers YES, or taps the button, within 7 days, the consent is ' +
        'granted with the source `double_opt_in` and the evidence of this request. A person gets at most one request from a sender in ' +
        '30 days; another gets 409. People who have opted out get none (400 `OPTED_OUT`).',
      body: RequestBody,
      data: RequestData,
      errors: [402, 404, 409, 422],
    }),
    async (request, reply) => {
      const { caller, body } = request;
      const { purpose, message, templateName, language, components, buttonLabel } = body;
      const { name, wording, wordingVersion, ip, url } = body;
      const consent = { purpose, buttonLabel, name, wording, wordingVersion, ip, url };
      const template = templateName === undefined ? undefined : { templateName, components };
      const sent = await sendForRequest(
        options,
        request,
        reply,
        (context) =>
          composeConsentRequest(
            options,
            caller,
            { target: readTarget(body), language, message, template },
            consent,
            context,
          ),
        createConsentRequestCommit(options.acceptor, options.pool, consent),
      );
      const { messageId, status, contactId, conversationId } = sent;
      return ok({ messageId, status, contactId, conversationId });
    },
  );
};
