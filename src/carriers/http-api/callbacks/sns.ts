import { createVerify, type KeyObject, X509Certificate } from 'node:crypto';
import { isSameSecret } from '../../callbacks/same-secret.js';
import type { ReportingTopic, VendorCall, Verify } from '../plan.js';

/**
 * Several certificates are kept, because for a while after replacing a certificate, Amazon uses both the old and the new one.
 */
const MAX_CERTIFICATES = 4;
const CERTIFICATE_PATH = /^\/SimpleNotificationService-[0-9a-f]{16,64}\.pem$/;
const UNSIGNED = 'is not signed by Amazon SNS';

/** Signed fields by message type, in the order of Amazon SNS, "Verifying the signatures". */
const SIGNED_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
};

export interface SnsOptions {
  /** `arn:aws:sns:<region>:<account>:<name>`. */
  topicArn: string;
  /** `{region}` is replaced by the topic's region. */
  url: string;
  /** Secret in the callback URL; no certificate is fetched for calls without this secret. */
  pathSecret: string | null;
}

/** Certificates are fetched only from `url`, never from a URL in a message. */
export class SnsTopic implements ReportingTopic {
  readonly #options: SnsOptions;
  readonly #region: string;
  readonly #keys = new Map<string, { key: KeyObject; until: Date }>();

  constructor(options: SnsOptions) {
    this.#options = options;
    this.#region = options.topicArn.split(':')[3] ?? '';
  }

  findMissingCertificateUrl(call: VendorCall): URL | null {
    const path = this.#certificatePath(call);
    return path === null || this.#keys.has(path) ? null : new URL(path, this.#url);
  }

  addCertificate(url: URL, pem: string): boolean {
    try {
      const { publicKey, validTo } = new X509Certificate(pem);
      if (this.#keys.size >= MAX_CERTIFICATES) this.#keys.delete(this.#keys.keys().next().value as string);
      this.#keys.set(url.pathname, { key: publicKey, until: new Date(validTo) });
      return true;
    } catch {
      // If the text is not a certificate, a proxy may have returned a page instead.
      return false;
    }
  }

  readonly verify: Verify = (call, now) => {
    const path = this.#certificatePath(call);
    const certificate = path === null ? undefined : this.#keys.get(path);
    if (!certificate) return UNSIGNED;
    if (certificate.until < now) {
      this.#keys.delete(path as string);
      return 'is signed with a certificate that has expired';
    }
    const message = parseSnsMessage(call.body);
    if (message.TopicArn !== this.#options.topicArn) return 'is from another topic';
    const signedText = (SIGNED_FIELDS[message.Type ?? ''] ?? [])
      .filter((name) => message[name] !== undefined)
      .map((name) => `${name}\n${message[name]}\n`)
      .join('');
    const verifier = createVerify(message.SignatureVersion === '2' ? 'RSA-SHA256' : 'RSA-SHA1').update(signedText);
    return verifier.verify(certificate.key, message.Signature ?? '', 'base64') ? null : UNSIGNED;
  };

  classify(body: Buffer): 'report' | 'confirmation' | 'end' {
    const { Type } = parseSnsMessage(body);
    if (Type === 'SubscriptionConfirmation') return 'confirmation';
    return Type === 'UnsubscribeConfirmation' ? 'end' : 'report';
  }

  buildConfirmationUrl(body: Buffer): URL {
    const url = new URL('/', this.#url);
    url.search = new URLSearchParams({
      Action: 'ConfirmSubscription',
      TopicArn: this.#options.topicArn,
      Token: parseSnsMessage(body).Token ?? '',
      Version: '2010-03-31',
    }).toString();
    return url;
  }

  get #url(): string {
    return this.#options.url.replace('{region}', this.#region);
  }

  #certificatePath({ pathSecret, body }: VendorCall): string | null {
    const { pathSecret: expectedSecret } = this.#options;
    if (expectedSecret !== null && !(pathSecret !== null && isSameSecret(pathSecret, expectedSecret))) return null;
    const { SigningCertURL, TopicArn, Type } = parseSnsMessage(body);
    if (TopicArn !== this.#options.topicArn || !Object.hasOwn(SIGNED_FIELDS, Type ?? '')) return null;
    if (SigningCertURL === undefined || !URL.canParse(SigningCertURL)) return null;
    const { protocol, host, pathname } = new URL(SigningCertURL);
    const hosts = [`sns.${this.#region}.amazonaws.com`, `sns.${this.#region}.amazonaws.com.cn`];
    return protocol === 'https:' && hosts.includes(host) && CERTIFICATE_PATH.test(pathname) ? pathname : null;
  }
}

/** Returns other bodies unchanged. */
export function unwrapSnsMessage(body: unknown): unknown {
  const { Message } = (typeof body === 'object' && body !== null ? body : {}) as { Message?: unknown };
  if (typeof Message !== 'string') return body;
  try {
    return JSON.parse(Message) as unknown;
  } catch {
    return body;
  }
}

function parseSnsMessage(body: Buffer): Partial<Record<string, string>> {
  try {
    const parsed = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
    return Object.fromEntries(Object.entries(parsed ?? {}).filter(([, value]) => typeof value === 'string')) as Record<
      string,
      string
    >;
  } catch {
    return {};
  }
}
