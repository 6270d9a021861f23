import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { SEPTET_COST } from '../../carriers/sms/gsm-alphabet.js';
import { segment } from '../../carriers/sms/segments.js';

const CIPHER = 'aes-256-gcm';
const [NONCE_BYTES, TAG_BYTES] = [12, 16];

interface Keys {
  seal: Buffer;
  hash: Buffer;
}

/**
 * How sign-in codes are kept: sealed (AES-256-GCM), so that they can be sent, and as HMAC-SHA256, by which they are checked.
 * Both are bound to the verification and need a secret that is not in the store: of six digits a plain hash is found by
 * trying them all, however slow it is.
 */
export class CodeSeal {
  readonly #keys: readonly Keys[];

  /** @param secrets the first one seals, and each opens what it has sealed; none: there are no codes */
  constructor(secrets: readonly string[]) {
    const derive = (secret: string, use: string) => Buffer.from(hkdfSync('sha256', secret, '', use, 32));
    this.#keys = secrets.map((secret) => ({
      seal: derive(secret, 'heliograph sign-in codes: seal'),
      hash: derive(secret, 'heliograph sign-in codes: check'),
    }));
  }

  get hasKey(): boolean {
    return this.#keys.length > 0;
  }

  /** A code as it is stored. @throws where there is no key */
  keep(code: string, verificationId: string): { sealed: Buffer; hash: Buffer } {
    const [keys] = this.#keys;
    if (!keys) throw new Error('there is no key to seal codes with');
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, keys.seal, nonce).setAAD(Buffer.from(verificationId));
    const text = Buffer.concat([cipher.update(code, 'utf8'), cipher.final()]);
    return { sealed: Buffer.concat([nonce, cipher.getAuthTag(), text]), hash: hashOf(keys, code, verificationId) };
  }

  /** The code that was sealed for a verification; null where no key opens it. */
  open(sealed: Buffer, verificationId: string): string | null {
    for (const { seal } of this.#keys) {
      const opened = openWith(seal, sealed, verificationId);
      if (opened !== null) return opened;
    }
    return null;
  }

  /** Whether a code is the one of a hash. It takes the same time wherever they differ. */
  matches(code: string, verificationId: string, hash: Buffer): boolean {
    return this.#keys.map((keys) => timingSafeEqual(hashOf(keys, code, verificationId), hash)).some((isSame) => isSame);
  }
}

function hashOf({ hash }: Keys, code: string, verificationId: string): Buffer {
  return createHmac('sha256', hash).update(`${verificationId}.${code}`).digest();
}

function openWith(key: Buffer, sealed: Buffer, verificationId: string): string | null {
  try {
    const nonce = sealed.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(verificationId)).setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)).toString('utf8') + decipher.final('utf8');
  } catch {
    return null;
  }
}

/** What stands in the place of a code wherever its message is stored: as many asterisks, so that the parts are as many. */
export function maskOf(digits: number): string {
  return '*'.repeat(digits);
}

/**
 * The same for a code or a whole text that somebody else made: a character of the same weight for each of it, be it sent in the GSM
 * alphabet or not.
 */
export function maskFor(secret: string): string {
  const isUcs2 = segment(secret).encoding === 'ucs2';
  const weighing = (each: string) => (each.length === 2 ? '🔒' : '•');
  if (isUcs2) return [...secret].map(weighing).join('');
  return [...secret].map((each) => (SEPTET_COST[each.charCodeAt(0)] === 2 ? '~' : '*')).join('');
}

interface Text {
  body: string;
  content: unknown;
}

/** The text and content of a message with its code, or the text that it is, in the place of the mask. */
export function withCode<T extends Text>({ body, content }: T, secret: string): Pick<T, 'body' | 'content'> {
  return replaced({ body, content } as T, maskFor(secret), secret);
}

/** The same with a mask of another length. */
export function withMask<T extends Text>({ body, content }: T, from: number, to: number): Pick<T, 'body' | 'content'> {
  return replaced({ body, content } as T, maskOf(from), maskOf(to));
}

function replaced<T extends Text>({ body, content }: T, mask: string, to: string): Pick<T, 'body' | 'content'> {
  const inJson = JSON.stringify(to).slice(1, -1);
  return {
    body: withIn(body, mask, to),
    content: content && (JSON.parse(withIn(JSON.stringify(content), mask, inJson)) as T['content']),
  };
}

function withIn(text: string, mask: string, to: string): string {
  if (/[^*]/.test(mask)) return text.replaceAll(mask, () => to);
  // WhatsApp's own templates have the code bold: between asterisks.
  return text.replaceAll(new RegExp(`\\*{${mask.length},}`, 'g'), ({ length }) => {
    const more = length - mask.length;
    return '*'.repeat(Math.floor(more / 2)) + to + '*'.repeat(Math.ceil(more / 2));
  });
}
