import { createVerify, type KeyObject, X509Certificate } from 'node:crypto';
import { isSameSecret } from '../../callbacks/same-secret.js';
import type { ReportingTopic, VendorCall, Verify } from '../plan.js';

/** Certificates that are kept: Amazon changes its own now and then, and uses two for a while. */
const MOST_KNOWN = 4;
const CERTIFICATE_PATH = /^\/SimpleNotificationService-[0-9a-f]{16,64}\.pem$/;
const UNSIGNED = 'is not signed by Amazon SNS';

/** What is signed of a message, in this order: each name and its value on a line (Amazon SNS, "Verifying the signatures"). */
const SIGNED: Readonly<Record<string, readonly string[]>> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
};

export interface SnsOptions {
  /** `arn:aws:sns:<region>:<account>:<name>`. */
  topicArn: string;
  /** Where SNS is asked, with `{region}` for that of the topic. */
  url: string;
  /** Ends the path of genuine calls; null: nothing does. Nothing is fetched for a call without it. */
  pathSecret: string | null;
}

/**
 * A topic of Amazon SNS, by which a vendor reports. Its messages are signed with a certificate that lies at SNS, and it asks
 * whether a subscription is meant. No address that a message names is ever asked: only `url`, for a path of known form.
 */
export class SnsTopic implements ReportingTopic {
  readonly #options: SnsOptions;
  readonly #region: string;
  readonly #keys = new Map<string, { key: KeyObject; until: Date }>();

  constructor(options: SnsOptions) {
    this.#options = options;
    this.#region = options.topicArn.split(':')[3] ?? '';
  }

  missingCertificate(call: VendorCall): URL | null {
    const path = this.#certificatePath(call);
    return path === null || this.#keys.has(path) ? null : new URL(path, this.#url);
  }

  learn(url: URL, pem: string): boolean {
    try {
      const { publicKey, validTo } = new X509Certificate(pem);
      if (this.#keys.size >= MOST_KNOWN) this.#keys.delete(this.#keys.keys().next().value as string);
      this.#keys.set(url.pathname, { key: publicKey, until: new Date(validTo) });
      return true;
    } catch {
      // A page of somebody between.
      return false;
    }
  }

  readonly verify: Verify = (call, now) => {
    const path = this.#certificatePath(call);
    const known = path === null ? undefined : this.#keys.get(path);
    if (!known) return UNSIGNED;
    if (known.until < now) {
      this.#keys.delete(path as string);
      return 'is signed with a certificate that has expired';
    }
    const message = messageIn(call.body);
    if (message.TopicArn !== this.#options.topicArn) return 'is of another topic';
    const signed = (SIGNED[message.Type ?? ''] ?? [])
      .filter((name) => message[name] !== undefined)
      .map((name) => `${name}\n${message[name]}\n`)
      .join('');
    const verifier = createVerify(message.SignatureVersion === '2' ? 'RSA-SHA256' : 'RSA-SHA1').update(signed);
    return verifier.verify(known.key, message.Signature ?? '', 'base64') ? null : UNSIGNED;
  };

  kindOf(body: Buffer): 'report' | 'confirmation' | 'end' {
    const { Type } = messageIn(body);
    if (Type === 'SubscriptionConfirmation') return 'confirmation';
    return Type === 'UnsubscribeConfirmation' ? 'end' : 'report';
  }

  /** Where a subscription is confirmed that a verified call asks about: by its token, for the topic of the settings alone. */
  confirmationOf(body: Buffer): URL {
    const url = new URL('/', this.#url);
    url.search = new URLSearchParams({
      Action: 'ConfirmSubscription',
      TopicArn: this.#options.topicArn,
      Token: messageIn(body).Token ?? '',
      Version: '2010-03-31',
    }).toString();
    return url;
  }

  get #url(): string {
    return this.#options.url.replace('{region}', this.#region);
  }

  /** Null of a call that cannot be genuine, whatever its signature. */
  #certificatePath({ pathSecret, body }: VendorCall): string | null {
    const { pathSecret: wanted } = this.#options;
    if (wanted !== null && !(pathSecret !== null && isSameSecret(pathSecret, wanted))) return null;
    const { SigningCertURL, TopicArn, Type } = messageIn(body);
    if (TopicArn !== this.#options.topicArn || !Object.hasOwn(SIGNED, Type ?? '')) return null;
    if (SigningCertURL === undefined || !URL.canParse(SigningCertURL)) return null;
    const { protocol, host, pathname } = new URL(SigningCertURL);
    const hosts = [`sns.${this.#region}.amazonaws.com`, `sns.${this.#region}.amazonaws.com.cn`];
    return protocol === 'https:' && hosts.includes(host) && CERTIFICATE_PATH.test(pathname) ? pathname : null;
  }
}

/** What a vendor published, in a message of SNS; anything else as it is. */
export function publishedIn(body: unknown): unknown {
  const { Message } = (typeof body === 'object' && body !== null ? body : {}) as { Message?: unknown };
  if (typeof Message !== 'string') return body;
  try {
    return JSON.parse(Message) as unknown;
  } catch {
    return body;
  }
}

/** The texts of a message of SNS. */
function messageIn(body: Buffer): Partial<Record<string, string>> {
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
