import { type TObject, type TSchema, Type } from '@sinclair/typebox';
import { DoneData, pageQuery } from '../answers.js';
import { AccountPath } from './accounts-schemas.js';
import {
  DeliveryData,
  OF_ACCOUNT as FieldsOfAccount,
  OF_CHANNEL as FieldsOfChannel,
  WebhookData,
  WebhookWithSecretData,
} from './webhooks-schemas.js';
import { AccountThingPath, ChannelPath, ChannelThingPath } from './paths.js';
import { type Contract, READ, WRITE } from './contract.js';

/** Where the webhooks of a channel are, and where those of a whole account. */
export const OF_CHANNEL = '/accounts/:accountId/channels/:channelId/webhooks';
export const OF_ACCOUNT = '/accounts/:accountId/webhooks';

/** The same endpoints below a path. */
type Below<Base extends string, Endpoints> = {
  [Key in keyof Endpoints as Key extends `${infer Method} ${infer Path}`
    ? `${Method} ${Base}${Path}`
    : never]: Endpoints[Key];
};

function below<Base extends string, Endpoints extends object>(base: Base, endpoints: Endpoints) {
  return Object.fromEntries(
    Object.entries(endpoints).map(([key, endpoint]) => [key.replace(' ', ` ${base}`), endpoint]),
  ) as Below<Base, Endpoints>;
}

interface Place<All, One, Replayed, Body, Changes> {
  /** Stands in the names of the operations. */
  noun: string;
  /** Stands in their summaries. */
  words: string;
  all: All;
  one: One;
  replayed: Replayed;
  body: Body;
  changes: Changes;
}

function webhooksOf<
  All extends TObject,
  One extends TObject,
  Replayed extends TObject,
  Body extends TSchema,
  Changes extends TSchema,
>({ noun, words, all, one, replayed, body, changes }: Place<All, One, Replayed, Body, Changes>) {
  return {
    'GET ': {
      ...READ,
      operationId: `consoleList${noun}s`,
      summary: `List the webhooks ${words}, the newest first`,
      params: all,
      data: Type.Array(WebhookData),
    },
    'POST ': {
      ...WRITE,
      operationId: `consoleCreate${noun}`,
      summary: `Have events ${words} sent to a URL`,
      description: 'The secret is told this once.',
      params: all,
      body,
      data: WebhookWithSecretData,
      errors: [409],
    },
    'GET /:id': {
      ...READ,
      operationId: `consoleGet${noun}`,
      summary: `Show a webhook ${words}`,
      params: one,
      data: WebhookData,
    },
    'PUT /:id': {
      ...WRITE,
      versioned: true,
      operationId: `consoleUpdate${noun}`,
      summary: `Change, disable or enable a webhook ${words}`,
      params: one,
      body: changes,
      data: WebhookData,
    },
    'DELETE /:id': {
      ...WRITE,
      operationId: `consoleDelete${noun}`,
      summary: `Delete a webhook ${words}`,
      description: 'What is still to be delivered to it is dropped.',
      params: one,
      data: DoneData,
    },
    'POST /:id/test': {
      ...WRITE,
      operationId: `consoleTest${noun}`,
      summary: `Send an event of type webhook.test to a webhook ${words}`,
      params: one,
      data: DeliveryData,
      errors: [409],
    },
    'POST /:id/rotate-secret': {
      ...WRITE,
      operationId: `consoleRotate${noun}Secret`,
      summary: `Replace the secret of a webhook ${words}`,
      description: 'It is told this once. For 24 hours deliveries are signed with the one before it too.',
      params: one,
      data: WebhookWithSecretData,
    },
    'GET /:id/deliveries': {
      ...READ,
      operationId: `consoleList${noun}Deliveries`,
      summary: `List what was sent to a webhook ${words}, the newest first`,
      params: one,
      query: pageQuery({
        status: Type.Optional(Type.String({ description: 'In any case; an unknown one finds none.' })),
      }),
      entry: DeliveryData,
    },
    'POST /:id/deliveries/:deliveryId/replay': {
      ...WRITE,
      operationId: `consoleReplay${noun}Delivery`,
      summary: `Send a delivery of a webhook ${words} again`,
      params: replayed,
      data: DeliveryData,
      errors: [409],
    },
  } as const;
}

const DeliveryOfChannel = Type.Object({ ...ChannelThingPath.properties, deliveryId: Type.String() });
const DeliveryOfAccount = Type.Object({ ...AccountThingPath.properties, deliveryId: Type.String() });

export const WEBHOOKS = {
  ...below(
    OF_CHANNEL,
    webhooksOf({
      noun: 'Webhook',
      words: 'of a channel',
      all: ChannelPath,
      one: ChannelThingPath,
      replayed: DeliveryOfChannel,
      ...FieldsOfChannel,
    }),
  ),
  ...below(
    OF_ACCOUNT,
    webhooksOf({
      noun: 'AccountWebhook',
      words: 'of the whole account',
      all: AccountPath,
      one: AccountThingPath,
      replayed: DeliveryOfAccount,
      ...FieldsOfAccount,
    }),
  ),
} satisfies Contract;
