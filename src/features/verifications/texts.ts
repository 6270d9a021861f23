/** The texts use only the GSM alphabet where possible, so that an SMS has one part. */
const TEXTS: Readonly<Record<string, (app: string, code: string) => string>> = {
  ar: (app, code) => `رمز ${app} الخاص بك هو ${code}. لا تشاركه مع أحد.`,
  de: (app, code) => `Dein Code für ${app} ist ${code}. Gib ihn nicht weiter.`,
  en: (app, code) => `Your ${app} code is ${code}. Do not share it with anyone.`,
  es: (app, code) => `${code} es tu clave para ${app}. No la compartas con nadie.`,
  fr: (app, code) => `Votre code pour ${app} est ${code}. Ne le communiquez à personne.`,
  hi: (app, code) => `आपका ${app} कोड ${code} है। इसे किसी को न बताएं।`,
  it: (app, code) => `Il tuo codice per ${app} è ${code}. Non condividerlo con nessuno.`,
  ja: (app, code) => `${app} の確認コードは ${code} です。誰にも教えないでください。`,
  nl: (app, code) => `Je code voor ${app} is ${code}. Deel deze met niemand.`,
  pl: (app, code) => `Kod do ${app}: ${code}. Nie podawaj go nikomu.`,
  pt: (app, code) => `${code} é a sua chave de acesso para ${app}. Guarde segredo.`,
  ro: (app, code) => `Codul pentru ${app} este ${code}. Este secret.`,
  ru: (app, code) => `Код для ${app}: ${code}. Никому его не сообщайте.`,
  tr: (app, code) => `${app} kodunuz: ${code}. Bu kod gizlidir.`,
  uk: (app, code) => `Код для ${app}: ${code}. Нікому його не повідомляйте.`,
  zh: (app, code) => `您的 ${app} 验证码是 ${code}，请勿告诉他人。`,
};

/**
 * Characters that are invisible or change the direction or line breaks of a text, except variation selectors, which
 * emoji need.
 */
const INVISIBLE = '\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u2800\\u3164\\uffa0';
const INVISIBLE_CHARACTERS = new RegExp(`[${INVISIBLE}]`, 'gu');

/** App names must not contain asterisks, because stored texts have asterisks in place of the code. */
export const APP_NAME_PATTERN = `^[^*${INVISIBLE}]*[^*\\s${INVISIBLE}][^*${INVISIBLE}]*$`;
export const APP_NAME_RULE =
  'must be a text of 1 to 30 characters, without asterisks, control characters or invisible characters';
export const MAX_APP_NAME_LENGTH = 30;
export const LOCALE_PATTERN = '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$';
export const LOCALE_RULE = 'must be a language tag such as de or pt-BR';
export const MAX_LOCALE_LENGTH = 35;
export const ANDROID_HASH_PATTERN = '^[A-Za-z0-9+/]{11}$';
export const ANDROID_HASH_RULE = 'must be the 11 characters of an app hash';

export const LANGUAGES = Object.keys(TEXTS);

export interface CodeText {
  appName: string;
  /** Language tag such as `pt-BR`; English is used for languages without a text. */
  locale?: string;
  /** Hash of 11 characters by which an Android app finds the SMS (SMS Retriever). */
  androidHash?: string;
  /** Domain of the page on which a browser fills in the code (WebOTP). */
  domain?: string;
}

export function buildCodeText({ appName, locale = 'en', androidHash, domain }: CodeText, code: string): string {
  const language = locale.split('-', 1)[0]?.toLowerCase() ?? 'en';
  const buildText = TEXTS[language] ?? (TEXTS.en as (app: string, code: string) => string);
  const lastLine = domain === undefined ? androidHash : `@${domain} #${code}`;
  // Services created by earlier versions may have app names that are invalid now.
  const text = buildText(appName.replace(INVISIBLE_CHARACTERS, ''), code);
  return lastLine === undefined ? text : `${text}\n\n${lastLine}`;
}
