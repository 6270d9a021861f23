import { createSign } from 'node:crypto';
import { KEY } from './certificate.js';

export const REGION = 'eu-central-1';
export const TOPIC = `arn:aws:sns:${REGION}:123456789012:heliograph`;
export const CERTIFICATE_PATH = `/SimpleNotificationService-${'0a'.repeat(16)}.pem`;

export type SnsMessage = Record<string, string>;

export function createSnsMessage(
  type: 'Notification' | 'SubscriptionConfirmation' | 'UnsubscribeConfirmation',
  overrides: SnsMessage = {},
): SnsMessage {
  const isReport = type === 'Notification';
  return {
    Type: type,
    MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
    ...(!isReport && { Token: '2336412f37', SubscribeURL: 'http://127.0.0.1:1/?Action=ConfirmSubscription' }),
    TopicArn: TOPIC,
    Message: isReport ? '{}' : 'You have chosen to subscribe.',
    Timestamp: '2026-11-24T11:59:58.000Z',
    SignatureVersion: '2',
    SigningCertURL: `https://sns.${REGION}.amazonaws.com${CERTIFICATE_PATH}`,
    ...overrides,
  };
}

/** Signs a message like Amazon SNS: certain fields in alphabetical order, with each name and each value on a separate line. */
export function signMessage(message: SnsMessage): SnsMessage {
  const fields = Object.keys(message).filter((name) => !/^Sign|^Unsubscribe/.test(name));
  const text = fields
    .sort()
    .map((name) => `${name}\n${message[name]}\n`)
    .join('');
  const algorithm = message.SignatureVersion === '1' ? 'RSA-SHA1' : 'RSA-SHA256';
  return { ...message, Signature: createSign(algorithm).update(text).sign(KEY, 'base64') };
}
