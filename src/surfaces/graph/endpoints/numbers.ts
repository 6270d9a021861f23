import { Type } from '@sinclair/typebox';
import { AppError } from '../../../platform/errors/app-error.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { RULE } from '../../http/validation.js';
import { AccountPath, type Endpoints, graphEndpoint, NumberPath } from '../endpoint.js';
import { MetaError } from '../errors.js';
import { Fields, PageQuery, Paging, pageAnswer } from '../lists.js';
import { findAccountChannels } from '../objects.js';
import { Success } from './message-schemas.js';
import { NumberFields, numberFields } from './number-fields.js';

export type NumberEndpointOptions = UseCaseOptions<typeof findAccountChannels | typeof numberFields>;

const readEndpoint = graphEndpoint('account:read');

export const numberEndpoints: Endpoints<NumberEndpointOptions> = async (app, options) => {
  app.get(
    '/:businessAccountId/phone_numbers',
    readEndpoint({
      operationId: 'graphListNumbers',
      object: 'account',
      summary: 'List the phone numbers of a business account',
      description: 'Only the numbers of channels that the key is bound to.',
      params: AccountPath,
      querystring: Type.Object({ ...PageQuery, fields: Fields }),
      data: Type.Object({ data: Type.Array(NumberFields), paging: Type.Optional(Paging) }),
    }),
    async (request) => {
      const { params, query } = request;
      const callers = await findAccountChannels(options, request, params.businessAccountId);
      const numbers = await Promise.all(callers.map((caller) => numberFields(options, caller)));
      return pageAnswer(request, query, numbers);
    },
  );

  app.post(
    '/:phoneNumberId/register',
    readEndpoint({
      operationId: 'graphRegisterNumber',
      object: 'number',
      summary: 'Register a phone number; changes nothing',
      description:
        'Called by Meta’s clients during setup. Numbers are set up with their channels, so the response only shows whether the number can send: 133010 if its channel is disabled.',
      params: NumberPath,
      body: Type.Object(
        {
          messaging_product: Type.Unsafe<'whatsapp'>({
            type: 'string',
            enum: ['whatsapp'],
            [RULE]: 'must be whatsapp',
          }),
          pin: Type.String({
            pattern: '^[0-9]{6}$',
            description: 'Required by Meta; ignored here.',
            [RULE]: 'must be a string of 6 digits',
          }),
        },
        { examples: [{ messaging_product: 'whatsapp', pin: '123456' }] },
      ),
      data: Success,
    }),
    async ({ caller }) => {
      if (!caller.channel.isActive) {
        const error = new AppError('INVALID_REQUEST', 'The channel of this number is disabled.');
        throw new MetaError(133010, error);
      }
      return { success: true as const };
    },
  );
};
