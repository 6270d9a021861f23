import { Type } from '@sinclair/typebox';
import { SnsTopic } from '../callbacks/sns.js';
import { byAwsSdk } from '../request/aws-request.js';
import { condition, definePreset, fields, fromAnswer, secret, text } from './preset.js';

const REGION = '[a-z]{2}(?:-[a-z]+)+-\\d';

/**
 * Uses `SendTextMessage` (2022-03-31). Reports arrive through an Amazon SNS topic (user guide, "Example event data" and
 * "Two-way SMS messaging").
 */
export const aws = definePreset('aws', 'AWS End User Messaging', {
  help: 'The access key must be allowed to call sms-voice:SendTextMessage. For receipts, create a configuration set with an SNS topic as its event destination, and subscribe the URL of this carrier to the topic (HTTPS, without raw message delivery); the subscription is confirmed automatically. Use the same topic for two-way messages of a number.',
  repliesToKeywords: true,
  settings: {
    region: text('Region, e.g. eu-central-1.', { pattern: `^${REGION}$` }),
    accessKeyId: text('ID of the access key.', { pattern: '^[A-Z0-9]{16,128}$' }),
    secretAccessKey: secret('Secret of the access key.'),
    configurationSet: Type.Optional(text('Configuration set whose event destination delivers receipts.')),
    topicArn: Type.Optional(
      text('SNS topic for receipts and messages, arn:aws:sns:….', {
        pattern: `^arn:aws[a-z-]*:sns:${REGION}:\\d{12}:[A-Za-z0-9_-]{1,256}$`,
      }),
    ),
    messageType: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        enum: ['TRANSACTIONAL', 'PROMOTIONAL'],
        default: 'TRANSACTIONAL',
        description: 'Message type at the vendor.',
      }),
    ),
    snsUrl: Type.Optional(
      text('SNS endpoint for certificates and subscription confirmations.', {
        pattern: '^https?://[^\\s?#]*[^\\s?#/]$',
        default: 'https://sns.{region}.amazonaws.com',
      }),
    ),
  },
  baseUrl: 'https://sms-voice.{region}.amazonaws.com',
  destinations: ['snsUrl'],
  hasPathSecret: true,
  findProblems: ({ publicUrl, topicArn }) =>
    publicUrl !== undefined && topicArn === undefined
      ? ['topicArn must be set with publicUrl: receipts arrive only through the topic']
      : [],
  buildPlan: ({ baseUrl, region, accessKeyId, secretAccessKey, snsUrl = '', callbackSecret, ...settings }) => {
    const endpoint = baseUrl.replace('{region}', region);
    const { topicArn, configurationSet, messageType = 'TRANSACTIONAL' } = settings;
    const sns =
      topicArn === undefined ? null : new SnsTopic({ topicArn, url: snsUrl, pathSecret: callbackSecret ?? null });
    return {
      auth: { kind: 'written', write: byAwsSdk({ endpoint, region, accessKeyId, secretAccessKey }) },
      send: {
        method: 'POST',
        url: `${endpoint}/`,
        json: {
          DestinationPhoneNumber: '{to_plus}',
          OriginationIdentity: '{from_plus}',
          MessageBody: '{text}',
          MessageType: messageType,
          TimeToLive: '{validity_seconds}',
          ...(configurationSet !== undefined && { ConfigurationSetName: configurationSet }),
        },
      },
      // TimeToLive: 5 to 259200.
      shortestValidity: 5,
      longestValidity: 259_200,
      answer: {
        success: condition('status = 200 and MessageId exists'),
        id: fromAnswer('MessageId'),
        code: { pattern: /^(?:[\s\S]*"Reason"\s*:\s*"|[\s\S]*?"__type"\s*:\s*"(?:[^"#]*#)?)(\w{1,60})"/ },
        message: fromAnswer('Message', 'message'),
        meanings: {
          throttled: ['ThrottlingException', 'RequestLimitExceeded'],
          again: ['ServiceUnavailableException'],
          credit: ['MONTHLY_SPEND_LIMIT_REACHED_FOR_TEXT'],
          credentials: [
            'ACCOUNT_DISABLED',
            'AccessDeniedException',
            'ExpiredTokenException',
            'INSUFFICIENT_ACCOUNT_REPUTATION',
            'IncompleteSignatureException',
            'InvalidSignatureException',
            'MissingAuthenticationTokenException',
            'OptInRequired',
            'UnrecognizedClientException',
          ],
        },
      },
      receipts: {
        when: condition('eventType exists'),
        // AWS: "There are intermediate message statuses and it can take up to 72 hours for the final message status."
        isInterim: condition('isFinal = false'),
        ...fields({
          id: 'messageId',
          status: 'eventType',
          message: 'messageStatusDescription',
          at: 'eventTimestamp',
        }),
        states: {
          text_queued: null,
          text_pending: null,
          text_sent: null,
          // In some countries, `TEXT_SUCCESSFUL` is the only final status.
          text_successful: 'delivered',
          text_delivered: 'delivered',
          text_invalid: 'failed',
          text_invalid_message: 'failed',
          text_unreachable: 'undelivered',
          text_carrier_unreachable: 'undelivered',
          text_unknown: 'undelivered',
          text_blocked: 'rejected',
          text_carrier_blocked: 'rejected',
          text_protect_blocked: 'rejected',
          text_spam: 'rejected',
          text_ttl_expired: 'expired',
        },
      },
      inbound: {
        when: condition('inboundMessageId exists'),
        ...fields({ id: 'inboundMessageId', from: 'originationNumber', to: 'destinationNumber', text: 'messageBody' }),
      },
      sns,
      verify: sns?.verify ?? null,
    };
  },
});
