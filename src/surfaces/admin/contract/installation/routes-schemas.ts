import { Type } from '@sinclair/typebox';
import { Id, Timestamp } from '../../../http/schemas/values.js';

const Nothing = Type.Null();

export const RouteData = Type.Object({
  id: Id,
  accountId: Type.Union([Id, Nothing], { description: 'Null: of every account.' }),
  accountName: Type.Union([Type.String(), Nothing]),
  callingCode: Type.Union([Type.String(), Nothing], {
    description: 'First digits of the recipient; null: any.',
    examples: ['49'],
  }),
  sender: Type.Union([Type.String(), Nothing], { description: 'Null: any sender ID.' }),
  carriers: Type.Array(Type.String(), { description: 'In the order in which they are tried.', examples: [['smsc-1']] }),
  position: Type.Integer({ description: 'Of routes that are alike otherwise, the lowest counts.' }),
  createdAt: Timestamp,
});

export const RoutesData = Type.Object({
  routes: Type.Array(RouteData, { description: 'The more specific ones first.' }),
  smsCarrier: Type.String({
    description: 'Takes the SMS that no route is for: the setting `SMS_CARRIER`.',
    examples: ['simulator'],
  }),
});

export const RoutePath = Type.Object({ id: Type.String({ description: 'Of the route.' }) });

export const NewRouteBody = Type.Object({
  accountId: Type.Optional(Type.String({ maxLength: 100, description: 'Left out: of every account.' })),
  callingCode: Type.Optional(Type.String({ maxLength: 100, description: 'Left out: any.', examples: ['49'] })),
  sender: Type.Optional(Type.String({ maxLength: 100, description: 'Left out: any.' })),
  carriers: Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100, examples: [['smsc-1', 'smsc-2']] }),
  position: Type.Optional(
    Type.Integer({ minimum: -2_147_483_648, maximum: 2_147_483_647, description: '0 unless told.' }),
  ),
});
