import { Type } from '@sinclair/typebox';
import { Id, Timestamp } from '../../../http/schemas/values.js';

const Null = Type.Null();

export const RouteData = Type.Object({
  id: Id,
  accountId: Type.Union([Id, Null], { description: 'Null: every account.' }),
  accountName: Type.Union([Type.String(), Null]),
  callingCode: Type.Union([Type.String(), Null], {
    description: 'Leading digits of the recipient; null: any.',
    examples: ['49'],
  }),
  sender: Type.Union([Type.String(), Null], { description: 'Null: any sender ID.' }),
  carriers: Type.Array(Type.String(), { description: 'In the order in which they are tried.', examples: [['smsc-1']] }),
  position: Type.Integer({ description: 'Among routes with equal conditions, the lowest position wins.' }),
  createdAt: Timestamp,
});

export const RoutesData = Type.Object({
  routes: Type.Array(RouteData, { description: 'Most specific first.' }),
  smsCarrier: Type.String({
    description: 'The carrier of SMS that no route matches: the setting `SMS_CARRIER`.',
    examples: ['simulator'],
  }),
});

export const RoutePath = Type.Object({ id: Type.String({ description: 'ID of the route.' }) });

export const NewRouteBody = Type.Object({
  accountId: Type.Optional(Type.String({ maxLength: 100, description: 'Absent: every account.' })),
  callingCode: Type.Optional(Type.String({ maxLength: 100, description: 'Absent: any.', examples: ['49'] })),
  sender: Type.Optional(Type.String({ maxLength: 100, description: 'Absent: any.' })),
  carriers: Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100, examples: [['smsc-1', 'smsc-2']] }),
  position: Type.Optional(
    Type.Integer({ minimum: -2_147_483_648, maximum: 2_147_483_647, description: 'Default: 0.' }),
  ),
});
