import { Type } from '@sinclair/typebox';
import { AppError } from '../../../platform/errors/app-error.js';
import type { OptionsOf } from '../../http/options-of.js';
import { RULE } from '../../http/validation.js';
import { AccountPath, type Endpoints, graphEndpoint, NumberPath } from '../endpoint.js';
import { MetaError } from '../errors.js';
import { Fields, PageQuery, Paging, pageAnswer } from '../lists.js';
import { channelsOf } from '../objects.js';
import { Success } from './message-schemas.js';
import { NumberFields, numberFields } from './number-fields.js';

export type NumberEndpointOptions = OptionsOf<typeof channelsOf | typeof numberFields>;

const read = graphEndpoint('account:read');

export const numberEndpoints: Endpoints<NumberEndpointOptions> = async (app, options) => {
  app.get(
    '/:businessAccountId/phone_numbers',
    read({
      operationId: 'graphListNumbers',
      object: 'account',
      summary: 'List the numbers of a business account',
      description: 'Those whose channels the key is bound to.',
      params: AccountPath,
      querystring: Type.Object({ ...PageQuery, fields: Fields }),
      data: Type.Object({ data: Type.Array(NumberFields), paging: Type.Optional(Paging) }),
    }),
    async (request) => {
      const { params, query } = request;
      const callers = await channelsOf(options, request, params.businessAccountId);
      const numbers = await Promise.all(callers.map((each) => numberFields(options, each)));
      return pageAnswer(request, query, numbers);
    },
  );

  app.post(
    '/:phoneNumberId/register',
    read({
      operationId: 'graphRegisterNumber',
      object: 'number',
      summary: 'Ask that a number be registered, as Meta’s clients do when they are set up',
      description:
        'Numbers are set up with their channels: nothing changes, and it says whether the number can send. 133010 where its channel is switched off.',
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
            description: 'Asked for by Meta; nothing is done with it here.',
            [RULE]: 'must be a text of 6 digits',
          }),
        },
        { examples: [{ messaging_product: 'whatsapp', pin: '123456' }] },
      ),
      data: Success,
    }),
    async ({ caller }) => {
      if (!caller.channel.isActive) {
        const error = new AppError('INVALID_REQUEST', 'The channel of this number is switched off.');
        throw new MetaError(133010, error);
      }
      return { success: true as const };
    },
  );
};
