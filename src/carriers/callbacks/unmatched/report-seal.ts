import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { blankTexts } from './blank-texts.js';

export interface SealedBody {
  form: 'sealed' | 'bare';
  body: Buffer;
}

export class UnopenedReportError extends Error {
  constructor() {
    super('no key in KEPT_REPORTS_SECRET can decrypt the report');
    this.name = 'UnopenedReportError';
  }
}

const CIPHER = 'aes-256-gcm';
const [NONCE_BYTES, TAG_BYTES] = [12, 16];

/**
 * Encrypts report bodies with AES-256-GCM, because they may contain message texts. Without a key, all texts in the body are
 * blanked.
 */
export class ReportSeal {
  readonly #keys: readonly Buffer[];

  /** Reports are encrypted with the first secret, and can be decrypted with any of the secrets. */
  constructor(secrets: readonly string[]) {
    this.#keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', 'heliograph kept reports', 32)));
  }

  get hasKey(): boolean {
    return this.#keys.length > 0;
  }

  seal(body: Buffer): SealedBody {
    const [key] = this.#keys;
    if (!key) return { form: 'bare', body: blankBody(body) };
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key, nonce);
    const ciphertext = Buffer.concat([cipher.update(body), cipher.final()]);
    return { form: 'sealed', body: Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]) };
  }

  /** @throws {UnopenedReportError} */
  open({ form, body }: SealedBody): Buffer {
    if (form === 'bare') return body;
    for (const key of this.#keys) {
      const plaintext = openWith(key, body);
      if (plaintext) return plaintext;
    }
    throw new UnopenedReportError();
  }
}

function openWith(key: Buffer, body: Buffer): Buffer | null {
  const decipher = createDecipheriv(CIPHER, key, body.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  try {
    decipher.setAuthTag(body.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(body.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    return null;
  }
}

/** Returns an empty body if the body is not JSON, because any part of such a body could be message text. */
function blankBody(body: Buffer): Buffer {
  try {
    return Buffer.from(JSON.stringify(blankTexts(JSON.parse(body.toString('utf8')))));
  } catch {
    return Buffer.alloc(0);
  }
}
