import { type TObject, type TSchema, Type } from '@sinclair/typebox';
import { DoneData, pageQuery } from '../answers.js';
import { AccountPath } from './accounts-schemas.js';
import { type Contract, READ, WRITE } from './contract.js';
import { AccountResourcePath, ChannelPath, ChannelResourcePath } from './paths.js';
import {
  ACCOUNT_WEBHOOK as AccountWebhookFields,
  CHANNEL_WEBHOOK as ChannelWebhookFields,
  DeliveryData,
  WebhookData,
  WebhookWithSecretData,
} from './webhooks-schemas.js';

export const CHANNEL_WEBHOOKS_PATH = '/accounts/:accountId/channels/:channelId/webhooks';
export const ACCOUNT_WEBHOOKS_PATH = '/accounts/:accountId/webhooks';

type Prefixed<Base extends string, Endpoints> = {
  [Key in keyof Endpoints as Key extends `${infer Method} ${infer Path}`
    ? `${Method} ${Base}${Path}`
    : never]: Endpoints[Key];
};

function prefixPaths<Base extends string, Endpoints extends object>(base: Base, endpoints: Endpoints) {
  return Object.fromEntries(
    Object.entries(endpoints).map(([key, endpoint]) => [key.replace(' ', ` ${base}`), endpoint]),
  ) as Prefixed<Base, Endpoints>;
}

interface WebhookVariant<All, One, Replayed, Body, Changes> {
  operationNoun: string;
  /** Text that follows "webhooks" in the summaries. */
  phrase: string;
  all: All;
  one: One;
  replayed: Replayed;
  body: Body;
  changes: Changes;
}

function webhookEndpoints<
  All extends TObject,
  One extends TObject,
  Replayed extends TObject,
  Body extends TSchema,
  Changes extends TSchema,
>({ operationNoun, phrase, all, one, replayed, body, changes }: WebhookVariant<All, One, Replayed, Body, Changes>) {
  return {
    'GET ': {
      ...READ,
      operationId: `consoleList${operationNoun}s`,
      summary: `List the webhooks ${phrase}, newest first`,
      params: all,
      data: Type.Array(WebhookData),
    },
    'POST ': {
      ...WRITE,
      operationId: `consoleCreate${operationNoun}`,
      summary: `Create a webhook for events ${phrase}`,
      description: 'The secret is shown only once.',
      params: all,
      body,
      data: WebhookWithSecretData,
      errors: [409],
    },
    'GET /:id': {
      ...READ,
      operationId: `consoleGet${operationNoun}`,
      summary: `Show a webhook ${phrase}`,
      params: one,
      data: WebhookData,
    },
    'PUT /:id': {
      ...WRITE,
      versioned: true,
      operationId: `consoleUpdate${operationNoun}`,
      summary: `Change, disable or enable a webhook ${phrase}`,
      params: one,
      body: changes,
      data: WebhookData,
    },
    'DELETE /:id': {
      ...WRITE,
      operationId: `consoleDelete${operationNoun}`,
      summary: `Delete a webhook ${phrase}`,
      description: 'Pending deliveries are dropped.',
      params: one,
      data: DoneData,
    },
    'POST /:id/test': {
      ...WRITE,
      operationId: `consoleTest${operationNoun}`,
      summary: `Send an event of type webhook.test to a webhook ${phrase}`,
      params: one,
      data: DeliveryData,
      errors: [409],
    },
    'POST /:id/rotate-secret': {
      ...WRITE,
      operationId: `consoleRotate${operationNoun}Secret`,
      summary: `Replace the secret of a webhook ${phrase}`,
      description: 'The new secret is shown only once. For 24 hours, deliveries are also signed with the previous one.',
      params: one,
      data: WebhookWithSecretData,
    },
    'GET /:id/deliveries': {
      ...READ,
      operationId: `consoleList${operationNoun}Deliveries`,
      summary: `List the deliveries of a webhook ${phrase}, newest first`,
      params: one,
      query: pageQuery({
        status: Type.Optional(
          Type.String({ description: 'In upper or lower case; an unknown status matches nothing.' }),
        ),
      }),
      entry: DeliveryData,
    },
    'POST /:id/deliveries/:deliveryId/replay': {
      ...WRITE,
      operationId: `consoleReplay${operationNoun}Delivery`,
      summary: `Send a delivery of a webhook ${phrase} again`,
      params: replayed,
      data: DeliveryData,
      errors: [409],
    },
  } as const;
}

const ChannelDeliveryPath = Type.Object({ ...ChannelResourcePath.properties, deliveryId: Type.String() });
const AccountDeliveryPath = Type.Object({ ...AccountResourcePath.properties, deliveryId: Type.String() });

export const WEBHOOKS = {
  ...prefixPaths(
    CHANNEL_WEBHOOKS_PATH,
    webhookEndpoints({
      operationNoun: 'Webhook',
      phrase: 'of a channel',
      all: ChannelPath,
      one: ChannelResourcePath,
      replayed: ChannelDeliveryPath,
      ...ChannelWebhookFields,
    }),
  ),
  ...prefixPaths(
    ACCOUNT_WEBHOOKS_PATH,
    webhookEndpoints({
      operationNoun: 'AccountWebhook',
      phrase: 'of the whole account',
      all: AccountPath,
      one: AccountResourcePath,
      replayed: AccountDeliveryPath,
      ...AccountWebhookFields,
    }),
  ),
} satisfies Contract;
